"""The bench network: a bridge without address, two namespaces of ours on it, and links for the guest.

The server sits in one namespace, the host's client in the other, so that host and guest reach the same
server over the same bridge. The root namespace gets no address of ours and no route. A guest on QEMU's user
network cannot reach a namespace: it meets a second server, which listens on the host's own loopback.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from assay.model.work.server import Server
from assay.platforms.bench_network.bench_links import (
    PLAIN_MTU,
    BenchNetwork,
    bench_names,
    is_whole,
    make_guest_links,
    make_links,
    remove_links,
)
from assay.platforms.bench_network.bench_servers import serve
from assay.platforms.bench_network.daemons import end_daemons
from assay.platforms.bench_network.iproute import has_carrier, lies_on, links, ports
from assay.platforms.bench_network.network_owner import (
    NetworkOwner,
    forget_owner,
    network_owner,
    network_token,
    network_tokens,
    write_owner,
)
from assay.platforms.errors import WAIT, ClaimedError
from assay.platforms.process import stop_process, this_process

__all__ = [
    "PLAIN_MTU",
    "BenchNetwork",
    "NetworkOwner",
    "bench_network",
    "network_in_use",
    "network_owner",
    "network_token",
    "network_tokens",
    "rehearsal_links",
    "remove_network",
]


@contextlib.contextmanager
def bench_network(
    *,
    name: str,
    cpus: tuple[int, ...],
    loopback: bool = False,
    guests: int = 1,
    mtu: int = PLAIN_MTU,
    servers: Sequence[Server] = (),
) -> Iterator[BenchNetwork]:
    """Make the network of an activity, with its servers, and remove all of it at the end.

    What a crashed process left of it is taken over where it is whole, since a guest or a client may still
    be on it, and made anew where it is not.

    Args:
        name: The activity; the names of links are drawn from it.
        cpus: Processors that the servers are confined to: the controller's, not the measured ones.
        loopback: A guest is on QEMU's user network: a second one of each server listens on 127.0.0.1.
        guests: Guests that are on it at a time, each with a tap and an address of its own.
        mtu: Largest packet that all links carry, bytes.
        servers: What clients are measured against.

    Raises:
        MissingError: not root, or ``ip`` or a wanted server is not installed.
        ClaimedError: a living process holds the network of this name.
        PlatformError: the network could not be made, or another listens where one on loopback shall;
            nothing of it is left.
    """
    token = network_token(name)
    network = bench_names(token, guests=guests)
    left = network_owner(token)
    _refuse_second(name, left)
    if not is_whole(network):
        remove_network(token)
        left = None
    owner = NetworkOwner(name, this_process(), {} if left is None else left.noted)
    write_owner(token, owner)
    try:
        if left is None:
            make_links(network, mtu=mtu)
        with serve(network, token=token, owner=owner, cpus=cpus, loopback=loopback, servers=servers):
            yield network
    finally:
        remove_network(token)


@contextlib.contextmanager
def rehearsal_links(*, name: str, mtu: int = PLAIN_MTU) -> Iterator[BenchNetwork]:
    """Make the links that a guest's card may lead to, with nothing at their other ends, and remove them.

    Args:
        name: The rehearsal; the names of links are drawn from it.
        mtu: Largest packet that they carry, bytes.

    Raises:
        MissingError: not root, or ``ip`` is not installed.
        PlatformError: a link could not be made; nothing is left.
    """
    token = network_token(name)
    network = bench_names(token)
    write_owner(token, NetworkOwner(name, this_process()))
    try:
        make_guest_links(network, mtu=mtu)
        yield network
    finally:
        remove_network(token)


def network_in_use(token: str) -> bool:
    """Tell whether a guest is on a network: it holds a tap, or libvirt made it a link of its own."""
    network = bench_names(token)
    taps = links(network.tap)
    ours = {*network.ports, *taps, network.lower_port}
    return any(map(has_carrier, taps)) or bool(ports(network.bridge) - ours or lies_on(network.lower))


def remove_network(token: str) -> None:
    """Remove all parts of a network that are there, its servers included; none is no error.

    Raises:
        MissingError: there are parts and the caller is not root.
    """
    owner = network_owner(token)
    for server in () if owner is None else owner.servers:
        stop_process(server, grace_s=2.0)
    end_daemons(bench_names(token).server_namespace)
    remove_links(bench_names(token))
    forget_owner(token)


def _refuse_second(name: str, left: NetworkOwner | None) -> None:
    if left is not None and left.live:
        msg = f"cannot make the bench network of {name}: process {left.owner.pid} holds it"
        raise ClaimedError(msg, hint=WAIT)
