"""Losses of known size and cause, planted on this machine: are both found?"""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import comb
from pathlib import Path
from statistics import fmean, median

from evidence.campaign import Campaign, run
from evidence.page import Figures, Page

CAMPAIGNS, BLOCKS = 10, 3
LEVEL = 0.95
"""Coverage of an evaluation's intervals."""
CHANCE_EACH, CHANCE_ALL = 0.002, 0.02
"""How often exact intervals may miss what one plant, and all plants together, are held to."""
DISTURBED, MOST_ASIDE = 0.2, 10
"""Others' share of the processors from which on a campaign does not count, and how often that may be."""
AHEAD_S = 0.1
"""The kernel lets a limited disk read for so long in advance."""
LATE_S = 0.032
"""The kernel gives the last of it so much later than the rate says: a plain program that reads 0.5 to 31.5 MB
at these limits waits 4 to 31 ms longer (Linux 6.18, ticks of 4 ms).
"""

Range = tuple[float, float]


@dataclass(frozen=True)
class Plant:
    """A planted loss.

    Attributes:
        scene: Ready scene or file.
        metric: Metric whose loss is known.
        cause: Its cause.
        truth: Between which losses that lies which a campaign is to find, ratios.
        why: How it is known.
    """

    scene: str
    metric: str
    cause: str
    truth: Callable[[Campaign], Range]
    why: str


def known(low: float, high: float) -> Callable[[Campaign], Range]:
    """Return a loss that is known whatever is measured."""
    return lambda _: (low, high)


def reading(bytes_per_s: float) -> Callable[[Campaign], Range]:
    """Return the loss of a job whose disk is limited, by what the treatment's records say that it read.

    What the baseline's wall time holds beside its CPU time and its waits for a processor, it read for.
    """

    def truth(found: Campaign) -> Range:
        base = found.mean("baseline", "wall_s")
        worked = sum(found.mean("baseline", part) for part in ("user_s", "system_s", "run_queue_s"))
        treated = min(base, worked) + found.mean("treatment", "read_bytes") / bytes_per_s
        return 1 - base / (treated - AHEAD_S), 1 - base / (treated + LATE_S)

    return truth


def frozen(found: Campaign) -> Range:
    """Return the share of the time that the treatment's jobs stood still, as their records have it."""
    shares = [r["limits"]["pause"] for r in found.records if r["planned"]["arm"] == "treatment"]
    return fmean(shares), fmean(shares)


PLANTS = (
    Plant(
        str(Path(__file__).with_name("cpu-quota.yaml")),
        "flops",
        "cpu-quota",
        known(0.475, 0.5),
        "half of the time for 2 s, given at the begin of each 0.1 s",
    ),
    Plant("plant-sleep", "wall_time", "waiting", frozen, "frozen for 5 ms of every 100 ms (the records)"),
    Plant("plant-read", "wall_time", "disk-throughput", reading(20e6), "31.5 MB at 20 MB/s"),
    Plant("plant-cold", "wall_time", "cold-cache", reading(350e3), "0.52 MB at 350 kB/s"),
    Plant(
        "plant-memory",
        "wall_time",
        "memory-limit",
        reading(50e6),
        "32 MiB of memory: 67.1 MB thrice at 50 MB/s",
    ),
)


def page() -> Page:
    """All plants."""
    with tempfile.TemporaryDirectory(prefix="assay-planted-", dir="/var/tmp") as home:
        return page_of([_row(plant, Path(home)) for plant in PLANTS])


def page_of(rows: Sequence[Figures]) -> Page:
    """Return the page of what was measured."""
    each, together = least(CAMPAIGNS, CHANCE_EACH), least(CAMPAIGNS * len(rows), CHANCE_ALL)
    held = {
        (
            f"{row['plant']}: cause named in {CAMPAIGNS - 1} of {CAMPAIGNS}, size inside the "
            f"interval in {each}"
        ): (row["named"] >= CAMPAIGNS - 1 and row["inside"] >= each)
        for row in rows
    }
    inside = sum(row["inside"] for row in rows)
    held[f"all: size inside the interval in {together} of {CAMPAIGNS * len(rows)}"] = inside >= together
    text = f"""
{CAMPAIGNS} campaigns of {BLOCKS} blocks a scene (`assay evaluate SCENE --blocks {BLOCKS} --seed N`, N from 1 on) on this
machine: {os.cpu_count()} processors, Linux {platform.release()}. *Others* is what other work had of the processors
meanwhile; a campaign in which that was more than {100 * DISTURBED:g} % is *set aside* and another run, {MOST_ASIDE} times
at most. *Inside*: the true loss lies in the interval; a limited disk is read for up to {AHEAD_S:g} s in advance or
{1000 * LATE_S:g} ms late, which leaves a range, averaged over campaigns. *Named*: the cause is the largest of those that `assay explain` attributes the
loss to. Half-widths are medians in percentage points. An interval of 95 % misses one truth in twenty: exact ones would
miss what a plant is held to in {100 * CHANCE_EACH:g} % of such pages at most, and what all are held to in {100 * CHANCE_ALL:g} %.
{inside} of {CAMPAIGNS * len(rows)} hold the truth here.
"""  # noqa: E501
    shown = {
        "plant": ("scene", ""),
        "why": ("planted", ""),
        "truth": ("true loss, %", ""),
        "loss": ("found, mean", ".1%"),
        "half_width": ("half-width", ".2f"),
        "cause": ("cause", ""),
        "inside": ("inside", "d"),
        "named": ("named", "d"),
        "both": ("both", "d"),
        "others": ("others", ".0%"),
        "set_aside": ("set aside", "d"),
    }
    return Page("planted", "Planted losses", text, rows, shown, held)


def least(count: int, chance: float) -> int:
    """Return the most truths of so many that exact intervals hold but for a chance: the quantile of a
    binomial.
    """
    below = [comb(count, held) * LEVEL**held * (1 - LEVEL) ** (count - held) for held in range(count + 1)]
    return sum(total <= chance for total in accumulate(below))


def _campaigns(plant: Plant, home: Path) -> tuple[list[Campaign], int]:
    """Return the campaigns that count, and how many others disturbed."""
    found: list[Campaign] = []
    set_aside = 0
    for seed in range(1, 1 + CAMPAIGNS + MOST_ASIDE):
        one = run(plant.scene, plant.metric, blocks=BLOCKS, seed=seed, home=home)
        if one is not None and one.others > DISTURBED and set_aside < MOST_ASIDE:
            set_aside += 1
        elif one is not None:
            found.append(one)
        if seed - set_aside == CAMPAIGNS:
            break
    return found, set_aside


def _row(plant: Plant, home: Path) -> Figures:
    found, set_aside = _campaigns(plant, home)
    truths = [plant.truth(one) for one in found]
    inside = [
        one.estimate["low"] <= high and low <= one.estimate["high"]
        for one, (low, high) in zip(found, truths, strict=True)
    ]
    named = [one.causes[:1] == [plant.cause] for one in found]
    widths = [one.estimate["high"] - one.estimate["low"] for one in found]
    return {
        "plant": Path(plant.scene).stem,
        "why": plant.why,
        "truth": _range(fmean(low for low, _ in truths), fmean(high for _, high in truths))
        if found
        else None,
        "loss": fmean(one.estimate["loss"] for one in found) if found else None,
        "half_width": 50 * median(widths) if found else None,
        "cause": plant.cause,
        "inside": sum(inside),
        "named": sum(named),
        "both": sum(a and b for a, b in zip(inside, named, strict=True)),
        "others": fmean(one.others for one in found) if found else None,
        "set_aside": set_aside,
        "campaigns": [
            {
                "truth": truth,
                "low": one.estimate["low"],
                "high": one.estimate["high"],
                "causes": one.causes,
                "others": one.others,
            }
            for one, truth in zip(found, truths, strict=True)
        ],
    }


def _range(low: float, high: float) -> str:
    return f"{100 * low:.1f}" if low == high else f"{100 * low:.1f} to {100 * high:.1f}"
