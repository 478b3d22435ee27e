"""The servers of a bench network: each in its namespace, and on loopback for guests on a user network."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.model.work.server import Server
from assay.platforms.bench_network.bench_links import BenchNetwork
from assay.platforms.bench_network.network_owner import NetworkOwner, server_log, write_owner
from assay.platforms.bench_network.peer import Peer, listens, server_command, wait_listening
from assay.platforms.errors import ClaimedError, PlatformError
from assay.platforms.process import ProcessMark, is_alive

_LOOPBACK = "127.0.0.1"


@contextlib.contextmanager
def serve(
    network: BenchNetwork,
    *,
    token: str,
    owner: NetworkOwner,
    cpus: tuple[int, ...],
    loopback: bool,
    servers: Sequence[Server] = (),
) -> Iterator[None]:
    """Run the servers of a network; those that an earlier process left are taken over.

    Args:
        network: Where they serve.
        token: Its token.
        owner: What is noted of it, kept up to date with each start of a server.
        cpus: Processors that they are confined to.
        loopback: Run those on loopback too.
        servers: What is run.

    Raises:
        MissingError: a server or what starts it is not installed.
        PlatformError: a server does not listen, or something else already does on its port of loopback.
    """
    note = _Note(token, owner)
    with contextlib.ExitStack() as stack:
        for server in servers:
            there = network.server_namespace, network.server_address
            stack.enter_context(_served(note, server.name, server, there, cpus=cpus))
            if loopback:
                own = f"{server.name}_loopback"
                stack.enter_context(_served(note, own, server, (None, _LOOPBACK), cpus=cpus))
        yield


class _Note:
    """What is noted of a network, changed by the threads that watch its servers."""

    def __init__(self, token: str, owner: NetworkOwner) -> None:
        self.token, self.owner = token, owner

    def started(self, server: str, mark: ProcessMark) -> None:
        """Note that a server was started."""
        self.owner = replace(self.owner, noted={**self.owner.noted, server: mark})
        write_owner(self.token, self.owner)


@contextlib.contextmanager
def _served(
    note: _Note, noted: str, server: Server, where: tuple[str | None, str], *, cpus: tuple[int, ...]
) -> Iterator[None]:
    namespace, address = where
    log = server_log(note.token, noted)
    left = note.owner.noted.get(noted)
    if namespace is None:
        _refuse_foreign(left, server)
    peer = Peer(
        server_command(server, namespace, address, cpus=cpus),
        log=log,
        running=left,
        on_start=lambda mark: note.started(noted, mark),
    )
    try:
        if not wait_listening(namespace, port=server.port):
            lines = log.read_text(errors="replace").strip().splitlines()
            place = namespace or address
            msg = f"cannot start {server.program} in {place}: {lines[-1] if lines else 'it does not listen'}"
            raise PlatformError(msg, hint="assay platform clean")
        yield
    finally:
        peer.stop()


def _refuse_foreign(left: ProcessMark | None, server: Server) -> None:
    """Refuse to measure against whatever listens on our port."""
    if listens(None, port=server.port) and not (left is not None and is_alive(left)):
        msg = f"cannot serve guests on a user network: another process listens on port {server.port}"
        raise ClaimedError(msg, hint=f"ss --listening --tcp --processes 'sport = :{server.port}'")
