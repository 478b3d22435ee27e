"""Memory nodes that a guest sees.

Source: libvirt ``formatdomain``: ``cpu/numa``.
"""

from __future__ import annotations

import re
from xml.etree.ElementTree import SubElement

from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence
from assay.factors.base.factor import BOSS_TUNING, Effect, Factor
from assay.factors.base.levels import Whole
from assay.factors.base.number_lists import spell_numbers
from assay.factors.memory.numa_levels import (
    NONE,
    Cell,
    Cells,
    are_equal,
    equal_cells,
    read_cells,
    spell_cells,
)

_LOCAL = 10
"""Distance of a cell to itself, by the ACPI standard."""


def _cell(draft: Draft, level: str) -> None:
    draft.drop("cpu/numa")
    if level == NONE:
        return
    for number, cell in enumerate(_cells_of(draft, level)):
        cpus = {"cpus": spell_numbers(cell.cpus)} if cell.cpus else {}
        size = str(cell.memory_bytes >> 10)
        draft.add("cpu/numa/cell", id=str(number), memory=size, unit="KiB", **cpus)


def _cells_of(draft: Draft, level: str) -> tuple[Cell, ...]:
    if not level.isdigit():
        return read_cells(level)
    vcpus, memory_bytes = int(draft.at("vcpu").text or 1), int(draft.at("memory").text or 0)
    return equal_cells(int(level), vcpus=vcpus, memory_bytes=memory_bytes)


def _actual_cell(seen: Evidence, wanted: str) -> str:
    cells = _parse_nodes(seen.monitor("info numa"))
    if not cells:
        return NONE
    return str(len(cells)) if wanted.isdigit() and are_equal(cells) else spell_cells(cells)


def _parse_nodes(text: str) -> tuple[Cell, ...]:
    cpus = dict(re.findall(r"^node (\d+) cpus:(.*)$", text, re.MULTILINE))
    sizes = dict(re.findall(r"^node (\d+) size: (\d+) MB", text, re.MULTILINE))
    return tuple(
        Cell(tuple(int(cpu) for cpu in cpus.get(node, "").split()), int(size) << 20)
        for node, size in sizes.items()
    )


def _distances(draft: Draft, level: str) -> None:
    cells = draft.at("cpu/numa").findall("cell")
    for cell in cells:
        siblings = SubElement(cell, "distances")
        for other in cells:
            SubElement(
                siblings, "sibling", id=other.get("id", ""), value=str(_LOCAL) if other is cell else level
            )


def _actual_distances(seen: Evidence, _wanted: str) -> str:
    matches = (re.fullmatch(r"dist,src=(\d+),dst=(\d+),val=(\d+)", word) for word in seen.command)
    between = {one[3] for one in matches if one is not None and one[1] != one[2]}
    return " and ".join(sorted(between)) or "none said"


FACTORS = (
    Factor(
        "numa.cell",
        "memory nodes that the guest sees",
        Cells(),
        "none",
        "cpu/numa/cell",
        "human monitor, info numa",
        _actual_cell,
        edit=_cell,
        effects=(Effect("~9 % together with numa.memory", "HS06", "CERN 2015"), BOSS_TUNING),
        note="only with pinning and memory bound to the same nodes: alone it misleads the guest; of "
        "cells that do not sum up libvirt changes the guest's memory without a word",
    ),
    Factor(
        "numa.distances",
        "distance between any two memory nodes of the guest",
        Whole(11, 254, (21, 32)),
        "20",
        "cpu/numa/cell/distances/sibling",
        "-numa dist on QEMU's command line (QMP does not tell)",
        _actual_distances,
        edit=_distances,
    ),
)
