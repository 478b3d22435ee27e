"""What a trial on this machine takes beyond its job, from one start to the next; the syncs told apart."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import assay
from assay.model.trial import Trial
from assay.store.record import read_trials
from bench.rows import Row, row

JOB_S = 0.1
BLOCKS = 10
GOAL_S = 0.05
SCENE = f"""
scene: bench-trials
title: Short jobs, this machine against itself
takes: 1 min
baseline: {{machine: local}}
treatment: {{machine: local}}
workloads: [{{name: sleep, command: sleep {JOB_S}}}]
design: {{blocks: {BLOCKS}, shape: pairs, confidence: 95 %, margin: 1 %}}
"""
APART = 'mount -t tmpfs -o size=1m assay-bench /run && exec "$@"'
"""Runs a command in a mount namespace, where nobody else holds this machine."""


def rows(rounds: int) -> list[Row]:
    """Time of a trial beyond its job, and of it what was spent waiting for the disk."""
    found = [_evaluated() for _ in range(rounds)]
    what = f"trial of {JOB_S} s on this machine"
    return [
        row(f"{what}: beyond its job, without syncs", "s", [one["beyond"] for one in found], goal=GOAL_S),
        row(f"{what}: syncs", "s", [one["syncs"] for one in found]),
        row(f"{what}: CPU time of the conductor", "s", [one["cpu"] for one in found]),
    ]


def _evaluated() -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="assay-bench-trials-", dir="/var/tmp") as folder:
        me = [sys.executable, "-m", "bench.trials", folder]
        apart = ["unshare", "--mount", "sh", "-c", APART, "sh", *me]
        done = subprocess.run(apart, stdout=subprocess.PIPE, text=True, check=True)
        told: dict[str, float] = json.loads(done.stdout)
        return told


def _evaluate(folder: Path) -> dict[str, float]:
    """Measure the scene in this process, which counts its syncs, and return the medians of its trials."""
    syncs: list[tuple[float, float]] = []
    sync = os.fsync

    def counted(file: Any) -> None:
        began = time.time()
        sync(file)
        syncs.append((began, time.time() - began))

    scene = folder / "scene.yaml"
    scene.write_text(SCENE)
    os.fsync = counted
    before = time.process_time()
    result = assay.evaluate(scene, home=folder / "home", wait_quiet_s=0.0)
    cpu_s = time.process_time() - before
    os.fsync = sync
    trials = list(read_trials(folder / "home/activities" / result.id))
    return {"cpu": cpu_s / len(trials), **_medians(trials, syncs)}


def _medians(trials: list[Trial], syncs: list[tuple[float, float]]) -> dict[str, float]:
    """Medians over the time from a trial's start to the next one's; between blocks others things are done."""
    beyond, synced = [], []
    for trial, following in pairwise(trials):
        began, end = trial.started_ns / 1e9, following.started_ns / 1e9
        waited_s = sum(length for at, length in syncs if began <= at < end)
        job_s = trial.usage.wall_s if trial.usage else 0.0
        beyond.append(end - began - job_s - waited_s)
        synced.append(waited_s)
    return {"beyond": median(beyond), "syncs": median(synced)}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_evaluate(Path(sys.argv[1]))))
