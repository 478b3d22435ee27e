"""Factors of a guest's memory."""

from __future__ import annotations

from assay.factors.draft import Draft
from assay.factors.evidence import Evidence
from assay.factors.factor import Factor
from assay.factors.levels import Size, spell_bytes
from assay.model.units import parse_bytes


def _size(draft: Draft, level: str) -> None:
    draft.at("memory", unit="b").text = str(parse_bytes(level))


def _found_size(seen: Evidence, _wanted: str) -> str:
    return spell_bytes(int(seen.ask("query-memory-size-summary")["base-memory"]))


FACTORS = (
    Factor(
        "memory.size",
        "memory of the guest",
        Size("256 MiB", "64 TiB", ("1 GiB", "2 GiB", "4 GiB"), step=1024**2),
        "2 GiB",
        "memory",
        "QMP query-memory-size-summary",
        _found_size,
        edit=_size,
    ),
)
