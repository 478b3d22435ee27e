"""What speaks against the figures of a scan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.model.doubt import Doubt
from assay.model.figures.scan import Linearity, Part, Size
from assay.stats.lines.kink import bend_sentence


def one_size(sizes: Sequence[Size]) -> Doubt:
    """Return that no line can be drawn."""
    held = f"at {sizes[0].events} events alone" if len(sizes) == 1 else "at too few event numbers"
    sentence = f"The times were measured {held}: fixed cost and slope need two event numbers on both arms."
    return Doubt("one-event-number", sentence)


def no_line() -> Doubt:
    """Return that rounding leaves no line to such times."""
    return Doubt("no-line", "The times lie too far apart for a line: fixed cost and slope are not known.")


def part_doubts(fixed: Part, slope: Part, freedom: int) -> Iterator[Doubt]:
    """Yield what is not known of the coefficients."""
    if freedom < 1:
        sentence = "Fixed cost and slope have no intervals: too few blocks hold event numbers enough."
        yield Doubt("too-few-blocks", sentence)
    for code, name, part in (("fixed-cost", "fixed cost", fixed), ("per-event", "cost per event", slope)):
        if part.loss is None or (freedom >= 1 and part.loss_low is None):
            sentence = f"The {name} of an arm is not above zero, or not known to be: its loss says nothing."
            yield Doubt(f"{code}-not-above-zero", sentence)


def bend_doubts(checks: Sequence[Linearity]) -> Iterator[Doubt]:
    """Yield the bends that were found."""
    for check in checks:
        if not check.straight:
            code = "kink" if check.kink is not None else "not-a-line"
            yield Doubt(code, bend_sentence(check, f"the {check.arm}"))
