"""One quantity of two arms with intervals, and the loss of the one over the other."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.model.figures.scan import Loss, Part, Value
from assay.stats.jackknife import half_width
from assay.stats.replication.paired import loss_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Intervals:
    """How intervals are made of estimates from all blocks and without each.

    Attributes:
        freedom: Degrees of freedom of Student's t.
        confidence: Coverage.
    """

    freedom: int
    confidence: float

    def value(self, values: Numbers) -> Value:
        """Return a quantity of one arm."""
        value, half = float(values[0]), half_width(values, self.freedom, confidence=self.confidence)
        return Value(value, None, None) if half is None else Value(value, value - half, value + half)

    def loss(self, baseline: Numbers, treatment: Numbers) -> Loss:
        """Return the loss 1 - baseline/treatment, by the log ratio.

        Limits:
            Where an arm's quantity is not above zero there is none; where it is not without some block,
            there is no interval.
        """
        import numpy as np

        with np.errstate(invalid="ignore", divide="ignore"):
            logs = np.log(treatment) - np.log(baseline)
        d, half = float(logs[0]), half_width(logs, self.freedom, confidence=self.confidence)
        if not math.isfinite(d):
            return Loss(None, None, None)
        if half is None:
            return Loss(loss_of(d), None, None)
        return Loss(loss_of(d), loss_of(d - half), loss_of(d + half))

    def part(self, baseline: Numbers, treatment: Numbers) -> Part:
        """Return a quantity of both arms with its loss."""
        loss = self.loss(baseline, treatment)
        arms = self.value(baseline), self.value(treatment)
        return Part(*arms, loss_low=loss.low, loss=loss.loss, loss_high=loss.high)
