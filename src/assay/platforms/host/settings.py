"""This machine's settings for the time of a visit: written, read back, and put back whatever happens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Act, Settings
from assay.factors.catalogue import refused
from assay.factors.host_acts import PlannedAct, host_part, planned_acts
from assay.platforms.errors import ClaimedError, PlatformError
from assay.platforms.host.journal import (
    Change,
    journal_file,
    journal_lock,
    place_of,
    read_changes,
    refuse_damaged,
    write_changes,
)
from assay.platforms.host.this_host import ThisHost
from assay.platforms.host.undo import (
    Outcome,
    Undone,
    refuse_roots,
    restore_locked,
    say,
    take_back,
    write_file,
)
from assay.platforms.process import this_process


@dataclass
class HeldSettings:
    """Settings that are held.

    Attributes:
        changes: Files that are held at a value, in the order in which they were written.
        restored: What a crash had left, and what became of it before anything else was written.
        undone: What became of the changes at the end; empty until then.
    """

    changes: tuple[Change, ...] = ()
    restored: tuple[Outcome, ...] = ()
    undone: tuple[Outcome, ...] = ()

    @property
    def drifted(self) -> tuple[str, ...]:
        """What is not in force any more, one clause a file: somebody else has written it.

        A file that cannot be read tells nothing: that of a processor which ``host.smt`` takes away is empty.
        """
        now = [(change, say(change.path)) for change in self.changes]
        return tuple(
            f"{change.factor}: {change.path} says '{text}', not '{change.ours}'"
            for change, text in now
            if text not in ("", change.ours)
        )


@contextmanager
def host_settings(
    settings: Settings, *, home: Path, activity: str, host: Host | None = None
) -> Iterator[HeldSettings]:
    """Hold settings of this machine; what they replace is put back at the end, in reverse order.

    To be entered for every visit, with no settings too: what a crash left is put back first, as it would
    else be measured. Each value that is replaced is on the disk before the first file is written.

    Args:
        settings: Levels; those of guests are passed over.
        home: Folder of assay's state.
        activity: For which they are changed.
        host: This machine, where the caller has it.

    Yields:
        What is held; look at ``drifted`` after each trial, and at ``undone`` when it is over.

    Raises:
        ClaimedError: a living process of assay holds one of the files.
        DamagedJournalError: nobody knows what is held changed, as the journal is damaged.
        PlatformError: a dead process of root's left one changed, and we are not root; a level cannot be had
            or does not take (nothing stays written); or at the end, a value could not be put back (it stays
            remembered, for ``restore``).
    """
    held = _hold(settings, home=home, activity=activity, host=host or ThisHost(home))
    try:
        yield held
    finally:
        held.undone = _let_go(home, held.changes)
    _refuse_failed(held.undone)


def _hold(settings: Settings, *, home: Path, activity: str, host: Host) -> HeldSettings:
    wanted = host_part(settings)
    refuse_damaged(home)
    refuse_roots(home)
    if not wanted and not journal_file(home).exists():
        return HeldSettings()
    with journal_lock(home):
        restored = restore_locked(home)
        _refuse_failed(restored)
        _refuse_levels(wanted, host)
        held = read_changes(home)
        planned = planned_acts(wanted, host)
        _refuse_held(planned, held)
        changes = _changes(planned, home=home, activity=activity)
        write_changes(home, (*held, *changes))
        try:
            changes = _write(changes)
            if any(change.sides for change in changes):
                write_changes(home, (*held, *changes))
        except BaseException:
            take_back(home, changes, surely_ours=True)
            raise
    return HeldSettings(changes, tuple(one for one in restored if one.undone is not Undone.HELD))


def _let_go(home: Path, changes: Sequence[Change]) -> tuple[Outcome, ...]:
    if not changes:
        return ()
    with journal_lock(home):
        return take_back(home, changes)


def _changes(planned: Sequence[PlannedAct], *, home: Path, activity: str) -> tuple[Change, ...]:
    holder = this_process()
    files: dict[str, Change] = {}
    for one in planned:
        act = one.act
        change = Change(one.factor, act.path, one.before, act.value, one.undo, activity, str(home), holder)
        files.setdefault(place_of(act.path), change)  # processors that share a frequency share its files
    return tuple(files.values())


def _write(changes: Sequence[Change]) -> tuple[Change, ...]:
    """Write the files, and return the changes with what that made of the other files of their undo."""
    return tuple(_written(change) for change in changes)


def _written(change: Change) -> Change:
    try:
        write_file(Act(change.path, change.ours))
    except OSError as error:
        msg = f"cannot set {change.factor}: {change.path}, expected {change.ours}: {error}"
        raise PlatformError(msg, hint=f"assay factors show {change.factor}") from error
    return replace(change, sides=tuple(Act(path, say(path)) for path in change.side_paths))


def _refuse_levels(settings: Settings, host: Host) -> None:
    for refusal in refused(settings, host):
        msg = f"cannot set {refusal.name}={settings[refusal.name]}: {refusal.reason}"
        raise PlatformError(msg, hint=f"assay factors show {refusal.name}")


def _refuse_held(planned: Sequence[PlannedAct], held: Sequence[Change]) -> None:
    places = {place_of(change.path): change for change in held}
    for one in planned:
        if (other := places.get(place_of(one.act.path))) is not None:
            msg = (
                f"cannot set {one.factor}: {one.act.path} is held at {other.ours} "
                f"by activity {other.activity}, process {other.holder.pid}"
            )
            raise ClaimedError(msg, hint="assay machine restore --dry-run")


def _refuse_failed(outcomes: Sequence[Outcome]) -> None:
    for one in outcomes:
        if one.undone is Undone.FAILED:
            change = one.change
            msg = (
                f"cannot put {change.factor} back: {change.path}, expected {change.before}, says "
                f"{one.now}: {one.why}"
            )
            raise PlatformError(msg, hint="assay machine restore")
