"""How much processor time the analysis takes: of a large result, and of a large table."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from statistics import median

import numpy as np

from assay.model.figures.estimate import Looks
from assay.stats import paired_loss
from assay.stats.rank import hodges_lehmann
from assay.stats.replication.components import components
from assay.stats.verdicts.sequence import confidence_sequence
from evidence.page import Figures, Page

SEED = 25
BLOCKS, METRICS, ROWS, ARMS = 1000, 11, 100_000, 100
ROUNDS = 5
GOALS = {
    "all of 11 metrics, looked at once": 1.0,
    "all of 11 metrics, looked at after every block": 1.0,
    "a table": 10.0,
    "a table of 100 arms": 10.0,
    "a table in which each block has event numbers of its own": 10.0,
}
"""Seconds of processor time, by act."""


def page() -> Page:
    """The whole analysis and its parts."""
    draw = np.random.default_rng(SEED)
    metrics = draw.normal(0.03, 0.01, (METRICS, BLOCKS)).tolist()
    sessions = [block // 50 for block in range(BLOCKS)]
    one = metrics[0]

    def whole(looks: Looks) -> None:
        for d in metrics:
            paired_loss(d, margin=0.01, looks=looks)
            components(d, sessions)

    acts: dict[str, Callable[[], object]] = {
        "Hodges-Lehmann": lambda: hodges_lehmann(one, 0.95),
        "confidence sequence": lambda: confidence_sequence(one, 0.95),
        "components of variance": lambda: components(one, sessions),
        "all of 11 metrics, looked at once": lambda: whole(Looks.ONCE),
        "all of 11 metrics, looked at after every block": lambda: whole(Looks.EVERY),
    }
    rows = [_row(what, act, ROUNDS) for what, act in acts.items()]
    tables = {
        "a table": _table(draw),
        "a table of 100 arms": _of_arms(draw),
        "a table in which each block has event numbers of its own": _of_events(draw),
    }
    rows += [_row(what, partial(_analyse, table), 1) for what, table in tables.items()]
    kept = {
        f"{row['what']} within {goal:g} s": row["median_s"] <= goal
        for row in rows
        if (goal := GOALS.get(row["what"], 0))
    }
    text = f"""
Processor time on {os.cpu_count()} processors with a load of {os.getloadavg()[0]:.1f} from other work, after a first round:
{BLOCKS} blocks in 20 sessions (seed {SEED}), {ROUNDS} rounds each; tables of {ROWS} rows, once: two arms in 10 sessions,
{ARMS} arms in {ROWS // ARMS} blocks, and two arms in {ROWS // 2} blocks, each of which has another number of events.
"""  # noqa: E501
    shown = {
        "what": ("act", ""),
        "median_s": ("median, s", ".4f"),
        "lowest_s": ("lowest, s", ".4f"),
        "highest_s": ("highest, s", ".4f"),
    }
    return Page("speed", "Speed of the analysis", text, rows, shown, kept)


def _table(draw: np.random.Generator) -> dict[str, list[object]]:
    blocks = np.arange(ROWS) // 2
    arms = ["baseline", "treatment"] * (ROWS // 2)
    values = draw.lognormal(0, 0.01, ROWS) * np.tile([1.0, 1.03], ROWS // 2)
    return {
        "session": (blocks // (ROWS // 20)).tolist(),
        "block": blocks.tolist(),
        "arm": list(arms),
        "value": values.tolist(),
    }


def _of_arms(draw: np.random.Generator) -> dict[str, list[object]]:
    rows = np.arange(ROWS)
    return {
        "block": (rows // ARMS).tolist(),
        "arm": [f"treatment {arm}" if arm else "baseline" for arm in (rows % ARMS).tolist()],
        "value": draw.lognormal(0, 0.01, ROWS).tolist(),
    }


def _of_events(draw: np.random.Generator) -> dict[str, list[object]]:
    blocks = np.arange(ROWS) // 2
    times = (35 + 0.85 * (blocks + 1)) * np.tile([1.0, 1.03], ROWS // 2)
    return {
        "block": blocks.tolist(),
        "arm": ["baseline", "treatment"] * (ROWS // 2),
        "value": (times * draw.lognormal(0, 0.01, ROWS)).tolist(),
        "events": (blocks + 1).tolist(),
    }


def _analyse(table: dict[str, list[object]]) -> None:
    from assay.results.analysis.analyse import analyse_table

    analyse_table(table)


def _row(what: str, act: Callable[[], object], rounds: int) -> Figures:
    act()
    times = [_seconds(act) for _ in range(rounds)]
    return {"what": what, "median_s": median(times), "lowest_s": min(times), "highest_s": max(times)}


def _seconds(act: Callable[[], object]) -> float:
    begin = time.process_time()
    act()
    return time.process_time() - begin
