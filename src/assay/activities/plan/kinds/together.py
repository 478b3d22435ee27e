"""Treatments of several kinds over one baseline, or over machines of their own, each planned for itself
before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.activities.plan.arms import Arms
from assay.activities.plan.kinds.kind import Asked
from assay.activities.plan.several_sizes import least_limits, least_sizes, size_doubts
from assay.model.activity import PlannedArm
from assay.model.errors import AssayError
from assay.model.machines.machine import Limits
from assay.model.platforms.data import Levels, access, scratch_access
from assay.model.platforms.layout import fitting_cores
from assay.scenes import Guest, OtherMachine, Scene
from assay.scenes.values.scene import Treatment

ACCESS = "data.access"
_WAYS = {ACCESS, "scratch.access"}


def together(found: Sequence[Arms], parts: Sequence[Asked], scene: Scene) -> Arms:
    """Return the arms of a scene whose treatments are of several kinds.

    The work is that of the smallest treatment, and what is not a guest has no more than that: as a sweep has
    one baseline, so has this.

    Args:
        found: The arms of each kind.
        parts: What each kind was asked for.
        scene: All that is asked for; its treatments' order is kept.

    Raises:
        AssayError: The kinds have not the same baseline.
    """
    home = parts[0].store.machine(scene.baseline)
    baselines = [arms.baseline for arms, part in zip(found, parts, strict=True) if part.machine == home]
    if len({replace(base, limits=Limits(())) for base in baselines}) > 1:
        labels = " and ".join(dict.fromkeys(base.label for base in baselines))
        msg = f"cannot compare treatments of several kinds with one baseline: they would have {labels}"
        raise AssayError(msg, hint="give the baseline factors of its own, or evaluate the kinds apart")
    planned = dict(_planned(found, parts))
    every = [_over(planned[id(wanted)], wanted, scene) for wanted in scene.treatments]
    hosts = {arm.over for arm in every}
    every = [_named(arm, baselines[0].label) if level in hosts else arm for level, arm in enumerate(every)]
    least = least_limits([*every, *baselines])
    baseline, *treatments = (_no_more_than(least, arm) for arm in (baselines[0], *every))
    sizes = least_sizes(found[0].sizes, least)
    caches = [arms.sizes.cache_bytes for arms in found if arms.sizes.cache_bytes is not None]
    emulated = any(arms.sizes.emulated for arms in found)
    sizes = replace(sizes, cache_bytes=max(caches, default=None), emulated=emulated)
    doubts = dict.fromkeys(one for arms in found for one in arms.doubts if one.code != "larger-than-its-work")
    first, *more = treatments
    raised = (*doubts, *size_doubts(treatments, baseline))
    return Arms(baseline, first, sizes, raised, tuple(more))


def _planned(found: Sequence[Arms], parts: Sequence[Asked]) -> Iterator[tuple[int, PlannedArm]]:
    """Yield each treatment's arm, by the identity of what was asked for; a guest among several says so."""
    for arms, part in zip(found, parts, strict=True):
        for wanted, arm in zip(part.scene.treatments, arms.every[1:], strict=True):
            plain = arm.guest is not None and "guest" not in arm.label
            yield id(wanted), replace(arm, label=f"guest, {arm.label}") if plain else arm


def _over(arm: PlannedArm, wanted: Treatment, scene: Scene) -> PlannedArm:
    """Return a guest on a machine of its own as one whose losses are over that machine, and that says so; one
    on this machine over the machine itself by the same way to the data, where that is a treatment, too.
    """
    if not isinstance(wanted, Guest):
        return arm
    if wanted.machine is None:
        return replace(arm, over=over_of(wanted, scene))
    head, tail = ("guest", arm.label[5:]) if arm.label.startswith("guest") else (arm.label, "")
    label = f"{head} on {wanted.machine}{tail}"
    return replace(arm, label=label, over=over_of(wanted, scene))


def over_of(wanted: Treatment, scene: Scene) -> int | None:
    """Return the place of the treatment that another's losses are over, by the scene alone; ``None`` is the
    baseline.
    """
    if not isinstance(wanted, Guest):
        return None
    if wanted.machine is None:
        return _by_same_way(wanted, scene)
    host = OtherMachine(wanted.machine)
    return scene.treatments.index(host) if host in scene.treatments else None


def _by_same_way(wanted: Guest, scene: Scene) -> int | None:
    """Return the level of this machine itself by a guest's ways to the data and to what is written; ``None``
    where those are the baseline's, or no treatment.
    """
    if _ways(wanted.settings) == _ways(scene.baseline_data or ()):
        return None
    itself = (
        index
        for index, other in enumerate(scene.treatments)
        if isinstance(other, OtherMachine)
        and other == OtherMachine(scene.baseline, settings=other.settings)
        and {name for name, _ in other.settings} <= _WAYS
        and _ways(other.settings) == _ways(wanted.settings)
    )
    return next(itself, None)


def _ways(levels: Levels) -> tuple[str, str]:
    return access(levels), scratch_access(levels)


def _named(arm: PlannedArm, base: str) -> PlannedArm:
    """Return what guests are measured over: as one of a sweep it is called by its way to the data alone."""
    return replace(arm, label=f"{base}, {arm.label}") if arm.label.startswith(ACCESS) else arm


def _no_more_than(least: Limits, arm: PlannedArm) -> PlannedArm:
    """Return an arm with the processors of the smallest, and with its memory, unless it is a guest."""
    if arm.guest is not None or arm.domain is not None or arm.plugin is not None:
        return arm
    memory = least.memory_bytes if arm.limits.memory_bytes is None else arm.limits.memory_bytes
    most = min(len(least.cpus), len(arm.limits.cpus))
    cpus = arm.limits.cpus[: fitting_cores([arm.layout.guests], most)]
    container = arm.container and replace(arm.container, memory_bytes=memory)
    return replace(arm, limits=replace(arm.limits, cpus=cpus, memory_bytes=memory), container=container)
