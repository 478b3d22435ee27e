"""What guests as arms are called: by the layout and the levels in which they differ."""

from __future__ import annotations

from dataclasses import replace

from assay.activities.plan.arms import Arms, again
from assay.activities.plan.layout import layout_labels
from assay.activities.plan.several_sizes import least_limits, least_sizes, size_doubts
from assay.activities.visits.restored import origin_of
from assay.activities.visits.settings import difference, shortened
from assay.model.activity import PlannedArm
from assay.model.platforms.layout import Layout
from assay.model.units import format_bytes


def with_labels(arms: Arms, more: list[PlannedArm]) -> Arms:
    """Return arms with further treatments, each called by the layout and the levels that are its own."""
    if arms.baseline.layout != Layout():
        return _over_layout(arms, more)
    if not more:
        (label,) = layout_labels([arms.treatment])
        return replace(arms, treatment=replace(arms.treatment, label=label)) if label else arms
    every = [_levels(arm) for arm in (arms.treatment, *more)]
    shared = tuple(level for level in every[0] if all(level in levels for levels in every))
    layouts = layout_labels([arms.treatment, *more])
    levels = [difference(own, shared) for own in every]
    labels = shortened([", ".join(filter(None, words)) for words in zip(layouts, levels, strict=True)])
    labels = [label or _plain(own, arms.baseline) for label, own in zip(labels, every, strict=True)]
    first, *rest = (
        replace(arm, label=label) for arm, label in zip((arms.treatment, *more), labels, strict=True)
    )
    return _at_least(replace(arms, treatment=first, more=tuple(rest)))


def _plain(own: tuple[tuple[str, str], ...], baseline: PlannedArm) -> str:
    """Return what a guest is called that has only what all have."""
    return (difference(own, _levels(baseline)) if baseline.guest else "") or "guest"


def _over_layout(arms: Arms, more: list[PlannedArm]) -> Arms:
    """Return arms over guests of a layout: the baseline is called by it, and each treatment by its own and by
    the levels in which it differs from the baseline.
    """
    every = [arms.baseline, arms.treatment, *more]
    layouts, own = layout_labels(every), _levels(arms.baseline)
    levels = [difference(_levels(arm), own) for arm in every]
    labels = shortened([", ".join(filter(None, words)) for words in zip(layouts, levels, strict=True)])
    baseline, *treatments = (replace(arm, label=label) for arm, label in zip(every, labels, strict=True))
    first, *rest = (again(arm) if arm.label == baseline.label else arm for arm in treatments)
    made = replace(arms, baseline=baseline, treatment=first, more=tuple(rest))
    return _at_least(made) if more else made


def against(baseline: PlannedArm, treatment: PlannedArm) -> PlannedArm:
    """Return a guest as treatment of another guest; its label says in what they differ."""
    if treatment == baseline:
        return again(treatment)
    (differing,) = shortened([difference(_levels(treatment), _levels(baseline))])
    return replace(treatment, label=f"guest, {differing}" if differing else "other guest")


def _at_least(arms: Arms) -> Arms:
    """Return arms with the work, and the baseline where that is no guest, as large as the
    smallest treatment.
    """
    treatments = (arms.treatment, *arms.more)
    least = least_limits((*treatments, arms.baseline))
    baseline = arms.baseline if arms.baseline.guest else replace(arms.baseline, limits=least)
    doubts = (*arms.doubts, *size_doubts(treatments, baseline))
    return replace(arms, baseline=baseline, sizes=least_sizes(arms.sizes, least), doubts=doubts)


def _levels(arm: PlannedArm) -> tuple[tuple[str, str], ...]:
    guest = arm.guest
    if guest is None:
        return (*arm.host_settings, *arm.data)
    sizes = (("cpu.vcpus", str(guest.vcpus)), ("memory.size", format_bytes(guest.memory_bytes)))
    own = (*sizes, ("disk.cache", guest.disk_cache), *guest.settings)
    return (*own, *arm.host_settings, *arm.data, *origin_of(guest))
