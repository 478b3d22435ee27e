"""The sentences and cells that every rendering of a page shares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Protocol

from assay.model.figures.estimate import Matters, Verdict
from assay.model.units import format_seconds
from assay.pages.analysis import AnalysisRow
from assay.pages.context import BadgeMetric, DoubtCount, Page, Row, Value
from assay.pages.numbers import (
    FIGURE_FROM,
    NOTHING,
    decimals,
    interval_text,
    percent_text,
    size_text,
    value_text,
)
from assay.pages.track import ProbeUse, Track

ACCELERATORS = {
    "kvm": "KVM, hardware virtualization",
    "tcg": "TCG, emulation in software without hardware virtualization",
}


SHOWN = {Verdict.EQUIVALENT: "equivalent", Verdict.INCONCLUSIVE: "not decided"}
MATTERS = {Matters.YES: ", it matters", Matters.MAYBE: ", may not matter", Matters.NO: " within the margin"}

TOTALS = "ratio of totals"
"""In the method of a row whose headline is the total."""


def verdict_name(verdict: Verdict) -> str:
    """Return a verdict as it is shown, without whether it matters."""
    return SHOWN.get(verdict, str(verdict))


class Judged(Protocol):
    """What was judged of a loss."""

    @property
    def verdict(self) -> Verdict:
        """What its interval says."""

    @property
    def matters(self) -> Matters | None:
        """Whether it matters; ``None`` without a verdict."""


def outcome_text(row: Judged) -> str:
    """Return what was found, and whether it matters: ``loss, may not matter``, ``loss within the margin``,
    ``equivalent``.
    """
    called = row.verdict in {Verdict.LOSS, Verdict.GAIN}
    return f"{verdict_name(row.verdict)}{MATTERS[row.matters] if called and row.matters else ''}"


def verdict_text(row: Row | AnalysisRow) -> str:
    """Return the same with what an open verdict would take: ``not decided (7 more blocks, 2 h)``."""
    if row.verdict is not Verdict.INCONCLUSIVE:
        return outcome_text(row)
    if isinstance(row, AnalysisRow) and row.level != "block":
        return f"{outcome_text(row)} (more {row.level}s are needed)"
    if row.method.startswith("over "):
        return f"{outcome_text(row)} (more sessions are needed)"
    return f"{outcome_text(row)}{blocks_more_text(row.blocks_more, row.hours_more)}"


def blocks_more_text(count: int | None, hours: float | None = None) -> str:
    """Return how many blocks are still needed, to stand behind a verdict; empty where that is not known."""
    if count is None:
        return ""
    time = f", {format_seconds(hours * 3600)}" if hours else ""
    return f" ({count} more block{'' if count == 1 else 's'}{time})"


def headers(page: Page) -> tuple[str, ...]:
    """Return the names of the columns of ``cells``."""
    result = page.result
    several = is_sweep(page)
    return (
        "workload",
        "metric",
        "its host" if own_hosts(page) else result.baseline,
        "its value" if several else result.treatment,
        "loss",
        "slowdown",
        "mean loss",
        "noise floor",
        "blocks",
        "verdict",
    )


def is_sweep(page: Page) -> bool:
    """Tell whether a page has several treatments."""
    return any(row.treatment is not None for row in page.estimates)


def own_hosts(page: Page) -> bool:
    """Tell whether some treatments are measured over a machine of their own."""
    return any(row.against is not None for row in page.estimates)


def named(workload: str, metric: str) -> str:
    """Return a metric with its workload, ``crypt · wall_time``; where both are called the same, once."""
    return metric if workload == metric else f"{workload} · {metric}"


def name_of(row: Row) -> str:
    """Return what a row is of: its metric, and which treatment where there are several."""
    return f"{row.metric}{_whose(row)}"


def _whose(row: Row) -> str:
    if row.treatment is None:
        return ""
    return f": {row.treatment}" if row.against is None else f": {row.treatment}, over {row.against}"


def cells(row: Row) -> tuple[str, ...]:
    """Return a row of the table of losses, one text a column."""
    return (
        row.workload,
        f"{row.metric} ({row.unit}){_whose(row)}" if row.unit else f"{row.metric}{_whose(row)}",
        value_text(row.baseline_value),
        value_text(row.treatment_value),
        size_text(row),
        slowdown_text(row),
        mean_text(row),
        floor_text(row),
        str(row.blocks),
        verdict_text(row),
    )


def slowdown_text(row: Row | AnalysisRow) -> str:
    """Return the slowdown with the decimals that its interval supports, ``1.14``; of few blocks ``1.1 to
    1.2``.
    """
    if row.slowdown is None:
        return NOTHING
    ends = [1 / (1 - end) for end in (row.low, row.high) if end is not None and end < 1]
    shown = ends if row.blocks < FIGURE_FROM and len(ends) == 2 else [row.slowdown]
    if not all(1e-3 <= one < 1e6 for one in shown):
        return " to ".join(f"{one:.2e}" for one in shown)
    digits = decimals(*ends) + 2 if len(ends) == 2 else 2
    most = 3 if len(ends) == 2 and ends[0] == ends[1] else 4
    return " to ".join(f"{one:.{min(digits, most)}f}" for one in shown)


def mean_text(row: Row | AnalysisRow) -> str:
    """Return the mean loss where the headline is another centre; ``-`` where it is the mean itself."""
    if row.mean is None or row.mean.loss == row.loss or row.blocks < FIGURE_FROM:
        return NOTHING
    return interval_text(row.mean.loss, row.mean.low, row.mean.high)


def floor_text(row: Row) -> str:
    """Return the noise floor in the notation of the loss."""
    return "-" if row.floor is None else size_text(row.floor)


def headline(page: Page) -> str:
    """Return what came out in one line: ``12 metrics: 9 loss, it matters; 1 gain within the margin; 2 not
    measured``.
    """
    count = len(page.estimates)
    return f"{count} metric{'' if count == 1 else 's'}: {outcomes(page.estimates)}" if count else "no metric"


def outcomes(rows: Iterable[Row]) -> str:
    """Return how often what was found in some rows, losses that matter first: ``9 loss, it matters; 2 not
    measured``.
    """
    seen = Counter(map(outcome_text, sorted(rows, key=_rank)))
    return "; ".join(f"{times} {outcome}" for outcome, times in seen.items())


def _rank(row: Row) -> tuple[int, int]:
    """Return the place of what was found in a headline: losses that matter first."""
    return list(Verdict).index(row.verdict), list(Matters).index(row.matters) if row.matters else 0


def setting(page: Page) -> str:
    """Return what was compared with what, and how: one line."""
    result = page.result
    how = f" ({ACCELERATORS.get(result.accelerator, result.accelerator)})" if result.accelerator else ""
    blocks = f"{result.blocks_planned} block{'' if result.blocks_planned == 1 else 's'} planned"
    numbers = f"{percent_text(result.confidence)} intervals, margin {percent_text(result.margin)}, {blocks}"
    return f"{result.treatment}{how} against {result.baseline}; {numbers}, seed {result.seed}"


def reading(page: Page) -> tuple[str, ...]:
    """Return how to read the table, one sentence a line."""
    base, level = page.result.baseline, percent_text(page.result.confidence)
    over = "its host" if own_hosts(page) else base
    treated = "its treatment" if is_sweep(page) else page.result.treatment
    share = f"loss = 1 - 1/slowdown: the share of {over}'s throughput that {treated} does not reach"
    floor = f"noise floor: {over} against {over} in the same blocks, what this run sees where nothing differs"
    alone = len(page.estimates) < 2
    interval = (
        f"its {level} interval"
        if alone
        else f"its interval; all rows of a treatment are judged together at {level}"
    )
    lines = [f"{share}, with {interval}; negative is a gain"]
    if any(TOTALS in row.method for row in page.estimates):
        lines.append(
            "loss is that of the total of all blocks, slow outliers included; in mean loss each "
            "block counts alike"
        )
    elif any(mean_text(row) != NOTHING for row in page.estimates):
        lines.append("loss is the typical one (Hodges-Lehmann), mean loss holds the slow outliers too")
    if any(row.floor for row in page.estimates):
        lines.append(floor)
    if own_hosts(page):
        lines.append(
            "its host: the machine that carries the treatment, by the treatment's way to the data; for all "
            f"others {base}"
        )
    return tuple(lines)


def badge_lines(page: Page) -> tuple[str, ...]:
    """Return what the site's A/A history says, one sentence a line."""
    badge = page.badge
    if badge is None:
        return ("none yet: assay evaluate noise-floor shows what is found here where nothing differs",)
    head = (
        f"{badge.campaigns} comparisons of {badge.machine} with itself until {badge.taken}: "
        f"{badge.false_verdicts} false verdict{'' if badge.false_verdicts == 1 else 's'} (a rate of at most "
        f"{percent_text(round(badge.most_false, 3))})"
    )
    return head, *(_badge_metric(metric) for metric in badge.metrics)


def _badge_metric(metric: BadgeMetric) -> str:
    block = "-" if metric.block is None else f"{100 * metric.block:.2g} %"
    session = "not known with one session" if metric.session is None else f"{100 * metric.session:.2g} %"
    return (
        f"{metric.workload} {metric.metric}: scatter of a block {block}, of an arm from session to "
        f"session {session}"
    )


def unmeasured(page: Page) -> tuple[tuple[str, str], ...]:
    """Return the metrics that were not measured, each with the reason."""
    rows = [row for row in page.estimates if row.verdict is Verdict.NOT_MEASURED or row.reason]
    return tuple((f"{row.workload} {name_of(row)}", row.reason or "the reason is not known") for row in rows)


def doubts(counted: Iterable[DoubtCount]) -> tuple[str, ...]:
    """Return each doubt's sentence, with ``(×3)`` where several trials carry it, and the next step."""
    return tuple(_doubt(doubt) for doubt in counted)


def _doubt(doubt: DoubtCount) -> str:
    times = f" (×{doubt.count})" if doubt.count > 1 else ""
    step = f" Next: {doubt.next[0].lower()}{doubt.next[1:]}" if doubt.next else ""
    return f"{doubt.sentence}{times}{step}"


def track_note(track: Track) -> str:
    """Return what must be known of a trial over time: its length, and how well its moments are known."""
    parts = [f"{track.wall_s:.4g} s"]
    if track.uncertainty_s is not None:
        parts.append(f"moments known to ±{track.uncertainty_s * 1e3:.2g} ms on the controller's clock")
    if track.vcpu_s is not None:
        other = f", the rest of QEMU {track.other_s:.3g} s" if track.other_s is not None else ""
        parts.append(f"seen from the host: its vCPUs {track.vcpu_s:.3g} s of CPU{other}")
    return "; ".join(parts)


def values_text(values: Iterable[Value]) -> str:
    """Return the figures of one trial: ``score 10.6 events/s (10.5 by its own clock), wall_time 95 s``."""
    return ", ".join(
        f"{one.metric} {value_text(one.value)} {one.unit}"
        + ("" if one.uncorrected is None else f" ({value_text(one.uncorrected)} by its own clock)")
        for one in values
    )


def probe_text(use: ProbeUse | None) -> str:
    """Return the probe's own cost of one trial: ``0.02 % of a core, 1.4 MiB, largest gap 1 s, woken 12
    times``.
    """
    if use is None:
        return NOTHING
    parts = [] if use.cpu_share is None else [f"{100 * use.cpu_share:.2g} % of a core"]
    parts.append(f"{use.rss_bytes / 2**20:.1f} MiB")
    if use.largest_gap_s is not None:
        parts.append(f"largest gap {use.largest_gap_s:.3g} s")
    if use.wake_ups is not None:
        parts.append(f"woken {use.wake_ups} times")
    return ", ".join(parts)
