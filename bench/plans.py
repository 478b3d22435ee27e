"""What the conductor itself takes a trial, by the length of its plan: its CPU time in a process of its own.

The trials are on another machine and end at once: none is started, and its record is written in time that
does not count. What is done seldom, by the time that has passed, goes by a clock on which each took three
seconds. All else is as in an activity: what is left of the plan, looks, progress, judgements between blocks,
the page that is kept for lists, and the rows of the database, which lies in memory as the records do.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from assay.activities import conductor, seldom
from assay.activities.conductor import Conductor
from assay.api.act import Silent
from assay.design import plan_trials
from assay.model.files.home import mark_home
from assay.model.goal import Goal
from assay.model.machines.machine import Machine, Reach
from assay.model.trial import Arm, PlannedTrial, Trial
from assay.store.record import write_activity, write_trial
from assay.store.store import Store
from bench.rows import Row, ratios, row
from tests.builders import plan_of, record_of

TRIALS = (1_002, 10_002, 100_002)
"""Lengths of the plans, three trials a block."""
A_BLOCK = 3
GOAL_S = 0.01
TRIAL_S = 3.0
MEMORY = "/dev/shm"  # noqa: S108 - a folder of its own is made there


GOALS = {
    "all blocks": lambda _blocks: Goal(),
    "a precision": lambda blocks: Goal(adaptive=True, precision=1e-5, minimum_blocks=blocks),
}
"""What ends the activity: its last block, or a judgement, which is asked for from the first one on."""


def rows(rounds: int, lengths: tuple[int, ...] = TRIALS) -> list[Row]:
    """CPU time of a trial for each goal and length, those of longer plans beside that of the shortest."""
    return [one for goal in GOALS for one in _of_goal(goal, rounds, lengths)]


def _of_goal(goal: str, rounds: int, lengths: tuple[int, ...]) -> Iterator[Row]:
    taken = {length: [_taken(length, goal) for _ in range(rounds)] for length in lengths}
    first = taken[lengths[0]]
    for length, values in taken.items():
        one = row(f"conductor, {length} trials to {goal}: CPU time a trial", "s", values, goal=GOAL_S)
        yield one if values is first else ratios(one, values, first, f"of {lengths[0]} trials")


def _taken(length: int, goal: str) -> float:
    command = [sys.executable, "-m", "bench.plans", str(length), goal]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout))


def conduct(length: int, home: Path, goal: str = "all blocks") -> float:
    """Conduct a plan in a home, and return the CPU time of a trial, s."""
    trials = plan_trials(("spin",), blocks=length // A_BLOCK, seed=1)
    plan = plan_of(trials, goal=GOALS[goal](length // A_BLOCK))
    there = replace(plan.baseline, machine=Machine("there", Reach.SSH, host="there"))
    plan = replace(plan, baseline=there, treatment=replace(there, label="other"))
    folder = home / "activities" / plan.id
    folder.mkdir(parents=True)
    mark_home(home)
    write_activity(folder, plan)
    store = Store(home)
    store.add_activity(plan, folder)
    nothing = {"keep_visit": lambda *_given: None, "wait_quiet": lambda *_given, **_named: ()}
    ended = _Ended(folder)
    vars(conductor).update(Environment=_Nowhere, run_undisturbed=ended, **nothing)
    vars(seldom).update(time=SimpleNamespace(monotonic=ended.now_s))
    began = time.process_time()
    Conductor(plan, folder=folder, home=home, store=store, watcher=_Silent()).run()
    taken = time.process_time() - began - ended.own_s
    store.close()
    return taken / len(trials)


class _Ended:
    """What stands in for a trial: its record at once, with a figure; it counts them, and its own CPU time."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._chance = folder, random.Random(1)  # noqa: S311 - figures, no secrets
        self.count, self.own_s = 0, 0.0

    def now_s(self) -> float:
        """Return the time on a clock on which each trial took ``TRIAL_S``."""
        return time.monotonic() + TRIAL_S * self.count

    def __call__(self, context: Any, visit: Any, planned: PlannedTrial, *_given: Any, **_named: Any) -> Trial:
        del context, visit
        began = time.process_time()
        level = 50.0 if planned.arm is Arm.TREATMENT else 100.0
        trial = record_of(planned, level * (1 + self._chance.random() / 50))
        place = self._folder / "trials" / planned.name
        place.mkdir()
        write_trial(place, trial)
        self.count += 1
        self.own_s += time.process_time() - began
        return trial


class _Nowhere:
    """An environment that opens nothing."""

    def __init__(self, *_given: Any) -> None:
        """Take what an environment is made of."""

    def nothing(self) -> None:
        """Do nothing."""

    open = close = tidy = end_left = reach = nothing

    @contextmanager
    def visit(self, _planned: PlannedTrial) -> Iterator[Any]:
        """Give a place with no guest."""
        yield SimpleNamespace(guest=None, beside=(), inputs={}, preparing_s=0.0, run=None)


class _Silent(Silent):
    """Told of everything, and shows nothing."""

    def warn(self, sentence: str) -> None:
        """Fail: nothing may go wrong here."""
        raise AssertionError(sentence)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="assay-bench-plans-", dir=MEMORY) as given:
        sys.stdout.write(json.dumps(conduct(int(sys.argv[1]), Path(given), sys.argv[2])))
