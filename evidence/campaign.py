"""One real activity on this machine, run as anybody would run it, and what it found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

PROGRAM = "import sys; from assay.cli import main; sys.exit(main())"
QUIET, PATIENCE_S = 0.1, 60.0
"""Others' share of the processors below which a campaign begins, and how long that is waited for."""


@dataclass(frozen=True)
class Campaign:
    """What one activity found.

    Attributes:
        estimate: The row of the metric, as in the report's JSON.
        records: The records of all trials.
        causes: Codes of the causes named.
        busy: Others' share of the processors just before.
    """

    estimate: dict[str, Any]
    records: list[dict[str, Any]]
    causes: list[str]
    busy: float

    def mean(self, arm: str, figure: str) -> float:
        """Return the mean of a figure of the job's usage over the records of an arm."""
        return fmean(record["usage"][figure] for record in self.records if record["planned"]["arm"] == arm)


def run(scene: str, metric: str, *, blocks: int, seed: int, home: Path) -> Campaign | None:
    """Run a scene and return what was found of a metric; ``None`` where it has no interval."""
    busy = wait_for_quiet()
    words = ["evaluate", scene, "--blocks", str(blocks), "--seed", str(seed), "--json"]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words],
        env={**os.environ, "ASSAY_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode != 0:
        return None
    report = json.loads(done.stdout)
    estimate = next(one for one in report["estimates"] if one["metric"] == metric)
    folder = home / "activities" / report["result"]["id"] / "trials"
    records = [json.loads(path.read_text()) for path in sorted(folder.glob("*/trial.json"))]
    named = [cause for budget in report["budgets"] for cause in budget["causes"]]
    causes = [cause["code"] for cause in named if not cause["overlaps"]]
    return None if estimate["low"] is None else Campaign(estimate, records, causes, busy)


def wait_for_quiet() -> float:
    """Wait until others leave the processors alone, or patience ends; return their share."""
    end = time.monotonic() + PATIENCE_S
    while (busy := _busy()) > QUIET and time.monotonic() < end:
        pass
    return busy


def _busy() -> float:
    """Return the share of the processors' time that is used, over 2 s."""
    before = _ticks()
    time.sleep(2)
    idle, whole = (b - a for a, b in zip(before, _ticks(), strict=True))
    return 1 - idle / whole


def _ticks() -> tuple[int, int]:
    with Path("/proc/stat").open() as file:
        fields = [int(word) for word in file.readline().split()[1:9]]
    return fields[3] + fields[4], sum(fields)
