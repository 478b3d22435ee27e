"""The bench network's links: two namespaces, a tap and a pair for a macvtap on a bridge without address."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.platforms.bench_network.iproute import ip_batch, link_exists, namespace_exists

NETWORK, PREFIX = "198.18.0.0", 24
SERVER_ADDRESS, CLIENT_ADDRESS, GUEST_ADDRESS = "198.18.0.2", "198.18.0.1", "198.18.0.15"
"""RFC 2544 and RFC 6890 set 198.18.0.0/15 aside for benchmarks of networks. The server has the address under
which QEMU's user network shows a guest its host, the guest the one that is its first there, so that both
are the same whatever a guest's card leads to (``man 1 qemu``, ``-netdev user``)."""

PLAIN_MTU = 1500
"""Largest packet of Ethernet, bytes (IEEE 802.3)."""


@dataclass(frozen=True)
class BenchNetwork:
    """A network on which host and guest meet the same server.

    Attributes:
        server_namespace: Named namespace of the iperf3 server.
        client_namespace: Named namespace for the host's client.
        bridge: Bridge in the root namespace, without address.
        tap: Persistent tap on the bridge for a guest, without address.
        server_address: Address of the server.
        client_address: Address of the host's client.
        guest_address: Address that a guest shall take.
        prefix: Length of the network's prefix.
    """

    server_namespace: str
    client_namespace: str
    bridge: str
    tap: str
    server_address: str = SERVER_ADDRESS
    client_address: str = CLIENT_ADDRESS
    guest_address: str = GUEST_ADDRESS
    prefix: int = PREFIX

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
        """Return the link on which libvirt makes a macvtap."""
        return f"{self.bridge[:-1]}m"

    @property
    def lower_port(self) -> str:
        """Return the other end of ``lower``, on the bridge; it goes with it."""
        return f"{self.bridge[:-1]}n"

    @property
    def guest_links(self) -> tuple[str, ...]:
        """Return what a guest's card may lead to; the bridge last."""
        return self.lower, self.tap, self.bridge

    @property
    def links(self) -> tuple[str, ...]:
        """Return its links in the root namespace without ``lower_port``; the bridge last."""
        return *self.ports, *self.guest_links


def bench_names(token: str) -> BenchNetwork:
    """Return the network whose parts' names start with a token."""
    return BenchNetwork(f"{token}-server", f"{token}-client", f"{token}b", f"{token}t")


def is_whole(network: BenchNetwork) -> bool:
    """Tell whether all of its parts are there."""
    return all(map(link_exists, network.links)) and all(map(namespace_exists, network.namespaces))


def network_of_tap(tap: str) -> BenchNetwork:
    """Return the network that a tap of ours is part of."""
    return bench_names(tap[:-1])


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
    """Make the bridge and what a guest's card may lead to, without namespaces; see ``make_links``."""
    here = (*network.guest_links, network.lower_port)
    ip_batch(
        [
            f"link add {network.bridge} type bridge stp_state 0 forward_delay 0 mcast_snooping 0",
            f"tuntap add dev {network.tap} mode tap",
            f"link set {network.tap} mtu {mtu}",
            f"link add {network.lower} mtu {mtu} type veth peer name {network.lower_port} mtu {mtu}",
            *(f"link set {link} addrgenmode none" for link in here),
        ]
    )
    for link in (network.bridge, network.lower):
        _silence(link)
    _join((network.tap, network.lower_port), network.bridge)
    ip_batch([f"link set {link} up" for link in (network.lower, network.bridge)])


def remove_links(network: BenchNetwork) -> None:
    """Remove what is there of it.

    Raises:
        MissingError: not root.
    """
    links = [f"link delete {name}" for name in network.links if link_exists(name)]
    namespaces = [f"netns delete {name}" for name in network.namespaces if namespace_exists(name)]
    if links:  # before the namespaces: the kernel takes those down later, in its own time
        ip_batch(links)
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
