"""What was won while a loss arose: the parts below zero, which balance causes of more than the whole loss."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import fsum

from assay.explain.budget import Budget, TimeShare
from assay.explain.causes import FIRST, LEAST_SHARE, Cause
from assay.explain.split import Category

WORDS = {
    Category.USER: "The program's own code takes",
    Category.SYSTEM: "The kernel takes",
    Category.IO: "Storage is waited for",
    Category.QUEUE: "A processor is waited for",
    Category.IDLE: "The job is idle for",
}
ROUNDED = 0.005
"""A share of the loss below half of a percent is shown as none, and one above the whole by less
as the whole.
"""


@dataclass(frozen=True)
class Gained:
    """A part of the time that is shorter on the treatment.

    Attributes:
        category: What the time was spent on; ``None`` for the phases after a start that was prolonged.
        sentence: One sentence for people, with both arms' seconds.
        contribution: Its part of the loss, in shares of the treatment's time; below zero.
        share: Its part of the loss, 1 = all of it; below zero.
        overlaps: It balances a cause that cuts the same loss another way.
    """

    category: Category | None
    sentence: str
    contribution: TimeShare
    share: float
    overlaps: bool = False


def gained(made: Budget, causes: Sequence[Cause], label: str) -> tuple[Gained, ...]:
    """Return what was won beside the causes of a loss, the largest first; none without a cause.

    A gain is named where it is clear, and a tenth of the loss. Where causes hold more than the whole loss all
    that was won is named, for shares above the whole would else have nothing that they add up with.

    Args:
        made: The budget of the loss.
        causes: Its causes.
        label: Name of the treatment for sentences.
    """
    if not causes:
        return ()
    held = fsum(cause.share for cause in causes if not cause.overlaps)
    parts = [one for one in _categories(made, label) if _counts(one, beyond=held > 1 + ROUNDED)]
    parts.sort(key=lambda one: one.contribution.value)
    start = next((cause for cause in causes if cause.overlaps and cause.share > 1 + ROUNDED), None)
    return (*parts, *([_later(made, label)] if start else []))


def _counts(one: Gained, *, beyond: bool) -> bool:
    clear = one.contribution.high is not None and one.contribution.high < 0
    return -one.share >= (ROUNDED if beyond else LEAST_SHARE) and (clear or beyond)


def _categories(made: Budget, label: str) -> Iterator[Gained]:
    for category, words in WORDS.items():
        part = made.sum_of(lambda key, held=category: key[1] is held)  # type: ignore[misc]
        if part.value < 0:
            parts = [one for one in made.parts if one.category is category]
            here, there = fsum(one.baseline_s for one in parts), fsum(one.treatment_s for one in parts)
            sentence = f"{words} {there:.3g} s on {label} instead of {here:.3g} s."
            yield Gained(category, sentence, part, part.value / made.loss.value)


def _later(made: Budget, label: str) -> Gained:
    """Return what all phases but the first won together."""
    part = made.sum_of(lambda key: key[0] != FIRST)
    parts = [one for one in made.parts if one.phase != FIRST]
    here, there = fsum(one.baseline_s for one in parts), fsum(one.treatment_s for one in parts)
    sentence = f"All but the initialization takes {there:.3g} s on {label} instead of {here:.3g} s."
    return Gained(None, sentence, part, part.value / made.loss.value, overlaps=True)
