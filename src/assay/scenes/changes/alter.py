"""A scene with something asked for on the command line, and a text that says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from assay.model.errors import AssayError
from assay.model.goal import Goal, Headline, Shape
from assay.model.machines.processors import ALL, Controller, CoreThreads, ProcessorsSpec
from assay.model.work.observation import Profile
from assay.scenes.changes.write import write_scene
from assay.scenes.checks.checks import placement_fault
from assay.scenes.checks.layout import split_fault
from assay.scenes.reading.specs import LEAST_BLOCKS, LEAST_FOR_PRECISION, MOST_BLOCKS
from assay.scenes.values.scene import Design, OtherMachine, Scene

T = TypeVar("T")


@dataclass(frozen=True)
class Wanted:
    """What is asked for instead of what a scene says; ``None`` leaves that as it is.

    Attributes:
        against: Name of the machine to compare instead of the treatment, without limits.
        blocks: Number of blocks.
        precision: Half-width of the intervals at which to stop.
        maximum_blocks: Blocks at which to stop at the latest, if there is no verdict (or precision) earlier.
        time_budget_s: No block is begun that would end later.
        seed: Seed of the order of trials.
        watch: Groups of series.
        counters: Event counters.
        profile: Stacks to sample.
        copies: Copies of each workload.
        threads: Threads of each copy.
        stagger_s: Time from the start of one copy to that of the next.
        processors: Those of every arm, as ``scenes.values.processors.processors`` returns them.
        controller: Where assay runs meanwhile.
    """

    against: str | None = None
    blocks: int | None = None
    precision: float | None = None
    maximum_blocks: int | None = None
    time_budget_s: float | None = None
    seed: int | None = None
    watch: tuple[str, ...] | None = None
    counters: tuple[str, ...] | None = None
    profile: Profile | None = None
    copies: int | None = None
    threads: int | None = None
    stagger_s: float | None = None
    processors: str | int | tuple[int, ...] | None = None
    controller: Controller | None = None


def alter_scene(scene: Scene, wanted: Wanted) -> Scene:
    """Return a scene with something else in it; its text is written anew if anything changed.

    Raises:
        AssayError: a workload cannot have as many copies.
    """
    placement = {"copies": wanted.copies, "threads": wanted.threads, "stagger_s": wanted.stagger_s}
    observation = {"watch": wanted.watch, "counters": wanted.counters, "profile": wanted.profile}
    changed = replace(
        scene,
        design=_design(scene.design, wanted),
        observation=_with(scene.observation, observation),
        workloads=tuple(
            replace(w, placement=_with(w.placement, placement), copies=() if wanted.copies else w.copies)
            for w in scene.workloads
        ),
    )
    if wanted.processors is not None:
        whole = ProcessorsSpec(wanted.processors, _threads(scene.processors, wanted.processors))
        changed = replace(changed, processors=whole, baseline_processors=None)
    changed = _with(changed, {"controller": wanted.controller})
    if wanted.against is not None:
        title = f"{scene.name}: this machine against {wanted.against}"
        changed = replace(
            changed,
            title=title,
            treatment=OtherMachine(wanted.against),
            baseline_guest=None,
            baseline_container=None,
            more=(),
            published=(),
        )
    if changed == scene:
        return scene
    _check(changed)
    only_seed = replace(scene, design=replace(scene.design, seed=wanted.seed)) == changed
    changed = replace(changed, takes_s=scene.takes_s if only_seed else None)
    return replace(changed, source=write_scene(changed))


def _threads(said: ProcessorsSpec | None, which: str | int | tuple[int, ...]) -> CoreThreads | None:
    """Return what a scene says of a core's processors, where that says something of those asked for."""
    return None if said is None or isinstance(which, tuple) or which == ALL else said.threads


def _design(design: Design, wanted: Wanted) -> Design:
    """Return the design with what is asked for by hand: a number of blocks, or a goal."""
    changed = _with(design, {"blocks": wanted.blocks, "seed": wanted.seed})
    if wanted.blocks is not None:
        return replace(changed, goal=_fixed(design.goal))
    asked = {"precision": wanted.precision, "time_budget_s": wanted.time_budget_s}
    if wanted.maximum_blocks is None and not any(asked.values()):
        return changed
    shape = design.goal.shape if design.goal.adaptive else Shape.AUTO
    goal = replace(_with(design.goal, asked), adaptive=True, shape=shape)
    least = LEAST_BLOCKS if goal.precision is None else LEAST_FOR_PRECISION
    most = wanted.maximum_blocks or (design.blocks if design.goal.adaptive else MOST_BLOCKS)
    return replace(
        changed, blocks=most, goal=replace(goal, minimum_blocks=min(max(least, goal.minimum_blocks), most))
    )


def _fixed(goal: Goal) -> Goal:
    """Return a goal that is the number of blocks alone."""
    shape = Shape.DOUBLE if goal.shape is Shape.AUTO else goal.shape
    silent = Goal()
    return replace(
        goal,
        adaptive=False,
        shape=shape,
        precision=silent.precision,
        minimum_blocks=silent.minimum_blocks,
        time_budget_s=silent.time_budget_s,
    )


def _with(value: T, options: Mapping[str, object]) -> T:
    changes: dict[str, Any] = {name: given for name, given in options.items() if given is not None}
    return replace(value, **changes)  # type: ignore[type-var] # a frozen dataclass


def _check(scene: Scene) -> None:
    goal = scene.design.goal
    if goal.headline is Headline.TOTAL and goal.adaptive and goal.precision is None:
        msg = (
            f"cannot change the scene {scene.name}: its headline is the total, which is judged once, "
            "after declared blocks"
        )
        raise AssayError(msg, hint="use --blocks or --precision")
    base = () if scene.baseline_guest is None else (scene.baseline_guest,)
    several = sorted({guest.layout.guests for guest in (*scene.guests, *base)} - {1})
    uneven = (split_fault(workload, several) for workload in scene.workloads if several)
    if fault := next(filter(None, (*map(placement_fault, scene.workloads), *uneven)), None):
        msg = f"cannot change the scene {scene.name}: {fault}"
        raise AssayError(
            msg, hint="--copies and --stagger hold for every workload: write a scene for another choice"
        )
