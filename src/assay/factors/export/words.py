"""What all exports share: words by factor, and what of a set of levels has none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Settings


@dataclass(frozen=True)
class Exported:
    """Levels in the words of another tool.

    Attributes:
        text: What the tool is given; empty where it can say none of them.
        left_out: Reason for each factor whose level it cannot say.
    """

    text: str
    left_out: Mapping[str, str]


Export = Callable[[Settings, Host], Exported]


@dataclass(frozen=True)
class Word:
    """One option of a tool.

    Attributes:
        place: Where it stands: a section, a file, a command.
        key: Its name.
        value: Its value.
    """

    place: str
    key: str
    value: str


ALONE: Settings = MappingProxyType({})
"""Of a guest of which nothing else is known."""

Say = Callable[[str, Settings], tuple[Word, ...]]
"""Words for a level, given all levels of the guest; none where it cannot be said exactly."""


def words_for(
    settings: Settings, terms: Mapping[str, Say], tool: str, guest: Settings = ALONE
) -> tuple[list[Word], dict[str, str]]:
    """Return the words for levels, and why the other levels have none.

    Args:
        settings: The levels that are to be said.
        terms: What says a level, by factor.
        tool: Its name, for the reasons.
        guest: Other levels of the same guest: not said, but some words depend on them.
    """
    together = {**guest, **settings}
    by_name = {
        name: terms[name](level, together) if name in terms else () for name, level in settings.items()
    }
    words = [word for some in by_name.values() for word in some]
    reasons = {
        name: f"{tool} has no {'exact word for this level' if name in terms else 'word for it'}"
        for name, some in by_name.items()
        if not some
    }
    return list(dict.fromkeys(words)), reasons


def one_of(place: str, key: str, levels: Mapping[str, str]) -> Say:
    """Return what says a level by one word for each."""
    return lambda level, _all: (Word(place, key, levels[level]),) if level in levels else ()


def in_these_words(place: str, key: str, levels: Iterable[str]) -> Say:
    """Return what says some levels in their own spelling, and no other."""
    return one_of(place, key, {level: level for level in levels})


def as_it_is(place: str, key: str) -> Say:
    """Return what says a level in its own spelling."""
    return lambda level, _all: (Word(place, key, level),)


def topology(level: str) -> dict[str, str]:
    """Return the parts of ``sockets=1,cores=2,threads=1``."""
    return dict(part.split("=") for part in level.split(","))


def flags(level: str) -> dict[str, bool]:
    """Return the features of ``pcid=require,avx2=disable``, and whether they are wanted."""
    parts = (part.partition("=") for part in level.split(","))
    return {name: policy == "require" for name, _, policy in parts}
