"""The data of an arm of several machines: on the disk of each, or of the first, which serves the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from assay.activities.data.seen import check_sizes
from assay.activities.visits.visit import Visit
from assay.model.activity import PlannedArm
from assay.model.errors import AssayError
from assay.model.platforms.data import LOCAL, DataPlace, DataSet, access
from assay.model.platforms.platform import SeenFactor
from assay.platforms.data_servers.own_server import Served, check_served, serving
from assay.platforms.errors import PlatformError

XROOTD = "xrootd"


@contextmanager
def brought_together(files: Path, visits: Sequence[Visit], arm: PlannedArm, data: DataSet) -> Iterator[None]:
    """Let each machine of an arm see the data as the arm shall, for the time of a visit.

    Args:
        files: The data on the controller.
        visits: The machines, the first one first.
        arm: Their arm: ``data.access`` ``local`` or ``xrootd``.
        data: What they are.

    Raises:
        MissingError: the first machine has no server.
        PlatformError: the server does not start, or a machine sees other files.
    """
    first, *others = visits
    first.data = _copied(files, first, data)
    if access(arm.data) == LOCAL:
        for one in others:
            one.data = _copied(files, one, data)
        yield
        return
    with serving(first.talk, first.run, first.data.root, machine=first.machine) as served:
        for one in others:
            one.data = _remote(served, one, data)
        how = f"{_seen_by(served, data)}, seen from {', '.join(one.machine for one in others)}"
        first.data = replace(first.data, seen=(SeenFactor("data.access", XROOTD, how),))
        yield


def _copied(files: Path, visit: Visit, data: DataSet) -> DataPlace:
    """Give a machine a copy of its own, which later visits find there."""
    root = f"{visit.directory}/data"
    try:
        reported = check_sizes(visit, data, root)
    except AssayError:  # not there yet, or not all of it
        visit.probe.make(visit.directory)  # with its marker, before anything lies in it
        visit.put(files, root)
        reported = check_sizes(visit, data, root)
    paths = tuple(f"{root}/{file.name}" for file in data.files)
    return DataPlace(root, paths, seen=(SeenFactor("data.access", LOCAL, reported),))


def _remote(served: Served, visit: Visit, data: DataSet) -> DataPlace:
    names = [file.name for file in data.files]
    sizes = check_served(served, visit.run, names)
    for file, size in zip(data.files, sizes, strict=True):
        if size != file.bytes:
            msg = (
                f"cannot measure with the data at {served.url()}: {visit.machine} sees {size:,} bytes of "
                f"{file.name}, expected {file.bytes:,}"
            )
            raise PlatformError(msg)
    urls = tuple(map(served.url, names))
    seen = SeenFactor("data.access", XROOTD, _seen_by(served, data))
    return DataPlace(served.url(), urls, local=False, seen=(seen,))


def _seen_by(served: Served, data: DataSet) -> str:
    return f"{len(data.files)} files of {data.bytes:,} bytes at {served.url()}, by HTTP of {served.version}"
