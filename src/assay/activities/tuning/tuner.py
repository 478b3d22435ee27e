"""Conducts a search for the settings that pay: steps of one block each, then a confirmation.

Which activity comes next is written down before it begins, and what it gave once it has ended: a search that
was cut off goes on where it was, and no trial is run twice.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from assay.activities.evaluate import create, ensure_image, follow, prepare, resume
from assay.activities.events import Watcher
from assay.activities.pages import page_of
from assay.activities.plan.prepare import BOOT_S
from assay.activities.tuning.confirmed import confirmed
from assay.activities.tuning.factors import choice_of, may_be
from assay.activities.tuning.guests import levels_of
from assay.activities.tuning.kept import find_tuning, keep_tuning
from assay.activities.tuning.scenes import DEFAULT, guest_of, levels_in, run_scene, tuned_guest
from assay.activities.tuning.searched import at_default, change_sets, search_of
from assay.activities.tuning.values import values_of
from assay.design import expected_cost
from assay.factors.base.evidence import Host
from assay.model.activity import ActivityState
from assay.model.errors import AssayError, UnknownNameError
from assay.model.trial import Arm, Trial
from assay.model.units import format_seconds
from assay.pages.tuning import Tuning, TuningRun
from assay.platforms.claims import refuse_second
from assay.scenes import Scene, read_scene
from assay.scenes.changes.write import write_scene
from assay.store.record import read_activity, read_trials
from assay.store.rows import ActivityRow
from assay.store.store import Store
from assay.tune.batches import next_batch

TOGETHER = 7
"""Configurations of a step, beside the guest as it is."""
FEWEST, MOST = 24, 10_000
"""Evaluations of a search and its confirmation."""
SHORTEST_S = 5.0
"""A visit with the start of a guest takes so long at least."""
ENDED = (ActivityState.COMPLETE, ActivityState.PARTIAL, ActivityState.FAILED)
"""How the activity of a step ends; in every other state trials are left."""


@dataclass(frozen=True)
class TuningSpec:
    """What is asked for.

    Attributes:
        names: Factors that may be changed, or groups of them.
        given: Levels of factors that are said by name.
        allowed: Hazards that may be taken.
        workloads: Workloads to tune for; empty is all of the scene.
        evaluations: Visits in all; ``None`` leaves it to the time.
        budget_s: Seconds in all; ``None`` leaves it to the evaluations.
        seed: Of all that is drawn; ``None`` draws it.
    """

    names: Sequence[str]
    given: Mapping[str, Sequence[str]]
    allowed: tuple[str, ...] = ()
    workloads: tuple[str, ...] = ()
    evaluations: int | None = None
    budget_s: float | None = None
    seed: int | None = None


def lay_out(
    scene: Scene, wanted: TuningSpec, *, command: str | None, home: Path, store: Store, host: Host
) -> Tuning:
    """Return a search before its first step; nothing is started or kept.

    Raises:
        AssayError: The scene is of no single guest, nothing can be changed, or the budget is too small.
        UnknownNameError: A name of a factor or of a workload is none.
    """
    guest = tuned_guest(scene)
    known = [workload.name for workload in scene.workloads]
    for name in wanted.workloads:
        if name not in known:
            kind = "workload"
            raise UnknownNameError(kind, name, known, hint=f"assay scene show {scene.name}")
    choice = choice_of(guest, wanted.names, wanted.given, allowed=wanted.allowed, host=host)
    tuning = Tuning(
        id=secrets.token_hex(4),
        state="begun",
        created=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        scene=scene.name,
        title=scene.title,
        scene_text=scene.source if scene.scale is None else write_scene(scene),
        scene_file=str(Path(scene.file).resolve()),
        command=command,
        workloads=wanted.workloads or tuple(known),
        seed=secrets.randbelow(2**31) if wanted.seed is None else wanted.seed,
        evaluations=wanted.evaluations or FEWEST,
        budget_s=wanted.budget_s,
        allowed=tuple(sorted(wanted.allowed)),
        factors=choice.factors,
        exclude=choice.exclude,
        left_out=choice.left_out,
    )
    if wanted.budget_s is None:
        return tuning
    if wanted.budget_s < FEWEST * SHORTEST_S:
        msg = f"cannot tune in {wanted.budget_s:.0f} s: {FEWEST} visits of {SHORTEST_S:.0f} s are the least"
        raise AssayError(msg, hint="give it more time: a guest is started for each visit")
    visit_s = expected_visit_s(tuning, scene, home=home, store=store, host=host)
    return replace(tuning, evaluations=_within(wanted.budget_s, visit_s))


def _within(budget_s: float, visit_s: float) -> int:
    """Return how many visits a time allows; never fewer than a search takes."""
    return min(MOST, max(FEWEST, int(budget_s / visit_s)))


def expected_visit_s(tuning: Tuning, scene: Scene, *, home: Path, store: Store, host: Host) -> float:
    """Return about how long a visit of the search takes, before any was seen."""
    run = TuningRun("search", (_one_change(tuning, scene, host),), (), 1, 0, "", "begun")
    plan = prepare(run_scene(scene, tuning, run), home=home, store=store, command=tuning.command)
    seconds = {workload.name: workload.seconds for workload in plan.workloads}
    cost = expected_cost(plan.trials, seconds, visit_s=BOOT_S, booted=(Arm.BASELINE, Arm.TREATMENT))
    return cost.seconds / len({(one.block, one.slot) for one in plan.trials})


def _one_change(tuning: Tuning, scene: Scene, host: Host) -> tuple[int, ...]:
    """Return a configuration that differs in one factor, and can be had."""
    current = levels_of(tuned_guest(scene))
    now = [0] * len(tuning.factors)
    for at, factor in enumerate(tuning.factors):
        for level in range(1, len(factor.levels)):
            config = (*now[:at], level, *now[at + 1 :])
            if may_be(current, levels_in(tuning, config), host):
                return config
    msg = "cannot tune: no factor can be changed alone"
    raise AssayError(msg, hint="name the factors that go together in the scene")


def tune(tuning: Tuning, scene: Scene, *, home: Path, store: Store, host: Host, watcher: Watcher) -> Tuning:
    """Make the steps of a search that are left, and its confirmation; return it with what was found.

    Args:
        tuning: The search, new or as far as it came.
        scene: Its scene.
        home: Folder of all state.
        store: Inventory of machines.
        host: The machine that carries the guests.
        watcher: Is told of each act.

    Raises:
        KeyboardInterrupt: Stopped; all finished trials are safe and the rest can be made later.
        AssayError: Something needed is missing or lost; all finished trials are safe.
    """
    tuner = _Tuner(scene, home=home, store=store, host=host, watcher=watcher)
    while not tuning.over:
        tuning = tuner.step(tuning)
    return tuning


def scene_of(tuning: Tuning) -> Scene:
    """Return the scene of a search, as its file keeps it."""
    return read_scene(tuning.scene_text.encode(), file=tuning.scene_file)


class _Tuner:
    """Makes the steps of a search."""

    def __init__(self, scene: Scene, *, home: Path, store: Store, host: Host, watcher: Watcher) -> None:
        self._scene, self._host, self._watcher = scene, host, watcher
        self._home, self._store = home, store

    def step(self, tuning: Tuning) -> Tuning:
        """Make one step: the one that was begun, the next of the search, or the confirmation."""
        if tuning.runs and tuning.runs[-1].state == "begun":
            return self._ended(tuning, self._conducted(tuning, tuning.runs[-1]))
        if tuning.found:  # what was found is confirmed, or there was nothing to confirm
            return self._kept(replace(tuning, state="complete"))
        tuning, configs = self._next(tuning)
        if configs:
            return self._begun(tuning, configs)
        return self._confirming(tuning)

    def _next(self, tuning: Tuning) -> tuple[Tuning, list[tuple[int, ...]]]:
        """Return the configurations of the next step, none where the search is over.

        What cannot be had together is left out of the search for good.
        """
        if not self._has_time(tuning):
            return tuning, []
        current = levels_of(tuned_guest(self._scene))
        while True:
            configs = next_batch(search_of(tuning), TOGETHER)
            wrong = [c for c in configs if not may_be(current, levels_in(tuning, c), self._host)]
            if not wrong:
                return tuning, configs
            more = tuple(levels_in(tuning, config) for config in wrong)
            tuning = replace(tuning, exclude=(*tuning.exclude, *more))

    def _has_time(self, tuning: Tuning) -> bool:
        """Tell whether the time allows another step, and the confirmation after it."""
        if tuning.budget_s is None or not tuning.runs:
            return True
        visits = sum((1 + len(run.configs)) * run.blocks for run in tuning.runs)
        spent = sum(run.seconds for run in tuning.runs)
        one = spent / visits
        after = one * 2 * self._blocks(tuning) * len(self._scene.workloads) / len(tuning.workloads)
        return spent + (1 + TOGETHER) * one + after <= tuning.budget_s

    def _left_s(self, tuning: Tuning, done: int) -> float:
        """Return about how long the rest takes: by what was taken so far, and no longer than the budget."""
        spent = sum(run.seconds for run in tuning.runs)
        left = spent / done * (tuning.evaluations - done)
        return left if tuning.budget_s is None else min(left, max(0.0, tuning.budget_s - spent))

    def _blocks(self, tuning: Tuning) -> int:
        return search_of(replace(tuning, runs=())).pairs

    def _begun(self, tuning: Tuning, configs: Sequence[tuple[int, ...]]) -> Tuning:
        number = 1 + len(tuning.runs)
        size = 1 + len(configs)
        done = sum(1 + len(run.configs) for run in tuning.runs)
        left = f"; about {format_seconds(self._left_s(tuning, done))} left" if done else ""
        self._watcher.step(
            f"search, step {number}: {size} guests; {done} of {tuning.evaluations} evaluations{left}"
        )
        run = TuningRun("search", tuple(configs), (), 1, _seed(tuning), secrets.token_hex(4), "begun")
        return self._ended(tuning, self._conducted(tuning, run))

    def _confirming(self, tuning: Tuning) -> Tuning:
        """Confirm what the search found; where it found nothing, it is over."""
        search = search_of(tuning)
        if not search.has_default:
            msg = "cannot tune: the guest as it is failed in every step"
            raise AssayError(
                msg, hint=f"assay result show {tuning.runs[-1].activity}" if tuning.runs else None
            )
        found = change_sets(tuning, search)
        tuning = replace(tuning, found=found)
        sets = {one.name: one.config for one in found if one.changes}
        if not sets:
            return self._kept(replace(tuning, state="complete"))
        others = {} if self._has_default(tuning, sets.values()) else {"default": DEFAULT}
        blocks = self._blocks(tuning)
        self._watcher.step(f"confirmation of {' and '.join(sets)}: {blocks} blocks, all workloads")
        run = TuningRun(
            "confirm",
            (*sets.values(), *others.values()),
            (*sets, *others),
            blocks,
            _seed(tuning),
            secrets.token_hex(4),
            "begun",
        )
        return self._ended(tuning, self._conducted(tuning, run))

    def _has_default(self, tuning: Tuning, configs: Iterable[tuple[int, ...]]) -> bool:
        """Tell whether the default of the factors is the guest as it is, or one of some configurations."""
        guest = tuned_guest(self._scene)
        made = [guest_of(tuning, guest, config) for config in configs]
        return at_default(tuning) or guest_of(tuning, guest, DEFAULT) in made

    def _conducted(self, tuning: Tuning, run: TuningRun) -> ActivityRow:
        """Run the activity of a step, or what is left of it; return its row."""
        row = self._row(run.activity)
        if row is not None:
            return _over(row, resume(row, home=self._home, store=self._store, watcher=self._watcher))
        scene = run_scene(self._scene, replace(tuning, runs=(*_before(tuning, run), run)), run)
        plan = prepare(scene, home=self._home, store=self._store, command=tuning.command)
        plan = replace(plan, id=run.activity)
        ensure_image(plan, home=self._home, watcher=self._watcher)
        refuse_second(self._home, plan.id)  # another process may be at this very search: its file stays
        self._kept(replace(tuning, runs=(*_before(tuning, run), run)))
        place = create(plan, home=self._home, store=self._store)
        state = follow(plan, place, home=self._home, store=self._store, watcher=self._watcher)
        found = self._row(run.activity)
        assert found is not None  # noqa: S101 - it was just made
        return _over(found, state)

    def _ended(self, tuning: Tuning, row: ActivityRow) -> Tuning:
        """Return a search with what its last step gave."""
        tuning = find_tuning(tuning.id, self._home)
        plan, records = read_activity(row.folder), tuple(read_trials(row.folder, damaged=[]))
        run = replace(tuning.runs[-1], state="ended", seconds=_seconds(records))
        if run.kind == "search":
            run = replace(run, values=tuple(values_of(plan, records, tuning.workloads)))
        tuning = replace(tuning, runs=(*tuning.runs[:-1], run))
        if run.kind == "search":
            tuning = _by_what_visits_took(tuning)
        if run.kind == "confirm":
            tuning = replace(
                tuning, found=confirmed(tuning, run, plan, page_of(row.folder)), state="complete"
            )
        return self._kept(tuning)

    def _row(self, activity: str) -> ActivityRow | None:
        own = (row for row in self._store.activities() if row.is_own)
        return next((row for row in own if row.id == activity), None)

    def _kept(self, tuning: Tuning) -> Tuning:
        keep_tuning(tuning, self._home)
        return tuning


def _by_what_visits_took(tuning: Tuning) -> Tuning:
    """Return a search of a given time with as many evaluations as its visits so far allow."""
    spent = sum(run.seconds for run in tuning.runs)
    if tuning.budget_s is None or not spent:
        return tuning
    visits = sum(1 + len(run.configs) for run in tuning.runs)
    return replace(tuning, evaluations=_within(tuning.budget_s, spent / visits))


def _over(row: ActivityRow, state: ActivityState) -> ActivityRow:
    """Return the row of an activity that has come to its end.

    Raises:
        KeyboardInterrupt: Trials of it are left.
    """
    if state not in ENDED:
        raise KeyboardInterrupt
    return row


def _before(tuning: Tuning, run: TuningRun) -> tuple[TuningRun, ...]:
    return tuple(one for one in tuning.runs if one.activity != run.activity)


def _seed(tuning: Tuning) -> int:
    return (tuning.seed + 7919 * (1 + len(tuning.runs))) % 2**32


def _seconds(records: Sequence[Trial]) -> float:
    """Return the time from the first trial's start to the last one's end."""
    if not records:
        return 0.0
    return (max(one.ended_ns for one in records) - min(one.started_ns for one in records)) / 1e9
