"""The bench network's links: two namespaces and a tap on a bridge without address."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.platforms.iproute import ip_batch, link_exists, namespace_exists

SERVER_ADDRESS, CLIENT_ADDRESS, GUEST_ADDRESS, PREFIX = "198.18.0.1", "198.18.0.2", "198.18.0.3", 24
"""RFC 2544 and RFC 6890 set 198.18.0.0/15 aside for benchmarks of networks."""


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
    def links(self) -> tuple[str, ...]:
        """Return its links in the root namespace; the bridge last."""
        return *self.ports, self.tap, self.bridge


def bench_names(token: str) -> BenchNetwork:
    """Return the network whose parts' names start with a token."""
    return BenchNetwork(f"{token}-server", f"{token}-client", f"{token}b", f"{token}t")


def is_whole(network: BenchNetwork) -> bool:
    """Tell whether all of its parts are there."""
    return all(map(link_exists, network.links)) and all(map(namespace_exists, network.namespaces))


def make_links(network: BenchNetwork) -> None:
    """Make all parts; the root namespace gets no address, neither of IPv4 nor of IPv6.

    Raises:
        MissingError: not root, or ``ip`` is not installed.
        PlatformError: a part could not be made; others may be there.
    """
    ends = tuple(zip(network.ports, network.namespaces, strict=True))
    ip_batch([f"netns add {space}" for space in network.namespaces])
    ip_batch(
        [
            f"link add {network.bridge} type bridge stp_state 0 forward_delay 0 mcast_snooping 0",
            f"tuntap add dev {network.tap} mode tap",
            *(f"link add {port} type veth peer name eth0 netns {space}" for port, space in ends),
            *(f"link set {link} addrgenmode none" for link in network.links),
        ]
    )
    for link in network.links:
        _silence(link)
    ip_batch([f"link set {link} master {network.bridge} up" for link in (*network.ports, network.tap)])
    ip_batch([f"link set {network.bridge} up"])
    for space, address in zip(
        network.namespaces, (network.server_address, network.client_address), strict=True
    ):
        _give_address(space, f"{address}/{network.prefix}")


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
