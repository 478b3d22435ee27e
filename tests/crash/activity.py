"""An activity that is run on a recording disk, cut off at a moment, and resumed by a new process."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.activities import conductor, evaluate
from assay.activities.conductor import Conductor
from assay.activities.evaluate import create
from assay.activities.joint import group_run
from assay.activities.trials import trial
from assay.activities.trials.disturbance import HostBefore
from assay.design import plan_trials
from assay.model.activity import ActivityPlan
from assay.model.goal import Goal, Shape
from assay.model.trial import Trial
from assay.model.work.disturbance import Cause, HostOver
from assay.model.work.placement import PlacementSpec
from assay.store.record import read_activity
from assay.workloads import command_workload
from tests.builders import plan_of
from tests.crash.disk import Disk, Moment, Tree, content, lay
from tests.crash.machines import Machines, World

JOBS = (
    command_workload("job", ["job"]),
    replace(command_workload("two", ["job"]), placement=PlacementSpec(copies=2)),
    command_workload("made", ["job"], prepare=(("make",),)),
)
DISTURBED = HostOver(4.0, (1,), 2.0, 0.0, None, None, 0, 0.0)
QUIET = HostOver(4.0, (1,), 0.0, 0.0, None, None, 0, 0.0)


def plan_for(work: str, shape: Shape = Shape.DOUBLE) -> ActivityPlan:
    """Return a plan of three trials, or of a pair whose last is the guest's; one trial may be rejected."""
    trials = plan_trials((work,), blocks=1, seed=2, shape=shape)
    return plan_of(trials, workloads=JOBS, goal=Goal(rerun=(Cause.FOREIGN_CPU,), wait_quiet_s=0.0))


class Told:
    """Watches, and notes which trials are said to be safe."""

    def __init__(self, world: World) -> None:
        self._world = world

    def trial_over(self, trial: Trial) -> None:
        self._world.safe.add(trial.planned.name)

    def __getattr__(self, _name: str) -> Callable[..., None]:
        return lambda *_given, **_named: None


class Rows:
    """The database, as far as it matters which records it knows."""

    def __init__(self, world: World) -> None:
        self._world, self.records = world, set[int]()

    def ids(self) -> frozenset[str]:  # none has one that a creation would find
        return frozenset()

    def add_activity(self, _plan: ActivityPlan, _folder: Path) -> None:
        self._world.listed = True

    def add_record(self, trial: Trial) -> None:
        self.records.add(trial.planned.index)

    def set_state(self, *_given: object, **_named: object) -> None:
        pass

    def keep_summary(self, _kept: object) -> None:
        pass


def _before(*_given: object, **_named: object) -> HostBefore:
    return HostBefore((1,), None, shared=False)


@dataclass
class Bed:
    """Where activities run in a test.

    Attributes:
        folder: For everything.
        patch: Replaces what belongs to machines.
        plan: Of the activity.
        several: Two guests run a trial of the treatment together.
    """

    folder: Path
    patch: pytest.MonkeyPatch
    plan: ActivityPlan
    several: bool = False

    def __post_init__(self) -> None:
        self._number = 0
        self.patch.setattr(evaluate, "check_disk", lambda *_given: None)
        clock = SimpleNamespace(monotonic_ns=lambda: 0, sleep=lambda _s: None)
        self.patch.setattr(group_run, "time", clock)
        for module in (trial, group_run):
            self.patch.setattr(module, "before_trial", _before)
            self.patch.setattr(module, "host_of", self._host_of)

    def _host_of(self, before: HostBefore | None, *_given: object, **_named: object) -> HostOver | None:
        """Disturb the first try of the first trial; one that is brought home late was not looked at."""
        if before is None:
            return None
        return DISTURBED if len(self.machines.world.starts) == 1 else QUIET

    def record(
        self,
        run: Callable[[Bed, Path], object],
        image: Tree | None = None,
        world: World | None = None,
        *,
        waiting: Callable[[], None] = lambda: None,
    ) -> list[Moment]:
        """Run something on a recording disk; return every moment of it.

        Args:
            run: What, in a home.
            image: What the home holds at first.
            world: What is on the machines at first.
            waiting: Called where a job is waited for.
        """
        home = self.folder / "recorded"
        lay(image or {}, home)
        self.machines = Machines(world.copy() if world else World(), waiting=waiting, several=self.several)
        disk = Disk(home, beside=self.machines.world.copy)
        self.machines.tell = disk.tell
        with self.patch.context() as patch:
            disk.record(patch)
            with contextlib.suppress(KeyboardInterrupt):
                run(self, home)
            disk.tell("the end")
        shutil.rmtree(home)
        return disk.moments

    def conduct(self, home: Path) -> Rows:
        """Run what is left of the activity in a home, with a database that knows of no record of it."""
        folder = home / "activities" / self.plan.id
        plan = read_activity(folder)
        watcher, rows = cast("Any", Told(self.machines.world)), Rows(self.machines.world)
        self.patch.setattr(conductor, "Environment", self.machines.environment)
        Conductor(plan, folder=folder, home=home, store=cast("Any", rows), watcher=watcher).run()
        return rows

    def resume(self, image: Tree, world: World) -> Resumed:
        """Lay out what a power cut left, and run the rest; the database knows of no record."""
        self._number += 1
        home = self.folder / f"home-{self._number}"
        lay(image, home)
        folder = home / "activities" / self.plan.id
        self.machines = Machines(world.copy(), several=self.several)
        with self.patch.context() as patch:
            patch.setattr(os, "fsync", lambda _descriptor: None)
            rows = self.conduct(home)
        left = content(folder)
        shutil.rmtree(home)
        return Resumed(left, self.machines.world, len(rows.records))


@dataclass(frozen=True)
class Resumed:
    """What is there after an activity was resumed and ran to its end.

    Attributes:
        folder: The activity's folder.
        world: The machines.
        rows: Trials that the database knows the end of.
    """

    folder: Tree
    world: World
    rows: int


def whole_run(bed: Bed, home: Path) -> None:
    """Make an activity and run it to its end."""
    create(bed.plan, home=home, store=cast("Any", Rows(bed.machines.world)))
    bed.conduct(home)


def cuts(moments: list[Moment]) -> Iterator[tuple[str, Tree, World]]:
    """Yield every state after a cut, each once: the act before it, the disk and the machines."""
    known: list[tuple[Tree, object]] = []
    for moment in moments:
        world: World = moment.outside
        for image in moment.images():
            for left in (world, world.gone()):
                key = (image, left.key())
                if key not in known:
                    known.append(key)
                    yield moment.act, image, left
