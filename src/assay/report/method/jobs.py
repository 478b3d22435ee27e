"""How the jobs of a result started, ran and ended, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from assay.model.units import format_bytes
from assay.pages.method.work import CacheStart, CopiesAtOnce, Exits, PhasedWorkloads, ProbeCosts


def copy_sentences(placed: Sequence[CopiesAtOnce]) -> Iterator[str]:
    """Say how copies ran, and how their figures became the job's."""
    if placed:
        each = ", ".join(f"{one.workload} {one.copies}{_apart(one.stagger_s)}" for one in placed)
        yield (
            f"Copies at once: {each}; a job's wall time is from its first release to its last end, "
            "rates of copies are summed, their times averaged."
        )


def _apart(stagger_s: float) -> str:
    return f" ({stagger_s:g} s apart)" if stagger_s else ""


def phase_sentences(phases: PhasedWorkloads) -> Iterator[str]:
    """Say whose phases are known, and how well."""
    if phases.workloads:
        counted = ", events_per_s is of the phase with most events" if phases.counted else ""
        yield (
            f"Phases of {', '.join(phases.workloads)} as the program told them, known to about 2 "
            f"ms; init is from its release to the first phase told{counted}."
        )


def cache_sentences(starts: Iterable[CacheStart]) -> Iterator[str]:
    """Say how cold or warm the files of each workload were."""
    for one in starts:
        share = f"at {'most' if one.state.starts_cold else 'least'} {format_bytes(one.resident_bytes)}"
        state = "cold" if one.state.starts_cold else "warm"
        yield (
            f"{one.workload}: started {state}, with {share} of the {format_bytes(one.bytes)} "
            f"of its files in memory{_below(one)}{_read_ahead(one)}."
        )


def _below(one: CacheStart) -> str:
    what = "the files below them" if one.served else "the guest's image files"
    return (
        ""
        if one.host_bytes is None
        else f", and at most {format_bytes(one.host_bytes)} of {what} on its host"
    )


def _read_ahead(one: CacheStart) -> str:
    if (ahead := one.ahead) is None:
        return ""
    return (
        "; while it ran, a process that is part of its totals read them one after another: at most "
        f"{ahead.cpu_s:.3g} s of CPU time, all read before the job ended in {ahead.whole} of {ahead.trials} "
        "trials"
    )


def exit_sentences(arms: Iterable[Exits]) -> Iterator[str]:
    """Say how a user's command ended on each arm."""
    for arm in arms:
        codes = ", ".join("-" if code is None else str(code) for code in arm.codes)
        yield f"Exit status on {arm.label}: {codes}."


def probe_sentences(costs: ProbeCosts | None) -> Iterator[str]:
    """Say what the probe itself took."""
    if costs is not None:
        gap = "" if costs.gap_s is None else f"; no two samples were further apart than {costs.gap_s:.3g} s"
        yield (
            f"The probe itself took at most {costs.share:.2%} of one core, on a core of its own "
            f"where there is one, and {format_bytes(costs.rss_bytes)} of memory{gap}."
        )
