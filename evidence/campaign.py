"""One real activity on this machine, run as anybody would run it, and what it found."""

from __future__ import annotations

import json
import os
import resource
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
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Campaign:
    """What one activity found.

    Attributes:
        estimate: The row of the metric, as in the report's JSON.
        records: The records of all trials.
        causes: Codes of the causes named.
        others: Share of the processors' time that others had meanwhile.
    """

    estimate: dict[str, Any]
    records: list[dict[str, Any]]
    causes: list[str]
    others: float

    def mean(self, arm: str, figure: str) -> float:
        """Return the mean of a figure of the job's usage over the records of an arm."""
        return fmean(record["usage"][figure] for record in self.records if record["planned"]["arm"] == arm)


def run(scene: str, metric: str, *, blocks: int, seed: int, home: Path) -> Campaign | None:
    """Run a scene and return what was found of a metric; ``None`` where it has no interval."""
    wait_for_quiet()
    words = ["evaluate", scene, "--blocks", str(blocks), "--seed", str(seed), "--json"]
    before, own = _ticks(), _children_s()
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words],
        env={**os.environ, "ASSAY_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode != 0:
        return None
    used, whole = (b - a for a, b in zip(before, _ticks(), strict=True))
    report = json.loads(done.stdout)
    folder = home / "activities" / report["result"]["id"] / "trials"
    records = [json.loads(path.read_text()) for path in sorted(folder.glob("*/trial.json"))]
    jobs = sum(record["usage"][part] for record in records for part in ("user_s", "system_s"))
    others = max(0.0, used - jobs - (_children_s() - own)) / whole
    return _campaign(report, metric, records, others)


def _campaign(
    report: dict[str, Any], metric: str, records: list[dict[str, Any]], others: float
) -> Campaign | None:
    estimate = next(one for one in report["estimates"] if one["metric"] == metric)
    named = [cause for budget in report["budgets"] for cause in budget["causes"]]
    causes = [cause["code"] for cause in named if not cause["overlaps"]]
    return None if estimate["low"] is None else Campaign(estimate, records, causes, others)


def wait_for_quiet() -> None:
    """Wait until others leave the processors alone, or patience ends."""
    end = time.monotonic() + PATIENCE_S
    while _busy() > QUIET and time.monotonic() < end:
        pass


def _busy() -> float:
    """Return the share of the processors' time that is used, over 2 s."""
    before = _ticks()
    time.sleep(2)
    used, whole = (b - a for a, b in zip(before, _ticks(), strict=True))
    return used / whole


def _ticks() -> tuple[float, float]:
    """Return the seconds of all processors in use, and all of them."""
    with Path("/proc/stat").open() as file:
        fields = [int(word) / TICKS_A_SECOND for word in file.readline().split()[1:9]]
    return sum(fields) - fields[3] - fields[4], sum(fields)


def _children_s() -> float:
    """Return the CPU time of the commands run so far."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime
