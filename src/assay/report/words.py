"""The sentences and cells that every rendering of a page shares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from assay.model.estimate import Verdict
from assay.report.context import DoubtCount, Page, Row
from assay.report.numbers import NOTHING, interval_text, percent_text, value_text
from assay.report.track import ProbeUse, Track

ACCELERATORS = {
    "kvm": "KVM, hardware virtualization",
    "tcg": "TCG, emulation in software without hardware virtualization",
}


def verdict_text(row: Row) -> str:
    """Return the verdict as shown: ``loss``, ``inconclusive (7 more blocks)``."""
    return (
        f"{row.verdict}{blocks_more_text(row.blocks_more if row.verdict is Verdict.INCONCLUSIVE else None)}"
    )


def blocks_more_text(count: int | None) -> str:
    """Return how many blocks are still needed, to stand behind a verdict; empty where that is not known."""
    return "" if count is None else f" ({count} more block{'' if count == 1 else 's'})"


def headers(page: Page) -> tuple[str, ...]:
    """Return the names of the columns of ``cells``."""
    result = page.result
    return (
        "workload",
        "metric",
        result.baseline,
        result.treatment,
        "loss",
        "noise floor",
        "blocks",
        "verdict",
    )


def cells(row: Row) -> tuple[str, ...]:
    """Return a row of the table of losses, one text a column."""
    return (
        row.workload,
        f"{row.metric} ({row.unit})" if row.unit else row.metric,
        value_text(row.baseline_value),
        value_text(row.treatment_value),
        loss_text(row),
        floor_text(row),
        str(row.blocks),
        verdict_text(row),
    )


def loss_text(row: Row) -> str:
    """Return the loss and its interval, ``12.3 % [10.1, 14.5]``."""
    return interval_text(row.loss, row.low, row.high)


def floor_text(row: Row) -> str:
    """Return the noise floor in the notation of the loss."""
    return "-" if row.floor is None else interval_text(row.floor.loss, row.floor.low, row.floor.high)


def headline(page: Page) -> str:
    """Return what came out in one line: ``12 metrics: 9 loss, 1 gain, 2 not measured``."""
    seen = Counter(row.verdict for row in page.estimates)
    count = len(page.estimates)
    counts = ", ".join(f"{seen[verdict]} {verdict}" for verdict in Verdict if seen[verdict])
    return f"{count} metric{'' if count == 1 else 's'}: {counts}" if count else "no metric"


def setting(page: Page) -> str:
    """Return what was compared with what, and how: one line."""
    result = page.result
    how = f" ({ACCELERATORS.get(result.accelerator, result.accelerator)})" if result.accelerator else ""
    blocks = f"{result.blocks_planned} block{'' if result.blocks_planned == 1 else 's'} planned"
    numbers = f"{percent_text(result.confidence)} intervals, margin {percent_text(result.margin)}, {blocks}"
    return f"{result.treatment}{how} against {result.baseline}; {numbers}, seed {result.seed}"


def reading(page: Page) -> tuple[str, ...]:
    """Return how to read the table, one sentence a line."""
    base, treated, level = page.result.baseline, page.result.treatment, percent_text(page.result.confidence)
    share = f"loss = 1 - 1/slowdown: the share of {base}'s throughput that {treated} does not reach"
    floor = f"noise floor: {base} against {base} in the same blocks, what this run sees where nothing differs"
    return f"{share}, with its {level} interval; negative is a gain", floor


def unmeasured(page: Page) -> tuple[tuple[str, str], ...]:
    """Return the metrics that were not measured, each with the reason."""
    rows = [row for row in page.estimates if row.verdict is Verdict.NOT_MEASURED or row.reason]
    return tuple((f"{row.workload} {row.metric}", row.reason or "the reason is not known") for row in rows)


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


def probe_text(use: ProbeUse | None) -> str:
    """Return the probe's own cost of one trial: ``0.02 % of a core, 1.4 MiB, largest gap 1 s, woken 12 times``."""
    if use is None:
        return NOTHING
    parts = [] if use.cpu_share is None else [f"{100 * use.cpu_share:.2g} % of a core"]
    parts.append(f"{use.rss_bytes / 2**20:.1f} MiB")
    if use.largest_gap_s is not None:
        parts.append(f"largest gap {use.largest_gap_s:.3g} s")
    if use.wake_ups is not None:
        parts.append(f"woken {use.wake_ups} times")
    return ", ".join(parts)
