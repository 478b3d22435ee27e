"""Combinations of the guest's own memory nodes that cannot be, or that would silently be something else.

Source: seen with libvirt 9.0: of cells that do not sum up the memory of the domain becomes that of the cells,
    and
processors in no cell go to the first.
"""

from __future__ import annotations

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Rule, Settings
from assay.factors.base.levels import spell_bytes
from assay.factors.base.number_lists import spell_numbers
from assay.factors.host.huge_pages import page_bytes
from assay.factors.memory.numa_levels import NONE, read_cells
from assay.model.units import parse_bytes

_CELL, _VCPUS, _SIZE, _PAGES = "numa.cell", "cpu.vcpus", "memory.size", "memory.hugepages"


def _equal(settings: Settings, _on: Host) -> str | None:
    level = settings[_CELL]
    if not level.isdigit() or level == "1":
        return None
    if int(settings.get(_VCPUS, "1")) % int(level):
        vcpus = f"got {settings[_VCPUS]}" if _VCPUS in settings else "none said"
        return f"numa.cell={level} needs cpu.vcpus, a multiple of {level}, {vcpus}"
    if _SIZE in settings and parse_bytes(settings[_SIZE]) % (int(level) << 20):
        return f"memory.size={settings[_SIZE]} does not make {level} cells of whole MiB"
    return None


def _named(settings: Settings, _on: Host) -> str | None:
    level = settings[_CELL]
    if level.isdigit() or level == NONE:
        return None
    if _VCPUS not in settings or _SIZE not in settings:
        return f"numa.cell={level} needs cpu.vcpus and memory.size, to which its cells sum up"
    cells = read_cells(level)
    cpus = sorted(cpu for cell in cells for cpu in cell.cpus)
    memory = sum(cell.memory_bytes for cell in cells)
    if cpus != list(range(int(settings[_VCPUS]))):
        return (
            f"the cells hold vCPUs {spell_numbers(cpus) or 'none'}, cpu.vcpus={settings[_VCPUS]} "
            "must each be in one"
        )
    if memory != parse_bytes(settings[_SIZE]):
        return f"the cells hold {spell_bytes(memory)}, memory.size is {settings[_SIZE]}"
    return None


def _huge_cells(settings: Settings, _on: Host) -> str | None:
    level, pages = settings[_CELL], settings.get(_PAGES, NONE)
    if NONE in {pages, level}:
        return None
    if level.isdigit():
        sizes = [parse_bytes(settings[_SIZE]) // int(level)] if _SIZE in settings else []
    else:
        sizes = [cell.memory_bytes for cell in read_cells(level)]
    if all(size % page_bytes(pages) == 0 for size in sizes):
        return None
    return f"a cell of numa.cell={level} is no whole number of pages of {pages}"


def _distances(settings: Settings, _on: Host) -> str | None:
    if settings.get(_CELL, NONE) not in (NONE, "1"):
        return None
    return f"numa.distances={settings['numa.distances']} needs numa.cell with two cells or more"


RULES = (
    Rule((_CELL,), _equal),
    Rule((_CELL,), _named),
    Rule((_CELL,), _huge_cells),
    Rule(("numa.distances",), _distances),
)
