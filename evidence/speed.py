"""How much processor time it takes to analyse a result of 1,000 blocks."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from statistics import median

import numpy as np

from assay.stats import paired_loss
from assay.stats.components import components
from assay.stats.rank import hodges_lehmann
from assay.stats.sequence import confidence_sequence
from evidence.page import Figures, Page

SEED = 25
BLOCKS = 1000
ROUNDS = 7
GOAL_S = 0.2


def page() -> Page:
    """The whole analysis and its parts."""
    draw = np.random.default_rng(SEED)
    d = [float(value) for value in draw.normal(0.03, 0.01, BLOCKS)]
    sessions = [block // 50 for block in range(BLOCKS)]
    acts: dict[str, Callable[[], object]] = {
        "estimate and verdict": lambda: paired_loss(d, margin=0.01),
        "of it, Hodges–Lehmann": lambda: hodges_lehmann(d, 0.95),
        "of it, confidence sequence": lambda: confidence_sequence(d, 0.95),
        "components of variance": lambda: components(d, sessions),
    }
    rows = [_row(what, act) for what, act in acts.items()]
    rows.append(_row("all: estimate, verdict and components", lambda: (acts[_FIRST](), acts[_LAST]())))
    kept = rows[-1]["median_s"] <= GOAL_S
    text = f"""
{BLOCKS} blocks in 20 sessions (seed {SEED}), {ROUNDS} rounds each after a first one: processor time, on {os.cpu_count()} processors
with a load of {os.getloadavg()[0]:.1f} from other work.
"""
    shown = {
        "what": ("act", ""),
        "median_s": ("median, s", ".4f"),
        "lowest_s": ("lowest, s", ".4f"),
        "highest_s": ("highest, s", ".4f"),
    }
    return Page("speed", "Speed of the analysis", text, rows, shown, {f"all within {GOAL_S} s": kept})


_FIRST, _LAST = "estimate and verdict", "components of variance"


def _row(what: str, act: Callable[[], object]) -> Figures:
    act()
    times = [_seconds(act) for _ in range(ROUNDS)]
    return {"what": what, "median_s": median(times), "lowest_s": min(times), "highest_s": max(times)}


def _seconds(act: Callable[[], object]) -> float:
    begin = time.process_time()
    act()
    return time.process_time() - begin
