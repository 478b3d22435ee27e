"""The cells and sentences of a scan of event numbers that every rendering shares."""

from __future__ import annotations

import math
from collections.abc import Iterator

from assay.design.sizes import Halves, SizePlan
from assay.model.trial import Arm
from assay.pages.context import Page, Result
from assay.pages.families.events import CostPart, EventScan, LineCheck, Quantity
from assay.pages.numbers import percent_text, size_text, sized_text, value_text

NOTE = (
    "time = fixed cost + cost per event × events, a line on each arm; the loss of the total lies "
    "between theirs"
)


def scan_headers(page: Page) -> tuple[str, ...]:
    """Return the names of the columns of ``scan_cells``."""
    return ("workload", "part", f"{page.result.baseline} s", f"{page.result.treatment} s", "loss", "blocks")


def scan_cells(scan: EventScan) -> list[tuple[str, ...]]:
    """Return one row for the fixed cost, one for the cost per event, one for each event number."""
    return [*_parts(scan), *_sizes(scan)]


def scan_sentences(scan: EventScan, result: Result) -> list[str]:
    """Return what a scan comes to, one sentence a line, without the bends (they are doubts)."""
    return [*_asymptote(scan), *_straight(scan, result), *([scan.advice] if scan.advice else [])]


def advice_text(planned: SizePlan, here: Halves) -> str:
    """Return which event numbers would know both losses better for the same time.

    Args:
        planned: Those.
        here: Half-widths to expect of the event numbers that were run.
    """
    often = " and ".join(f"{count} runs of {size}" for size, count in sorted(planned.repetitions.items()))
    once = f", with one each of {', '.join(map(str, planned.interior))}," if planned.interior else ""
    return (
        f"In the same time {often} events on each arm{once} would know the losses of fixed cost and event to "
        f"about {_both(planned.expected)} instead of {_both(here)}."
    )


def _both(halves: Halves) -> str:
    return " and ".join(f"±{percent_text(round(half, 3))}" for half in (halves.fixed_cost, halves.per_event))


def _parts(scan: EventScan) -> Iterator[tuple[str, ...]]:
    named = (("fixed cost", scan.fixed_cost_s), ("per event", scan.per_event_s))
    for name, part in named:
        if part is not None:
            loss = sized_text(part.loss, part.loss_low, part.loss_high, scan.blocks)
            yield scan.workload, name, *_arms(part), loss, str(scan.blocks)


def _arms(part: CostPart) -> tuple[str, str]:
    return seconds_text(part.baseline), seconds_text(part.treatment)


def _sizes(scan: EventScan) -> Iterator[tuple[str, ...]]:
    for size in scan.sizes:
        name = f"total of {size.events} event{'' if size.events == 1 else 's'}"
        times = value_text(_four(size.baseline_s)), value_text(_four(size.treatment_s))
        loss = size_text(size)
        yield scan.workload, name, *times, loss, str(size.blocks)


def _four(value: float) -> float:
    return float(f"{value:.4g}")


def about(count: int) -> str:
    """Return a number of events with two significant digits: it comes from two lines and is no
    better known.
    """
    return f"{int(float(f'{count:.2g}')):,}"


def seconds_text(value: Quantity) -> str:
    """Return a time with its interval, ``0.125 [0.117, 0.133]``: half the width has two
    significant figures.
    """
    low, high = value.low, value.high
    if low is None or high is None or high <= low:
        return value_text(_four(value.value))
    digits = max(0, 1 - math.floor(math.log10((high - low) / 2)))
    if digits > 9:
        return f"{value.value:.3e} [{low:.3e}, {high:.3e}]"
    return f"{value.value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def _asymptote(scan: EventScan) -> Iterator[str]:
    part = scan.per_event_s
    if scan.asymptote is None or part is None:
        return
    tends = sized_text(part.loss, part.loss_low, part.loss_high, scan.blocks)
    within = f"within {percent_text(scan.margin)} of that"
    name = f"{scan.workload}{fit_words(scan)}"
    if scan.events_within_margin is None:
        yield f"{name}: with many events the loss of the total tends to {tends}."
    elif scan.events_within_margin == 0:
        yield (
            f"{name}: at any number of events the loss of the total is within "
            f"{percent_text(scan.margin)} of {tends}."
        )
    else:
        first = f"from about {about(scan.events_within_margin)} events on it is {within}"
        yield f"{name}: with many events the loss of the total tends to {tends}; {first}."


def straight(scan: EventScan) -> bool:
    """Tell whether nothing speaks against straight lines."""
    return all(check.straight for check in scan.linearity)


def fit_words(scan: EventScan) -> str:
    """Return what the lines of a bent arm are, to stand behind a name; nothing where all are straight."""
    bent = [check for check in scan.linearity if not check.straight]
    if any(check.kink is None for check in bent):
        return ", by straight lines that do not fit"
    return ", by lines that break at a kink" if bent else ""


def _straight(scan: EventScan, result: Result) -> Iterator[str]:
    good = [_label(check, result) for check in scan.linearity if check.straight]
    if good and len(good) == len(scan.linearity):
        sizes = scan.linearity[0].sizes
        yield f"{scan.workload}: nothing speaks against straight lines at {sizes} event numbers."
    elif good:
        yield f"{scan.workload}: nothing speaks against a straight line on {good[0]}; the other arm is bent."


def _label(check: LineCheck, result: Result) -> str:
    return result.baseline if check.arm is Arm.BASELINE else result.treatment
