"""The doubt of workloads whose files had other sizes on the two arms, or in two results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from assay.design.file_sizes import Sizes, sizes_differ, sizes_of
from assay.model.activity import ActivityPlan
from assay.model.doubt import Raised, raised
from assay.model.trial import Trial


def sizes_by_workload(plan: ActivityPlan, records: Sequence[Trial]) -> Mapping[str, Sizes]:
    """Return the sizes of the files that each workload of a result worked on, bytes; those that tell none are
    left out.
    """
    by_name = {workload.name: sizes_of(records, workload) for workload in plan.workloads}
    return {name: sizes for name, sizes in by_name.items() if sizes}


def size_doubts(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[Raised]:
    """Say which workloads of a result are not compared for the sizes of their files."""
    reported = {workload.name: sizes_differ(records, workload) for workload in plan.workloads}
    yield from doubts_of({name: reason for name, reason in reported.items() if reason is not None})


def doubts_of(reasons: Mapping[str, str]) -> Iterator[Raised]:
    """Return the doubt of workloads that are not compared, each with its reason."""
    if reasons:
        yield raised("sizes-differ", reasons=tuple(reasons.items()))
