"""The bench network's links: two namespaces, a tap and a pair for a macvtap on a bridge without address."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path

from assay.platforms.bench_network.iproute import ip_batch, link_exists, links, namespace_exists

NETWORK, PREFIX = "198.18.0.0", 24
SERVER_ADDRESS, CLIENT_ADDRESS, GUEST_ADDRESS = "198.18.0.2", "198.18.0.1", "198.18.0.15"
"""RFC 2544 and RFC 6890 set 198.18.0.0/15 aside for benchmarks of networks. The server has the address under
which QEMU's user network shows a guest its host, the guest the one that is its first there, so that both
are the same whatever a guest's card leads to (``man 1 qemu``, ``-netdev user``)."""

MOST_GUESTS = 240
"""Addresses of the network from the first guest's on."""
PLAIN_MTU = 1500
"""Largest packet of Ethernet, bytes (IEEE 802.3)."""


_TAP = re.compile(r"t(\d*)$")


@dataclass(frozen=True)
class BenchNetwork:
    """A network on which host and guest meet the same server.

    Attributes:
        server_namespace: Named namespace of the iperf3 server.
        client_namespace: Named namespace for the host's client.
        bridge: Bridge in the root namespace, without address.
        tap: Persistent tap on the bridge for the first guest, without address.
        server_address: Address of the server.
        client_address: Address of the host's client.
        guest_address: Address that the first guest shall take.
        prefix: Length of the network's prefix.
        guests: Guests that have a tap and an address each, at most ``MOST_GUESTS``.
    """

    server_namespace: str
    client_namespace: str
    bridge: str
    tap: str
    server_address: str = SERVER_ADDRESS
    client_address: str = CLIENT_ADDRESS
    guest_address: str = GUEST_ADDRESS
    prefix: int = PREFIX
    guests: int = 1

    @property
    def taps(self) -> tuple[str, ...]:
        """Return the guests' taps, the first one's first."""
        return (self.tap, *(f"{self.tap}{number}" for number in range(1, self.guests)))

    def address_of(self, number: int) -> str:
        """Return the address of a guest, counted from 0."""
        return str(IPv4Address(self.guest_address) + number)

    @property
    def namespaces(self) -> tuple[str, str]:
        """Return the server's and the client's namespace."""
        return self.server_namespace, self.client_namespace

    @property
    def ports(self) -> tuple[str, str]:
        """Return the bridge's ends of the pairs whose other ends are ``eth0`` in the namespaces."""
        return f"{self.bridge[:-1]}s", f"{self.bridge[:-1]}c"

    @property
    def lower(self) -> str:
        """Return the link on which libvirt makes macvtaps, one for each guest that has its card so."""
        return f"{self.bridge[:-1]}m"

    @property
    def lower_port(self) -> str:
        """Return the other end of ``lower``, on the bridge; it goes with it."""
        return f"{self.bridge[:-1]}n"

    @property
    def guest_links(self) -> tuple[str, ...]:
        """Return what guests' cards may lead to; the bridge last."""
        return self.lower, *self.taps, self.bridge

    @property
    def links(self) -> tuple[str, ...]:
        """Return its links in the root namespace without ``lower_port``; the bridge last."""
        return *self.ports, *self.guest_links


def bench_names(token: str, *, guests: int = 1) -> BenchNetwork:
    """Return the network whose parts' names start with a token, for so many guests."""
    return BenchNetwork(f"{token}-server", f"{token}-client", f"{token}b", f"{token}t", guests=guests)


def is_whole(network: BenchNetwork) -> bool:
    """Tell whether all of its parts are there."""
    return all(map(link_exists, network.links)) and all(map(namespace_exists, network.namespaces))


def network_of_tap(tap: str) -> BenchNetwork:
    """Return the network that a tap of ours is part of, for one guest."""
    return bench_names(_TAP.sub("", tap))


def number_of_tap(tap: str) -> int:
    """Return which guest's a tap of ours is, counted from 0."""
    found = _TAP.search(tap)
    return int(found[1] or 0) if found else 0


def make_links(network: BenchNetwork, *, mtu: int = PLAIN_MTU) -> None:
    """Make all parts; the root namespace gets no address, neither of IPv4 nor of IPv6.

    Args:
        network: Names and addresses.
        mtu: Largest packet that all of its links carry, bytes.

    Raises:
        MissingError: not root, or ``ip`` is not installed.
        PlatformError: a part could not be made; others may be there.
    """
    ends = tuple(zip(network.ports, network.namespaces, strict=True))
    ip_batch([f"netns add {space}" for space in network.namespaces])
    make_guest_links(network, mtu=mtu)
    pairs = [f"link add {port} mtu {mtu} type veth peer name eth0 mtu {mtu} netns {to}" for port, to in ends]
    ip_batch([*pairs, *(f"link set {port} addrgenmode none" for port in network.ports)])
    _join(network.ports, network.bridge)
    for space, address in zip(
        network.namespaces, (network.server_address, network.client_address), strict=True
    ):
        _give_address(space, f"{address}/{network.prefix}")


def make_guest_links(network: BenchNetwork, *, mtu: int = PLAIN_MTU) -> None:
    """Make the bridge and what guests' cards may lead to, without namespaces; see ``make_links``."""
    here = (*network.guest_links, network.lower_port)
    ip_batch(
        [
            f"link add {network.bridge} type bridge stp_state 0 forward_delay 0 mcast_snooping 0",
            *(f"tuntap add dev {tap} mode tap" for tap in network.taps),
            *(f"link set {tap} mtu {mtu}" for tap in network.taps),
            f"link add {network.lower} mtu {mtu} type veth peer name {network.lower_port} mtu {mtu}",
            *(f"link set {link} addrgenmode none" for link in here),
        ]
    )
    for link in (network.bridge, network.lower):
        _silence(link)
    _join((*network.taps, network.lower_port), network.bridge)
    ip_batch([f"link set {link} up" for link in (network.lower, network.bridge)])


def remove_links(network: BenchNetwork) -> None:
    """Remove what is there of it, the taps of however many guests.

    Raises:
        MissingError: not root.
    """
    own = {*network.links, *links(network.tap)}
    there = [name for name in sorted(own, key=lambda name: name == network.bridge) if link_exists(name)]
    namespaces = [f"netns delete {name}" for name in network.namespaces if namespace_exists(name)]
    if there:  # before the namespaces: the kernel takes those down later, in its own time
        ip_batch([f"link delete {name}" for name in there])
    if namespaces:
        ip_batch(namespaces)


def _join(ports: tuple[str, ...], bridge: str) -> None:
    for port in ports:
        _silence(port)
    ip_batch([f"link set {port} master {bridge} up" for port in ports])


def _silence(link: str) -> None:
    # a link without address generation still joins IPv6 groups and would send reports
    switch = Path(f"/proc/sys/net/ipv6/conf/{link}/disable_ipv6")
    if switch.exists():
        switch.write_text("1")


def _give_address(namespace: str, address: str) -> None:
    lines = [
        "link set lo up",
        "link set eth0 addrgenmode none",
        f"address add {address} dev eth0",
        "link set eth0 up",
    ]
    ip_batch(lines, namespace=namespace)
