"""Which activities a living process of assay holds: ``home/run/<activity>.pid``.

Whatever carries the mark of an activity that nobody holds is a leftover of a crash. Where machines
share a home, one cannot see the other's processes: what another has claimed counts as held until the claim is
gone.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from assay.platforms.durable import read_json, write_json
from assay.platforms.errors import ClaimedError
from assay.platforms.locks import locked
from assay.platforms.node import Claimant, read_claimant, this_node
from assay.platforms.process import is_alive, this_process
from assay.platforms.readers import make_way

_WRITING_S = 600.0
"""A file is written in milliseconds; clocks of two machines, or of a file server, may differ by minutes."""

Collected = Callable[[Path, str], bool]
"""Tells of a home and an activity whether all its records are home: no guest holds one any more."""


def not_known(_home: Path, _activity: str) -> bool:
    """Take every record for one that is not home yet."""
    return False


def claim(home: Path, activity: str, *, here: bool = True) -> None:
    """Hold an activity for the calling process; a dead holder's claim is taken over.

    Only one activity at a time may run on a machine: two would measure each other. Several that measure other
    machines alone may be conducted from here side by side; each machine is claimed by its own lock.

    Args:
        home: Folder of all state.
        activity: The activity.
        here: It measures this machine, or may.

    Raises:
        ClaimedError: another living process holds it, here or on another machine, or another activity here.
    """
    make_way(home / "run")
    with locked(_lock(home)):
        refuse_second(home, activity, here=here)
        refuse_elsewhere(home, activity, "take")
        pid, me = holder_pid(home, activity), this_process()
        if pid not in {None, me.pid}:
            msg = f"cannot take activity {activity}: process {pid} of assay works on it"
            raise ClaimedError(msg, hint=f"assay activity stop {activity}")
        _forget_dead(home)
        content = Claimant(me, this_node()).as_json() | {"here": here}
        write_json(_file(home, activity), content, mode=0o644)


def refuse_elsewhere(home: Path, activity: str, act: str) -> None:
    """Refuse what only the machine can do on which an activity is held, in a home that machines share.

    Args:
        home: Folder of all state.
        activity: The activity.
        act: The verb of what is refused.

    Raises:
        ClaimedError: a process on another machine holds it, as far as can be known here.
    """
    holder = _holder(home, activity)
    node = None if holder is None else holder.elsewhere(this_node())
    if holder is not None and node is not None:
        msg = f"cannot {act} activity {activity}: process {holder.mark.pid} on {node} works on it"
        gone = f"if that process is gone: rm {_file(home, activity)}"
        raise ClaimedError(msg, hint=f"on {node}: assay activity stop {activity}; {gone}")


def refuse_second(home: Path, activity: str, *, here: bool = True) -> None:
    """Refuse to start an activity while another process runs one, unless both measure other machines alone.

    What another machine conducts from a home that it shares with this one does not measure this one.

    Raises:
        ClaimedError: another living process holds another activity.
    """
    me = this_process()
    others = [
        name
        for name in _claimed(home)
        if name != activity
        and holder_pid(home, name) not in {None, me.pid}
        and (here or _is_here(home, name))
    ]
    if others:
        msg = f"cannot start: activity {others[0]} is running on this machine, and would be measured with it"
        raise ClaimedError(msg, hint=f"wait for it, or: assay activity stop {others[0]}")


def release(home: Path, activity: str) -> None:
    """Let go of an activity that the calling process holds; another's claim stays."""
    with locked(_lock(home)):
        if holder_pid(home, activity) == os.getpid():
            _file(home, activity).unlink(missing_ok=True)


def is_live(home: Path, activity: str) -> bool:
    """Tell whether a living process holds an activity; pid and start time must both be right.

    One of another machine, in a home that both share, counts as living.
    """
    holder = _holder(home, activity)
    return holder is not None and (holder.elsewhere(this_node()) is not None or _lives(holder))


def holder_pid(home: Path, activity: str) -> int | None:
    """Return the pid of the living process of this machine that holds an activity; ``None`` for none."""
    holder = _holder(home, activity)
    return holder.mark.pid if holder is not None and _lives(holder) else None


def live_activities(home: Path) -> tuple[str, ...]:
    """Return the activities that living processes hold, sorted."""
    return tuple(name for name in _claimed(home) if is_live(home, name))


def _claimed(home: Path) -> list[str]:
    """Return the activities of which claims are there, sorted, of dead processes, too."""
    return sorted(file.stem for file in (home / "run").glob("*.pid"))


def is_shared(home: Path) -> bool:
    """Tell whether another machine holds an activity in this home: what names no activity may be its own."""
    here = this_node()
    holders = (_holder(home, name) for name in _claimed(home))
    return any(holder is not None and holder.elsewhere(here) is not None for holder in holders)


def held_since_ns(home: Path, activity: str) -> int | None:
    """Return when an activity was claimed, ns since 1970; ``None`` where no claim is there."""
    if Path(activity).name != activity:
        return None
    try:
        return _file(home, activity).stat().st_mtime_ns
    except OSError:
        return None


def forget_dead(home: Path) -> None:
    """Remove the claims of processes that are gone; they hold nothing any more."""
    with locked(_lock(home)):
        _forget_dead(home)


def _forget_dead(home: Path) -> None:
    for file in (home / "run").glob("*.pid"):
        if not is_live(home, file.stem):
            file.unlink(missing_ok=True)
    for file in (home / "run").glob("*.new"):
        if not _is_written(file):
            file.unlink(missing_ok=True)


def _is_written(file: Path) -> bool:
    """Tell whether the process that a half-written file is named after may still be there to rename it.

    One of another machine cannot be seen.
    """
    pid = file.name.split(".")[-2]
    try:
        young = time.time() - file.stat().st_mtime < _WRITING_S
    except FileNotFoundError:
        return True
    return young or (pid.isdecimal() and Path("/proc", pid).exists())


def _is_here(home: Path, activity: str) -> bool:
    """Tell whether a held activity measures this machine, or may."""
    value = read_json(_file(home, activity), "pid")
    return value is None or value.get("here") is not False


def _lives(holder: Claimant) -> bool:
    """Tell whether it is a living process of this machine."""
    here = this_node()
    return holder.elsewhere(here) is None and not holder.has_gone(here) and is_alive(holder.mark)


def _holder(home: Path, activity: str) -> Claimant | None:
    if Path(activity).name != activity:  # what others wrote down may name any file
        return None
    value = read_json(_file(home, activity), "pid", "start_ticks")
    try:
        return None if value is None else read_claimant(value)
    except (TypeError, ValueError):
        return None


def _file(home: Path, activity: str) -> Path:
    return home / "run" / f"{activity}.pid"


def _lock(home: Path) -> Path:
    return home / "run" / "claims.lock"
