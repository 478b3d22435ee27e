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

from assay.activities.events import Watcher
from assay.activities.tuning.conduct import Conduct
from assay.activities.tuning.confirmed import with_check
from assay.activities.tuning.factors import may_be
from assay.activities.tuning.further import extended, further_blocks
from assay.activities.tuning.guests import levels_of
from assay.activities.tuning.laid_out import Carriers, carrier, now
from assay.activities.tuning.lost import count_lost, with_losses
from assay.activities.tuning.refused import without_refused
from assay.activities.tuning.scenes import DEFAULT, guest_of, levels_in, tuned_guest
from assay.activities.tuning.searched import at_default, change_sets, search_of
from assay.activities.tuning.time_taken import blocks_of, has_time, left_s
from assay.factors.catalogue import FACTORS
from assay.model.errors import AssayError, MissingError
from assay.model.units import format_seconds
from assay.pages.tuning import Check, Tuning, TuningRun
from assay.scenes import Scene, read_scene
from assay.store.store import Store
from assay.tune.batches import next_batch

TOGETHER = 7
"""Configurations of a step, beside the guest as it is."""


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
    """Measure again what a search has confirmed, beside the guest as it was, or what is left of that.

    Args:
        tuning: A search that has ended, or whose check was cut off.
        scene: Its scene.
        home: Folder of all state.
        store: Inventory of machines.
        watcher: Is told of each act.

    Raises:
        KeyboardInterrupt: Stopped; all finished trials are safe and the rest can be made later.
        AssayError: Nothing is confirmed, it is not known how the host was before, or something needed is
            missing or lost.
    """
    carriers = partial(carrier, home=home, store=store)
    return _Tuner(scene, home=home, store=store, carriers=carriers, watcher=watcher).check(tuning)


def checked_sets(tuning: Tuning) -> dict[str, tuple[int, ...]]:
    """Return the configurations that a further check of a search measures, by change-set.

    Raises:
        AssayError: It has not ended, nothing is confirmed, or it is not known how the host was before.
    """
    if not tuning.found or tuning.state != "complete":
        msg = f"cannot measure again: search {tuning.id} has not ended"
        raise AssayError(msg, hint=f"assay tune resume {tuning.id}")
    sets = {one.name: one.config for one in tuning.found if one.confirmed}
    if not sets:
        msg = f"nothing to measure again: search {tuning.id} has confirmed nothing"
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
    return sets


def scene_of(tuning: Tuning) -> Scene:
    """Return the scene of a search, as its file keeps it."""
    return read_scene(tuning.scene_text.encode(), file=tuning.scene_file)


class _Tuner:
    """Makes the steps of a search."""

    def __init__(
        self, scene: Scene, *, home: Path, store: Store, carriers: Carriers, watcher: Watcher
    ) -> None:
        self._scene, self._carriers, self._watcher, self._home = scene, carriers, watcher, home
        self._conduct = Conduct(scene, home=home, store=store, watcher=watcher)

    def step(self, tuning: Tuning) -> Tuning:
        """Make one step: the one that was begun, the next of the search, the confirmation, or a later one."""
        if tuning.runs and tuning.runs[-1].state == "begun":
            return self._conduct.made(tuning, tuning.runs[-1])
        if more := further_blocks(tuning, self._scene.design.confidence):
            return self._extending(tuning, more)
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
            return self._conduct.made(tuning, run)
        except AssayError:
            if self._conduct.is_kept(tuning, run):
                raise
            without = without_refused(tuning, run, self._conduct.refusal)
            if without == tuning:
                raise
            return self._conduct.kept(without)

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
            return self._conduct.kept(tuning)
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
        return self._conduct.made(tuning, run)

    def _extending(self, tuning: Tuning, more: int) -> Tuning:
        """Extend a confirmation by which the mix is undecided."""
        self._watcher.step(f"the mix is undecided: {more} more blocks of the confirmation, all workloads")
        tuning = self._conduct.kept(extended(tuning, more))
        return self._conduct.made(tuning, tuning.runs[-1])

    def _after(self, tuning: Tuning) -> Tuning:
        """Count what is lost where QEMU is killed, then check on the second machine what is confirmed."""
        if tuning.runs and tuning.runs[-1].kind == "check":
            return self._conduct.kept(replace(tuning, state="complete"))
        keep = self._conduct.kept
        tuning = count_lost(tuning, self._scene, home=self._home, watcher=self._watcher, keep=keep)
        return self._elsewhere(keep(replace(tuning, found=with_losses(tuning))))

    def _elsewhere(self, tuning: Tuning) -> Tuning:
        """Check on the second machine what is confirmed; without one, or with nothing to check, the search
        is over.
        """
        sets = {one.name: one.config for one in tuning.found if one.confirmed and not one.checks}
        if tuning.also is None or not sets:
            return self._conduct.kept(replace(tuning, state="complete"))
        run = self._check(tuning, sets, tuning.also)
        try:
            return self._conduct.made(tuning, run)
        except MissingError as error:
            if self._conduct.is_kept(tuning, run):  # it had begun: it goes on once what is missing is there
                raise
            missing = Check(tuning.also, now(), "", (), (), holds=False, reason=f"it cannot be had: {error}")
            found = (with_check(one, missing) if one.name in sets else one for one in tuning.found)
            return self._conduct.kept(replace(tuning, found=tuple(found), state="complete"))

    def check(self, tuning: Tuning) -> Tuning:
        """Measure again what is confirmed, or make what is left of that."""
        sets = checked_sets(tuning)
        left = tuning.runs[-1] if tuning.runs and tuning.runs[-1].state == "begun" else None
        return self._conduct.made(tuning, left or self._check(tuning, sets, ""))

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


def _seed(tuning: Tuning) -> int:
    return (tuning.seed + 7919 * (1 + len(tuning.runs))) % 2**32
