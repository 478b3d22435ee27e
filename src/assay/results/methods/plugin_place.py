"""What the places of plug-ins of a result were: as the plug-ins saw them after their start."""

from __future__ import annotations

from collections.abc import Sequence

from assay.model.activity import ActivityPlan
from assay.model.trial import Trial
from assay.pages.method.place import PluginPlaces


def plugin_places_of(plan: ActivityPlan, records: Sequence[Trial]) -> tuple[PluginPlaces, ...]:
    """Return what the place of each arm was that ran in one."""
    arms = [
        (arm.label, dict.fromkeys(r.plugin for r in records if r.plugin and plan.arm_of(r.planned) is arm))
        for arm in plan.arms
    ]
    return tuple(PluginPlaces(label, tuple(kinds)) for label, kinds in arms if kinds)
