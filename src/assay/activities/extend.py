"""Going on with a finished activity: further blocks, judged by a sequence from then on."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from assay.activities.environment import Environment
from assay.activities.evaluate import require_ready
from assay.activities.events import Watcher
from assay.activities.interrupts import Interrupts
from assay.activities.plan.site_floor import floor_of
from assay.activities.rows import refuse_imported
from assay.activities.trials.inflight import FILE as NOTE
from assay.activities.visits.remote import guests_here
from assay.design import activity_state
from assay.design.extension import extended, in_force, is_begun
from assay.model.activity import ActivityPlan, ActivityState
from assay.model.errors import AssayError
from assay.model.extension import Extension, FirstVerdict
from assay.model.goal import Headline
from assay.model.trial import Trial
from assay.platforms.claims import claim, release
from assay.platforms.daemon.daemon import require_libvirt
from assay.results.outcome import build_page
from assay.store.record import read_activity, read_trials, rewrite_activity
from assay.store.rows import ActivityRow
from assay.store.store import Store

FINISHED = (ActivityState.COMPLETE, ActivityState.PARTIAL)


def lengthen(row: ActivityRow, blocks: int, *, home: Path, store: Store, watcher: Watcher) -> None:
    """Add blocks to the plan of a finished activity, once all that they need is there; ``resume`` runs them.

    What its rows said before is kept in the plan. From the first record of a further block on they are looked
    at as after every block, so that a verdict that is wanted and waited for is no more often false than one
    that was declared. Until then the result is what it was, and may be extended otherwise.

    Args:
        row: The activity.
        blocks: Further blocks, at least one.
        home: assay's state.
        store: Its database.
        watcher: Is told of progress.

    Raises:
        AssayError: It was imported, is the run of a proof, is not finished, or could not go on; nothing was
            changed.
        ClaimedError: It, or another, runs here.
    """
    refuse_imported(row, "extend")
    claim(home, row.id)
    try:
        kept, records = read_activity(row.folder), tuple(read_trials(row.folder))
        plan = in_force(kept, records)
        _refuse(plan, records, under_way=not is_begun(kept, records) and (row.folder / NOTE).exists())
        require_ready(plan, row.folder, home=home, watcher=watcher)
        machine = look_around(plan, home=home, watcher=watcher)
        floor = floor_of(home, machine, without=plan.id)
        extension = Extension(blocks, 0, time.time_ns(), tuple(_first_verdicts(plan, records)))
        rewrite_activity(row.folder, extended(plan, records, extension, floor=floor))
        store.import_folder(row.folder)
    finally:
        release(home, row.id)


def look_around(plan: ActivityPlan, *, home: Path, watcher: Watcher) -> str:
    """Make sure that the machines of a plan can be measured now, and return the host name of the baseline's.

    Raises:
        AssayError: One cannot be reached, or is measured by somebody else; or no guests can be made here.
    """
    if guests_here(plan):
        require_libvirt()
    watcher.step("looking at the machines")
    with closing(Environment(plan, home, watcher, Interrupts())) as environment:
        return environment.reach().fingerprint.facts.hostname


def _refuse(plan: ActivityPlan, records: Sequence[Trial], *, under_way: bool) -> None:
    """Refuse what cannot be extended; ``under_way``: a trial of an extension was begun and has no
    record yet.
    """
    if plan.proof_of is not None:
        msg = f"cannot extend activity {plan.id}: it is a run of the proof of {plan.proof_of}"
        raise AssayError(msg, hint=f"extend the result itself: assay activity extend {plan.proof_of}")
    if plan.goal.headline is Headline.TOTAL:
        msg = (
            f"cannot extend activity {plan.id}: its headline is the total, which is judged once, "
            "after declared blocks"
        )
        raise AssayError(msg, hint="evaluate it anew with more blocks")
    state = activity_state(plan, records)
    if state is ActivityState.INTERRUPTED or under_way:
        msg = f"cannot extend activity {plan.id}: it is not finished"
        raise AssayError(msg, hint=f"assay activity resume {plan.id}")
    if state not in FINISHED:
        msg = f"cannot extend activity {plan.id}: it {state}, nothing of it was measured on both arms"
        raise AssayError(msg, hint="see why with 'assay result show', and evaluate it anew")


def waits(folder: Path) -> bool:
    """Tell whether an activity has been extended by blocks of which none has a record yet."""
    return not is_begun(read_activity(folder), tuple(read_trials(folder, damaged=[])))


def _first_verdicts(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[FirstVerdict]:
    for row in build_page(plan, records).estimates:
        yield FirstVerdict(
            row.workload, row.metric, row.treatment, row.blocks, str(row.verdict), row.loss, row.low, row.high
        )
