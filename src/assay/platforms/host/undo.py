"""Taking changes of this machine's settings back: by whoever made them, or after a crash by anybody."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from assay.factors.base.factor import Act
from assay.factors.base.kernel_files import chosen
from assay.platforms.errors import DamagedJournalError, PlatformError
from assay.platforms.host.journal import (
    Change,
    journal_file,
    journal_lock,
    read_changes,
    read_or_keep_aside,
    refuse_damaged,
    roots_changes,
    write_changes,
)
from assay.platforms.process import ProcessMark

ROOT_RESTORES = "sudo assay machine restore"
"""What is left to a user who is not root."""


class Undone(StrEnum):
    """What became of a change."""

    HELD = "held"
    """A living process holds it: left as it is."""
    CHANGED = "changed"
    """It was not put back yet."""
    PUT_BACK = "put back"
    AS_BEFORE = "as before"
    """The file says already what it said before."""
    REWRITTEN = "rewritten"
    """Somebody else has written a third value, there or into another file of the undo: that file is left as
    it is, and the change is no longer remembered."""
    GONE = "gone"
    """The file is not there any more, as what it belonged to: no longer remembered."""
    FAILED = "failed"
    """The kernel refuses: it stays remembered."""


@dataclass(frozen=True)
class Outcome:
    """A change and what became of it.

    Attributes:
        change: The change.
        undone: What became of it.
        now: What the file says now; empty where it cannot be read.
        why: What was in the way of a failed one; empty else.
        left: Other files of its undo that somebody else has written since, and what they say: left so.
    """

    change: Change
    undone: Undone
    now: str
    why: str = ""
    left: tuple[Act, ...] = ()

    @property
    def reported(self) -> str:
        """Who changed what, and what is to be typed or why nothing is; one clause."""
        change = self.change
        made = f"{change.factor}, set to {change.ours} by activity {change.activity}"
        left = "".join(
            f"; somebody else has set {act.path} to {act.value} since: left so" for act in self.left
        )
        if self.undone is Undone.REWRITTEN:
            return f"{made}{left or f'; somebody else has set it to {self.now} since: left so'}"
        acts = _without(change, self.left).undo
        return f"{made}; to undo: {'; '.join(act.typed for act in acts)}{left}"


def look(home: Path) -> tuple[Outcome, ...]:
    """Return how everything stands that is held changed here, in the order of the undo; changes nothing.

    Raises:
        DamagedJournalError: nobody knows, as the journal is damaged.
    """
    refuse_damaged(home)
    return (*_look_at_roots(home), *(_look_at(change) for change in reversed(read_changes(home))))


def restore(home: Path) -> tuple[Outcome, ...]:
    """Put back what no living process holds.

    A value that is neither ours nor the one before was written by somebody else since: it is left and
    forgotten. What the kernel refuses stays remembered.

    Returns:
        Everything that was held changed, in the order of the undo.

    Raises:
        DamagedJournalError: nobody knows what is changed; a damaged journal is kept aside.
        PlatformError: as ``refuse_roots``, with what was ours put back.
    """
    done = restore_ours(home)
    refuse_damaged(home)
    refuse_roots(home)
    return (*_look_at_roots(home), *done)


def restore_ours(home: Path) -> tuple[Outcome, ...]:
    """Do what ``restore`` does, and leave to root what is root's."""
    if not journal_file(home).exists():
        return ()
    with journal_lock(home):
        return restore_locked(home)


def refuse_roots(home: Path) -> None:
    """Refuse to go on under what a dead process of root's has left changed, which only root can put back.

    Raises:
        PlatformError: there is such a change, and we are not root.
    """
    for one in _look_at_roots(home):
        if one.undone is Undone.CHANGED:
            msg = (
                f"cannot put {one.change.factor} back: {one.reported}; its process "
                f"{one.change.holder.pid} is gone, and it was root's"
            )
            raise PlatformError(msg, hint=ROOT_RESTORES)


def restore_locked(home: Path) -> tuple[Outcome, ...]:
    """Do what ``restore`` does, for one who holds the journal's lock."""
    changes = read_or_keep_aside(home)
    undone = take_back(home, [change for change in changes if not change.live])
    return (*[_look_at(change) for change in reversed(changes) if change.live], *undone)


def take_back(home: Path, changes: Sequence[Change], *, surely_ours: bool = False) -> tuple[Outcome, ...]:
    """Put changes back in reverse order, and forget them but for those that failed; the lock is held.

    Args:
        home: Folder of assay's state.
        changes: Changes, oldest first.
        surely_ours: A value that is neither ours nor the one before is what the kernel made of ours just now.
    """
    done = tuple(_take_back(home, change, surely_ours=surely_ours) for change in reversed(changes))
    gone = {_key(one.change) for one in done if one.undone is not Undone.FAILED}
    if gone:
        write_changes(home, tuple(change for change in _others(home) if _key(change) not in gone))
    return done


def write_file(act: Act) -> None:
    """Write a file of the kernel in one piece and read it back; nothing is written where it says so already.

    Raises:
        OSError: the kernel refuses, or the file says something else afterwards.
    """
    if say(act.path) == act.value:
        return
    handle = os.open(act.path, os.O_WRONLY | os.O_TRUNC)  # never made where it is not there
    try:
        os.write(handle, act.value.encode())
    finally:
        os.close(handle)
    if (now := say(act.path)) != act.value:
        msg = f"'{act.value}' was written and the file says '{now}'"
        raise OSError(msg)


def say(path: str) -> str:
    """Return what a file of the kernel says; empty where it cannot be read."""
    try:
        return chosen(Path(path).read_text(errors="replace"))
    except OSError:
        return ""


def _look_at_roots(home: Path) -> tuple[Outcome, ...]:
    return tuple(_look_at(change) for change in reversed(roots_changes(home)))


def _look_at(change: Change) -> Outcome:
    if change.live:
        return Outcome(change, Undone.HELD, say(change.path))
    state = _state(change)
    return Outcome(
        change, state, say(change.path), left=_rewritten(change) if state is Undone.CHANGED else ()
    )


def _state(change: Change) -> Undone:
    if not Path(change.path).exists():
        return Undone.GONE
    now = say(change.path)
    last = {change.path: change.before, **{act.path: act.value for act in change.undo}}
    if all(say(path) == value for path, value in last.items()):
        return Undone.AS_BEFORE
    # a file that cannot be read now, as of a processor that is off, has not been written by anybody
    known = now in change.left_by_us | {change.before, ""}
    return Undone.CHANGED if known else Undone.REWRITTEN


def _take_back(home: Path, change: Change, *, surely_ours: bool) -> Outcome:
    state = _state(change)
    if state is not Undone.CHANGED and not (surely_ours and state is Undone.REWRITTEN):
        return Outcome(change, state, say(change.path))
    left = () if surely_ours else _rewritten(change)
    begun = _begin(home, change, left)
    try:
        for act in begun.undo:
            write_file(act)
    except OSError as error:
        return Outcome(change, Undone.FAILED, say(change.path), str(error), left)
    return Outcome(change, Undone.REWRITTEN if left else Undone.PUT_BACK, say(change.path), left=left)


def _rewritten(change: Change) -> tuple[Act, ...]:
    """Return the other files of the undo that say neither what our write nor what the undo makes of them."""
    now = [(side, say(side.path)) for side in change.sides]
    # as of the file itself: one that cannot be read has not been written by anybody
    return tuple(Act(side.path, text) for side, text in now if text and not change.side_is_ours(side, text))


def _begin(home: Path, change: Change, left: Sequence[Act]) -> Change:
    """Return the change as it is undone; the journal has it so, in case that the undo is cut off.

    Its first write may move the other files again: from here on, what they say is ours.
    """
    if not change.sides:
        return change
    begun = replace(_without(change, left), sides=())
    now = _others(home)
    write_changes(home, tuple(begun if _key(one) == _key(change) else one for one in now))
    return begun


def _others(home: Path) -> tuple[Change, ...]:
    """Return what the journal tells; a holder knows its own changes, and takes them back under a damaged one
    too.
    """
    try:
        return read_or_keep_aside(home)
    except DamagedJournalError:
        return ()


def _without(change: Change, left: Sequence[Act]) -> Change:
    paths = {act.path for act in left}
    return replace(change, undo=tuple(act for act in change.undo if act.path not in paths))


def _key(change: Change) -> tuple[str, ProcessMark]:
    return change.path, change.holder
