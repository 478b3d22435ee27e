"""What changed of a machine from one look at it to the next: a kernel, a microcode, a firmware, a policy; and
what runs guests there, which activities alone see.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from assay.model.errors import AssayError
from assay.model.machines.fingerprint import Difference, changes, facts_digest
from assay.model.machines.machine import Fingerprint
from assay.store.fingerprints import kept_of, read_kept_fingerprint
from assay.store.record import read_activity, read_trials
from assay.store.seen import SeenBoot, boots_seen
from assay.store.store import Store

GUESTS = "guests"
"""Group of what the guests of a machine are made by and of; it is in no fingerprint."""


@dataclass(frozen=True)
class Seen:
    """A machine as it was once.

    Attributes:
        fingerprint: What it was.
        activity: Id of the activity that saw it; ``None`` where it was looked at by itself.
        guests: As of ``SeenBoot``.
        facts: Digest of the facts that count, which tells that two looks have these in common; ``None`` where
            it is not known.
    """

    fingerprint: Fingerprint
    activity: str | None = None
    guests: Mapping[str, str] = field(default_factory=dict)
    facts: str | None = None


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
    looks = [*_kept(machine, home), *_measured(machine, store)]
    return tuple(find_changes([*_read(sorted(looks, key=lambda look: look.at_ns))]))


def find_changes(seen: Sequence[Seen]) -> Iterator[Change]:
    """Yield what changed between neighbours.

    Args:
        seen: A machine at several times, the oldest first.
    """
    told: dict[str, tuple[str, int]] = {}
    for at, one in enumerate(seen):
        older, newer = seen[max(0, at - 1)].fingerprint, one.fingerprint
        is_same = one.facts is not None and one.facts == seen[max(0, at - 1)].facts
        own = () if is_same else changes(older, newer)
        former = {name: told[name] for name, now in one.guests.items() if told.get(name, (now, 0))[0] != now}
        of_guests = (Difference(GUESTS, name, was, one.guests[name]) for name, (was, _) in former.items())
        found = (*own, *of_guests)
        told |= {name: (now, newer.taken_ns) for name, now in one.guests.items()}
        if found:
            before = (past.activity for past in reversed(seen[:at]) if past.activity is not None)
            since = (later.activity for later in seen[at:] if later.activity is not None)
            yield Change(
                after_ns=min([*(then for _, then in former.values()), *([older.taken_ns] if own else [])]),
                at_ns=newer.taken_ns,
                differences=found,
                before=next(before, None),
                since=next(since, None),
            )


@dataclass(frozen=True)
class _Look:
    """A look at a machine whose facts are read when they are compared."""

    at_ns: int
    facts: str
    read: Callable[[], Fingerprint]
    activity: str | None = None
    guests: Mapping[str, str] = field(default_factory=dict)


def _kept(machine: str, home: Path) -> Iterator[_Look]:
    for kept in kept_of(home, machine):
        if not kept.recorded:
            fingerprint = read_kept_fingerprint(kept.path)
            yield _Look(fingerprint.taken_ns, facts_digest(fingerprint), partial(_itself, fingerprint))


def _itself(fingerprint: Fingerprint) -> Fingerprint:
    return fingerprint


def _facts_of(seen: SeenBoot) -> Fingerprint:
    return read_kept_fingerprint(seen.path)


def _measured(machine: str, store: Store) -> Iterator[_Look]:
    """Yield the machine as activities saw it, once a boot."""
    kept = tuple(store.boots_of(machine))
    missing = (one for one in fill_seen(store) if one.machine == machine)
    for one in (*kept, *missing):
        yield _Look(one.taken_ns, one.facts, partial(_facts_of, one), one.activity, one.guests)


def fill_seen(store: Store) -> tuple[SeenBoot, ...]:
    """Keep what activities saw of machines where that is not kept yet, and return it; what cannot be read is
    passed over.
    """
    found: list[SeenBoot] = []
    for row in store.unseen():
        with suppress(AssayError):
            boots = boots_seen(row.folder, read_activity(row.folder), read_trials(row.folder, damaged=[]))
            found += boots
            store.keep_seen(row, boots)
    return tuple(found)


def _read(looks: Iterable[_Look]) -> Iterator[Seen]:
    """Yield a machine at each look with its facts, which are read once for all that have them in common; a
    look whose facts can no longer be read is passed over.
    """
    last: tuple[str, Fingerprint] | None = None
    for look in looks:
        if last is None or last[0] != look.facts:
            try:
                last = look.facts, look.read()
            except AssayError:
                continue
        yield Seen(replace(last[1], taken_ns=look.at_ns), look.activity, look.guests, look.facts)
