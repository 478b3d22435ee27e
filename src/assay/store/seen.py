"""What activities saw of the machines that they ran on, kept beside their rows: what changed of a machine is
told by these, never by records.

It is of so many records, as results in short are (``store.summaries``).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.model.activity import ActivityPlan, ActivityState
from assay.model.errors import AssayError
from assay.model.machines.fingerprint import facts_digest
from assay.model.trial import Trial
from assay.store import tables as t
from assay.store.fingerprints import read_kept_fingerprint
from assay.store.rows import ActivityRow
from assay.store.summaries import held
from assay.store.tagged import TaggedRows

RULES = "1"
"""Which facts count, and what is told of guests: what was kept by other rules is made anew from records."""


@dataclass(frozen=True)
class SeenBoot:
    """A machine in one of its boots, as an activity saw it.

    Attributes:
        activity: Its id.
        machine: Name of the machine.
        boot: Identity of the boot.
        taken_ns: When its facts were read.
        facts: Digest of those that count as changes (``facts_digest``).
        guests: What its guests were made by and of, by the name of the fact: versions, and the image of each
            treatment of a scene. What is not among them was not told.
        folder: The activity's folder.
    """

    activity: str
    machine: str
    boot: str
    taken_ns: int
    facts: str
    guests: Mapping[str, str]
    folder: str

    @property
    def path(self) -> Path:
        """File of the facts."""
        return _facts_file(self.folder, self.boot)


def boots_seen(folder: Path, plan: ActivityPlan, records: Iterable[Trial]) -> tuple[SeenBoot, ...]:
    """Return each boot of each machine that carried an activity; one whose facts cannot be read is left out.

    Args:
        folder: The activity's folder.
        plan: Its plan.
        records: Its trials, in their order.
    """
    carriers = {arm.machine.name for arm in (plan.baseline, *plan.treatments)}
    boots: dict[tuple[str, str], None] = {}
    guests: dict[str, dict[str, str]] = defaultdict(dict)
    for record in records:
        if record.machine in carriers:
            boots[record.machine, record.boot] = None
        machine, told = _guests_of(plan, record)
        guests[machine] |= told
    found = (_boot(folder, plan.id, *key, guests[key[0]]) for key in boots)
    return tuple(one for one in found if one is not None)


def _guests_of(plan: ActivityPlan, record: Trial) -> tuple[str, Mapping[str, str]]:
    """Return the machine that carried a trial, and what its guest was made by and of.

    An image is that of one treatment of one scene: two scenes may ask for different ones at any time.
    """
    arm, platform = plan.arm_of(record.planned), record.platform
    if arm.guest is None or platform is None:
        return arm.machine.name, {}
    told = {"qemu": platform.hypervisor, "libvirt": platform.library}
    if platform.image is not None:
        told[f"image of {arm.label} in {plan.scene}"] = platform.image
    return arm.machine.name, told


def _boot(folder: Path, activity: str, machine: str, boot: str, guests: Mapping[str, str]) -> SeenBoot | None:
    try:
        fingerprint = read_kept_fingerprint(_facts_file(str(folder), boot))
    except AssayError:
        return None
    taken_ns, facts = fingerprint.taken_ns, facts_digest(fingerprint)
    return SeenBoot(activity, machine, boot, taken_ns, facts, guests, str(folder))


def _facts_file(folder: str, boot: str) -> Path:
    return Path(f"{folder}/facts/{boot}.json")


def put_seen(connection: sa.Connection, activity: str, records: int, boots: Iterable[SeenBoot]) -> None:
    """Keep what an activity saw in the place of what was kept before, if its row is there.

    Args:
        connection: In a transaction.
        activity: Its id.
        records: How many records it had when these were read.
        boots: What they tell.
    """
    there = held(connection, t.activity.c.id, activity)
    connection.execute(sa.delete(t.seen).where(t.seen.c.activity == activity))
    if not there:
        return
    values = {"activity": activity, "records": records, "made_by": RULES}
    connection.execute(sa.insert(t.seen).values(**values))
    names = ("activity", "machine", "boot", "taken_ns", "facts")
    rows = [
        {name: getattr(one, name) for name in names} | {"guests": json.dumps(one.guests)} for one in boots
    ]
    if rows:
        connection.execute(sa.insert(t.boot), rows)


class SeenRows(TaggedRows):
    """What activities saw of machines."""

    def keep_seen(self, row: ActivityRow, boots: Iterable[SeenBoot]) -> None:
        """Keep what an activity saw.

        Args:
            row: Its row, read before its records were: where it has more since, it is looked at again.
            boots: What they tell.
        """
        with self._engine.begin() as connection:
            put_seen(connection, row.id, row.ended + row.failed, boots)

    def unseen(self) -> tuple[ActivityRow, ...]:
        """Return the activities that were measured in this home of which is not kept what they saw."""
        return self._rows(*self._own(), t.activity.c.id.not_in(_kept(t.seen.c.activity)))

    def boots_of(self, machine: str) -> Iterator[SeenBoot]:
        """Yield the boots of a machine that activities of this home saw, without those of ``unseen``.

        Args:
            machine: Its name.
        """
        query = sa.select(t.boot, t.activity.c.folder).join(t.activity, t.activity.c.id == t.boot.c.activity)
        query = query.where(t.boot.c.machine == machine, *self._own())
        with self._engine.connect() as connection:
            rows = connection.execute(query.where(t.boot.c.activity.in_(_kept(t.seen.c.activity)))).all()
        read = cache(json.loads)  # most activities tell the same of guests
        for activity, name, boot, taken_ns, facts, guests, folder in rows:
            yield SeenBoot(activity, name, boot, taken_ns, facts, read(guests), folder)


def _kept(what: sa.Column[str]) -> sa.Select[Any]:
    """Return the query of what is kept and still right; of an activity that runs, what was kept once is until
    its end.
    """
    records = t.activity.c.ended + t.activity.c.failed
    is_right = (t.seen.c.records == records) | (t.activity.c.state == ActivityState.RUNNING)
    query = sa.select(what).join(t.activity, t.activity.c.id == t.seen.c.activity)
    return query.where(t.seen.c.made_by == RULES, is_right)
