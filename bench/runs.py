"""What a run under the probe takes longer than its job, what the probe holds, and how even its
samples are.
"""

from __future__ import annotations

import json
from pathlib import Path

from bench import ours
from bench.rows import Row, row

CLOCK = (str(ours.PROBE), "clock")
END_GOAL_MS = 2.0
RSS_GOAL_MB = 2.0
GAP_INTERVAL_S = 0.01
NS_PER_MS = 1e6


def ends(folder: Path, rounds: int) -> list[Row]:
    """Time from release to the job's first act, and from its last act to the record."""
    starts, over, held = [], [], []
    for index in range(rounds):
        record, there = ours.run(folder / f"end{index}", *CLOCK)
        acted = json.loads((folder / f"end{index}" / "stdout").read_bytes())["mono_ns"]
        starts.append((acted - record["started"]["mono_ns"]) / NS_PER_MS)
        over.append((there - acted) / NS_PER_MS)
        held.append(record["cost"]["rss_bytes"] / 1e6)
    return [
        row("run: release to the job's first act", "ms", starts),
        row("run: the job's last act to the record", "ms", over, goal=END_GOAL_MS),
        row("run: resident set of the probe", "MB", held, goal=RSS_GOAL_MB),
    ]


def gaps(folder: Path, rounds: int, seconds: float = 20) -> list[Row]:
    """The largest gap between two samples 10 ms apart."""
    fields = {"interval_s": GAP_INTERVAL_S}
    names = [folder / f"gap{index}" for index in range(rounds)]
    records = [ours.run(name, "sleep", str(seconds), **fields)[0] for name in names]
    largest = [record["cost"]["largest_gap_s"] * 1e3 for record in records]
    return [row(f"samples each 10 ms over {seconds:g} s: largest gap", "ms", largest)]


def whole(folder: Path, seconds: float = 10) -> list[Row]:
    """All that the probe used for a run with a sample a second, start and end included."""
    record, _ = ours.run(folder / "whole", "sleep", str(seconds), interval_s=1.0)
    used = record["cost"]["cpu_s"] * 1e3
    words = f"run of {seconds:g} s with a sample a second"
    return [
        row(f"{words}: the probe's CPU time", "ms", [used]),
        row(f"{words}: of it a sample", "ms", [used / record["cost"]["samples"]]),
    ]
