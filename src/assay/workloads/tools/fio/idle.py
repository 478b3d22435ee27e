"""Zeros of fio's JSON that stand for nothing measured."""

from __future__ import annotations

from assay.workloads.document import Document
from assay.workloads.outputs.leaves import Path

_RATES = ("bw_bytes", "bw", "iops")
_SPREADS = {
    "bw": ("bw_mean", "bw_min", "bw_max", "bw_agg", "bw_dev"),
    "iops": ("iops_mean", "iops_min", "iops_max", "iops_stddev"),
}
NO_SAMPLE = "fio took no sample of it"


def idle(report: Document, place: Path) -> str | None:
    """Return why all zeros of an operation measure nothing, ``None`` where it was done.

    Raises:
        OutputError: its run time or its number of requests is no number.
    """
    counts = [name for name in ("runtime", "total_ios", "io_bytes") if report.at(*place, name) is not None]
    if not counts or any(report.number(*place, name) > 0 for name in counts):
        return None
    return f"the job did no {place[-1]}"


def unsampled(report: Document, place: Path) -> dict[str, str]:
    """Return the words of an operation whose zeros stand for no sample, each with the reason."""
    reasons = _without_samples(report, place)
    if report.at(*place, "runtime") == 0:
        rates = [name for name in _RATES if report.at(*place, name) is not None]
        reasons |= dict.fromkeys(rates, "it took less than fio's clock shows: its runtime is 0 ms")
    return reasons


def _without_samples(report: Document, place: Path) -> dict[str, str]:
    here = report.at(*place)
    entries = here if isinstance(here, dict) else {}
    empty = [name for name, child in entries.items() if isinstance(child, dict) and _is_empty(child)]
    reasons = dict.fromkeys(empty, NO_SAMPLE)
    for word, names in _SPREADS.items():
        if _all_zero(entries, word):
            reasons |= dict.fromkeys(names, NO_SAMPLE)
    return reasons


def _is_empty(latency: dict[str, object]) -> bool:
    if "N" in latency:
        return latency["N"] == 0
    return all(latency.get(name) == 0 for name in ("min", "max", "mean"))


def _all_zero(entries: dict[str, object], word: str) -> bool:
    """Tell whether the least, largest and mean of a rate's samples are 0; old versions do not
    print them all.
    """
    values = [entries[name] for name in (f"{word}_min", f"{word}_max", f"{word}_mean") if name in entries]
    return bool(values) and all(value == 0 for value in values)
