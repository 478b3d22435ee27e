"""Where to put the machine time of a scan of event numbers."""

from __future__ import annotations

import numpy as np

from assay.model.figures.scan import Part, Point
from assay.stats.lines.scan import scan
from evidence.page import Figures, Page

SEED = 26
CAMPAIGNS = 400
NOISE = 0.012
BASELINE = (120.0, 0.85)
INIT_LOSS, EVENT_LOSS = 0.5, 0.03
TREATMENT = (BASELINE[0] / (1 - INIT_LOSS), BASELINE[1] / (1 - EVENT_LOSS))
"""Seconds of initialization and of an event."""
PLANS = {
    "8 sizes from 10 to 4000, 5 times": ((10, 50, 100, 300, 600, 1000, 2000, 4000), 5),
    "1 and 1000, 35 times": ((1, 1000), 35),
    "4 x 1 and 2000, 16 times": ((1, 1, 1, 1, 2000), 16),
}
"""Sizes in a block, and blocks."""
FIGURES = {"": ("±", ".2f"), "_half_width": ("half-width", ".2f"), "_covered": ("covered", ".3f")}
MOST = {"init": 0.28, "event": 0.67}
"""What the two sizes are to bring at most, in percentage points."""


def page() -> Page:
    """All plans."""
    rows = [_row(name) for name in PLANS]
    held = {
        f"{part} of {row['plan']}: covered in at least 93 %": row[f"{part}_covered"] >= 0.93
        for row in rows
        for part in MOST
    }
    for part, most in MOST.items():
        error = rows[1][part] / (2 * CAMPAIGNS) ** 0.5
        held[f"two sizes: {part} ± at most {most} pp"] = rows[1][part] <= most + 2 * error
    text = f"""
{CAMPAIGNS} scans a plan of about 24 hours of machine time: initialization {BASELINE[0]:g} s and {BASELINE[1]:g} s an
event on the baseline, true losses {100 * INIT_LOSS:g} % and {100 * EVENT_LOSS:g} %, noise of {100 * NOISE:g} % a run,
seed {SEED}. *±* is 1.96 standard deviations of the loss found, *half-width* the median of the intervals', both in
percentage points. The loss of the total is {_total(10):.0f} % at 10 events, {_total(1000):.0f} % at 1000 and
{_total(4000):.0f} % at 4000 on the same machine: without a number of events it means nothing.
"""  # noqa: E501
    shown = {
        "plan": ("plan", ""),
        "hours": ("hours", ".1f"),
        **{f"init{key}": (f"initialization: {name}", form) for key, (name, form) in FIGURES.items()},
        **{f"event{key}": (f"event: {name}", form) for key, (name, form) in FIGURES.items()},
    }
    return Page("scan", "Plans of a scan of event numbers", text, rows, shown, held)


def _total(events: int) -> float:
    return 100 - 100 * (BASELINE[0] + BASELINE[1] * events) / (TREATMENT[0] + TREATMENT[1] * events)


def _row(name: str) -> Figures:
    sizes, blocks = PLANS[name]
    draw = np.random.default_rng([SEED, len(sizes)])
    found = [
        scan(*(_points(arm, sizes, blocks, draw) for arm in (BASELINE, TREATMENT))) for _ in range(CAMPAIGNS)
    ]
    seconds = blocks * sum(a + b * events for a, b in (BASELINE, TREATMENT) for events in sizes)
    init = _part("init", [one.fixed_cost_s for one in found if one.fixed_cost_s], INIT_LOSS)
    event = _part("event", [one.per_event_s for one in found if one.per_event_s], EVENT_LOSS)
    return {"plan": name, "hours": seconds / 3600, **init, **event}


def _part(name: str, parts: list[Part], truth: float) -> Figures:
    losses, lows, highs = np.array([(one.loss, one.loss_low, one.loss_high) for one in parts], float).T
    return {
        name: 196 * float(losses.std(ddof=1)),
        f"{name}_half_width": 50 * float(np.median(highs - lows)),
        f"{name}_covered": float(((lows <= truth) & (highs >= truth)).mean()),
    }


def _points(
    arm: tuple[float, float], sizes: tuple[int, ...], blocks: int, draw: np.random.Generator
) -> list[Point]:
    times = [(block, events, arm[0] + arm[1] * events) for block in range(blocks) for events in sizes]
    noise = np.exp(draw.normal(0, NOISE, len(times)))
    return [Point(*time[:2], time[2] * float(factor)) for time, factor in zip(times, noise, strict=True)]
