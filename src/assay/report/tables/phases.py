"""Phases of a page's trials as a table: how long each took on either arm, and its share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from assay.model.trial import Arm
from assay.pages.context import Page, TrialPoint
from assay.pages.numbers import NOTHING, value_text
from assay.pages.track import PhaseSpan

NOTE = "times and shares of phases: means over the trials of an arm and their copies"


def phase_headers(page: Page) -> tuple[str, ...]:
    """Return the names of the columns of ``phase_cells``."""
    base, treated = page.result.baseline, page.result.treatment
    return ("workload", "phase", f"{base} s", "share", "events/s", f"{treated} s", "share", "events/s")


def phase_cells(page: Page) -> list[tuple[str, ...]]:
    """Return one row a workload and phase: workloads in the plan's order, phases as met; empty without
    phases.
    """
    return list(_rows(page))


def _rows(page: Page) -> Iterator[tuple[str, ...]]:
    rows, trials = (dict.fromkeys(one.workload for one in some) for some in (page.estimates, page.trials))
    for workload in rows | trials:
        ours = [trial for trial in page.trials if trial.workload == workload and trial.phases]
        for phase in dict.fromkeys(span.phase for trial in ours for span in trial.phases):
            arms = [[trial for trial in ours if trial.arm is arm] for arm in (Arm.BASELINE, Arm.TREATMENT)]
            yield (workload, phase, *(cell for arm in arms for cell in _cells(arm, phase)))


def _cells(trials: Sequence[TrialPoint], phase: str) -> tuple[str, str, str]:
    """Return mean seconds a copy, share of the trial, and events per second in the phase."""
    if not trials:
        return NOTHING, NOTHING, NOTHING
    by_trial = [(trial, [span for span in trial.phases if span.phase == phase]) for trial in trials]
    seconds = fmean(
        _a_copy(trial, sum(span.ended_s - span.started_s for span in spans)) for trial, spans in by_trial
    )
    share = fmean(_a_copy(trial, sum(span.share for span in spans)) for trial, spans in by_trial)
    return (
        value_text(float(f"{seconds:.4g}")),
        f"{100 * share:.1f} %",
        _rate([s for _, spans in by_trial for s in spans]),
    )


def _a_copy(trial: TrialPoint, total: float) -> float:
    return total / len({span.copy for span in trial.phases})


def _rate(spans: Sequence[PhaseSpan]) -> str:
    """Return the events per second of one copy; a phase without any event has no rate."""
    events = sum(span.events or 0 for span in spans)
    seconds = sum(span.ended_s - span.started_s for span in spans)
    return value_text(events / seconds) if events and seconds else NOTHING
