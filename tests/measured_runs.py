"""Runs and blocks row by row for tests, where the code holds them column by column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from assay.model.doubt import Raised
from assay.model.figures.coded import Coded, named
from assay.model.figures.measured import Lines, MeasuredRuns, ValueKind, in_blocks
from assay.stats.analysis import confounded, headline, measured
from assay.stats.analysis.measured import Question
from assay.stats.replication import blocks, levels
from assay.stats.replication.levels import BlockLosses, LevelLoss


@dataclass(frozen=True)
class MeasuredRun:
    """One run; ``None`` is "not told"."""

    block: str
    arm: str
    value: float
    session: str = ""
    machine: str = ""
    events: int | None = None
    place: str = "row 1"
    wall_s: float | None = None
    file_bytes: int | None = None
    disk_rate: float | None = None
    order: float | None = None


@dataclass(frozen=True)
class BlockLoss:
    """The log slowdown of one block."""

    machine: str
    session: str
    block: str
    d: float


@dataclass(frozen=True)
class Paired:
    """Two arms, block by block."""

    blocks: tuple[BlockLoss, ...]
    baseline: tuple[float, ...]
    treatment: tuple[float, ...]
    incomplete: int


@dataclass(frozen=True)
class Chosen:
    """The runs of the headline."""

    runs: list[MeasuredRun]
    events: int | None
    unpaired: int
    doubts: tuple[Raised, ...]


def _words(words: Iterable[str]) -> Coded[str]:
    words = list(words)
    names = list(dict.fromkeys(words)) or [""]
    return named(np.array([names.index(word) for word in words], dtype=np.intp), names)


def columns(runs: Sequence[MeasuredRun]) -> MeasuredRuns:
    """Return runs as columns."""

    def numbers(cells: Iterable[float | None]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)

    machine, session, name = (
        _words(getattr(run, column) for run in runs) for column in ("machine", "session", "block")
    )
    held, block = in_blocks(machine, session, name)
    sizes = list(dict.fromkeys(run.file_bytes for run in runs)) or [None]
    before = runs[0].place.rstrip("0123456789") if runs else "row "
    places = [int(run.place.removeprefix(before) or 1) for run in runs]
    return MeasuredRuns(
        blocks=held,
        block=block,
        arm=_words(run.arm for run in runs),
        value=numbers(run.value for run in runs),
        events=numbers(run.events for run in runs),
        wall_s=numbers(run.wall_s for run in runs),
        disk_rate=numbers(run.disk_rate for run in runs),
        order=numbers(run.order for run in runs),
        file_bytes=Coded(
            np.array([sizes.index(run.file_bytes) for run in runs], dtype=np.intp), tuple(sizes)
        ),
        lines=Lines(before, np.array(places, dtype=np.intp)),
    )


def rows(runs: MeasuredRuns) -> list[MeasuredRun]:
    """Return the runs of columns."""
    return list(_rows(runs))


def _rows(runs: MeasuredRuns) -> Iterator[MeasuredRun]:
    def told(values: np.ndarray[tuple[int], np.dtype[np.float64]], at: int) -> float | None:
        return None if np.isnan(values[at]) else float(values[at])

    for at, block in enumerate(runs.block.tolist()):
        events = told(runs.events, at)
        yield MeasuredRun(
            block=runs.blocks.name[block],
            arm=runs.arm[at],
            value=float(runs.value[at]),
            session=runs.blocks.session[block],
            machine=runs.blocks.machine[block],
            events=None if events is None else int(events),
            place=runs.lines[at],
            wall_s=told(runs.wall_s, at),
            file_bytes=runs.file_bytes[at],
            disk_rate=told(runs.disk_rate, at),
            order=told(runs.order, at),
        )


def measured_loss(runs: Sequence[MeasuredRun], question: Question) -> Any:
    """Return the loss that runs tell; its pairing row by row, so that two can be compared."""
    held = columns(runs)
    found = measured.measured_loss(held, question)
    chosen = headline.choose(held, baseline=question.baseline, treatment=question.treatment)
    return replace(cast("Any", found), pairing=_paired(chosen.runs, found.pairing))


def choose(runs: Sequence[MeasuredRun], *, baseline: str, treatment: str) -> Chosen:
    """Return the runs of the headline."""
    found = headline.choose(columns(runs), baseline=baseline, treatment=treatment)
    return Chosen(rows(found.runs), found.events, found.unpaired, found.doubts)


def order_doubts(runs: Sequence[MeasuredRun], *, baseline: str, treatment: str) -> Iterator[Raised]:
    """Yield that arm and order are one."""
    return confounded.order_doubts(columns(runs), baseline=baseline, treatment=treatment)


def share_before(some: Sequence[MeasuredRun], others: Sequence[MeasuredRun]) -> float:
    """Return the share of pairs in which one of some runs comes before one of the others."""
    held = sorted([(run.order or 0.0, True) for run in some] + [(run.order or 0.0, False) for run in others])
    order, ours = (np.array(column) for column in zip(*held, strict=True))
    first, pairs = confounded.first_pairs(order, ours, np.zeros(len(held), dtype=np.intp))
    return float(first[0] / pairs[0])


def pair_runs(runs: Sequence[MeasuredRun], *, baseline: str, treatment: str, kind: ValueKind) -> Paired:
    """Pair two arms by block."""
    held = columns(runs)
    return _paired(held, blocks.pair_runs(held, baseline=baseline, treatment=treatment, kind=kind))


def _paired(held: MeasuredRuns, found: blocks.PairedRuns) -> Paired:
    names = [
        (held.blocks.machine[at], held.blocks.session[at], held.blocks.name[at])
        for at in found.places.tolist()
    ]
    losses = (BlockLoss(*key, d) for key, d in zip(names, found.losses.d.tolist(), strict=True))
    return Paired(
        tuple(losses), tuple(found.baseline.tolist()), tuple(found.treatment.tolist()), found.incomplete
    )


def level_loss(held: Sequence[BlockLoss], **asked: object) -> LevelLoss:
    """Estimate a loss at the level that blocks support."""
    machines = list(dict.fromkeys(one.machine for one in held))
    sessions = list(dict.fromkeys((one.machine, one.session) for one in held))
    found = BlockLosses(
        np.array([machines.index(one.machine) for one in held], dtype=np.intp),
        np.array([sessions.index((one.machine, one.session)) for one in held], dtype=np.intp),
        np.array([one.d for one in held], dtype=np.float64),
    )
    return levels.level_loss(found, **asked)  # type: ignore[arg-type]
