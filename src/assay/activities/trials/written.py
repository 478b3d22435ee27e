"""What a job wrote: brought home from its scratch folder before that is taken away."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.activities.trials.job import copy_folder
from assay.activities.trials.kept import read_stream
from assay.activities.visits.visit import Visit
from assay.machines.errors import TransferError
from assay.model.units import format_bytes
from assay.model.work.workload import Workload
from assay.workloads import Wrote, streams_read

MOST_BYTES = 16 * 1024**2
"""Of one file that figures are read from: it is kept with every trial, and read whole."""
FOLDER = "files"
"""In a trial's record; below it a folder for each copy."""


def bring_written(visit: Visit, workload: Workload, *, into: str, folder: Path) -> tuple[str, ...]:
    """Bring the files that figures and success are read from, and look for those that must be there.

    Args:
        visit: Where the job ran, and has ended.
        workload: What ran.
        into: The job's folder there.
        folder: Where the files of the run lie here.

    Returns:
        What is wrong with them, in words; empty where nothing is.

    Raises:
        UnreachableError: the machine was lost.
    """
    return tuple(_faults(visit, workload, into, folder))


def _faults(visit: Visit, workload: Workload, into: str, folder: Path) -> Iterator[str]:
    copies = workload.placement.copies
    wanted = workload.success.files if workload.success else ()
    for copy in range(copies):
        there, whose = copy_folder(workload, into, copy), f"copy {copy}: " if copies > 1 else ""
        for file in workload.written:
            if fault := _bring(visit, f"{there}/{file}", _place(folder, copy) / file):
                yield f"{whose}expected the file '{file}' {fault}"
        for file in wanted:
            if not (size := _size(visit, f"{there}/{file}")):
                got = "none" if size is None else "an empty one"
                yield f"{whose}expected the file '{file}' with something in it, got {got}"


def _bring(visit: Visit, there: str, here: Path) -> str | None:
    """Bring one file; return what is wrong with it."""
    if (size := _size(visit, there)) is None:
        return "in the scratch folder, got none"
    if size > MOST_BYTES:
        return f"of at most {format_bytes(MOST_BYTES)}, got {size} B"
    try:
        visit.probe.bring(there, here)
    except TransferError:
        return "itself in the scratch folder, got a link to another or one that cannot be read"
    return None


def _size(visit: Visit, there: str) -> int | None:
    """Return the bytes of a regular file; ``None`` where there is none that can be looked at."""
    try:
        return visit.probe.size(there)
    except (TransferError, OSError):
        return None


def wrote(workload: Workload, folder: Path) -> list[Wrote]:
    """Return what each copy wrote, from the files of a run here; a stream that nothing is read from is left
    out.

    Raises:
        TooLongError: A stream holds more than is read of one.
    """
    return [_wrote(workload, folder, copy) for copy in range(workload.placement.copies)]


def _wrote(workload: Workload, folder: Path, copy: int) -> Wrote:
    files = {file: _place(folder, copy) / file for file in workload.written}
    names = [output_name(name, copy) for name in ("stdout", "stderr")]
    wanted = zip(names, streams_read(workload), strict=True)
    output, errors = (read_stream(folder, name) if reported else b"" for name, reported in wanted)
    return Wrote(
        output, errors, {file: place.read_bytes() for file, place in files.items() if place.is_file()}
    )


def _place(folder: Path, copy: int) -> Path:
    return folder / FOLDER / f"copy-{copy}"


def output_name(name: str, copy: int) -> str:
    """Return the file of a copy's output; that of the first has no number."""
    return f"{name}.{copy}" if copy else name
