"""Which machines several words mean: names, groups, ranges of either, tags."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from assay.machines.address import AddressError
from assay.model.errors import UnknownNameError
from assay.model.machines.inventory import Entry

MOST_NAMES = 10_000
"""A range of more names is a mistake."""
HINT = "names, groups and tags: farm, node[01-50], @rack, @rack=a7; see: assay machine list"
_RANGE = re.compile(r"\[([^\]]*)\]")


def chosen(who: str, entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return the machines of the inventory that some words name, each once, in the inventory's order.

    Args:
        who: Words with commas between: a machine's name, a group's, both with ranges (``node[01-50,60]``), or
            ``@tag`` and ``@tag=value``.
        entries: The inventory.

    Raises:
        UnknownNameError: A word is none of these.
        AddressError: A range cannot be read, or is too large.

    Source:
        The spelling of ranges is that of Slurm and ClusterShell, read by ClusterShell's ``NodeSet``.
    """
    names = frozenset(name for word in words_of(who) for name in _named(word, entries))
    return tuple(entry for entry in entries if entry.name in names)


def words_of(who: str) -> Iterator[str]:
    """Yield the words of a text; a comma between brackets is one of a range."""
    words = re.split(r",(?![^\[]*\])", who)
    if not all(word.strip() for word in words):
        msg = f"cannot tell which machines '{who}' are: expected words with commas between"
        raise AddressError(msg, hint=HINT)
    yield from (word.strip() for word in words)


def _named(word: str, entries: Sequence[Entry]) -> Iterator[str]:
    """Yield the names of the machines that one word means."""
    if word.startswith("@"):
        yield from _tagged(word, entries)
        return
    groups = members(entries)
    known = [*(entry.name for entry in entries), *groups]
    machines = frozenset(known[: len(entries)])
    for name in expanded(word):
        if name in machines:
            yield name
        elif name in groups:
            yield from groups[name]
        else:
            raise UnknownNameError(kind="machine or group", name=name, known=known, hint=HINT)


def members(entries: Iterable[Entry]) -> Mapping[str, tuple[str, ...]]:
    """Return the names of the machines of each group, by its name."""
    groups: dict[str, list[str]] = {}
    for entry in entries:
        for group in entry.groups:
            groups.setdefault(group, []).append(entry.name)
    return {group: tuple(groups[group]) for group in sorted(groups)}


def _tagged(word: str, entries: Sequence[Entry]) -> Iterator[str]:
    key, has_value, value = word[1:].partition("=")
    found = [e.name for e in entries if key in dict(e.tags) and (not has_value or dict(e.tags)[key] == value)]
    if not found:
        tags = dict.fromkeys(tag for entry in entries for tag in entry.tags)
        known = [f"@{name}" for name, _ in tags] + [f"@{name}={of}" for name, of in tags if of]
        raise UnknownNameError(kind="tag", name=word, known=set(known), hint=HINT)
    yield from found


def expanded(word: str) -> list[str]:
    """Return the names that a word with ranges stands for; one without is that name."""
    if "[" not in word and "]" not in word:
        return [word]
    from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet, NodeSetException

    try:
        _check_size(word)
        return [*NodeSet(word, resolver=RESOLVER_NOGROUP)]
    except (NodeSetException, ValueError) as error:
        msg = f"cannot read the range '{word}': {error}"
        raise AddressError(msg, hint="a range like node[01-50] or node[1-3,7]") from error


def folded(names: Sequence[str]) -> str:
    """Return words that mean these names, with ranges where they are many of one kind."""
    from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet

    return str(NodeSet.fromlist(names, resolver=RESOLVER_NOGROUP))


def _check_size(word: str) -> None:
    """Refuse a range of too many names before they are made; raises ``ValueError``."""
    count = 1
    for inside in _RANGE.findall(word):
        count *= max(1, sum(map(_length, inside.split(","))))
    if count > MOST_NAMES:
        msg = f"expected at most {MOST_NAMES} names, got {count}"
        raise ValueError(msg)


def _length(part: str) -> int:
    ends = re.fullmatch(r"(\d{1,18})-(\d{1,18})(?:/\d+)?", part.strip())
    return 1 if ends is None else max(1, int(ends[2]) - int(ends[1]) + 1)
