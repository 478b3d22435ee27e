"""The network's peer: servers that live in a namespace and are restarted when they die."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assay.model.errors import MissingError
from assay.platforms.host_command import run
from assay.platforms.process import PATH, ProcessMark, is_alive, spawn, stop_process, wait_end

PORT = 5201
"""iperf3's own default port."""


@dataclass(frozen=True)
class Service:
    """A kind of server.

    Attributes:
        program: Its executable, by name or path.
        port: Where it listens.
        options: Its arguments, the address among them as ``{address}``; it stays in the foreground.
        noted: Fields of ``NetworkOwner`` where it is noted, in the namespace and on loopback.
    """

    program: str
    port: int
    options: tuple[str, ...]
    noted: tuple[str, str]


IPERF3 = Service("iperf3", PORT, ("--server", "--bind", "{address}"), ("server", "loopback"))
NETSERVER = Service("netserver", 12865, ("-D", "-L", "{address}"), ("netserver", "netserver_loopback"))
"""netperf's. Source: its manual, "The Control Connection", 2.7.0."""
ECHO_PORT = 12866
"""Of the probe's own server (``probe/src/peer.rs``)."""
_PAUSE_S = 0.2
"""Between a server's end and the next one's start, so that one that cannot start does not spin."""


def echo(probe: Path) -> Service:
    """Return the server of the probe's kernels ``tcp-rr``, ``tcp-crr`` and ``udp-rr``; it binds to its
    address alone.
    """
    return Service(str(probe), ECHO_PORT, ("peer", "--bind", "{address}"), ("echo", "echo_loopback"))


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
    service: Service, namespace: str | None, address: str, *, cpus: tuple[int, ...]
) -> list[str]:
    """Return what runs a server, confined to processors; no processors is "all".

    Args:
        service: Its kind.
        namespace: The named network namespace that it runs in; ``None`` for this process's own.
        address: What it listens on.
        cpus: The processors.

    Raises:
        MissingError: ``ip``, ``taskset`` or the server is not installed.
    """
    inside = [] if namespace is None else [_program("ip"), "netns", "exec", namespace]
    pinned = [_program("taskset"), "--cpu-list", ",".join(map(str, cpus))] if cpus else []
    options = [option.replace("{address}", address) for option in service.options]
    return [*inside, *pinned, _program(service.program), *options]


def wait_listening(namespace: str | None, *, port: int = PORT, timeout_s: float = 10.0) -> bool:
    """Tell whether something listens on a server's port in a namespace, within ``timeout_s`` seconds."""
    deadline = time.monotonic() + timeout_s
    while not listens(namespace, port=port):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def listens(namespace: str | None, *, port: int = PORT) -> bool:
    """Tell whether something listens on a server's port over IPv4; ``None`` is this process's namespace."""
    if namespace is None:
        return parse_listening(Path("/proc/self/net/tcp").read_text(), port)
    command = ["ip", "netns", "exec", namespace, "cat", "/proc/self/net/tcp"]
    return parse_listening(run(command).text, port)


def parse_listening(text: str, port: int) -> bool:
    """Tell whether a ``/proc/net/tcp`` shows a listener on a port (``man 5 proc``: state 0A is LISTEN)."""
    rows = (line.split() for line in text.splitlines()[1:])
    return any(row[1].endswith(f":{port:04X}") and row[3] == "0A" for row in rows)


_PACKAGES = {"ip": "iproute2", "taskset": "util-linux", "iperf3": "iperf3", "netserver": "netperf"}


def _program(name: str) -> str:
    path = shutil.which(name, path=PATH)
    if path is None:
        msg = f"cannot measure the network: {name} is not installed"
        raise MissingError(msg, hint=f"apt install {_PACKAGES[name]}")
    return path
