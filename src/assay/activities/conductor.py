"""Executes the plan of an activity, visit by visit, and resumes one that was cut off."""

from __future__ import annotations

import itertools
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from assay.activities.ending import disk_refusals, ending
from assay.activities.environment import Environment
from assay.activities.events import Watcher
from assay.activities.fingerprints import keep_visit
from assay.activities.interrupts import Interrupts
from assay.activities.keeping import RowKeeper
from assay.activities.pages import page_of
from assay.activities.plan.kept_inputs import kept_inputs
from assay.activities.plan.prepare import BOOT_S, booted, fresh
from assay.activities.quiet import VISITS_S, is_asked, spots_of, wait_quiet
from assay.activities.quiet_look import Spot
from assay.activities.rerun import run_undisturbed
from assay.activities.schedule import blocks_wanted, look_text, next_session_s
from assay.activities.seldom import Seldom
from assay.activities.trials.disturbance import was_rejected
from assay.activities.trials.inflight import FILE as NOTE
from assay.activities.trials.inflight import Inflight, clear_inflight, read_inflight
from assay.activities.trials.lost_trial import lost_trial, why_ended
from assay.activities.trials.room import hint_resume
from assay.activities.trials.trial import TrialContext, collect
from assay.activities.visits.remote import is_remote
from assay.activities.visits.visit import Visit
from assay.design import Preparing, Remaining, activity_state, ending_of, expected_cost
from assay.design.blocks import spans_of
from assay.design.remembered import remembering
from assay.machines import UnreachableError
from assay.model.activity import ActivityPlan, ActivityState
from assay.model.errors import AssayError, NoRoomError
from assay.model.extension import Ended, Ending
from assay.model.goal import Shape
from assay.model.trial import Arm, PlannedTrial, Trial
from assay.platforms.claims import claim, release
from assay.platforms.errors import ClaimedError
from assay.probe import ProbeError, ResultError
from assay.report.doubts import worded
from assay.store.record import (
    DamagedError,
    read_activity,
    read_trials,
    remove_half_written,
    rewrite_activity,
    set_aside,
    set_aside_damaged,
)
from assay.store.store import Store

KEPT_S = 60.0
"""Lists show what an activity said at most so long ago, or at the end of the block that has lasted longer,
or, with very many records, longer ago (``activities.seldom``).
"""
BOOKED_S = 15.0
"""A machine that another activity took between two sessions is asked for again after this."""
PART = 100
"""A judgement looks at all blocks so far: the next one follows when there are a hundredth more."""


class Conductor:
    """Runs what is left of one activity's plan; one process at a time conducts an activity."""

    def __init__(
        self,
        plan: ActivityPlan,
        *,
        folder: Path,
        home: Path,
        store: Store,
        watcher: Watcher,
        interrupts: Interrupts | None = None,
    ) -> None:
        self._plan, self._folder, self._home = plan, folder, home
        self._watcher = watcher
        self._rows = RowKeeper(store, plan.id, folder, watcher.warn)
        self._interrupts = interrupts or Interrupts()
        self._context = TrialContext(plan, folder, self._interrupts, self._report_progress)
        self._workloads = {workload.name: workload for workload in plan.workloads}
        self._inputs: Mapping[str, Path] = {}
        self._done: dict[int, Trial] = {}
        self._taken: list[Trial] = []
        self._spent: dict[tuple[Arm, str], list[float]] = defaultdict(list)
        self._preparing: dict[tuple[Arm, str], list[float]] = defaultdict(list)
        self._boots: list[float] = []
        self._ending: Ending | None = None
        self._wanted = plan.blocks
        self._remaining = Remaining(plan.trials, plan.over)
        self._begun = set[int]()
        self._judged = 0
        self._progress, self._looks, self._kept = Seldom(), Seldom(), Seldom(KEPT_S)
        self._expected = 0.0, 0
        self._patience_s = plan.goal.wait_quiet_s
        self._told_busy, self._looked_s = False, 0.0

    def run(self) -> ActivityState:
        """Run to the end of the plan and return where the activity stands.

        Raises:
            KeyboardInterrupt: Stopped; all finished trials are safe and the rest can be resumed.
            AssayError: Something needed is missing or lost; all finished trials are safe.
        """
        claim(self._home, self._plan.id, here=self._plan.measures_here)
        warn = self._watcher.warn
        with (
            ending(lambda: release(self._home, self._plan.id), warn),
            disk_refusals(self._home, self._plan.id),
            ending(self._note_state, warn),
            self._interrupts.installed(),
        ):
            self._rows.begin()
            (self._folder / "trials").mkdir(parents=True, exist_ok=True)
            self._conduct()
        return self._state()

    def _note_state(self) -> None:
        self._rows.end(self._state())

    def _state(self) -> ActivityState:
        """Return where the activity stands by its records, of which the last may not have been taken up any
        more.
        """
        state = activity_state(self._plan, self._records())
        if state is not ActivityState.INTERRUPTED:
            return state
        return activity_state(self._plan, tuple(read_trials(self._folder, damaged=[])))

    def _conduct(self) -> None:
        for folder in (self._folder, self._folder / "facts"):
            remove_half_written(folder)
        self._inputs = kept_inputs(self._folder)
        for damage in set_aside_damaged(self._folder):
            self._watcher.warn(f"{damage.message}; its trial runs again")
        for trial in read_trials(self._folder):
            self._take(trial)
            self._context.programs.note(trial)
            self._rows.record(trial)  # a kill between the record and its row costs nothing
        self._judge()
        inflight = self._noted()
        if inflight is None and not self._is_left():
            self._tidy_left()
        self._sessions(inflight)

    def _sessions(self, inflight: Inflight | None) -> None:
        """Run session after session; the machine is free between two, and who took it is waited for.

        Raises:
            ClaimedError: Another activity measures it before the first.
        """
        begun = False
        while self._is_left() or inflight:
            self._wait_for_session()
            try:
                self._session(inflight)
            except ClaimedError as error:
                if not begun:
                    raise
                self._watcher.step(f"the next session waits: {error.message}")
                self._interrupts.sleep(BOOKED_S)
            begun, inflight = True, None

    def _noted(self) -> Inflight | None:
        """Return the trial that was under way; a note that cannot be used is set aside, and the trial runs
        again.
        """
        try:
            note = read_inflight(self._folder)
            if note is not None and note.index >= len(self._plan.trials):
                msg = f"cannot use {self._folder / NOTE}: the plan has no trial {note.index}"
                raise DamagedError(msg)
        except DamagedError as error:
            damage = set_aside(self._folder, self._folder / NOTE, error)
            self._watcher.warn(f"{damage.message}; the trial that it tells of runs again")
            return None
        return note

    def _tidy_left(self) -> None:
        """Take away what a former process of an activity with all its records left."""
        environment = Environment(self._plan, self._home, self._watcher, self._interrupts)
        with ending(environment.close, self._watcher.warn):
            self._end_left(environment)

    def _end_left(self, environment: Environment) -> None:
        try:
            environment.end_left()
        except AssayError as error:  # the records are whole
            self._watcher.warn(f"something of this activity may still be there: {error.message}")

    def _session(self, inflight: Inflight | None) -> None:
        """Run the blocks of one session, and bring home before what was cut off."""
        environment = Environment(self._plan, self._home, self._watcher, self._interrupts)
        with ending(environment.close, self._watcher.warn):
            if inflight is not None:
                self._recover(environment, inflight)
            if not self._is_left():
                self._end_left(environment)
                return
            environment.open()
            spots = self._spots(environment)
            self._wait_quiet(spots)
            for trials in self._visits():
                if self._waits(trials[0].block):
                    return
                self._wait_before_visit(spots, trials[0].block)
                self._visit(environment, trials)
            environment.tidy()

    def _spots(self, environment: Environment) -> tuple[Spot, ...]:
        """Return the measured processors that are looked at: of every machine, or none."""
        if not is_asked(self._plan):
            return ()
        runs = {machine: visit.run for machine, visit in environment.opened().items()}
        return spots_of(self._plan, runs)

    def _wait_quiet(self, spots: tuple[Spot, ...], *, block: int | None = None) -> None:
        """Wait until others leave the machines alone, for so long in all; what they do nonetheless is kept as
        a doubt, once a session.
        """
        told = block is not None and self._told_busy
        began = time.monotonic()
        reasons = wait_quiet(self._plan, spots, self._watcher, patience_s=self._patience_s, block=block)
        doubts = () if told else tuple(map(worded, reasons))
        self._told_busy = told or bool(doubts)
        self._looked_s = time.monotonic()
        self._patience_s = max(0.0, self._patience_s - (self._looked_s - began))
        if doubts:
            plan = read_activity(self._folder)
            entries = ((doubt.code, doubt.sentence) for doubt in doubts)
            rewrite_activity(self._folder, replace(plan, doubts=(*plan.doubts, *entries)))
        for doubt in doubts:
            self._watcher.warn(doubt.sentence)

    def _wait_before_visit(self, spots: tuple[Spot, ...], block: int) -> None:
        """Wait before a visit where more than we seem to run on a machine: one read of each, and a look now
        and then.
        """
        if self._told_busy and not self._patience_s and not self._plan.goal.require_quiet:
            return  # nothing would come of a look
        if time.monotonic() - self._looked_s >= VISITS_S:
            busy = tuple(spot for spot in spots if not spot.seems_quiet())
            if busy:
                self._wait_quiet(busy, block=block)

    def _waits(self, block: int) -> bool:
        """Tell whether a block belongs to a later session."""
        begun = block in self._begun
        return not begun and next_session_s(self._plan, self._records(), now_s=time.time()) > 0

    def _take(self, trial: Trial) -> None:
        """Count a trial that has a record; a later one of the same trial takes the place of the former."""
        is_new = trial.planned.index not in self._done
        self._done[trial.planned.index] = trial
        if is_new:
            self._taken.append(trial)
        else:
            self._taken = list(self._done.values())
        self._remaining.end(trial.planned, trial.state)
        self._begun.add(trial.planned.block)

    def _wait_for_session(self) -> None:
        """Sleep until the next session may begin; what is finished is safe, and a stop may be resumed."""
        wait_s = next_session_s(self._plan, self._records(), now_s=time.time())
        if wait_s <= 0:
            return
        clock = datetime.fromtimestamp(time.time() + wait_s, UTC).astimezone().isoformat(" ", "minutes")
        self._watcher.step(f"the next session begins at {clock}; Ctrl-C keeps everything, resume any time")
        until = time.monotonic() + wait_s
        while (left_s := until - time.monotonic()) > 0:
            self._interrupts.sleep(min(left_s, 1.0))

    def _records(self) -> Sequence[Trial]:
        """Return the records so far: the list itself, since copies would grow with a plan's square."""
        return self._taken

    def _visits(self) -> Iterator[list[PlannedTrial]]:
        for _, trials in itertools.groupby(self._plan.trials, self._visit_of()):
            left = [trial for trial in trials if self._is_left(trial)]
            if left:
                yield left

    def _visit_of(self) -> Callable[[PlannedTrial], object]:
        """Return what tells visits apart: neighbours of chained blocks share one."""
        if self._plan.goal.shape is Shape.CHAINED:
            return lambda trial: trial.arm
        return lambda trial: (trial.block, trial.slot)

    def _left(self) -> tuple[PlannedTrial, ...]:
        return () if self._ending is not None else self._remaining.left()

    def _is_left(self, trial: PlannedTrial | None = None) -> bool:
        """Tell whether a trial is still to be run; ``None`` asks for any."""
        if self._ending is not None:
            return False
        return len(self._remaining) > 0 if trial is None else trial in self._remaining

    def _visit(self, environment: Environment, trials: list[PlannedTrial]) -> None:
        first = trials[0]
        label = self._plan.arm_of(first).label
        began = time.monotonic()
        with environment.visit(first) as visit:
            if visit.guest is not None:
                self._boots.append(time.monotonic() - began)
            for one in (visit, *visit.beside):
                one.inputs = self._inputs
                keep_visit(self._folder, one)
            for planned in trials:
                if planned.block != first.block and self._waits(planned.block):
                    return
                self._interrupts.check()
                if not self._is_left(planned):
                    continue
                if self._plan.scripts:
                    environment.begin(visit, planned)
                if not self._trial(visit, planned, label):
                    return

    def _trial(self, visit: Visit, planned: PlannedTrial, label: str) -> bool:
        """Run a trial to its record; tell whether its guest is still there for the next."""
        self._watcher.trial_started(planned, label)
        began, prepared_s = time.monotonic(), _preparing_s(visit)
        workload = self._workloads[planned.workload]
        tell = self._watcher.warn
        try:
            trial = run_undisturbed(self._context, visit, planned, workload, tell=tell)
        except UnreachableError as error:
            if (why := why_ended(visit)) is None:
                raise
            error.message += f"; {why}"
            with self._interrupts.held():
                kept = (one for one in read_trials(self._folder, damaged=[]) if one.planned == planned)
                self._keep(next(kept, None) or lost_trial(self._context, visit, planned, workload, error))
            return False
        spent_s, prepared_s = time.monotonic() - began, _preparing_s(visit) - prepared_s
        self._spent[planned.arm, planned.workload].append(spent_s - prepared_s)
        self._preparing[planned.arm, planned.workload].append(prepared_s)
        self._keep(trial)
        return True

    def _keep(self, trial: Trial) -> None:
        self._rows.record(trial)
        self._take(trial)
        whole = self._ending is not None or not self._remaining.has(trial.planned.block)
        if whole and self._is_judged():
            self._judge()
        self._report_progress()
        self._watcher.trial_over(trial)
        if whole:
            self._look()

    def _look(self) -> None:
        """Say what all blocks so far say, and keep it for lists; with very many of them not after each."""
        if self._kept.is_due():
            with self._kept.taking():
                self._rows.look(lambda: page_of(self._folder, sampled=False))
        if not self._looks.is_due():
            return
        with self._looks.taking():
            text = look_text(self._plan, self._records())
        if text is not None:
            self._watcher.look(text)

    def _recover(self, environment: Environment, inflight: Inflight) -> None:
        """Bring home the trial that was under way when the former process was cut off, if it can be."""
        planned = self._plan.trials[inflight.index]
        self._watcher.step(f"looking for the trial that was cut off ({planned.name})")
        if inflight.index in self._done or was_rejected(self._folder, planned, inflight.started_ns):
            # its mark may stand yet, and would keep it from being cleaned up
            environment.end_guest(planned, inflight.guest)
        else:
            self._bring_home(environment, planned, inflight)
        clear_inflight(self._folder)

    def _bring_home(self, environment: Environment, planned: PlannedTrial, inflight: Inflight) -> None:
        try:
            with environment.revisit(planned, inflight.guest) as visit:
                if visit is not None:
                    self._watcher.trial_started(planned, self._plan.arm_of(planned).label)
                    with hint_resume(self._folder, self._plan.id):
                        self._collect_late(visit, planned, inflight)
        except NoRoomError:
            raise  # it has ended well: it is brought home once there is room
        except AssayError as error:
            if not self._is_gone(inflight, error):
                self._watcher.warn(f"{planned.name} may have ended, and is looked for by the next resume")
                raise
            self._watcher.warn(f"{planned.name} is lost and will run again: {error.message}")

    def _is_gone(self, inflight: Inflight, error: AssayError) -> bool:
        """Tell whether the machine itself says that a record is gone; a guest of this machine is given up
        otherwise, too.
        """
        arm = self._plan.arm_of(self._plan.trials[inflight.index])
        here = inflight.guest is not None and not is_remote(arm)
        return here or isinstance(error, ProbeError | ResultError)

    def _collect_late(self, visit: Visit, planned: PlannedTrial, inflight: Inflight) -> None:
        workload = self._workloads[planned.workload]
        state = visit.probe.status(inflight.into).state
        if state == "running":
            visit.probe.wait(inflight.into, limit_s=workload.time_limit_s)
            state = visit.probe.status(inflight.into).state
        if state == "ended":
            self._keep(collect(self._context, visit, planned, workload, inflight))
        else:
            self._watcher.warn(f"{planned.name} had not ended and will run again")

    def _is_judged(self) -> bool:
        """Tell whether a judgement follows a block that is whole: it does each of the first 200, and so many
        of the others that a block costs no more in a long plan. A budget of time is kept to the block.
        """
        budget = self._plan.goal.time_budget_s is not None
        return budget or len(self._begun) >= self._judged + max(1, self._judged // PART)

    def _judge(self) -> None:
        """Ask between blocks whether it is enough, and how many it will be."""
        self._judged = sum(not self._remaining.has(block) for block in self._begun)
        with remembering():
            self._ending = ending_of(self._plan, self._records())
            self._wanted = blocks_wanted(self._plan, self._records())
        if self._ending is not None:
            self._keep_ending(self._ending)

    def _keep_ending(self, why: Ending) -> None:
        """Write down how it ended: a later assay may judge otherwise."""
        plan = read_activity(self._folder)
        if plan.ended is None:
            ended = Ended(why, len(spans_of(self._records())))
            rewrite_activity(self._folder, replace(plan, ended=ended))

    def _report_progress(self) -> None:
        if self._progress.is_due():
            with self._progress.taking():
                seconds, left = self._cost_left()
            self._expected = seconds, left + len(self._done)
            passed_s = 0.0
        else:
            passed_s = self._progress.since_s()
        seconds, total = self._expected
        done = len(self._done)
        self._watcher.progress(done=done, total=total, remaining_s=max(0.0, seconds - passed_s))

    def _cost_left(self) -> tuple[float, int]:
        """Return what is left to be spent, s, and how many trials that are."""
        left = [trial for trial in self._left() if trial.block < self._wanted]
        boot = sum(self._boots) / len(self._boots) if self._boots else BOOT_S
        cost = expected_cost(
            left,
            {name: workload.seconds for name, workload in self._workloads.items()},
            visit_s=boot,
            booted=booted(self._plan),
            seen=self._spent,
            preparing=Preparing(self._preparing, fresh(self._plan)),
        )
        return cost.seconds, len(left)


def _preparing_s(visit: Visit) -> float:
    """Return what preparations of this visit have taken so far, in one guest after the other."""
    return sum(one.preparing_s for one in (visit, *visit.beside))
