"""Losses of known size and cause, planted on this machine: are both found?"""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

from evidence.campaign import Campaign, run
from evidence.page import Figures, Page

CAMPAIGNS, BLOCKS, ENOUGH = 10, 3, 9
COMPUTE_S = 1.5


@dataclass(frozen=True)
class Plant:
    """A planted loss.

    Attributes:
        scene: Ready scene or file.
        metric: Metric whose loss is known.
        cause: Its cause.
        truth: The loss that a campaign is to find, a ratio.
        why: How it is known.
    """

    scene: str
    metric: str
    cause: str
    truth: Callable[[Campaign], float]
    why: str


def added(seconds: float) -> Callable[[Campaign], float]:
    """Return the loss of a job that takes so many seconds more than its computing."""
    return lambda found: 1 - found.mean("baseline", "wall_s") / (COMPUTE_S + seconds)


def reread(found: Campaign) -> float:
    """Return the loss by what the treatment read again at 50 MB/s."""
    base = found.mean("baseline", "wall_s")
    return 1 - base / (base + found.mean("treatment", "read_bytes") / 50e6)


PLANTS = (
    Plant(
        str(Path(__file__).with_name("cpu-quota.yaml")),
        "flops",
        "cpu-quota",
        lambda _: 0.5,
        "half of the processors' time",
    ),
    Plant("plant-sleep", "wall_time", "waiting", lambda _: 0.05, "frozen for 5 ms of every 100 ms"),
    Plant("plant-read", "wall_time", "disk-throughput", added(20 * 1572864 / 20e6), "31.5 MB at 20 MB/s"),
    Plant("plant-cold", "wall_time", "cold-cache", added(524288 / 350e3), "0.52 MB at 350 kB/s"),
    Plant("plant-memory", "wall_time", "memory-limit", reread, "bytes read again (its records) at 50 MB/s"),
)


def page() -> Page:
    """All plants."""
    with tempfile.TemporaryDirectory(prefix="assay-planted-", dir="/var/tmp") as home:
        rows = [_row(plant, Path(home)) for plant in PLANTS]
    held = {
        f"{row['plant']}: size inside the interval and cause named in {ENOUGH} of {CAMPAIGNS}": row["both"]
        >= ENOUGH
        for row in rows
    }
    busy = fmean(row["busy"] for row in rows)
    text = f"""
{CAMPAIGNS} campaigns of {BLOCKS} blocks a scene (`assay evaluate SCENE --blocks {BLOCKS} --seed N`, N from 1 to
{CAMPAIGNS}) on this machine: {os.cpu_count()} processors, Linux {platform.release()}; other work held
{100 * busy:.0f} % of them before a campaign, on average. *Inside*: the true loss lies in the interval. *Named*: the
cause is the largest of those that `assay explain` attributes the loss to. Half-widths are medians in percentage points.
"""
    shown = {
        "plant": ("scene", ""),
        "why": ("planted", ""),
        "truth": ("true loss", ".1%"),
        "loss": ("found, mean", ".1%"),
        "half_width": ("half-width", ".2f"),
        "cause": ("cause", ""),
        "inside": ("inside", "d"),
        "named": ("named", "d"),
        "both": ("both", "d"),
    }
    return Page("planted", "Planted losses", text, rows, shown, held)


def _row(plant: Plant, home: Path) -> Figures:
    runs = [
        run(plant.scene, plant.metric, blocks=BLOCKS, seed=seed + 1, home=home) for seed in range(CAMPAIGNS)
    ]
    found = [one for one in runs if one is not None]
    inside = [one.estimate["low"] <= plant.truth(one) <= one.estimate["high"] for one in found]
    named = [one.causes[:1] == [plant.cause] for one in found]
    widths = [one.estimate["high"] - one.estimate["low"] for one in found]
    return {
        "plant": Path(plant.scene).stem,
        "why": plant.why,
        "truth": fmean(map(plant.truth, found)) if found else None,
        "loss": fmean(one.estimate["loss"] for one in found) if found else None,
        "half_width": 50 * median(widths) if found else None,
        "cause": plant.cause,
        "inside": sum(inside),
        "named": sum(named),
        "both": sum(a and b for a, b in zip(inside, named, strict=True)),
        "busy": fmean(one.busy for one in found) if found else 0.0,
        "campaigns": [
            {
                "truth": plant.truth(one),
                "low": one.estimate["low"],
                "high": one.estimate["high"],
                "causes": one.causes,
                "busy": one.busy,
            }
            for one in found
        ],
    }
