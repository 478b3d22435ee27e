"""What calls add up to, file by file and phase by phase."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from assay.explain.files.trace import Call, Kind

TOTAL, REST = "total", "rest"
Span = tuple[str, float, float]
"""A phase, its begin and its end, seconds since 1970."""


@dataclass
class FileAsked:
    """What is asked of a file.

    Attributes:
        path: The file.
        opens: Times that it was opened.
        reads: Calls that read.
        read_bytes: What they brought.
        read_sizes: How many of them brought so many bytes.
        reads_on: Those of them that went on where the last one ended.
        writes: Calls that wrote.
        write_bytes: What they took.
        write_sizes: How many of them took so many bytes.
        writes_on: Those of them that went on where the last one ended.
        syncs: Calls that waited until it is on the disk.
        open_s: Seconds of opening.
        read_s: Seconds of reading.
        write_s: Seconds of writing.
        sync_s: Seconds of waiting for the disk.
    """

    path: str
    opens: int = 0
    reads: int = 0
    read_bytes: int = 0
    reads_on: int = 0
    writes: int = 0
    write_bytes: int = 0
    writes_on: int = 0
    syncs: int = 0
    open_s: float = 0.0
    read_s: float = 0.0
    write_s: float = 0.0
    sync_s: float = 0.0
    read_sizes: Counter[int] = field(default_factory=Counter)
    write_sizes: Counter[int] = field(default_factory=Counter)

    @property
    def seconds(self) -> float:
        """All seconds that the job waited for it."""
        return self.open_s + self.read_s + self.write_s + self.sync_s


def median_size(sizes: Counter[int]) -> int | None:
    """Return the size that half of the calls do not exceed, bytes; ``None`` without calls.

    Args:
        sizes: How many calls were of so many bytes.
    """
    left = (sizes.total() + 1) // 2
    for size in sorted(sizes):
        left -= sizes[size]
        if left <= 0:
            return size
    return None


@dataclass
class PhaseAsked:
    """What is asked of files in a phase.

    Attributes:
        phase: Its name; ``total`` without phases, ``rest`` between and around them.
        files: By path.
        looked: Names that were looked at, or opened in vain.
        missing: Those of them that were not there.
        look_s: Seconds of that.
    """

    phase: str
    files: dict[str, FileAsked] = field(default_factory=dict)
    looked: int = 0
    missing: int = 0
    look_s: float = 0.0


def asked(found: Iterable[Call], spans: Sequence[Span], folder: str | None = None) -> list[PhaseAsked]:
    """Return what calls ask of files in each phase, phases in their order.

    Args:
        found: The calls.
        spans: The phases; empty is "they are not known".
        folder: The job's own folder, which is written as ``.``.
    """
    phases: dict[str, PhaseAsked] = {name: PhaseAsked(name) for name, _, _ in spans}
    ends: dict[tuple[str, int], int] = {}
    for call in found:
        name = _phase(call.at_s, spans)
        phase = phases.setdefault(name, PhaseAsked(name))
        failed = call.result is None or call.result < 0
        if call.kind is Kind.LOOK or (call.kind is Kind.OPEN and failed):
            phase.looked += 1
            phase.missing += failed
            phase.look_s += call.seconds
        elif call.path and not failed:
            path = _shown(call.path, folder)
            _add(phase.files.setdefault(path, FileAsked(path)), call, ends)
    for phase in phases.values():
        for path in [path for path, one in phase.files.items() if not _any(one)]:
            del phase.files[path]
    return [phase for phase in phases.values() if phase.files or phase.looked]


def _phase(at_s: float, spans: Sequence[Span]) -> str:
    if not spans:
        return TOTAL
    return next((name for name, began, ended in spans if began <= at_s < ended), REST)


def _shown(path: str, folder: str | None) -> str:
    if folder is None or not (path == folder or path.startswith(f"{folder}/")):
        return path
    return f".{path[len(folder) :]}"


def _any(one: FileAsked) -> bool:
    return bool(one.opens or one.reads or one.writes or one.syncs)


def _add(one: FileAsked, call: Call, ends: dict[tuple[str, int], int]) -> None:
    place, count = (call.path, call.descriptor), call.result or 0
    match call.kind:
        case Kind.OPEN:
            one.opens += 1
            one.open_s += call.seconds
            ends[place] = 0
        case Kind.SEEK:
            if ends.get(place) != count:
                ends[place] = -1 - count  # it does not go on from there, but the next after it does
        case Kind.READ:
            on = _goes_on(call, ends, place)
            one.reads += 1
            one.reads_on += on
            one.read_bytes += count
            one.read_sizes[count] += 1
            one.read_s += call.seconds
        case Kind.WRITE:
            on = _goes_on(call, ends, place)
            one.writes += 1
            one.writes_on += on
            one.write_bytes += count
            one.write_sizes[count] += 1
            one.write_s += call.seconds
        case _:
            one.syncs += 1
            one.sync_s += call.seconds


def _goes_on(call: Call, ends: dict[tuple[str, int], int], place: tuple[str, int]) -> bool:
    """Tell whether a call goes on where the last one ended, and keep where this one ends."""
    last = ends.get(place, 0)
    jumped, at = last < 0, -1 - last if last < 0 else last
    begins = at if call.offset is None else call.offset
    ends[place] = begins + (call.result or 0)
    return begins == at and not jumped
