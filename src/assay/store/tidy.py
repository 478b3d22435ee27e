"""Series of old results made smaller: fewer moments of each, of which every one is as it was measured.

A thinned series has the first and the last moment, those next to each phase that a copy told of, and of each
of ``BUCKETS`` stretches its first one, the smallest and the largest value of each column that goes up and
down, and the steepest step of each that only grows. Totals between kept moments are what they were. Records
of trials, from which all losses come, are never touched.
"""

from __future__ import annotations

import json
import math
import time
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from assay.store.content import FOLDERS
from assay.store.record import VERSION, replace_file, replace_json

BUCKETS = 300
"""A chart of a page is as many points wide; a series of no more than twice as many moments stays as it is."""
NOTE, PHASES = "tidied.json", "phases.csv"
MOMENT = "mono_ns"


@dataclass(frozen=True)
class Tidied:
    """What was thinned.

    Attributes:
        files: Number of series that were made smaller.
        freed_bytes: What they take less.
    """

    files: int
    freed_bytes: int

    def __add__(self, other: Tidied) -> Tidied:
        return Tidied(self.files + other.files, self.freed_bytes + other.freed_bytes)


def tidy_activity(folder: Path, *, dry: bool = False) -> Tidied:
    """Thin the series of an activity that has ended; one that was thinned before stays as it is.

    Args:
        folder: Its folder.
        dry: Only tell what would be freed.

    Returns:
        Nothing where no series is long enough.

    Raises:
        OSError: A file cannot be read or written: what was thinned so far stays so, each file whole.
    """
    done = Tidied(0, 0)
    if (folder / NOTE).exists():
        return done
    for file in _series(folder):
        data = file.read_bytes()
        thin = thinned(data, _boundaries(file.parent))
        if len(thin) < len(data):
            done += Tidied(1, len(data) - len(thin))
            if not dry:
                replace_file(file, thin)
    if done.files and not dry:
        note = {"schema": "assay.tidied", "version": VERSION, "at_ns": time.time_ns(), "buckets": BUCKETS}
        replace_json(folder / NOTE, note)
    return done


def is_tidied(folder: Path) -> bool:
    """Tell whether the series of an activity were thinned."""
    try:
        return bool(json.loads((folder / NOTE).read_bytes())["schema"] == "assay.tidied")
    except (OSError, ValueError, LookupError, TypeError):
        return False


def thinned(data: bytes, boundaries: Sequence[float] = ()) -> bytes:
    """Return a series with fewer of its lines.

    Args:
        data: Comma-separated values with a line of names, of which one is ``mono_ns``; several lines may have
            the same moment.
        boundaries: Moments next to which none is left out, ns on the same clock.

    Returns:
        The very data where they are no series of many moments.
    """
    lines = data.splitlines(keepends=True)
    names = lines[0].decode(errors="replace").strip().split(",") if lines else []
    if MOMENT not in names:
        return data
    rows = [line.decode(errors="replace").rstrip("\n").split(",") for line in lines[1:]]
    if any(len(row) != len(names) for row in rows):
        return data
    at = names.index(MOMENT)
    moments = [_number(row[at]) for row in rows]
    places = [number for number, pair in enumerate(pairwise([-math.inf, *moments])) if pair[0] < pair[1]]
    if len(places) <= 2 * BUCKETS or any(math.isnan(one) for one in moments) or moments != sorted(moments):
        return data
    kept = _next_to([moments[place] for place in places], boundaries) | {0, len(places) - 1}
    alone = len(places) == len(rows)
    columns = [[_number(row[n]) for row in rows] for n in range(len(names)) if n != at] if alone else []
    for start, end in _buckets(len(places)):
        kept.add(start)
        kept.update(one for column in columns for one in _extremes(column, start, end))
    ends = [*places[1:], len(rows)]
    return b"".join(
        [lines[0], *(lines[1 + n] for one in sorted(kept) for n in range(places[one], ends[one]))]
    )


def _series(folder: Path) -> Iterator[Path]:
    """Yield the files of series of an activity."""
    for name in FOLDERS[:2]:
        for file in sorted((folder / name).glob("*/**/*.csv")):
            if file.name != PHASES and file.is_file() and not file.is_symlink() and "files" not in file.parts:
                yield file


def _boundaries(folder: Path) -> list[float]:
    """Return the moments at which copies told of phases, of the trial whose series lie there."""
    file = folder / PHASES
    if not file.is_file():
        return []
    names, *rows = [line.split(",") for line in file.read_text(errors="replace").splitlines()] or [[]]
    if MOMENT not in names:
        return []
    at = names.index(MOMENT)
    numbers = (_number(row[at]) for row in rows if len(row) > at)
    return [number for number in numbers if not math.isnan(number)]


def _next_to(moments: Sequence[float], boundaries: Iterable[float]) -> set[int]:
    """Return the places of the moments before and after each boundary."""
    places = (bisect_left(moments, one) + shift for one in boundaries for shift in (-1, 0, 1))
    return {place for place in places if 0 <= place < len(moments)}


def _buckets(count: int) -> Iterator[tuple[int, int]]:
    """Yield the ends of stretches of about the same number of moments."""
    yield from pairwise([round(n * count / BUCKETS) for n in range(BUCKETS + 1)])


def _extremes(column: Sequence[float], start: int, end: int) -> Iterator[int]:
    """Yield the places of a stretch without which a chart of a column would look otherwise."""
    known = [place for place in range(start, end) if not math.isnan(column[place])]
    if len(known) < 2:
        yield from known
        return
    steps = [column[b] - column[a] for a, b in pairwise(known)]
    if min(steps) >= 0:  # a total
        steepest = max(range(len(steps)), key=steps.__getitem__)
        yield from known[steepest : steepest + 2]
        return
    yield min(known, key=column.__getitem__)
    yield max(known, key=column.__getitem__)


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return math.nan
