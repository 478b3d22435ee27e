"""The cells and sentences of a budget that every rendering shares."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from assay.model.units import format_bytes
from assay.pages.budget import (
    BudgetPart,
    BudgetShown,
    BudgetStep,
    CategoryName,
    CauseShown,
    CountedFigure,
    CpuFactor,
    GainShown,
)
from assay.pages.context import Result
from assay.pages.numbers import NOTHING, decimals, interval_text, sized_text, value_text

NOTE = (
    "Attributed: the figures show where the time went; only an ablation proves a cause. "
    "Intervals of the parts are each on its own."
)

CATEGORIES: dict[CategoryName, str] = {
    "user": "user CPU",
    "system": "system CPU",
    "io": "I/O wait",
    "queue": "steal, run queue",
    "idle": "idle",
}
"""Categories of time as people read them."""

FACTORS = {"instructions": "instructions", "cpi": "cycles an instruction", "frequency": "frequency"}


def budget_headers(baseline: str, treatment: str) -> tuple[str, ...]:
    """Return the names of the columns of ``budget_cells``."""
    return ("phase", "time", f"{baseline} s", f"{treatment} s", "part of the loss")


def budget_cells(budget: BudgetShown) -> list[tuple[str, ...]]:
    """Return one row a part, small parts in one row, and the sum last; the rows add up to it."""
    shown = [part for part in budget.parts if _counts(part, budget)]
    rest = [part for part in budget.parts if not _counts(part, budget)]
    together = [_together(rest, budget)] if rest else []
    total = interval_text(budget.loss, budget.low, budget.high)
    last = ("sum", "", _seconds(budget.baseline_s), _seconds(budget.treatment_s), total)
    return [*map(_row, shown), *together, last]


SMALL = 0.02
"""Parts are shown together whose time and contribution are below this share of the largest contribution."""


def _counts(part: BudgetPart, budget: BudgetShown) -> bool:
    largest = max((abs(other.contribution) for other in budget.parts), default=0.0)
    seconds = max(part.baseline_s, part.treatment_s)
    return abs(part.contribution) >= SMALL * largest or seconds >= SMALL * budget.treatment_s


def _row(part: BudgetPart) -> tuple[str, ...]:
    share = interval_text(part.contribution, part.low, part.high)
    times = (_seconds(part.baseline_s), _seconds(part.treatment_s))
    return (_phase(part.phase), CATEGORIES[part.category], *times, share)


def _together(parts: Sequence[BudgetPart], budget: BudgetShown) -> tuple[str, ...]:
    """Return the row of the small parts, to the digits of the sum; a sum of intervals would be no
    interval.
    """
    digits = 0 if budget.low is None or budget.high is None else decimals(budget.low, budget.high)
    share = f"{round(100 * sum(part.contribution for part in parts), digits) + 0.0:.{digits}f} %"
    times = (_seconds(sum(p.baseline_s for p in parts)), _seconds(sum(p.treatment_s for p in parts)))
    return (f"{len(parts)} smaller part{'' if len(parts) == 1 else 's'}", "", *times, share)


def phase_share_headers(baseline: str, treatment: str) -> tuple[str, ...]:
    """Return the names of the columns of ``phase_share_cells``."""
    return ("a job's own time", f"{baseline} s", f"{treatment} s", "part of its loss")


def phase_share_cells(budget: BudgetShown) -> list[tuple[str, ...]]:
    """Return one row a phase of jobs that ran at once, and the sum last; empty where one ran."""
    if not budget.by_phase:
        return []
    parts = budget.by_phase
    base, treated = (
        math.fsum(times) for times in zip(*((p.baseline_s, p.treatment_s) for p in parts), strict=True)
    )
    rows = [
        (
            _phase(part.phase),
            _seconds(part.baseline_s),
            _seconds(part.treatment_s),
            interval_text(part.contribution, part.low, part.high),
        )
        for part in parts
    ]
    loss = math.fsum(part.contribution for part in parts)
    return [*rows, ("sum", _seconds(base), _seconds(treated), f"{100 * loss:.1f} %")]


def _phase(name: str) -> str:
    return {"total": "whole job", "rest": "start and end"}.get(name, name)


def step_name(step: BudgetStep, *, phases: bool) -> str:
    """Return the name of a bar, with its phase where the job told of any."""
    if step.phase is None or step.category == "small":
        return f"{step.parts} smaller part{'' if step.parts == 1 else 's'}"
    word = CATEGORIES[step.category]
    return f"{_phase(step.phase)}: {word}" if phases else word


def has_phases(budget: BudgetShown) -> bool:
    """Tell whether a budget is divided by phases."""
    return any(part.phase != "total" for part in budget.parts)


def divided_time(rates: Sequence[str]) -> str:
    """Return which time is divided, by the rates that stand for it; without any it is the wall time."""
    if not rates:
        return "wall time"
    by = rates[0] if len(rates) == 1 else f"the geometric mean of {', '.join(rates)}"
    return f"time for the same work, by {by}"


def budget_title(budget: BudgetShown) -> str:
    """Return what is divided: ``flops: time for the same work, by flops``."""
    whose = "" if budget.treatment is None else f", {budget.treatment}"
    return f"{budget.workload}{whose}: {budget.time}"


def treated(budget: BudgetShown, result: Result) -> str:
    """Return the label of the treatment that a budget is of."""
    return budget.treatment or result.treatment


def based(budget: BudgetShown, result: Result) -> str:
    """Return the label of what a budget's loss is over."""
    return budget.against or result.baseline


def budget_reading(budget: BudgetShown) -> Iterator[str]:
    """Yield how to read a budget, one sentence a line."""
    parallelism = (
        "wall time"
        if budget.parallelism == 1
        else (
            f"wall time at a parallelism of {budget.parallelism} (sum of processor times / "
            f"{budget.parallelism})"
        )
    )
    yield (
        f"seconds of {parallelism}, means of {budget.blocks} "
        f"block{'' if budget.blocks == 1 else 's'}; idle is the remainder"
    )
    if budget.headline is not None:
        headline = sized_text(budget.headline, budget.headline_low, budget.headline_high, budget.blocks)
        total = interval_text(budget.loss, budget.low, budget.high)
        yield (
            f"headline of {budget.metrics[0]}: {headline}, as the result shows it; the budget "
            f"divides {total}, the mean of (treatment - baseline) / treatment over blocks"
        )
    yield from budget.notes


def cause_head(cause: CauseShown, budget: BudgetShown) -> str:
    """Return a cause's first line: ``cpu-quota, attributed: 49.8 % [49.1, 50.5], 100 % of the loss``."""
    return f"{cause.code}, {cause.evidence}: {cause_size(cause, budget)}"


def cause_size(cause: CauseShown, budget: BudgetShown) -> str:
    """Return how much of the loss a cause holds; more than all of it stands with what is given back."""
    part = interval_text(cause.contribution, cause.low, cause.high)
    overlap = "; another cut of the same loss" if cause.overlaps else ""
    return (
        f"{part}, {100 * cause.share:.0f} % of the loss{_given_back(cause, budget)}{overlap}{_proved(cause)}"
    )


def _given_back(cause: CauseShown, budget: BudgetShown) -> str:
    back = -sum(gain.share for gain in budget.gains if gain.overlaps == cause.overlaps)
    beyond = round(100 * cause.share) > 100 and back > 0
    return f" ({100 * back:.0f} % of it is given back elsewhere)" if beyond else ""


def _proved(cause: CauseShown) -> str:
    """Return what ablating a cause wins back; empty where that was not proved."""
    if cause.proved is None:
        return ""
    return f"; proved: {interval_text(cause.proved, cause.proved_low, cause.proved_high, unit='pp')}"


def cause_lines(budget: BudgetShown) -> Iterator[tuple[str, str, str]]:
    """Yield head, sentence and next step of each cause."""
    for cause in budget.causes:
        yield cause_head(cause, budget), cause.sentence, cause.next


def gain_lines(budget: BudgetShown) -> Iterator[tuple[str, str]]:
    """Yield head and sentence of each part that was won."""
    for gain in budget.gains:
        part = interval_text(gain.contribution, gain.low, gain.high)
        overlap = "; another cut of the same loss" if gain.overlaps else ""
        yield (
            f"{_gain_name(gain)}, gained: {part}, {100 * gain.share:.0f} % of the loss{overlap}",
            gain.sentence,
        )


def _gain_name(gain: GainShown) -> str:
    return "what follows the initialization" if gain.category == "later" else CATEGORIES[gain.category]


def balance(budget: BudgetShown) -> str:
    """Return causes and gains as a sum that is the loss; empty where nothing was won.

    ``loss of 8 %: run-queue costs 13 %, user CPU gives back 5 %``.
    """
    gains = [gain for gain in budget.gains if not gain.overlaps]
    if not gains:
        return ""
    costs = [cause for cause in budget.causes if not cause.overlaps]
    rest = budget.loss - sum(one.contribution for one in costs) - sum(one.contribution for one in gains)
    parts = [f"{one.code} costs {_percent(one.contribution, budget)}" for one in costs]
    parts += [f"{_gain_name(one)} gives back {_percent(-one.contribution, budget)}" for one in gains]
    if abs(rest) >= SMALL * abs(budget.loss):
        parts.append(f"smaller parts {'cost' if rest > 0 else 'give back'} {_percent(abs(rest), budget)}")
    return f"loss of {_percent(budget.loss, budget)}: {', '.join(parts)}"


def _percent(share: float, budget: BudgetShown) -> str:
    """Return a share with one digit more than the loss has, so that the sum can be followed."""
    digits = 1 if budget.low is None or budget.high is None else min(2, decimals(budget.low, budget.high) + 1)
    return f"{round(100 * share, digits) + 0.0:.{digits}f} %"


def no_cause(budget: BudgetShown) -> str:
    """Return why no cause is named; empty where one is."""
    if budget.causes:
        return ""
    if budget.low is None or budget.high is None:
        return "no cause is named: one block has no interval"
    if budget.high < 0:
        return "no cause is named: nothing was lost"
    if min(budget.low, budget.low if budget.headline_low is None else budget.headline_low) <= 0:
        return "no cause is named: the interval of the loss holds zero"
    return "no cause is named: no rule fits"


def cpu_cells(budget: BudgetShown) -> list[tuple[str, ...]]:
    """Return one row a factor of CPU time: its mean on both arms and its part of the loss."""
    return [
        (
            FACTORS[factor.factor],
            _factor(factor, factor.baseline),
            _factor(factor, factor.treatment),
            interval_text(factor.contribution, factor.low, factor.high),
        )
        for factor in budget.cpu
    ]


def _factor(factor: CpuFactor, value: float) -> str:
    if factor.factor == "frequency":
        return f"{value_text(value / 1e9)} GHz"
    return f"{value / 1e9:.4g}e9" if factor.factor == "instructions" else f"{value:.4g}"


def counted_cells(budget: BudgetShown) -> list[tuple[str, ...]]:
    """Return what else was counted: name and both arms' means; what is 0 on both is left out."""
    return [
        (figure.name, counted_text(figure, figure.baseline), counted_text(figure, figure.treatment))
        for figure in budget.counted
        if figure.baseline or figure.treatment
    ]


def counted_text(figure: CountedFigure, value: float | None) -> str:
    """Return a mean of a figure that was counted, with its unit."""
    if value is None:
        return NOTHING
    if figure.unit == "B":
        return format_bytes(round(value))
    text = f"{value:.3g}" if 1e-3 <= abs(value) < 1000 else value_text(float(f"{value:.3g}"))
    return f"{text} {figure.unit}" if figure.unit else text


def _seconds(value: float) -> str:
    """Return seconds to a hundredth of the smallest part that is shown: four figures, at most 0.1 ms."""
    if abs(value) < 0.1:
        return f"{round(value, 4) + 0.0:.4f}"  # no minus before a zero
    return f"{value:.3f}" if abs(value) < 10 else value_text(value)
