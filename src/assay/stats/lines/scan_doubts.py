"""What speaks against the figures of a scan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.model.doubt import Raised, raised
from assay.model.figures.scan import Kink, Linearity, Part, Size


def one_size(sizes: Sequence[Size]) -> Raised:
    """Return that no line can be drawn."""
    return raised("one-event-number", events=sizes[0].events if len(sizes) == 1 else None)


def no_line() -> Raised:
    """Return that rounding leaves no line to such times."""
    return raised("no-line")


def part_doubts(fixed: Part, slope: Part, freedom: int) -> Iterator[Raised]:
    """Yield what is not known of the coefficients."""
    if freedom < 1:
        yield raised("too-few-blocks")
    if _not_above_zero(fixed, freedom):
        yield raised("fixed-cost-not-above-zero")
    if _not_above_zero(slope, freedom):
        yield raised("per-event-not-above-zero")


def _not_above_zero(part: Part, freedom: int) -> bool:
    return part.loss is None or (freedom >= 1 and part.loss_low is None)


def bend_doubts(checks: Sequence[Linearity]) -> Iterator[Raised]:
    """Yield the bends that were found."""
    for check in checks:
        if not check.straight:
            yield raised("not-a-line", arm=check.arm) if check.kink is None else _kink(check, check.kink)


def _kink(check: Linearity, kink: Kink) -> Raised:
    return raised(
        "kink",
        arm=check.arm,
        sizes=check.sizes,
        events=kink.events,
        above=kink.above,
        below=kink.below,
        slope_before=kink.slope_before,
        slope_after=kink.slope_after,
    )
