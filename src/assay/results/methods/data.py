"""How the arms of a result came by their data, and where their jobs wrote: as seen while trials ran."""

from __future__ import annotations

from collections.abc import Sequence

from assay.model.activity import ActivityPlan
from assay.model.platforms.platform import SeenFactor
from assay.model.trial import Trial
from assay.pages.method.settings import ArmSettings
from assay.pages.method.work import Data


def data_of(plan: ActivityPlan, records: Sequence[Trial]) -> Data:
    """Return what the data are, and for each arm, in the order of the plan, how it came by them and where it
    wrote.
    """
    return Data(plan.data, _seen(plan, records, group="data"), _seen(plan, records, group="scratch"))


def _seen(plan: ActivityPlan, records: Sequence[Trial], *, group: str) -> tuple[ArmSettings, ...]:
    seen: dict[str, dict[SeenFactor, None]] = {arm.label: {} for arm in plan.arms}
    for record in records:
        factors = (one for one in record.data if one.name.partition(".")[0] == group)
        seen[plan.arm_of(record.planned).label].update(dict.fromkeys(factors))
    return tuple(ArmSettings(label, tuple(levels)) for label, levels in seen.items() if levels)
