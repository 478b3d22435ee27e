"""A scene with something asked for on the command line, and a text that says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from assay.model.errors import AssayError
from assay.model.observation import Profile
from assay.scenes.checks import placement_fault
from assay.scenes.scene import Design, OtherMachine, Scene
from assay.scenes.write import write_scene

T = TypeVar("T")


@dataclass(frozen=True)
class Wanted:
    """What is asked for instead of what a scene says; ``None`` leaves that as it is.

    Attributes:
        against: Name of the machine to compare instead of the treatment, without limits.
        blocks: Number of blocks.
        seed: Seed of the order of trials.
        watch: Groups of series.
        counters: Event counters.
        profile: Stacks to sample.
        copies: Copies of each workload.
        threads: Threads of each copy.
        stagger_s: Time from the start of one copy to that of the next.
    """

    against: str | None = None
    blocks: int | None = None
    seed: int | None = None
    watch: tuple[str, ...] | None = None
    counters: tuple[str, ...] | None = None
    profile: Profile | None = None
    copies: int | None = None
    threads: int | None = None
    stagger_s: float | None = None


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
        workloads=tuple(replace(w, placement=_with(w.placement, placement)) for w in scene.workloads),
    )
    if wanted.against is not None:
        title = f"{scene.name}: this machine against {wanted.against}"
        changed = replace(changed, title=title, treatment=OtherMachine(wanted.against))
    if changed == scene:
        return scene
    _check(changed)
    return replace(changed, source=write_scene(changed))


def _design(design: Design, wanted: Wanted) -> Design:
    """Return the design with a number of blocks that is asked for by hand, and then run to its end."""
    changed = _with(design, {"blocks": wanted.blocks, "seed": wanted.seed})
    return changed if wanted.blocks is None else replace(changed, goal=replace(design.goal, adaptive=False))


def _with(value: T, said: Mapping[str, object]) -> T:
    changes: dict[str, Any] = {name: given for name, given in said.items() if given is not None}
    return replace(value, **changes)  # type: ignore[type-var] # a frozen dataclass


def _check(scene: Scene) -> None:
    if fault := next(filter(None, map(placement_fault, scene.workloads)), None):
        msg = f"cannot change the scene {scene.name}: {fault}"
        raise AssayError(msg, hint="--copies holds for every workload: write a scene for another choice")
