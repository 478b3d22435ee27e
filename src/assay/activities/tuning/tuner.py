"""Conducts a search for the settings that pay: steps of one block each, a confirmation, the count of what is
lost where QEMU is killed, and checks.

Which activity comes next is written down before it begins, and what it gave once it has ended: a search that
was cut off goes on where it was, and no trial is run twice.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from assay.activities.evaluate import create, ensure_image, follow, prepare, resume
from assay.activities.events import Watcher
from assay.activities.pages import page_of
from assay.activities.tuning.confirmed import checked, confirmed, with_check
from assay.activities.tuning.factors import may_be
from assay.activities.tuning.guests import levels_of
from assay.activities.tuning.kept import find_tuning, keep_tuning
from assay.activities.tuning.laid_out import Carriers, carrier, now
from assay.activities.tuning.lost import count_lost, with_losses
from assay.activities.tuning.scenes import DEFAULT, changes_in, guest_of, levels_in, run_scene, tuned_guest
from assay.activities.tuning.searched import at_default, change_sets, search_of
from assay.activities.tuning.time_taken import blocks_of, by_what_visits_took, has_time, left_s
from assay.activities.tuning.values import values_of
from assay.factors.catalogue import FACTORS
from assay.model.activity import ActivityState
from assay.model.errors import AssayError, MissingError
from assay.model.trial import Trial
from assay.model.units import format_seconds
from assay.pages.tuning import Check, LeftOut, Tuning, TuningRun
from assay.platforms.claims import refuse_second
from assay.platforms.errors import PlatformError
from assay.scenes import Scene, read_scene
from assay.store.record import read_activity, read_trials
from assay.store.rows import ActivityRow
from assay.store.store import Store
from assay.tune.batches import next_batch

TOGETHER = 7
"""Configurations of a step, beside the guest as it is."""
ENDED = (ActivityState.COMPLETE, ActivityState.PARTIAL, ActivityState.FAILED)
"""How the activity of a step ends; in every other state trials are left."""


def tune(
    tuning: Tuning, scene: Scene, *, home: Path, store: Store, carriers: Carriers, watcher: Watcher
) -> Tuning:
    """Make the steps of a search that are left, and its confirmation; return it with what was found.

    Args:
        tuning: The search, new or as far as it came.
        scene: Its scene.
        home: Folder of all state.
        store: Inventory of machines.
        carriers: Opens the machine that carries the guests, to look at it.
        watcher: Is told of each act.

    Raises:
        KeyboardInterrupt: Stopped; all finished trials are safe and the rest can be made later.
        AssayError: Something needed is missing or lost; all finished trials are safe.
    """
    tuner = _Tuner(scene, home=home, store=store, carriers=carriers, watcher=watcher)
    while not tuning.over:
        tuning = tuner.step(tuning)
    return tuning


def check_again(tuning: Tuning, scene: Scene, *, home: Path, store: Store, watcher: Watcher) -> Tuning:
    """Measure again what a search recommends, beside the guest as it was, or what is left of that.

    Args:
        tuning: A search that has ended, or whose check was cut off.
        scene: Its scene.
        home: Folder of all state.
        store: Inventory of machines.
        watcher: Is told of each act.

    Raises:
        KeyboardInterrupt: Stopped; all finished trials are safe and the rest can be made later.
        AssayError: Nothing is recommended, it is not known how the host was before, or something needed is
            missing or lost.
    """
    carriers = partial(carrier, home=home, store=store)
    return _Tuner(scene, home=home, store=store, carriers=carriers, watcher=watcher).check(tuning)


def scene_of(tuning: Tuning) -> Scene:
    """Return the scene of a search, as its file keeps it."""
    return read_scene(tuning.scene_text.encode(), file=tuning.scene_file)


class _Tuner:
    """Makes the steps of a search."""

    def __init__(
        self, scene: Scene, *, home: Path, store: Store, carriers: Carriers, watcher: Watcher
    ) -> None:
        self._scene, self._carriers, self._watcher = scene, carriers, watcher
        self._home, self._store = home, store

    def step(self, tuning: Tuning) -> Tuning:
        """Make one step: the one that was begun, the next of the search, the confirmation, or a later one."""
        if tuning.runs and tuning.runs[-1].state == "begun":
            return self._ended(tuning, self._conducted(tuning, tuning.runs[-1]))
        if tuning.found:  # what was found is confirmed, or there was nothing to confirm
            return self._after(tuning)
        tuning, configs = self._next(tuning)
        if configs:
            return self._begun(tuning, configs)
        return self._confirming(tuning)

    def _next(self, tuning: Tuning) -> tuple[Tuning, list[tuple[int, ...]]]:
        """Return the configurations of the next step, none where the search is over.

        What cannot be had together is left out of the search for good.
        """
        if not has_time(tuning, TOGETHER, mix=len(self._scene.workloads)):
            return tuning, []
        current = levels_of(tuned_guest(self._scene))
        with self._carriers(self._scene.baseline) as host:
            while True:
                configs = next_batch(search_of(tuning), TOGETHER)
                wrong = [c for c in configs if not may_be(current, levels_in(tuning, c), host)]
                if not wrong:
                    return tuning, configs
                more = tuple(levels_in(tuning, config) for config in wrong)
                tuning = replace(tuning, exclude=(*tuning.exclude, *more))

    def _begun(self, tuning: Tuning, configs: Sequence[tuple[int, ...]]) -> Tuning:
        number = 1 + len(tuning.runs)
        size = 1 + len(configs)
        done = sum(1 + len(run.configs) for run in tuning.runs)
        left = f"; about {format_seconds(left_s(tuning))} left" if done else ""
        self._watcher.step(
            f"search, step {number}: {size} guests; {done} of {tuning.evaluations} evaluations{left}"
        )
        share = search_of(tuning).share
        activity = secrets.token_hex(4)
        run = TuningRun("search", tuple(configs), (), 1, _seed(tuning), activity, "begun", share=share)
        try:
            return self._ended(tuning, self._conducted(tuning, run))
        except AssayError:
            without = tuning if self._is_kept(tuning, run) else self._without_refused(tuning, run)
            if without == tuning:
                raise
            return self._kept(without)

    def _without_refused(self, tuning: Tuning, run: TuningRun) -> Tuning:
        """Return a search without what of a step cannot be planned: levels that cannot be had alone, else the
        whole configuration; as it was where that is not the levels' fault.
        """
        nothing = (0,) * len(tuning.factors)
        if self._refusal(tuning, run, nothing) is not None:
            return tuning
        found: dict[tuple[int, ...], str] = {}
        for config in run.configs:
            reason = self._refusal(tuning, run, config)
            if reason is not None:
                alone = [
                    (*nothing[:at], level, *nothing[at + 1 :]) for at, level in enumerate(config) if level
                ]
                reasons = {one: self._refusal(tuning, run, one) for one in alone if one not in found}
                own = {one: why for one, why in reasons.items() if why is not None}
                found |= own if own or len(reasons) < len(alone) else {config: reason}
        changes = [(changes_in(tuning, config), reason) for config, reason in found.items()]
        left = (LeftOut(" ".join(map("=".join, levels.items())), reason) for levels, reason in changes)
        parts = (levels for levels, _ in changes)
        return replace(tuning, exclude=(*tuning.exclude, *parts), left_out=(*tuning.left_out, *left))

    def _refusal(self, tuning: Tuning, run: TuningRun, config: tuple[int, ...]) -> str | None:
        """Return why a configuration cannot be planned; ``None`` where it can."""
        scene = run_scene(self._scene, tuning, replace(run, configs=(config,)))
        try:
            prepare(scene, home=self._home, store=self._store, command=tuning.command)
        except (MissingError, PlatformError) as error:
            return error.message
        return None

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
            return self._kept(tuning)
        others = {} if self._has_default(tuning, sets.values()) else {"default": DEFAULT}
        blocks = blocks_of(tuning)
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

    def _after(self, tuning: Tuning) -> Tuning:
        """Count what is lost where QEMU is killed, then check on the second machine what is recommended."""
        if tuning.runs and tuning.runs[-1].kind == "check":
            return self._kept(replace(tuning, state="complete"))
        tuning = count_lost(tuning, self._scene, home=self._home, watcher=self._watcher, keep=self._kept)
        return self._elsewhere(self._kept(replace(tuning, found=with_losses(tuning))))

    def _elsewhere(self, tuning: Tuning) -> Tuning:
        """Check on the second machine what is recommended; without one, or with nothing to check, the search
        is over.
        """
        sets = {one.name: one.config for one in tuning.found if one.recommended and not one.checks}
        if tuning.also is None or not sets:
            return self._kept(replace(tuning, state="complete"))
        run = self._check(tuning, sets, tuning.also)
        try:
            return self._ended(tuning, self._conducted(tuning, run))
        except MissingError as error:
            if self._is_kept(tuning, run):  # it had begun: it is gone on with once what is missing is there
                raise
            missing = Check(tuning.also, now(), "", (), (), holds=False, reason=f"it cannot be had: {error}")
            found = (with_check(one, missing) if one.name in sets else one for one in tuning.found)
            return self._kept(replace(tuning, found=tuple(found), state="complete"))

    def check(self, tuning: Tuning) -> Tuning:
        """Measure again what is recommended, or make what is left of that."""
        if tuning.runs and tuning.runs[-1].state == "begun":
            return self._ended(tuning, self._conducted(tuning, tuning.runs[-1]))
        sets = {one.name: one.config for one in tuning.found if one.recommended}
        if not sets:
            msg = f"nothing to measure again: search {tuning.id} recommends nothing"
            raise AssayError(msg, hint=f"assay tune show {tuning.id}")
        changed = {name for one in tuning.found if one.name in sets for name in one.changes}
        unknown = [
            one.name
            for one in tuning.factors
            if one.name in changed and FACTORS[one.name].of_host and not one.held
        ]
        if unknown:
            msg = f"cannot measure again: it is not known how {', '.join(unknown)} was before"
            raise AssayError(msg, hint="tune again: assay tune SCENE")
        return self._ended(tuning, self._conducted(tuning, self._check(tuning, sets, "")))

    def _check(self, tuning: Tuning, sets: Mapping[str, tuple[int, ...]], machine: str) -> TuningRun:
        blocks = blocks_of(tuning)
        where = f" on {machine}" if machine else ""
        self._watcher.step(f"check of {' and '.join(sets)}{where}: {blocks} blocks, all workloads")
        activity = secrets.token_hex(4)
        configs, names = tuple(sets.values()), tuple(sets)
        return TuningRun("check", configs, names, blocks, _seed(tuning), activity, "begun", machine=machine)

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
            tuning = by_what_visits_took(tuning)
        if run.kind == "confirm":
            tuning = replace(tuning, found=confirmed(tuning, run, plan, page_of(row.folder)))
        if run.kind == "check":
            tuning = replace(tuning, found=checked(tuning, run, plan, page_of(row.folder), now=now()))
        return self._kept(tuning)

    def _is_kept(self, tuning: Tuning, run: TuningRun) -> bool:
        """Tell whether a step is in the search's file: it could be planned, and had begun."""
        return any(one.activity == run.activity for one in find_tuning(tuning.id, self._home).runs)

    def _row(self, activity: str) -> ActivityRow | None:
        own = (row for row in self._store.activities() if row.is_own)
        return next((row for row in own if row.id == activity), None)

    def _kept(self, tuning: Tuning) -> Tuning:
        keep_tuning(tuning, self._home)
        return tuning


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
