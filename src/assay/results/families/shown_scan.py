"""A scan's values as the reports say them."""

from __future__ import annotations

from assay.model.figures.scan import Linearity, Part, Scan, Value
from assay.pages.families.events import CostPart, EventLoss, LineCheck, Quantity, SizeLoss


def shown_part(part: Part | None) -> CostPart | None:
    """Return a coefficient of the line on both arms."""
    if part is None:
        return None
    arms = _quantity(part.baseline), _quantity(part.treatment)
    return CostPart(*arms, loss=part.loss, loss_low=part.loss_low, loss_high=part.loss_high)


def _quantity(value: Value) -> Quantity:
    return Quantity(value.value, value.low, value.high)


def shown_curve(scan: Scan) -> tuple[EventLoss, ...]:
    """Return the loss of the total over events."""
    return tuple(EventLoss(events, loss.loss, loss.low, loss.high) for events, loss in scan.curve)


def shown_sizes(scan: Scan) -> tuple[SizeLoss, ...]:
    """Return what was measured at each event number."""
    return tuple(
        SizeLoss(s.events, s.blocks, s.baseline_s, s.treatment_s, s.loss.loss, s.loss.low, s.loss.high)
        for s in scan.sizes
    )


def shown_checks(scan: Scan) -> tuple[LineCheck, ...]:
    """Return the check of each arm's line."""
    return tuple(_check(check) for check in scan.linearity)


def _check(check: Linearity) -> LineCheck:
    if (kink := check.kink) is None:
        return LineCheck(check.arm, check.sizes, check.straight, check.chance, *(None,) * 6)
    return LineCheck(
        check.arm,
        check.sizes,
        check.straight,
        check.chance,
        kink=kink.events,
        above=kink.above,
        below=kink.below,
        at_s=kink.seconds,
        before_s=kink.slope_before,
        after_s=kink.slope_after,
    )
