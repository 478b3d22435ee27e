"""What watching costs the watched: the answer of ``assay probe cost``, as data and as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assay.model.figures.estimate import Verdict
from assay.pages.context import Interval
from assay.pages.numbers import percent_text, size_text
from assay.report.tables.tables import align, plain, table
from assay.report.tables.words import blocks_more_text, verdict_name


@dataclass(frozen=True)
class CostRow:
    """One kind of work by one metric, sampled against hardly sampled.

    Attributes:
        work: Its name.
        metric: ``wall``, or ``cpu`` (seconds of the job alone).
        seconds: Geometric mean where it is hardly sampled.
        loss: 1 - 1/slowdown by sampling, a fraction, with its interval.
        floor: Hardly sampled against hardly sampled in the same blocks.
        verdict: What the interval says.
        blocks_more: Blocks still needed for a verdict; ``None`` where it stands or is not known.
    """

    work: str
    metric: str
    seconds: float
    loss: Interval
    floor: Interval
    verdict: Verdict
    blocks_more: int | None


@dataclass(frozen=True)
class OwnCost:
    """What the probe itself took while it sampled one kind of work.

    Attributes:
        work: Its name.
        what: What the work does, one phrase.
        cpu_share: Mean CPU of the probe, a fraction of one core.
        rss_bytes: Its largest resident set.
        largest_gap_s: Longest time between two samples of any run; ``None`` for fewer than two.
        wake_ups_per_s: Mean rate at which it was woken; ``None`` where it was not counted.
    """

    work: str
    what: str
    cpu_share: float
    rss_bytes: int
    largest_gap_s: float | None
    wake_ups_per_s: float | None


@dataclass(frozen=True)
class CostPage:
    """The observer effect on one machine.

    Attributes:
        machine: Its name.
        copies: Copies of the work that ran at once, one a processor.
        interval_s: Time between samples while it watched.
        off_s: The same while it hardly watched: longer than any run.
        watch: Groups of series beside the core set.
        absent: Groups that the machine has not got, each with the reason.
        blocks: Blocks measured.
        seed: Seed of the order.
        confidence: Coverage of the intervals.
        margin: Loss that does not matter, a fraction.
        own: The probe's own cost, one a kind of work.
        rows: The losses, one a kind of work and metric.
    """

    machine: str
    copies: int
    interval_s: float
    off_s: float
    watch: tuple[str, ...]
    absent: tuple[str, ...]
    blocks: int
    seed: int
    confidence: float
    margin: float
    own: tuple[OwnCost, ...]
    rows: tuple[CostRow, ...]


def text_cost(page: CostPage) -> str:
    """Return the page as text: what the work lost, then what the probe took."""
    columns = [list(column) for column in zip(*(_loss(row) for row in page.rows), strict=True)]
    for at in (2, 3):
        columns[at] = align(columns[at], " %")
    losses = table(
        ("work", "s", "loss", "noise floor", "verdict"), list(zip(*columns, strict=True)), right={1}
    )
    own = table(
        ("while sampling", "probe's CPU", "RSS", "largest gap", "wake-ups/s"),
        [_own(cost) for cost in page.own],
        right={1, 2, 3, 4},
    )
    head, notes = "\n".join(map(plain, _head(page))), "\n".join(_notes(page))
    return f"{head}\n\n{losses}\n\n{own}\n\n{notes}\n"


def _head(page: CostPage) -> Iterator[str]:
    series = ", ".join(("the core set", *page.watch))
    copies = f"{page.copies} cop{'y' if page.copies == 1 else 'ies'}"
    yield (
        f"What the probe costs on {page.machine}: sampling {series} every {page.interval_s:g} s "
        "against hardly at all"
    )
    yield f"{page.blocks} blocks, seed {page.seed}; the machine is full: {copies}, one a processor"
    yield from (f"not here: {reason}" for reason in page.absent)


def _loss(row: CostRow) -> tuple[str, ...]:
    return (
        f"{row.work}, {row.metric}",
        f"{row.seconds:.4g}",
        size_text(row.loss),
        size_text(row.floor),
        f"{verdict_name(row.verdict)}{blocks_more_text(row.blocks_more)}",
    )


def _own(cost: OwnCost) -> tuple[str, ...]:
    gap, wakes = cost.largest_gap_s, cost.wake_ups_per_s
    return (
        cost.work,
        f"{100 * cost.cpu_share:.2g} %",
        f"{cost.rss_bytes / 2**20:.1f} MiB",
        "-" if gap is None else f"{gap:.3g} s",
        "-" if wakes is None else f"{wakes:.3g}",
    )


def _notes(page: CostPage) -> Iterator[str]:
    level, margin = percent_text(page.confidence), percent_text(page.margin)
    yield from (f"{row.work}: {row.what}" for row in page.own)
    yield f"loss = 1 - 1/slowdown by sampling, with its {level} interval; within ±{margin} it does not matter"
    yield (
        "noise floor: hardly sampled against hardly sampled in the same blocks; cpu: seconds of the "
        "work alone"
    )
    yield (
        "probe's CPU: of one core, while it sampled; starting and ending a job is part of it, and of "
        "both sides"
    )
