"""The servers of a bench network: one in its namespace, one on loopback for guests on a user network."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from assay.platforms.bench_network.bench_links import BenchNetwork
from assay.platforms.bench_network.network_owner import NetworkOwner, server_log, write_owner
from assay.platforms.bench_network.peer import (
    IPERF3,
    Peer,
    Service,
    listens,
    server_command,
    wait_listening,
)
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
    beside: Sequence[Service] = (),
) -> Iterator[None]:
    """Run the servers of a network; those that an earlier process left are taken over.

    Args:
        network: Where they serve.
        token: Its token.
        owner: What is noted of it, kept up to date with each start of a server.
        cpus: Processors that they are confined to.
        loopback: Run those on loopback too.
        beside: Servers to run beside iperf3's.

    Raises:
        MissingError: a server or what starts it is not installed.
        PlatformError: a server does not listen, or something else already does on its port of loopback.
    """
    note = _Note(token, owner)
    with contextlib.ExitStack() as stack:
        for service in (IPERF3, *beside):
            here, there = service.noted
            space, address = network.server_namespace, network.server_address
            stack.enter_context(_served(note, here, service, (space, address), cpus=cpus))
            if loopback:
                stack.enter_context(_served(note, there, service, (None, _LOOPBACK), cpus=cpus))
        yield


class _Note:
    """What is noted of a network, changed by the threads that watch its servers."""

    def __init__(self, token: str, owner: NetworkOwner) -> None:
        self.token, self.owner = token, owner

    def started(self, server: str, mark: ProcessMark) -> None:
        """Note that a server was started."""
        started: dict[str, Any] = {server: mark}
        self.owner = replace(self.owner, **started)
        write_owner(self.token, self.owner)


@contextlib.contextmanager
def _served(
    note: _Note, server: str, service: Service, where: tuple[str | None, str], *, cpus: tuple[int, ...]
) -> Iterator[None]:
    namespace, address = where
    log = server_log(note.token, server)
    left: ProcessMark | None = getattr(note.owner, server)
    if namespace is None:
        _refuse_foreign(left, service)
    peer = Peer(
        server_command(service, namespace, address, cpus=cpus),
        log=log,
        running=left,
        on_start=lambda mark: note.started(server, mark),
    )
    try:
        if not wait_listening(namespace, port=service.port):
            lines = log.read_text(errors="replace").strip().splitlines()
            place = namespace or address
            msg = f"cannot start {service.program} in {place}: {lines[-1] if lines else 'it does not listen'}"
            raise PlatformError(msg, hint="assay platform clean")
        yield
    finally:
        peer.stop()


def _refuse_foreign(left: ProcessMark | None, service: Service) -> None:
    """Refuse to measure against whatever listens on our port."""
    if listens(None, port=service.port) and not (left is not None and is_alive(left)):
        msg = f"cannot serve guests on a user network: another process listens on port {service.port}"
        raise ClaimedError(msg, hint=f"ss --listening --tcp --processes 'sport = :{service.port}'")
