"""Daemons in the server namespace of a bench network: started, waited for, ended with all that
they started.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.model.errors import MissingError
from assay.platforms.bench_network.bench_links import BenchNetwork
from assay.platforms.bench_network.peer import parse_listening
from assay.platforms.errors import PlatformError
from assay.platforms.process import PATH, ProcessMark, is_alive, process_mark, spawn, stop_process

_NAMESPACES = Path("/run/netns")
START_S = 30.0
"""glusterd takes two seconds on a quiet machine."""
_ENDING_S = 2.0


@dataclass(frozen=True)
class Site:
    """Where servers of data run.

    Attributes:
        folder: The activity's folder of data; ``files`` in it is what they serve to be read, ``written`` what
            they serve to be written to.
        network: The bench network that they serve on.
        cpus: Processors that they are confined to; empty is "all".
        writable: Those of the servers that jobs write to.
    """

    folder: Path
    network: BenchNetwork
    cpus: tuple[int, ...]
    writable: tuple[str, ...] = ()

    @property
    def files(self) -> Path:
        """The folder that is served to be read."""
        return self.folder / "files"

    @property
    def written(self) -> Path:
        """The folder that is served to be written to."""
        return self.folder / "written"

    def inside(self, command: Sequence[str], *, cpus: Sequence[int] | None = None) -> list[str]:
        """Return the argument list that runs a server's command in its namespace, on its processors."""
        return in_namespace(self.network.server_namespace, command, cpus=self.cpus if cpus is None else cpus)


def in_namespace(namespace: str, command: Sequence[str], *, cpus: Sequence[int] = ()) -> list[str]:
    """Return the argument list that runs a command in a network namespace; what it mounts is seen by all.

    Unlike ``ip netns exec``, which would give it mounts of its own.
    """
    pinned = [program("taskset"), "--cpu-list", ",".join(map(str, cpus))] if cpus else []
    own, *words = command
    return [program("nsenter"), f"--net={_NAMESPACES / namespace}", "--", *pinned, program(own), *words]


def program(name: str) -> str:
    """Return the path of a program.

    Raises:
        MissingError: it is not installed.
    """
    if (path := shutil.which(name, path=PATH)) is None:
        msg = f"cannot serve the data: {name} is not installed"
        raise MissingError(msg, hint="docs/data-access.md names the packages")
    return path


def start_daemon(site: Site, command: Sequence[str], *, port: int, log: Path) -> ProcessMark:
    """Start a server that stays in the foreground, and wait until it listens.

    Raises:
        MissingError: it is not installed.
        PlatformError: it does not listen in time, or ended; its last words are in the message.
    """
    mark = spawn(site.inside(command), log=log)
    wait_serving(site, command[0], port=port, log=log, mark=mark)
    return mark


def wait_serving(site: Site, name: str, *, port: int, log: Path, mark: ProcessMark | None = None) -> None:
    """Wait until a server listens on its port of the namespace; raises as ``start_daemon``."""
    until = time.monotonic() + START_S
    while not listens_in(site.network.server_namespace, port):
        if time.monotonic() > until or (mark is not None and not is_alive(mark)):
            lines = [line for line in _text(log).splitlines() if line.strip()]
            msg = f"cannot start {name} for the data: {lines[-1][:200] if lines else 'it does not listen'}"
            raise PlatformError(msg, hint=f"its log was {log}; assay platform clean")
        time.sleep(0.05)


def listens_in(namespace: str, port: int) -> bool:
    """Tell whether a process of a namespace listens on a port, over IPv4 or IPv6."""
    for pid in namespace_pids(namespace):
        seen = (_text(Path(f"/proc/{pid}/net/{table}")) for table in ("tcp", "tcp6"))
        if any(parse_listening(text, port) for text in seen if text):
            return True
    return False


def namespace_pids(namespace: str) -> Iterator[int]:
    """Yield the processes whose network is a named namespace."""
    try:
        wanted = (_NAMESPACES / namespace).stat()
    except FileNotFoundError:
        return
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                seen = (entry / "ns/net").stat()
            except OSError:
                continue  # it has ended, or is not ours to look at
            if (seen.st_dev, seen.st_ino) == (wanted.st_dev, wanted.st_ino):
                yield int(entry.name)


def end_daemons(namespace: str, *, spare: Sequence[ProcessMark] = ()) -> None:
    """End every process in a server namespace of ours but those spared; none is no error."""
    kept = {mark.pid for mark in spare}
    for pid in tuple(namespace_pids(namespace)):
        if pid != os.getpid() and pid not in kept and (mark := process_mark(pid)) is not None:
            stop_process(mark, grace_s=_ENDING_S)


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
