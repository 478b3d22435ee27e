"""The doubts of a trial that several guests ran together: what all share is said once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.model.doubt import Doubt, Raised, raised
from assay.model.trial import Member

MOST_LATE_S = 0.05
"""A release that is later than asked by more is said: a tenth of the shortest stagger worth the name."""


def joint_doubts(doubts: Sequence[tuple[Doubt, ...]], *, names: Sequence[str] = ()) -> Iterator[Doubt]:
    """Yield the doubts of all guests; one that not all of them have begins with those that do.

    Args:
        doubts: Of each.
        names: What each is called; guests by their numbers where none are given.
    """
    called = names or [f"guest-{number}" for number in range(len(doubts))]
    guests: dict[Doubt, list[int]] = {}
    for number, own in enumerate(doubts):
        for doubt in dict.fromkeys(own):
            guests.setdefault(doubt, []).append(number)
    for doubt, numbers in guests.items():
        named = ", ".join(called[number] for number in numbers)
        everywhere = len(numbers) == len(doubts)
        yield doubt if everywhere else replace(doubt, sentence=f"In {named}: {doubt.sentence}")


def late_doubts(members: Sequence[Member]) -> Iterator[Raised]:
    """Say which guests were released later than was asked."""
    known = [(one, one.started_s - one.asked_s) for one in members if one.started_s is not None]
    if late := tuple((one.name, s) for one, s in known if s > MOST_LATE_S + _unknown_s(one)):
        yield raised("late-start", late=late)


def _unknown_s(member: Member) -> float:
    """Return what a moment of a member's clock is not known to."""
    clock = member.clock
    return max(clock.before.uncertainty_s, clock.after.uncertainty_s) if clock else 0.0
