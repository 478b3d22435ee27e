"""Doubts about a scan of event numbers: its line, its bends, the times that it is drawn through."""

from __future__ import annotations

from assay.report.doubts.wording import Wording, Wordings

UNTOLD = "from how many events on the loss of the total is within the margin is not told"


def _one_event_number(events: int | None) -> Wording:
    held = f"at {events} events alone" if events is not None else "at too few event numbers"
    return Wording(
        f"The times were measured {held}: fixed cost and slope need two event numbers on both arms."
    )


def _no_line() -> Wording:
    return Wording("The times lie too far apart for a line: fixed cost and slope are not known.")


def _too_few_blocks() -> Wording:
    return Wording("Fixed cost and slope have no intervals: too few blocks hold event numbers enough.")


def _not_above_zero(name: str) -> Wording:
    return Wording(f"The {name} of an arm is not above zero, or not known to be: its loss says nothing.")


def _fixed_cost_not_above_zero() -> Wording:
    return _not_above_zero("fixed cost")


def _per_event_not_above_zero() -> Wording:
    return _not_above_zero("cost per event")


def _not_a_line(arm: str) -> Wording:
    return Wording(
        f"The times of the {arm} over events are not a straight line, and no single kink explains them: "
        f"fixed cost and slope are those of a line that does not fit, and {UNTOLD}."
    )


def _kink(  # noqa: PLR0913, PLR0917 - what is known of a kink
    arm: str, sizes: int, events: float, above: int, below: int, slope_before: float, slope_after: float
) -> Wording:
    unsure = " Three event numbers do not tell its place, and with it neither cost." if sizes == 3 else ""
    return Wording(
        f"The line of the {arm} has a kink near {events:.3g} events (between {above} and "
        f"{below}): {slope_before:.3g} s an event before it, {slope_after:.3g} s after it. "
        "Its fixed cost is that before the kink, its cost per event that after it, both with the "
        f"kink held there; {UNTOLD}.{unsure}"
    )


def _arms_not_paired() -> Wording:
    return Wording("No block holds both arms: the intervals are those of unpaired arms.")


def _unpaired_times(left: int) -> Wording:
    return Wording(
        f"Times without a partner on the other arm in their block do not count; there were {left}."
    )


def _over_machines() -> Wording:
    return Wording("Fixed cost and cost per event are those of these machines alone, not of the fleet.")


def _over_sessions() -> Wording:
    return Wording(
        "Fixed cost and cost per event have intervals over blocks, though that of the loss is "
        "over sessions: they may be too narrow."
    )


WORDINGS: Wordings = {
    "arms-not-paired": _arms_not_paired,
    "fixed-cost-not-above-zero": _fixed_cost_not_above_zero,
    "kink": _kink,
    "no-line": _no_line,
    "not-a-line": _not_a_line,
    "one-event-number": _one_event_number,
    "per-event-not-above-zero": _per_event_not_above_zero,
    "scan-over-machines": _over_machines,
    "scan-over-sessions": _over_sessions,
    "too-few-blocks": _too_few_blocks,
    "unpaired-times": _unpaired_times,
}
