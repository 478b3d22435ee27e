"""What an arm really sees of the data: read in it and at the server, never assumed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from assay.activities.visits.visit import Visit
from assay.model.platforms.data import DataSet, Levels, access
from assay.model.platforms.platform import SeenFactor
from assay.platforms.bench_network.daemons import Site
from assay.platforms.data_servers import xrootd
from assay.platforms.data_servers.gluster import WRITTEN, volume_state
from assay.platforms.data_servers.mount import Mounted, mounted_level, parse_mounted
from assay.platforms.errors import PlatformError

Run = Callable[[Sequence[str]], bytes]
"""Runs a command where an arm is and returns what it printed."""
LOOK_S = 120.0
_AT_ONCE = 500
"""Paths a command: an argument list has its limit."""


def check_sizes(visit: Visit, data: DataSet, root: str) -> str:
    """Return what was seen of all files at a place of a visit, one clause.

    Of a container, which can run nothing beside its probe, the files are looked at here: they are this
    machine's.

    Raises:
        PlatformError: one is not there, or has another size.
    """
    names = [file.name for file in data.files]
    if not visit.runs_programs:
        return _compare(data, {name: _size(Path(root) / name) for name in names}, where=root)
    sizes = list(_sizes(visit, [f"{root}/{name}" for name in names]))
    return _compare(data, dict(zip(names, sizes, strict=True)), where=root)


def check_files(data: DataSet, files: Sequence[Path], *, where: str) -> str:
    """Return what was seen of files of this machine, in the order of the data; raises as ``check_sizes``."""
    sizes = {file.name: _size(path) for file, path in zip(data.files, files, strict=True)}
    return _compare(data, sizes, where=where)


def check_url(run: Run, data: DataSet, address: str) -> str:
    """Return what a server of XRootD tells an arm of all files, one clause; raises as ``check_sizes``."""
    reported = run(xrootd.list_command(address)).decode(errors="replace")
    return _compare(data, xrootd.parse_sizes(reported), where=xrootd.url(address))


def check_mount(visit: Visit, site: Site, levels: Levels, *, point: str) -> tuple[SeenFactor, ...]:
    """Return the levels of an arm as its mount shows them, that of the access first.

    Raises:
        PlatformError: one is not in force.
    """
    text = visit.run(("cat", "/proc/mounts"), timeout_s=LOOK_S).decode(errors="replace")
    mounted, way = parse_mounted(text, point), access(levels)
    if mounted is None:
        msg = f"cannot measure with data.access={way}: nothing is mounted at {point} of {visit.machine}"
        raise PlatformError(msg, hint=f"assay factors show {'data.access'}")
    server = f", {volume_state(site)}" if way == "glusterfs" else ""
    how = f"/proc/mounts of {visit.machine}: {mounted.kind} from {mounted.source}{server}"
    ordered = sorted(levels, key=lambda level: level[0] != "data.access")
    return tuple(_seen(name, wanted, mounted, how) for name, wanted in ordered)


def check_written(visit: Visit, site: Site, way: str, *, point: str) -> SeenFactor:
    """Return the way by which the jobs of a visit write, as its mount shows it.

    Raises:
        PlatformError: it is another, or cannot be written to.
    """
    text = visit.run(("cat", "/proc/mounts"), timeout_s=LOOK_S).decode(errors="replace")
    if (mounted := parse_mounted(text, point)) is None or "rw" not in mounted.options:
        shown = "nothing is mounted" if mounted is None else "what is mounted cannot be written to"
        msg = f"cannot measure with scratch.access={way}: {shown} at {point} of {visit.machine}"
        raise PlatformError(msg, hint="assay factors show scratch.access")
    server = f", {volume_state(site, WRITTEN)}" if way == "glusterfs" else ""
    how = f"/proc/mounts of {visit.machine}: {mounted.kind} from {mounted.source}{server}"
    return _seen("scratch.access", way, mounted, how)


def _seen(name: str, wanted: str, mounted: Mounted, how: str) -> SeenFactor:
    level = mounted_level(name, mounted)
    if level != wanted:
        msg = f"cannot measure with {name}={wanted}: it is {level}, by {how}"
        raise PlatformError(msg, hint=f"assay factors show {name}")
    return SeenFactor(name, level, how)


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _sizes(visit: Visit, paths: Sequence[str]) -> Iterator[int]:
    for start in range(0, len(paths), _AT_ONCE):
        command = ("stat", "-c", "%s", "--", *paths[start : start + _AT_ONCE])
        yield from (int(word) for word in visit.run(command, timeout_s=LOOK_S).split())


def _compare(data: DataSet, sizes: dict[str, int], *, where: str) -> str:
    for file in data.files:
        if sizes.get(file.name) != file.bytes:
            has = f"has {sizes[file.name]:,} bytes" if file.name in sizes else "is not there"
            msg = f"cannot measure with the data at {where}: {file.name} {has}, expected {file.bytes:,}"
            raise PlatformError(msg, hint="assay platform clean")
    count = len(data.files)
    return f"{count} file{'s' if count > 1 else ''} of {data.bytes:,} bytes at {where}"
