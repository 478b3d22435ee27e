"""From what holds a loss to settings that may lift it, the largest part first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.explain.advice.rules import REMEDIES, Remedy
from assay.explain.advice.situation import Situation


@dataclass(frozen=True)
class Held:
    """A cause, and what it holds of a loss.

    Attributes:
        code: Its code.
        contribution: Its part of the loss, in shares of the treatment's time.
        low: Lower end of its interval; ``None`` below two blocks.
        high: Upper end.
        share: Its part of the loss, 1 = all of it.
    """

    code: str
    contribution: float
    low: float | None
    high: float | None
    share: float


@dataclass(frozen=True)
class Advised:
    """A setting to try.

    Attributes:
        remedy: The rule.
        held: The largest cause that it may lift: no more can be won by it.
    """

    remedy: Remedy
    held: Held


def advised(situation: Situation, causes: Sequence[Held]) -> list[Advised]:
    """Return the settings worth a trial, those first that could lift most; each once.

    Limits:
        What a cause holds is the most that a setting could win back; how much it does is known by measuring
        it.
    """
    found = sorted(_all(situation, causes), key=lambda one: -one.held.contribution)
    first: dict[tuple[str, str], Advised] = {}
    for one in found:
        first.setdefault((one.remedy.factor, one.remedy.level), one)
    return list(first.values())


def _all(situation: Situation, causes: Sequence[Held]) -> Iterator[Advised]:
    for remedy in REMEDIES:
        ours = [cause for cause in causes if cause.code in remedy.causes]
        if ours and remedy.when(situation):
            yield Advised(remedy, max(ours, key=lambda cause: cause.contribution))


def unanswered(found: Sequence[Advised], causes: Sequence[Held]) -> list[Held]:
    """Return the causes that no setting of these may lift."""
    lifted = {code for one in found for code in one.remedy.causes}
    return [cause for cause in causes if cause.code not in lifted]
