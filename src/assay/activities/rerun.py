"""Runs a trial until its record is kept."""

from __future__ import annotations

from collections.abc import Callable

from assay.activities.joint.group_run import run_group
from assay.activities.trials.room import hint_resume
from assay.activities.trials.trial import TrialContext, run_trial
from assay.activities.visits.visit import Visit
from assay.model.trial import PlannedTrial, Trial
from assay.model.work.workload import Workload


def run_undisturbed(
    context: TrialContext,
    visit: Visit,
    planned: PlannedTrial,
    workload: Workload,
    *,
    tell: Callable[[str], None],
) -> Trial:
    """Run a trial; one that is rejected for a declared cause runs again in the same visit, within limits.

    Whether it is kept is decided before its record gets its name, and never by its figures: wherever this is
    cut off, the next process finds the trial kept, or to be run.

    Args:
        context: What all trials share.
        visit: Where it runs.
        planned: Its place in the plan.
        workload: What runs.
        tell: Told of each rejection.

    Raises:
        UnreachableError: The machine was lost.
        NoRoomError: A disk is nearly full, here or there; the hint says what resumes the activity.
    """
    run = run_group if visit.beside else run_trial
    while True:
        with hint_resume(context.folder, context.plan.id):
            trial = run(context, visit, planned, workload)
        if (context.folder / "trials" / planned.name).is_dir():
            return trial
        tell(f"{planned.name} was disturbed ({', '.join(trial.disturbed_by)}), is rejected and runs again")
