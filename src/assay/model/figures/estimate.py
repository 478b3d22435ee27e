"""A loss with its interval, what it is a loss of, and the verdict drawn from it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from assay.model.doubt import Raised


class Verdict(StrEnum):
    """What an interval of the loss says against zero and against the margin."""

    LOSS = "loss"
    GAIN = "gain"
    EQUIVALENT = "equivalent within the margin"
    INCONCLUSIVE = "inconclusive"
    NOT_MEASURED = "not measured"


class Matters(StrEnum):
    """Whether a loss or a gain that was found matters: all of its interval is beyond the margin, some, or
    none.
    """

    YES = "yes"
    MAYBE = "maybe"
    NO = "no"


class Looks(StrEnum):
    """When a verdict may be drawn.

    ``ONCE``: at a number of blocks that was declared before they were seen, from the interval shown.
        ``EVERY``:
    after every block, from a confidence sequence, which is the interval shown.
    """

    ONCE = "once"
    EVERY = "every block"


@dataclass(frozen=True)
class Mean:
    """The mean loss with Student's interval, beside a headline that is another centre; ratios."""

    loss: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Estimate:
    """Loss = 1 - 1/slowdown of a treatment over its baseline, over blocks; ratios, 0.1 = 10 %.

    Attributes:
        blocks: Number of complete blocks used.
        loss: Point estimate; ``None`` without a complete block.
        low: Lower end of the interval; ``None`` below two blocks.
        high: Upper end of the interval; ``None`` below two blocks.
        confidence: Coverage of the interval, 0.95.
        slowdown: exp of the log slowdown that ``loss`` comes from; ``None`` without a complete block.
        verdict: What was found.
        blocks_more: Blocks still needed for a verdict if the noise stays as seen; ``None`` where the
            verdict stands or the noise is not known.
        method: Names of the interval and of the verdict's rule, for the record.
        mean: The mean loss beside it; ``None`` without a complete block.
        doubts: What speaks against the figure.
    """

    blocks: int
    loss: float | None
    low: float | None
    high: float | None
    confidence: float
    slowdown: float | None
    verdict: Verdict
    blocks_more: int | None
    method: str
    mean: Mean | None = None
    doubts: tuple[Raised, ...] = ()
