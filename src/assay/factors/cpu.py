"""Factors of a guest's processors."""

from __future__ import annotations

from assay.factors.draft import Draft
from assay.factors.evidence import Evidence
from assay.factors.factor import Factor
from assay.factors.levels import Whole


def _vcpus(draft: Draft, level: str) -> None:
    draft.at("vcpu").text = level


def _found_vcpus(seen: Evidence, _wanted: str) -> str:
    return str(len(seen.ask("query-cpus-fast")))


FACTORS = (
    Factor(
        "cpu.vcpus",
        "number of virtual processors",
        Whole(1, 1024, (1, 2, 4, 8)),
        "all cores of the machine but the controller's, at most 4",
        "vcpu",
        "QMP query-cpus-fast",
        _found_vcpus,
        edit=_vcpus,
    ),
)
