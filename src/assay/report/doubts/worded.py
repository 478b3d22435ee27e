"""Every doubt's words, by its code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from assay.model.doubt import Doubt, Raised
from assay.report.doubts import (
    blocks,
    differences,
    gains,
    observed,
    plans,
    processors,
    results,
    scans,
    storage,
    trials,
)
from assay.report.doubts.steps import with_next
from assay.report.doubts.wording import Wordings, wording_of

if TYPE_CHECKING:
    from assay.pages.context import DoubtCount

_SUBJECTS = (
    blocks, differences, gains, observed, plans, processors, results, scans, storage, trials,
)  # fmt: skip
WORDINGS: Wordings = MappingProxyType(
    {name: words for of in _SUBJECTS for name, words in of.WORDINGS.items()}
)


def worded(doubt: Doubt | Raised) -> Doubt:
    """Return a doubt in words, with the next step that is its own; one that has its words already stays as it
    is.
    """
    if isinstance(doubt, Doubt):
        return doubt
    words = wording_of(WORDINGS, doubt)
    return Doubt(doubt.code, words.sentence, words.next)


def counted(doubt: Doubt | Raised, count: int = 1) -> DoubtCount:
    """Return a doubt as a page has it, with the number of trials that carry it."""
    from assay.pages.context import DoubtCount  # a tenth of a plan's start: only where a page is made

    reported = shown(doubt)
    return DoubtCount(reported.code, reported.sentence, count, reported.next)


def shown(doubt: Doubt | Raised) -> Doubt:
    """Return a doubt in words, with the step of its code where it has none of its own."""
    return with_next(worded(doubt))


def named(name: str, doubts: Iterable[Doubt | Raised]) -> Iterator[Doubt]:
    """Yield doubts in words, each with the name of what it is of before its sentence."""
    for doubt in map(worded, doubts):
        yield replace(doubt, sentence=f"{name}: {doubt.sentence}")
