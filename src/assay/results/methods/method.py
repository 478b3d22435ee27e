"""How a result was measured, with the figures of its own records."""

from __future__ import annotations

from collections.abc import Sequence

from assay.design.rerun import is_read
from assay.model.activity import ActivityPlan
from assay.model.trial import Trial
from assay.model.work.workload import Workload
from assay.pages.method.method import Method
from assay.pages.method.work import Disturbances, OwnFigures
from assay.results.losses.controller_use import controller_use
from assay.results.losses.same_result import same_results
from assay.results.methods.data import data_of
from assay.results.methods.design import design_of
from assay.results.methods.host import host_settings_of, host_watches_of
from assay.results.methods.jobs import caches_of, copies_of, exits_of, phases_of, probe_of
from assay.results.methods.place import baseline_of, place_of


def method_of(plan: ActivityPlan, records: Sequence[Trial]) -> Method:
    """Return all that is said of how a result was measured."""
    return Method(
        design=design_of(plan, records),
        baseline=baseline_of(plan, records),
        place=place_of(plan, records),
        host_settings=host_settings_of(plan, records),
        data=data_of(plan, records),
        notes=tuple((workload.name, workload.note) for workload in plan.workloads if workload.note),
        copies=copies_of(plan),
        phases=phases_of(plan),
        own=own_of(plan),
        same_results=same_results(records),
        caches=caches_of(plan, records),
        exits=exits_of(plan, records),
        disturbances=Disturbances(is_read(plan), plan.goal.rerun),
        probe=probe_of(records),
        controller=controller_use(plan, records),
        host_watches=host_watches_of(records),
    )


def own_of(plan: ActivityPlan) -> tuple[OwnFigures, ...]:
    """Return each program that says figures of its own or has a success of its own, once a family."""
    families: dict[str, Workload] = {}
    for workload in plan.workloads:
        families.setdefault(workload.family or workload.name, workload)
    return tuple(
        OwnFigures(name, first.readings, first.reader, first.success)
        for name, first in families.items()
        if first.readings or first.success is not None
    )
