"""How the arms of a result came by their data, in sentences: as seen while their trials ran."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.model.activity import ActivityPlan
from assay.model.platform import SeenFactor
from assay.model.trial import Trial


def data_sentences(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[str]:
    """Yield what the data are, and for each arm, in the order of the plan, how it came by them."""
    if plan.data is None:
        return
    count, origin = len(plan.data.files), plan.data.path or f"made from seed {plan.data.seed}"
    files = f"{count} file{'s' if count > 1 else ''}"
    yield f"The data: {files} of {plan.data.bytes:,} bytes together, {origin}."
    seen: dict[str, dict[SeenFactor, None]] = {side.label: {} for side in (plan.baseline, *plan.treatments)}
    for record in records:
        seen[plan.side_of(record.planned).label].update(dict.fromkeys(record.data))
    for label, factors in seen.items():
        if factors:
            told = "; ".join(f"{one.name} {one.level} ({one.how})" for one in factors)
            yield f"The way to the data for {label}, seen at the start of each of its visits: {told}."
