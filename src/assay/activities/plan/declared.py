"""What a scene by itself says of its trials: no machine is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from assay.activities.plan.kinds.together import over_of
from assay.activities.visits.settings import shortened
from assay.design import plan_trials
from assay.model.goal import Shape
from assay.model.trial import Arm
from assay.scenes import Scene
from assay.scenes.changes.write import treatment_words

WHAT = ("platform", "machine")
"""Words of a treatment that say what it is; the others are its levels."""

EVERY_GUEST = ("cpu.vcpus", "memory.size", "disk.cache")
"""Levels that every guest has: they say nothing of the only one."""


@dataclass(frozen=True)
class DeclaredPlan:
    """The trials of a scene, as far as it declares them.

    Attributes:
        blocks: Blocks, or the most of them.
        fixed: Whether it runs all of them; else it ends as soon as it is decided.
        workloads: Names of the workloads that run in each visit.
        arms: What is compared, the baseline first.
        order: The arm of each visit in the first blocks, by its place in ``arms``.
        drawn: Whether the order is drawn for each evaluation: this one is an example.
        trials: Number of trials of all blocks.
    """

    blocks: int
    fixed: bool
    workloads: tuple[str, ...]
    arms: tuple[str, ...]
    order: tuple[tuple[int, ...], ...]
    drawn: bool
    trials: int


def declared_plan(scene: Scene, *, shown: int) -> DeclaredPlan:
    """Return the trials that a scene declares.

    Args:
        scene: What is compared.
        shown: Blocks whose order is returned.
    """
    names = tuple(member.name for member in scene.members)
    hosts = {over_of(one, scene) for one in scene.treatments}
    goal = scene.design.goal
    shape = Shape.DOUBLE if scene.more else Shape.PAIRS if goal.shape is Shape.AUTO else goal.shape
    count = min(shown, scene.design.blocks)
    trials = plan_trials(
        names,
        blocks=count,
        seed=scene.design.seed or 0,
        shape=shape,
        runs=goal.runs,
        visits=[2 if level in hosts else 1 for level in range(len(scene.treatments))],
    )
    visits: list[dict[int, int]] = [{} for _ in range(count)]
    for trial in trials:
        visits[trial.block][trial.slot] = 0 if trial.arm is Arm.BASELINE else 1 + trial.level
    return DeclaredPlan(
        blocks=scene.design.blocks,
        fixed=not goal.adaptive,
        workloads=names,
        arms=_each_other([baseline_label(scene), *treatment_labels(scene)]),
        order=tuple(tuple(slots.values()) for slots in visits),
        drawn=scene.design.seed is None,
        trials=len(trials) // count * scene.design.blocks,
    )


def _each_other(labels: Sequence[str]) -> tuple[str, ...]:
    """Return labels of which none is the baseline's again without saying so."""
    baseline, *treatments = labels
    return baseline, *(f"{label} again" if label == baseline else label for label in treatments)


def baseline_label(scene: Scene) -> str:
    """Return what a scene says that its baseline is: a machine by its name, or a place on it."""
    place = "guest" if scene.baseline_guest is not None else None
    if scene.baseline_container is not None:
        place = str(scene.baseline_container.runtime)
    machine = "this machine" if scene.baseline == "local" else scene.baseline
    return f"{place} on {machine}" if place else machine


def treatment_labels(scene: Scene) -> list[str]:
    """Return what a scene says that each treatment is: with its levels where it is the only one, of several
    with those in which they differ.
    """
    every = [dict(_flat(treatment_words(one))) for one in scene.treatments]
    names = dict.fromkeys(name for one in every for name in one if name not in WHAT)
    if len(every) > 1:
        told = [name for name in names if len({one.get(name) for one in every}) > 1]
    else:
        told = [name for name in names if name not in EVERY_GUEST]
    return shortened([", ".join(_words(one, told)) for one in every])


def _words(levels: Mapping[str, str], told: Sequence[str]) -> Iterator[str]:
    machine, place = levels.get("machine"), levels.get("platform")
    where = "this machine" if machine == "local" else machine
    yield f"{place} on {where}" if place and where else place or where or ""
    yield from (f"{name} {levels[name]}" for name in told if name in levels)


def _flat(words: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield words with those that stand below them: ``disk.cache`` of its factors, ``guests`` of a layout."""
    for name, value in words.items():
        if isinstance(value, Mapping):
            yield from _flat(value)
        elif isinstance(value, list | tuple):
            yield name, ", ".join(map(str, value))
        elif value is not None:
            yield name, str(value).lower() if isinstance(value, bool) else str(value)
