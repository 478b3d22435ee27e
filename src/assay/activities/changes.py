"""What changed of a machine from one look at it to the next: a kernel, a microcode, a firmware, a policy; and
what runs guests there, which activities alone see.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.model.activity import ActivityPlan
from assay.model.errors import AssayError
from assay.model.machines.fingerprint import Difference, differences
from assay.model.machines.machine import Fingerprint
from assay.model.trial import Trial
from assay.store.fingerprints import kept_of, read_kept_fingerprint
from assay.store.record import read_activity, read_trials
from assay.store.store import Store

GUESTS = "guests"
"""Group of what the guests of a machine are made by and of; it is in no fingerprint."""
_ITS_OWN = {("general", "boot_id")}
"""Facts that are others at every boot, or at every look."""
_VARYING = ("memory_bytes", "free_bytes")
"""Ends of fields that tell of room, which some machines take over bit by bit."""


@dataclass(frozen=True)
class Seen:
    """A machine as it was once.

    Attributes:
        fingerprint: What it was.
        activity: Id of the activity that saw it; ``None`` where it was looked at by itself.
        guests: What its guests were made by and of, by the name of the fact: versions, and the image of each
            treatment of a scene. What is not among them was not told.
    """

    fingerprint: Fingerprint
    activity: str | None = None
    guests: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Change:
    """What was another from one look to the next.

    Attributes:
        after_ns: When the machine was last seen as before.
        at_ns: When it was first seen otherwise.
        differences: The facts.
        before: Newest activity that measured it as before; ``None`` where there is none.
        since: Oldest activity that measured it after the change; ``None`` where there is none.
    """

    after_ns: int
    at_ns: int
    differences: tuple[Difference, ...]
    before: str | None
    since: str | None


def changes_of(machine: str, *, home: Path, store: Store) -> tuple[Change, ...]:
    """Return the changes of a machine, the oldest first, from what was kept and from what activities saw.

    Args:
        machine: Its name.
        home: Folder of all state.
        store: Knows which activities ran on it.
    """
    seen = [*_kept(machine, home), *_measured(machine, store)]
    return tuple(find_changes(sorted(seen, key=lambda one: one.fingerprint.taken_ns)))


def find_changes(seen: Sequence[Seen]) -> Iterator[Change]:
    """Yield what changed between neighbours.

    Args:
        seen: A machine at several times, the oldest first.
    """
    told: dict[str, tuple[str, int]] = {}
    for at, one in enumerate(seen):
        older, newer = seen[max(0, at - 1)].fingerprint, one.fingerprint
        own = tuple(filter(_counts, differences(older, newer)))
        former = {name: told[name] for name, now in one.guests.items() if told.get(name, (now, 0))[0] != now}
        of_guests = (Difference(GUESTS, name, was, one.guests[name]) for name, (was, _) in former.items())
        found = (*own, *of_guests)
        told |= {name: (now, newer.taken_ns) for name, now in one.guests.items()}
        if found:
            before = [one.activity for one in seen[:at] if one.activity is not None]
            since = [one.activity for one in seen[at:] if one.activity is not None]
            yield Change(
                after_ns=min([*(then for _, then in former.values()), *([older.taken_ns] if own else [])]),
                at_ns=newer.taken_ns,
                differences=found,
                before=before[-1] if before else None,
                since=since[0] if since else None,
            )


def _counts(difference: Difference) -> bool:
    key = (difference.group, difference.field)
    return key not in _ITS_OWN and not difference.field.endswith(_VARYING)


def _kept(machine: str, home: Path) -> Iterator[Seen]:
    for kept in kept_of(home, machine):
        if not kept.recorded:
            yield Seen(read_kept_fingerprint(kept.path))


def _measured(machine: str, store: Store) -> Iterator[Seen]:
    """Yield the machine as activities saw it, once a boot; what cannot be read is passed over."""
    for row in store.activities_on(machine):
        boots = set()
        try:
            records = [*read_trials(row.folder, damaged=[])]
            guests = guests_of(machine, read_activity(row.folder), records)
            for record in records:
                if record.machine == machine and record.boot not in boots:
                    boots.add(record.boot)
                    file = row.folder / "facts" / f"{record.boot}.json"
                    yield Seen(read_kept_fingerprint(file), row.id, guests)
        except AssayError:
            continue


def guests_of(machine: str, plan: ActivityPlan, records: Iterable[Trial]) -> Mapping[str, str]:
    """Return what the guests of a machine were made by and of in an activity; where that changed in it, the
    last.

    An image is that of one treatment of one scene: two scenes may ask for different ones at any time.

    Args:
        machine: The machine that carries them.
        plan: The activity's plan.
        records: Its trials, in their order.
    """
    seen: dict[str, str] = {}
    for record in records:
        arm, platform = plan.arm_of(record.planned), record.platform
        if arm.guest is None or arm.machine.name != machine or platform is None:
            continue
        seen |= {"qemu": platform.hypervisor, "libvirt": platform.library}
        if platform.image is not None:
            seen[f"image of {arm.label} in {plan.scene}"] = platform.image
    return seen
