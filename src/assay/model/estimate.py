"""A loss with its interval, and the verdict drawn from it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """What an interval of the loss says against zero and against the margin."""

    LOSS = "loss"
    GAIN = "gain"
    EQUIVALENT = "equivalent within the margin"
    INCONCLUSIVE = "inconclusive"
    NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class Estimate:
    """Loss = 1 - 1/slowdown of a treatment over its baseline, over blocks; ratios, 0.1 = 10 %.

    Attributes:
        blocks: Number of complete blocks used.
        loss: Point estimate; ``None`` without a complete block.
        low: Lower end of the interval; ``None`` below two blocks.
        high: Upper end of the interval; ``None`` below two blocks.
        confidence: Coverage of the interval, 0.95.
        slowdown: exp of the mean log slowdown; ``None`` without a complete block.
        verdict: What the interval says.
        blocks_more: Blocks still needed for a verdict if the noise stays as seen; ``None`` where the
            verdict stands or the noise is not known.
        method: Name of the interval, for the record.
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
