"""The network's peer: servers that live in a namespace and are restarted when they die."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

from assay.model.errors import MissingError
from assay.model.files.native import PROBE
from assay.model.files.packages import install_command
from assay.model.work.server import SHIPPED_PROBE, Server
from assay.platforms.host_command import run
from assay.platforms.process import PATH, ProcessMark, is_alive, spawn, stop_process, wait_end

_PAUSE_S = 0.2
"""Between a server's end and the next one's start, so that one that cannot start does not spin."""


class Peer:
    """A server, watched by a thread that sleeps while it lives.

    It is not ended with the caller: a client that runs detached keeps its peer.

    Args:
        command: What starts a server.
        log: File that its output is appended to.
        running: A server that an earlier process left, taken over if it still runs.
        on_start: Called with each new server's mark.
    """

    def __init__(
        self,
        command: list[str],
        *,
        log: Path,
        running: ProcessMark | None,
        on_start: Callable[[ProcessMark], None],
    ) -> None:
        self._command, self._log, self._on_start = command, log, on_start
        self._ending = threading.Event()
        self._server = running if running is not None and is_alive(running) else self._start()
        self._thread = threading.Thread(target=self._watch, name="peer", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the server; returns when it is gone."""
        self._ending.set()
        while self._thread.is_alive():  # one that was just being restarted is met at the next turn
            stop_process(self._server, grace_s=1.0)
            self._thread.join(timeout=1.0)

    def _start(self) -> ProcessMark:
        mark = spawn(self._command, log=self._log)
        self._on_start(mark)
        return mark

    def _watch(self) -> None:
        while True:
            wait_end(self._server)
            if self._ending.wait(_PAUSE_S):
                return
            self._server = self._start()


def server_command(
    server: Server, namespace: str | None, address: str, *, cpus: tuple[int, ...]
) -> list[str]:
    """Return what runs a server, confined to processors; no processors is "all".

    Args:
        server: Which.
        namespace: The named network namespace that it runs in; ``None`` for this process's own.
        address: What it listens on.
        cpus: The processors.

    Raises:
        MissingError: ``ip``, ``taskset`` or the server is not installed.
    """
    inside = [] if namespace is None else [_program("ip", "iproute2"), "netns", "exec", namespace]
    pinned = [_program("taskset", "util-linux"), "--cpu-list", ",".join(map(str, cpus))] if cpus else []
    shipped = server.program == SHIPPED_PROBE
    program = str(PROBE.path()) if shipped else _program(server.program, server.package)
    return [*inside, *pinned, program, *(option.replace("{address}", address) for option in server.options)]


def wait_listening(namespace: str | None, *, port: int, timeout_s: float = 10.0) -> bool:
    """Tell whether something listens on a server's port in a namespace, within ``timeout_s`` seconds."""
    deadline = time.monotonic() + timeout_s
    while not listens(namespace, port=port):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def listens(namespace: str | None, *, port: int) -> bool:
    """Tell whether something listens on a server's port over IPv4; ``None`` is this process's namespace."""
    if namespace is None:
        return parse_listening(Path("/proc/self/net/tcp").read_text(), port)
    command = ["ip", "netns", "exec", namespace, "cat", "/proc/self/net/tcp"]
    return parse_listening(run(command).text, port)


def parse_listening(text: str, port: int) -> bool:
    """Tell whether a ``/proc/net/tcp`` shows a listener on a port (``man 5 proc``: state 0A is LISTEN)."""
    rows = (line.split() for line in text.splitlines()[1:])
    return any(row[1].endswith(f":{port:04X}") and row[3] == "0A" for row in rows)


def _program(name: str, package: str | None) -> str:
    path = shutil.which(name, path=PATH)
    if path is None:
        msg = f"cannot measure the network: {name} is not installed"
        raise MissingError(msg, hint=install_command(package) if package else None)
    return path
