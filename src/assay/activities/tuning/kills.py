"""Guests of a plan whose QEMU is killed while they write, and that are started again on the same disk.

They are made by what makes the guests of visits, so that a setting that is not in force is seen, and belong
to the plan's activity: what a crash leaves of them goes as its own guests do.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from assay.activities.ending import ending
from assay.activities.environment import Environment
from assay.activities.events import Watcher
from assay.activities.interrupts import Interrupts
from assay.activities.tuning.records import find_records
from assay.activities.tuning.writer import FILE, write_until_killed, writer_command
from assay.activities.visits.visit import Visit, guest_visit
from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.errors import AssayError, NoRoomError
from assay.model.trial import Arm, PlannedTrial
from assay.pages.tuning import Kill
from assay.platforms.claims import claim, release
from assay.platforms.errors import PlatformError
from assay.platforms.guests.guest import Guest
from assay.platforms.guests.killed import kill_qemu, qemu_of, start_again

MOST_BYTES = 1 << 28
"""Of the file that is read back: what a fast disk takes in some seconds of single records is far less."""
Following = Callable[[], "Wanted | None"]
Done = Callable[["Wanted", Kill], None]


@dataclass(frozen=True)
class Wanted:
    """A kill that is to be made.

    Attributes:
        name: Which guest, in the words of ``Killed``.
        level: Its treatment's in the plan; ``None`` is the baseline.
        number: Which kill of this guest, from 0.
        after_s: Seconds from the first acknowledged record to the kill.
    """

    name: str
    level: int | None
    number: int
    after_s: float


def kill_guests(
    plan: ActivityPlan, following: Following, done: Done, *, home: Path, watcher: Watcher
) -> None:
    """Make kills, one after the other; where none is left, end what a former process left of them.

    Args:
        plan: The activity whose arms the guests are, made on this machine.
        following: Returns the kill that is next; ``None`` where none is left.
        done: Told of each kill once nothing of its guest is left.
        home: Folder of all state.
        watcher: Is told of each act.

    Raises:
        KeyboardInterrupt: Stopped; what was told of is safe.
        AssayError: Guests cannot be made here, or there is no room for their disks.
    """
    interrupts = Interrupts()
    claim(home, plan.id, here=plan.measures_here)
    with ending(lambda: release(home, plan.id), watcher.warn), interrupts.installed():
        environment = Environment(_bare(plan), home, watcher, interrupts)
        with ending(environment.close, watcher.warn):
            if (wanted := following()) is None:
                _end_left(environment, watcher)
                return
            environment.open()
            while wanted is not None:
                kill = _killed(environment, plan, wanted, home=home)
                with interrupts.held():
                    done(wanted, kill)
                wanted = following()


def _end_left(environment: Environment, watcher: Watcher) -> None:
    try:
        environment.end_left()
    except AssayError as error:  # all is counted
        watcher.warn(f"a guest of this search may still be there: {error.message}")


def _bare(plan: ActivityPlan) -> ActivityPlan:
    """Return a plan without what has no part in a guest's own disk: data, scripts, saved states."""
    return replace(
        plan,
        data=None,
        scripts=(),
        baseline=_booting(plan.baseline),
        treatment=_booting(plan.treatment),
        more=tuple(map(_booting, plan.more)),
    )


def _booting(arm: PlannedArm) -> PlannedArm:
    guest = None if arm.guest is None else replace(arm.guest, restored=False)
    return replace(arm, guest=guest, data=())


def _killed(environment: Environment, plan: ActivityPlan, wanted: Wanted, *, home: Path) -> Kill:
    """Return what came of one kill."""
    token = f"{plan.id}-{wanted.name}-{wanted.number}"
    acknowledged_bytes: int | None = None
    try:
        with environment.visit(_visited(plan, wanted)) as visit:
            guest = _own(visit)
            acknowledged_bytes = _write(visit, guest, token, wanted.after_s)
            start_again(guest)
            with guest_visit(guest, visit.machine, plan.id, home=home) as again:
                content = _read_back(again)
    except NoRoomError:
        raise
    except AssayError as error:
        return Kill(wanted.after_s, acknowledged_bytes, None, None, error.message)
    found = find_records(content, token, acknowledged_bytes=acknowledged_bytes)
    return Kill(wanted.after_s, acknowledged_bytes, found.lost_bytes, found.damaged_bytes)


def _visited(plan: ActivityPlan, wanted: Wanted) -> PlannedTrial:
    """Return the first trial of a guest's arm: its visit is opened."""
    side = Arm.BASELINE if wanted.level is None else Arm.TREATMENT
    return next(one for one in plan.trials if (one.arm, one.level) == (side, wanted.level or 0))


def _own(visit: Visit) -> Guest:
    if visit.guest is None:
        msg = f"BUG: {visit.machine} is no guest"
        raise ValueError(msg)
    return visit.guest


def _write(visit: Visit, guest: Guest, token: str, after_s: float) -> int:
    """Let a guest write, kill its QEMU, and return how many bytes it had acknowledged."""
    qemu = qemu_of(guest)
    channel = visit.talk(writer_command(visit.directory))
    try:
        return write_until_killed(channel, token, after_s=after_s, kill=lambda: kill_qemu(guest, qemu))
    finally:
        channel.close()


def _read_back(visit: Visit) -> bytes:
    """Return what the file holds now; nothing where it is gone."""
    file = f"{visit.directory}/{FILE}"
    size = visit.probe.size(file)
    if size is None:
        return b""
    if size > MOST_BYTES:  # never written by us: a guest may say anything
        msg = f"cannot read back what a guest wrote: {file} has {size} bytes, over {MOST_BYTES}"
        raise PlatformError(msg)
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder) / FILE
        visit.probe.bring(file, here)
        return here.read_bytes()
