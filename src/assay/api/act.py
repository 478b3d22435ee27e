"""The commands that measure and compare, as functions."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.activities import evaluate as activity
from assay.activities.compared import compared
from assay.activities.fleet.conduct import FleetConductor, create_fleet
from assay.activities.fleet.pages import fleet_page
from assay.activities.fleet.plan import lay_out, plan_lane, plan_lanes, scene_of
from assay.activities.fleet.summaries import keep_fleet_summary
from assay.activities.keeping import at_once
from assay.activities.plan.disk_room import check_disk
from assay.api.home import Home
from assay.api.result import FleetResult, Result
from assay.machines.who import chosen
from assay.model.activity import ActivityPlan
from assay.model.errors import AssayError
from assay.model.fleet import Lane
from assay.model.trial import PlannedTrial, Trial
from assay.pages.comparison import ComparisonPage
from assay.report.render.compare import text_comparison
from assay.scenes import Asked, Scene, Wanted, alter_scene, asked_scene, command_scene, find_scene


class Comparison:
    """How much more one result loses than another, metric by metric.

    Attributes:
        page: All that ``assay result compare --json`` says (docs/report.md).
    """

    def __init__(self, page: ComparisonPage) -> None:
        self.page = page

    def __repr__(self) -> str:
        return f"<assay comparison of {self.page.a.id} and {self.page.b.id}: {len(self.page.rows)} metrics>"

    def __str__(self) -> str:
        return text_comparison(self.page)


class Silent:
    """Watches an activity and says nothing of it but what went wrong, as a Python warning."""

    def step(self, text: str, *, fraction: float | None = None) -> None:
        """Pass over what begins."""

    def progress(self, *, done: int, total: int, remaining_s: float) -> None:
        """Pass over how far it is."""

    def trial_started(self, planned: PlannedTrial, label: str) -> None:
        """Pass over a start."""

    def trial_over(self, trial: Trial) -> None:
        """Pass over an end."""

    def look(self, text: str) -> None:
        """Pass over what blocks say so far."""

    def warn(self, sentence: str) -> None:
        """Warn of it."""
        warnings.warn(sentence, stacklevel=2)


def chosen_scene(
    home: Home,
    scene: str | Path | None,
    *,
    command: Sequence[str] | None,
    inputs: Sequence[str],
    scale: str | None,
) -> Scene:
    """Return the scene of a name or a command.

    Raises:
        AssayError: There is none of that name, or neither or both are given.
    """
    if (scene is None) == (command is None):
        msg = "cannot evaluate: expected a scene or a command"
        raise AssayError(msg, hint='assay.evaluate("quick"), or assay.evaluate(command=["./my-job", "100"])')
    if scene is not None:
        return find_scene(str(scene), scale=scale, home=home.path)
    return command_scene(list(command or ()), inputs=inputs, folder=Path.cwd())


def changed(
    scene: Scene, asked: Mapping[str, Any], wanted: Mapping[str, Any], *, wait_quiet_s: float | None
) -> Scene:
    """Return a scene with what is asked for, by the names of ``Asked`` and ``Wanted``.

    Raises:
        AssayError: It cannot be so.
    """
    goals = [name for name in ("precision", "maximum_blocks", "time_budget_s") if wanted[name] is not None]
    if wanted["blocks"] is not None and goals:
        msg = f"cannot evaluate: blocks is a fixed number, which does not go with {goals[0]}"
        raise AssayError(msg)
    if wanted["precision"] is not None and not 0 < wanted["precision"] < 1:
        msg = f"cannot evaluate: expected a precision above 0 and below 1, got {wanted['precision']:g}"
        raise AssayError(msg)
    for name in ("maximum_blocks", "time_budget_s"):
        if wanted[name] is not None and wanted[name] <= 0:
            msg = f"cannot evaluate: expected {name} above 0, got {wanted[name]:g}"
            raise AssayError(msg)
    made = alter_scene(asked_scene(scene, Asked(**asked)), Wanted(**wanted))
    if wait_quiet_s is None:
        return made
    goal = replace(made.design.goal, wait_quiet_s=wait_quiet_s)
    return replace(made, design=replace(made.design, goal=goal))


def evaluate(
    home: Home, scene: Scene, *, on: str | None, command: Sequence[str] | None
) -> Result | FleetResult:
    """Measure a scene, as ``assay evaluate``; what the options mean stands there."""
    line = None if command is None else shlex.join(command)
    if on is not None:
        return _on_machines(home, scene, on, line)
    watcher = Silent()
    plan = activity.prepare(scene, home=home.path, store=home.store, command=line)
    check_disk(plan, home.path)
    activity.ensure_image(plan, home=home.path, watcher=watcher)
    folder = activity.create(plan, home=home.path, store=home.store)
    activity.follow(plan, folder, home=home.path, store=home.store, watcher=watcher)
    return Result(home.path, home.store.activity(plan.id, runs=True))


def _on_machines(home: Home, scene: Scene, who: str, command: str | None) -> FleetResult:
    machines = [entry.machine for entry in chosen(who, home.store.entries())]
    fleet = lay_out(scene, machines, who=who, command=command)
    found = plan_lanes(fleet, scene, home=home.path, store=home.store)
    if all(one.value is None for one in found):
        raise next(one.error for one in found if one.error is not None)
    folder = create_fleet(fleet, home=home.path, store=home.store)
    known = {one.machine: one.value for one in found if one.value is not None}

    def plan(lane: Lane) -> ActivityPlan:
        made = known.pop(lane.machine, None)
        return made or plan_lane(fleet, lane, scene_of(fleet), home=home.path, store=home.store)

    FleetConductor(fleet, folder, home=home.path, store=home.store, watcher=Silent(), plan=plan).run(None)
    page = fleet_page(folder, home.path)
    at_once(lambda: keep_fleet_summary(home.store, page))
    return FleetResult(folder, page, home.path, home.store.lanes_of(fleet.id))


def compare(home: Home, a: str | Result, b: str | Result) -> Comparison:
    """Compare the losses of B with those of A, as ``assay result compare``."""
    first, second = (one if isinstance(one, Result) else home.store.activity(one) for one in (a, b))
    return Comparison(compared(home.store, first, second))
