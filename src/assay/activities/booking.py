"""Which activity measures a machine now, as far as this home knows without asking the machine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.model.activity import ActivityState
from assay.model.errors import AssayError
from assay.model.machines.machine import Machine
from assay.platforms.claims import held_since_ns, is_live
from assay.store.record import read_activity
from assay.store.rows import ActivityRow
from assay.store.store import Store


@dataclass(frozen=True)
class Booking:
    """An activity that measures a machine now.

    Attributes:
        row: The activity; of one on several machines its lane.
        machine: Name of the machine that it measures: the one asked for, its host, or another guest of that.
        since_ns: When its process took it up, ns since 1970; of another controller's when it was created.
        controller: Name of the other controller that says so; ``None`` where a process here holds it.
    """

    row: ActivityRow
    machine: str
    since_ns: int
    controller: str | None


def booking_of(machine: Machine, *, home: Path, store: Store) -> Booking | None:
    """Return the activity that measures a machine, or one with the same processors; ``None`` for none.

    An activity of another home, or of a controller with a database of its own, is known to the machine alone:
    one that is started here meanwhile is refused there.

    Args:
        machine: Which.
        home: Folder of all state.
        store: Knows which activities are under way.
    """
    metals = {one.name: one.metal for one in store.machines()}
    for row in store.activities(ActivityState.RUNNING):
        if row.is_own and not is_live(home, row.id):
            continue
        for name, metal in _measured(row, metals).items():
            if metal == machine.metal:
                since = held_since_ns(home, row.id) if row.is_own else None
                return Booking(row, name, since or row.created_ns, row.controller)
    return None


def _measured(row: ActivityRow, metals: dict[str, str]) -> dict[str, str]:
    """Return the machines of an activity, each with the one whose processors it has; none where its plan
    cannot be read.
    """
    if row.machine is not None:
        return {row.machine: metals.get(row.machine, row.machine)}
    if row.origin is not None or row.controller is not None:
        return {}
    try:
        plan = read_activity(row.folder)
    except AssayError:
        return {}
    machines = [one.machine for arm in plan.arms for one in arm.each_machine]
    return {one.name: metals.get(one.name, one.metal) for one in machines}
