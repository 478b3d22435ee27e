"""How the arms of a result came by their data, and where their jobs wrote, in sentences: as seen while trials ran."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.model.activity import ActivityPlan
from assay.model.platforms.platform import SeenFactor
from assay.model.trial import Trial


def data_sentences(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[str]:
    """Yield what the data are, and for each arm, in the order of the plan, how it came by them and where it wrote."""
    if plan.data is not None:
        count, origin = len(plan.data.files), plan.data.path or f"made from seed {plan.data.seed}"
        files = f"{count} file{'s' if count > 1 else ''}"
        yield f"The data: {files} of {plan.data.bytes:,} bytes together, {origin}."
    yield from _ways(plan, records, "The way to the data for", group="data")
    yield from _ways(plan, records, "The scratch folders of", group="scratch")


def _ways(plan: ActivityPlan, records: Sequence[Trial], what: str, *, group: str) -> Iterator[str]:
    seen: dict[str, dict[SeenFactor, None]] = {arm.label: {} for arm in plan.arms}
    for record in records:
        factors = (one for one in record.data if one.name.partition(".")[0] == group)
        seen[plan.arm_of(record.planned).label].update(dict.fromkeys(factors))
    for label, levels in seen.items():
        if levels:
            reported = "; ".join(f"{one.name} {one.level} ({one.how})" for one in levels)
            yield f"{what} {label}, seen at the start of each of its visits: {reported}."
