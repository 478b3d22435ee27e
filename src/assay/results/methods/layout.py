"""How trials of several guests were run: their common start, and how well it was kept."""

from __future__ import annotations

from collections.abc import Sequence

from assay.model.activity import ActivityPlan
from assay.model.trial import Trial
from assay.pages.method.place import Layouts, Preload


def layouts_of(plan: ActivityPlan, records: Sequence[Trial]) -> Layouts | None:
    """Return how the guests of layouts were started; ``None`` where no trial ran in several."""
    joint = [record for record in records if record.members]
    if not joint:
        return None
    late = [m.started_s - m.asked_s for r in joint for m in r.members if m.started_s is not None]
    preloaded = [record for record in records if plan.arm_of(record.planned).cache is not None]
    files = _preload(preloaded) if preloaded else None
    guests = all(record.container is None for record in joint)
    return Layouts(len(late), max(late, key=abs, default=None), files, "guest" if guests else "container")


def _preload(preloaded: Sequence[Trial]) -> Preload:
    checks = [one.cache for record in preloaded for one in record.members or (record,)]
    reported = [check.machine for check in checks if check is not None and check.machine is not None]
    shares = [files.resident_bytes / files.bytes for files in reported if files.bytes]
    return Preload(len(checks), len(shares), min(shares, default=None))
