"""Which activities a living process of assay holds: ``home/run/<activity>.pid``.

Whatever carries the mark of an activity that nobody holds is a leftover of a crash.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from assay.platforms.durable import read_json, write_json
from assay.platforms.errors import ClaimedError
from assay.platforms.locks import locked
from assay.platforms.process import ProcessMark, is_alive, this_process
from assay.platforms.readers import make_way

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
        ClaimedError: another living process holds it, or another activity.
    """
    make_way(home / "run")
    with locked(_lock(home)):
        refuse_second(home, activity, here=here)
        holder = _holder(home, activity)
        me = this_process()
        if holder is not None and holder != me and is_alive(holder):
            msg = f"cannot take activity {activity}: process {holder.pid} of assay works on it"
            raise ClaimedError(msg, hint=f"assay activity stop {activity}")
        _forget_dead(home)
        content = {"pid": me.pid, "start_ticks": me.start_ticks, "here": here}
        write_json(_file(home, activity), content, mode=0o644)


def refuse_second(home: Path, activity: str, *, here: bool = True) -> None:
    """Refuse to start an activity while another process runs one, unless both measure other machines alone.

    Raises:
        ClaimedError: another living process holds another activity.
    """
    me = this_process()
    others = [
        name
        for name in live_activities(home)
        if name != activity and _holder(home, name) != me and (here or _is_here(home, name))
    ]
    if others:
        msg = f"cannot start: activity {others[0]} is running on this machine, and would be measured with it"
        raise ClaimedError(msg, hint=f"wait for it, or: assay activity stop {others[0]}")


def release(home: Path, activity: str) -> None:
    """Let go of an activity that the calling process holds; another's claim stays."""
    with locked(_lock(home)):
        if _holder(home, activity) == this_process():
            _file(home, activity).unlink(missing_ok=True)


def is_live(home: Path, activity: str) -> bool:
    """Tell whether a living process holds an activity; pid and start time must both be right."""
    return holder_pid(home, activity) is not None


def holder_pid(home: Path, activity: str) -> int | None:
    """Return the pid of the living process that holds an activity; ``None`` where nobody does."""
    holder = _holder(home, activity)
    return holder.pid if holder is not None and is_alive(holder) else None


def live_activities(home: Path) -> tuple[str, ...]:
    """Return the activities that living processes hold, sorted."""
    names = (file.stem for file in (home / "run").glob("*.pid"))
    return tuple(sorted(name for name in names if is_live(home, name)))


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
    """Tell whether the process that a half-written file is named after is still there to rename it."""
    pid = file.name.split(".")[-2]
    return pid.isdecimal() and Path("/proc", pid).exists()


def _is_here(home: Path, activity: str) -> bool:
    """Tell whether a held activity measures this machine, or may."""
    value = read_json(_file(home, activity), "pid")
    return value is None or value.get("here") is not False


def _holder(home: Path, activity: str) -> ProcessMark | None:
    if Path(activity).name != activity:  # what others wrote down may name any file
        return None
    value = read_json(_file(home, activity), "pid", "start_ticks")
    try:
        return None if value is None else ProcessMark(int(value["pid"]), int(value["start_ticks"]))
    except (TypeError, ValueError):
        return None


def _file(home: Path, activity: str) -> Path:
    return home / "run" / f"{activity}.pid"


def _lock(home: Path) -> Path:
    return home / "run" / "claims.lock"
