"""The bench network: a bridge without address, two namespaces of ours on it, and a tap for the guest.

The server sits in one namespace, the host's client in the other, so that host and guest reach the same
server over the same bridge. The root namespace gets no address of ours and no route.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from assay.platforms.bench_links import BenchNetwork, bench_names, is_whole, make_links, remove_links
from assay.platforms.durable import read_json, write_json
from assay.platforms.errors import ClaimedError, PlatformError
from assay.platforms.iproute import has_carrier, links, namespaces
from assay.platforms.peer import Peer, server_command, wait_listening
from assay.platforms.process import ProcessMark, is_alive, stop_process, this_process

__all__ = [
    "BenchNetwork",
    "NetworkOwner",
    "bench_network",
    "network_owner",
    "network_token",
    "network_tokens",
    "remove_network",
    "tap_in_use",
]

MARK = "asy"
"""Every link and namespace of ours starts with this."""
STATE = Path("/run/assay/networks")
"""Who made which network; beside the namespaces, which do not outlive a reboot either."""


@dataclass(frozen=True)
class NetworkOwner:
    """Who made a network, and its server; ``server`` is ``None`` before the first start."""

    name: str
    owner: ProcessMark
    server: ProcessMark | None

    @property
    def live(self) -> bool:
        """Tell whether the maker still runs."""
        return is_alive(self.owner)


@contextlib.contextmanager
def bench_network(*, name: str, cpus: tuple[int, ...]) -> Iterator[BenchNetwork]:
    """Make the network of an activity, with its iperf3 server, and remove all of it at the end.

    What a crashed process left of it is taken over where it is whole, since a guest or a client may still
    be on it, and made anew where it is not.

    Args:
        name: The activity; the names of links are drawn from it.
        cpus: Processors that the server is confined to: the controller's, not the measured ones.

    Raises:
        MissingError: not root, or ``ip`` or ``iperf3`` is not installed.
        ClaimedError: a living process holds the network of this name.
        PlatformError: the network could not be made; nothing of it is left.
    """
    token = network_token(name)
    network = bench_names(token)
    command = server_command(network.server_namespace, network.server_address, cpus=cpus)
    left = network_owner(token)
    _refuse_second(name, left)
    if not is_whole(network):
        remove_network(token)
        left = None
    owner = NetworkOwner(name, this_process(), left.server if left else None)
    write_owner(token, owner)
    try:
        if left is None:
            make_links(network)
        with _served(network, command=command, token=token, owner=owner):
            yield network
    finally:
        remove_network(token)


def network_token(name: str) -> str:
    """Return the part that the names of a network's parts share: the mark and 6 hex digits.

    Names of links have at most 15 characters (IFNAMSIZ), so an activity's own name does not fit.
    """
    return f"{MARK}{hashlib.sha256(name.encode()).hexdigest()[:6]}"


def network_tokens() -> tuple[str, ...]:
    """Return the tokens of all networks of ours of which any part is there, sorted."""
    length = len(network_token(""))
    parts = (*links(MARK), *namespaces(MARK), *(path.stem for path in STATE.glob(f"{MARK}*.json")))
    return tuple(sorted({part[:length] for part in parts}))


def network_owner(token: str) -> NetworkOwner | None:
    """Return who made a network; ``None`` where that is not known."""
    value = read_json(_file(token))
    if value is None:
        return None
    server = None if value["server"] is None else ProcessMark(**value["server"])
    return NetworkOwner(str(value["name"]), ProcessMark(**value["owner"]), server)


def tap_in_use(token: str) -> bool:
    """Tell whether a guest holds the network's tap: only then it has a carrier."""
    return has_carrier(bench_names(token).tap)


def write_owner(token: str, owner: NetworkOwner) -> None:
    """Remember who made a network."""
    write_json(_file(token), asdict(owner))


def remove_network(token: str) -> None:
    """Remove all parts of a network that are there, its server included; none is no error.

    Raises:
        MissingError: there are parts and the caller is not root.
    """
    owner = network_owner(token)
    if owner is not None and owner.server is not None:
        stop_process(owner.server, grace_s=2.0)
    remove_links(bench_names(token))
    for file in (_file(token), STATE / f"{token}.log"):
        file.unlink(missing_ok=True)


def _file(token: str) -> Path:
    return STATE / f"{token}.json"


@contextlib.contextmanager
def _served(network: BenchNetwork, *, command: list[str], token: str, owner: NetworkOwner) -> Iterator[None]:
    log = STATE / f"{token}.log"
    peer = Peer(
        command,
        log=log,
        running=owner.server,
        on_start=lambda mark: write_owner(token, replace(owner, server=mark)),
    )
    try:
        if not wait_listening(network.server_namespace):
            said = log.read_text(errors="replace").strip().splitlines()
            msg = f"cannot start iperf3 in {network.server_namespace}: {said[-1] if said else 'it does not listen'}"
            raise PlatformError(msg, hint="assay platform clean")
        yield
    finally:
        peer.stop()


def _refuse_second(name: str, left: NetworkOwner | None) -> None:
    if left is not None and left.live:
        msg = f"cannot make the bench network of {name}: process {left.owner.pid} holds it"
        raise ClaimedError(msg, hint="wait until it has ended")
