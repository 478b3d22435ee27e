"""How the trials of an activity lie in time: sessions, pauses, how long a block takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median

from assay.model.trial import Trial

NS = 1e9
LATE = "collected-late"
"""Doubt of a trial that ended at an unknown time before its record was brought home."""

Span = tuple[float, float]


def span_of(record: Trial) -> Span:
    """Return begin and end of a trial, s since 1970; of one that was collected late by its job's wall time."""
    begun, ended = record.started_ns / NS, record.ended_ns / NS
    if record.usage is not None and any(doubt.code == LATE for doubt in record.doubts):
        return begun, begun + record.usage.wall_s
    return begun, ended


def in_order(records: Iterable[Trial]) -> list[Trial]:
    """Return the records in the order in which they ran."""
    return sorted(records, key=lambda record: (record.started_ns, record.planned.index))


def pauses_of(records: Sequence[Trial]) -> list[float]:
    """Return the pause before each trial but the first, s; the records in their order."""
    return [max(0.0, span_of(b)[0] - span_of(a)[1]) for a, b in pairwise(records)]


def sessions_of(records: Iterable[Trial], *, gap_s: float) -> dict[int, int]:
    """Return the session of each block that has records: a new one begins where nothing ran for so long.

    A block that was cut in two by such a pause counts to the session in which it ended.

    Args:
        records: Records of one activity.
        gap_s: Time without trials that separates two sessions, s.
    """
    ordered = in_order(records)
    found, session = dict.fromkeys([r.planned.block for r in ordered[:1]], 0), 0
    for pause, record in zip(pauses_of(ordered), ordered[1:], strict=True):
        session += pause >= gap_s
        found[record.planned.block] = session
    return dict(sorted(found.items()))


def cut_blocks(records: Iterable[Trial], *, gap_s: float) -> list[int]:
    """Return the blocks that a pause of a session's length cut in two."""
    ordered = in_order(records)
    pairs = zip(pairwise(ordered), pauses_of(ordered), strict=True)
    return [
        b.planned.block for (a, b), pause in pairs if pause >= gap_s and a.planned.block == b.planned.block
    ]


def spent_s(records: Iterable[Trial], *, gap_s: float) -> float:
    """Return the time that the trials took with the pauses between them, save those between sessions."""
    ordered = in_order(records)
    return sum(_seconds(r) for r in ordered) + sum(p for p in pauses_of(ordered) if p < gap_s)


def block_s(records: Iterable[Trial], whole: Iterable[int], *, gap_s: float) -> float:
    """Return how long a block takes with the pause before it, by those that are whole; 0 before the first."""
    ordered, took = in_order(records), dict.fromkeys(whole, 0.0)
    for record, pause in zip(ordered, [0.0, *pauses_of(ordered)], strict=False):
        if record.planned.block in took:
            took[record.planned.block] += _seconds(record) + (pause if pause < gap_s else 0.0)
    return median(took.values()) if took else 0.0


def _seconds(record: Trial) -> float:
    begun, ended = span_of(record)
    return ended - begun
