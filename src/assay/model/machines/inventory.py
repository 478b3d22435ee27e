"""The inventory of evaluation machines: what a site says of each beside how it is reached."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from assay.model.machines.machine import Machine


class Role(StrEnum):
    """What a site means a machine for."""

    BASELINE = "baseline"
    CANDIDATE = "candidate"
    HYPERVISOR = "hypervisor"


@dataclass(frozen=True)
class Entry:
    """A machine of the inventory.

    Attributes:
        machine: Its name, and how it is reached.
        groups: Names of the groups that it is in, sorted.
        tags: Key and value of what a site notes of it (``rack``, ``a7``), by key; a value may be empty.
        role: What it is meant for; ``None`` is not said.
        notes: For people; empty for none.
        guest_of: Name of the machine of the inventory that it is a guest of; ``None`` is "not said". The
            store gives its ``machine`` the carrier of that name.
    """

    machine: Machine
    groups: tuple[str, ...] = ()
    tags: tuple[tuple[str, str], ...] = ()
    role: Role | None = None
    notes: str = ""
    guest_of: str | None = None

    @property
    def name(self) -> str:
        """Its name."""
        return self.machine.name
