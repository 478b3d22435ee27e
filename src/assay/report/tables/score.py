"""The cells and sentences of a score that every rendering shares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.pages.numbers import size_text, value_text
from assay.pages.score import Lack, Score

SCORE_TITLE = "Score"
SCORE_RIGHT = (2, 3, 4)
_NOTE = (
    "score: geometric mean over the workloads of the treatment's rate over the baseline's, which "
    "scores 1; each weighs the "
    "same; formed in each block, so that its interval is that of the blocks, over several "
    "sessions widened by the largest A/A floor that is known of its parts"
)
NO_BLOCK = "in no block was every workload complete"
"""Why there is no score where no workload lacks."""


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


def lack_text(lacking: Iterable[Lack]) -> str:
    """Return why there is no score: each workload that lacks, with its reason."""
    return "; ".join(map(_lack, lacking))


def _lack(one: Lack) -> str:
    if one.metric is None:
        return f"{one.workload}: it has no metric that rests on a clock"
    return f"{one.workload} {one.metric}: {(one.reason or 'it was not measured').rstrip('.')}"
