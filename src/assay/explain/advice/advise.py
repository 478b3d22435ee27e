"""From what holds a loss to settings that may lift it, the largest part first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.explain.advice.remedy import Remedy
from assay.explain.advice.rules import REMEDIES
from assay.explain.advice.situation import Situation


@dataclass(frozen=True)
class Held:
    """A cause, or a factor of CPU time of it, and what it holds of a loss.

    Attributes:
        code: Code of the cause.
        contribution: Its part of the loss, in shares of the treatment's time.
        low: Lower end of its interval; ``None`` below two blocks.
        high: Upper end.
        share: Its part of the loss, 1 = all of it.
        part: The factor of CPU time, ``instructions``, ``cpi`` or ``frequency``; empty is the whole cause.
    """

    code: str
    contribution: float
    low: float | None
    high: float | None
    share: float
    part: str = ""


@dataclass(frozen=True)
class Advised:
    """A setting to try.

    Attributes:
        remedy: The rule.
        level: The level to try.
        held: The largest of what it may lift: no more can be won by it.
    """

    remedy: Remedy
    level: str
    held: Held


def advised(situation: Situation, causes: Sequence[Held]) -> list[Advised]:
    """Return the settings worth a trial, those first that could lift most; each once.

    Args:
        situation: The guest.
        causes: What holds its loss; a cause whose CPU time is divided stands there by its factors too.

    Limits:
        What a cause holds is the most that a setting could win back; how much it does is known by measuring
        it.
    """
    found = sorted(_all(situation, causes), key=lambda one: -one.held.contribution)
    first: dict[tuple[str, str], Advised] = {}
    for one in found:
        first.setdefault((one.remedy.factor, one.level), one)
    return list(first.values())


def _all(situation: Situation, causes: Sequence[Held]) -> Iterator[Advised]:
    divided = {cause.code for cause in causes if cause.part}
    for remedy in REMEDIES:
        ours = [cause for cause in causes if _lifts(remedy, cause, divided)]
        if ours and remedy.when(situation) and not _refuted(remedy, situation):
            most = max(ours, key=lambda cause: cause.contribution)
            yield Advised(remedy, remedy.level_for(situation), most)


def _refuted(remedy: Remedy, situation: Situation) -> bool:
    """Tell whether what was counted speaks against a remedy: by reason where that is known, else in all."""
    by_reason = situation.often(*remedy.on_host)
    return situation.grown(*remedy.shown_by) is False if by_reason is None else not by_reason


def _lifts(remedy: Remedy, cause: Held, divided: set[str]) -> bool:
    """Tell whether a remedy may lift a cause; of one that is divided its own factor alone."""
    if cause.code not in remedy.causes:
        return False
    return cause.part == remedy.part if remedy.part and cause.code in divided else not cause.part


def unanswered(found: Sequence[Advised], causes: Sequence[Held]) -> list[Held]:
    """Return the whole causes that no setting of these may lift."""
    lifted = {code for one in found for code in one.remedy.causes}
    return [cause for cause in causes if not cause.part and cause.code not in lifted]
