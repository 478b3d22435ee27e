"""Levels of memory nodes: a policy with its nodes, and the guest's own cells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.factors.base.levels import LevelError, spell_bytes
from assay.factors.base.number_lists import FORM, read_numbers, spell_numbers
from assay.model.units import parse_bytes

NONE = "none"
OWN = "own"
"""The nodes of the host that the guest's processors belong to."""
MODES = ("strict", "preferred", "interleave", "restrictive")


@dataclass(frozen=True)
class Cell:
    """A memory node of the guest.

    Attributes:
        cpus: Its virtual processors; empty for a cell of memory alone.
        memory_bytes: Its memory.
    """

    cpus: tuple[int, ...]
    memory_bytes: int


class Policies:
    """``none``, or a mode and the host's nodes that it is for, ``strict:0-1``; ``own`` are those of the
    guest's processors.
    """

    choices = (NONE, *(f"{mode}:0" for mode in MODES), f"strict:{OWN}")
    words = f"none, or {', '.join(MODES)} with nodes of the host after a colon, or {OWN}"

    def read(self, written: object) -> str:
        """Return a policy in its one spelling; see ``Levels``."""
        mode, _, nodes = written.strip().partition(":") if isinstance(written, str) else ("", "", "")
        try:
            numbers = read_numbers(nodes)
        except ValueError:
            numbers = ()
        if mode == NONE and not nodes:
            return NONE
        if mode in MODES and nodes == OWN:
            return f"{mode}:{OWN}"
        if mode not in MODES or not numbers:
            msg = f"{self.words}, like 'strict:0-1'"
            raise LevelError(msg)
        return f"{mode}:{spell_numbers(numbers)}"

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of what can be written."""
        return {"type": "string", "pattern": f"^(?:{NONE}|(?:{'|'.join(MODES)}):(?:{OWN}|{FORM}))$"}


class Cells:
    """``none``, a number of equal cells, or each cell's processors and memory, ``0-1:1 GiB/2-3:1 GiB``."""

    choices = (NONE, "1", "2", "4")
    words = "none, a whole number of equal cells up to 64, or each one's processors and memory"

    def read(self, written: object) -> str:
        """Return cells in their one spelling; see ``Levels``."""
        text = "" if isinstance(written, bool) or not isinstance(written, str | int) else str(written).strip()
        if text == NONE or (re.fullmatch("[1-9][0-9]?", text) and int(text) <= 64):
            return text
        try:
            return spell_cells(read_cells(text))
        except (ValueError, OverflowError):  # 1e400 GiB is more than a float holds
            msg = f"{self.words}, like '0-1:1 GiB/2-3:1 GiB'"
            raise LevelError(msg) from None

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of what can be written."""
        cell = rf"\s*(?:{FORM})?\s*:\s*[0-9.]+\s*[kMGT]i?B\s*"
        return {"type": ["string", "integer"], "pattern": f"^(?:{NONE}|[1-9][0-9]?|{cell}(?:/{cell})*)$"}


def read_cells(level: str) -> tuple[Cell, ...]:
    """Return the cells of a level that names each, in order.

    Raises:
        ValueError: it names none, or a processor or its memory cannot be read.
    """
    pairs = [part.strip().partition(":") for part in level.split("/")]
    return tuple(Cell(read_numbers(cpus.strip()), _whole_mib(memory)) for cpus, _, memory in pairs)


def spell_cells(cells: Sequence[Cell]) -> str:
    """Return cells as a level."""
    return "/".join(f"{spell_numbers(cell.cpus)}:{spell_bytes(cell.memory_bytes)}" for cell in cells)


def equal_cells(count: int, *, vcpus: int, memory_bytes: int) -> tuple[Cell, ...]:
    """Return equal cells; what cannot be divided (a processor, a MiB) goes to the last ones."""
    mib = memory_bytes >> 20
    cpu = [vcpus * number // count for number in range(count + 1)]
    memory = [mib * number // count for number in range(count + 1)]
    return tuple(
        Cell(tuple(range(cpu[number], cpu[number + 1])), (memory[number + 1] - memory[number]) << 20)
        for number in range(count)
    )


def are_equal(cells: Sequence[Cell]) -> bool:
    """Tell whether cells have as many processors, and as much memory but for a MiB that could not
    be divided.
    """
    sizes = [cell.memory_bytes for cell in cells]
    return len({len(cell.cpus) for cell in cells}) == 1 and max(sizes) - min(sizes) <= 1 << 20


def _whole_mib(text: str) -> int:
    count = parse_bytes(text)
    if count <= 0 or count % (1 << 20):
        msg = f"expected a size in whole MiB, got '{text}'"
        raise ValueError(msg)
    return count
