"""The score over all workloads of a scene: what a page says of it as data, and the cells that every rendering shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.pages.numbers import size_text, value_text
from assay.pages.say import say

SCORE_TITLE = "Score"
SCORE_RIGHT = (2, 3, 4)
_NOTE = (
    "score: geometric mean over the workloads of the treatment's rate over the baseline's, which scores 1; each weighs the "
    "same; formed in each block, so that its interval is that of the blocks, over several sessions widened by the largest "
    "A/A floor that is known of its parts"
)


@dataclass(frozen=True)
class Score:
    """The geometric mean of a treatment's rates over the baseline's."""

    parts: tuple[str, ...] = say("Workload and metric of each part; all weigh the same.")
    score: float | None = say("1 - loss, the baseline scores 1; null without a complete block.")
    loss: float | None = say("1 - score, a fraction; null as above.")
    low: float | None = say("Lower end of the loss's interval; null below two blocks.")
    high: float | None = say("Upper end of the loss's interval; null below two blocks.")
    blocks: int = say("Blocks in which every workload is complete.")
    treatment: str | None = say(
        "Label of the treatment where there are several; null where there is one.", default=None
    )
    reason: str | None = say(
        "Why there is no score: the workloads that lack, each with its reason; null where there is one.",
        default=None,
    )
    marks: tuple[str, ...] = say("Parts whose size is not what their own rules ask for.", default=())


def score_headers() -> tuple[str, ...]:
    """Return the names of the columns of ``score_cells``."""
    return ("treatment", "parts", "score", "loss", "blocks")


def score_cells(scores: Sequence[Score], treatment: str) -> list[tuple[str, ...]]:
    """Return a row a treatment.

    Args:
        scores: Of the page.
        treatment: Label of the only one.
    """
    return [
        (
            one.treatment or treatment,
            str(len(one.parts)),
            "not measured" if one.score is None else value_text(float(f"{one.score:.4g}")),
            size_text(one),
            str(one.blocks),
        )
        for one in scores
    ]


def score_lines(scores: Sequence[Score]) -> tuple[str, ...]:
    """Return how to read it, what it is formed of, and what speaks against it."""
    if not scores:
        return ()
    missing = [
        f"no score{f' of {one.treatment}' if one.treatment else ''}: {one.reason}"
        for one in scores
        if one.reason is not None
    ]
    marks = dict.fromkeys(mark for one in scores for mark in one.marks)
    return (
        _NOTE,
        f"parts: {', '.join(scores[0].parts)}",
        *missing,
        *(f"a part whose size is not by its rule: {mark}" for mark in marks),
    )
