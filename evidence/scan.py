"""Where to put the machine time of a scan of event numbers."""

from __future__ import annotations

from statistics import median

import numpy as np

from assay.stats.scan import Point, scan
from evidence.page import Figures, Page

SEED = 26
CAMPAIGNS = 400
NOISE = 0.012
BASELINE = (120.0, 0.85)
INIT_LOSS, EVENT_LOSS = 0.5, 0.03
TREATMENT = (BASELINE[0] / (1 - INIT_LOSS), BASELINE[1] / (1 - EVENT_LOSS))
"""Seconds of initialization and of an event."""
PLANS = {
    "8 sizes from 10 to 4000, 5 times": ((10, 50, 100, 300, 600, 1000, 2000, 4000), 5, 0.54, 0.84),
    "1 and 1000, 35 times": ((1, 1000), 35, 0.28, 0.67),
    "4 x 1 and 2000, 16 times": ((1, 1, 1, 1, 2000), 16, 0.21, 0.92),
}
"""Sizes of a block, blocks, and half-widths of the study of the methods in percentage points."""


def page() -> Page:
    """All plans."""
    rows = [_row(name) for name in PLANS]
    held = {
        f"{part} of {row['plan']}: covered in at least 93 %": row[part] >= 0.93
        for row in rows
        for part in ("init_covered", "event_covered")
    }
    two = rows[1]
    held["two sizes: half-width of the initialization's loss at most 0.28"] = round(two["init"], 2) <= 0.28
    held["two sizes: half-width of an event's loss at most 0.67"] = round(two["event"], 2) <= 0.67
    text = f"""
{CAMPAIGNS} scans a plan of about 24 hours of machine time, initialization {BASELINE[0]:g} s and {BASELINE[1]:g} s an
event on the baseline, true losses {INIT_LOSS:.0%} and {EVENT_LOSS:.0%}, {NOISE:.1%} noise a run, seed {SEED}. Half-widths
are medians in percentage points. The loss of the total is {_total(10):.0%} at 10 events, {_total(1000):.0%} at 1000 and
{_total(4000):.0%} at 4000 on the same machine: without a number of events it means nothing.
"""
    shown = {
        "plan": ("plan", ""),
        "hours": ("hours", ".1f"),
        "init": ("initialization ±", ".2f"),
        "event": ("event ±", ".2f"),
        "init_covered": ("covered", ".3f"),
        "event_covered": ("covered", ".3f"),
    }
    return Page("scan", "Plans of a scan of event numbers", text, rows, shown, held)


def _total(events: int) -> float:
    return 1 - (BASELINE[0] + BASELINE[1] * events) / (TREATMENT[0] + TREATMENT[1] * events)


def _row(name: str) -> Figures:
    sizes, blocks, _, _ = PLANS[name]
    draw = np.random.default_rng([SEED, len(sizes)])
    found = [
        scan(*(_points(arm, sizes, blocks, draw) for arm in (BASELINE, TREATMENT))) for _ in range(CAMPAIGNS)
    ]
    seconds = blocks * sum(a + b * events for a, b in (BASELINE, TREATMENT) for events in sizes)
    init, event = ([one.fixed_cost_s for one in found], [one.per_event_s for one in found])
    row = {"plan": name, "hours": seconds / 3600}
    for key, parts, truth in (("init", init, INIT_LOSS), ("event", event, EVENT_LOSS)):
        ends = [(one.loss_low, one.loss_high) for one in parts]
        row[key] = 50 * median(high - low for low, high in ends)
        row[f"{key}_covered"] = sum(low <= truth <= high for low, high in ends) / CAMPAIGNS
    return row


def _points(
    arm: tuple[float, float], sizes: tuple[int, ...], blocks: int, draw: np.random.Generator
) -> list[Point]:
    times = [(block, events, arm[0] + arm[1] * events) for block in range(blocks) for events in sizes]
    noise = np.exp(draw.normal(0, NOISE, len(times)))
    return [Point(*time[:2], time[2] * float(factor)) for time, factor in zip(times, noise, strict=True)]
