"""Runs the built probe."""

from __future__ import annotations

import json
import re
import subprocess
import time
from pathlib import Path
from typing import Any

from bench.jobs import BUSY, Job

TREE = Path(__file__).resolve().parents[1]
PROBE = TREE / "src/assay/probe/bin/assay-probe"
PATIENCE_S = 60.0


def cost(job: Job, samples: int, *options: str) -> dict[str, Any]:
    """CPU time of one sample in nanoseconds, and what else the probe says of taking it."""
    arguments = ["cost", "--samples", str(samples), "--processes", str(job.processes), *options]
    done = subprocess.run([PROBE, *arguments, "--", *job.command], capture_output=True, check=True)
    value: dict[str, Any] = json.loads(done.stdout)
    return value


def groups() -> dict[str, bool]:
    """Switchable groups of this build (it lists them where one is unknown), and whether this machine has
    them.
    """
    done = subprocess.run([PROBE, "cost", "--watch", "?", "--", "true"], capture_output=True, check=False)
    found = re.search(r"known: ([^)]*)\)", done.stderr.decode())
    names = found[1].split(", ") if found else []
    series = cost(BUSY, 1, "--watch", ",".join(names))["series"] if names else []
    return {one["group"]: one["absent"] is None for one in series}


def run(folder: Path, *command: str, **fields: object) -> tuple[dict[str, Any], int]:
    """Runs a job to its end: the record, and when it was there (CLOCK_MONOTONIC, ns)."""
    folder.mkdir(parents=True)
    spec = {"protocol": [1, 1], "command": command, "directory": str(TREE), **fields}
    (folder / "given.json").write_text(json.dumps(spec))
    subprocess.run([PROBE, "run", folder / "given.json", "--into", folder], check=True, capture_output=True)
    path, end = folder / "probe.json", time.monotonic() + PATIENCE_S
    while not path.exists():
        if time.monotonic() > end:
            msg = f"cannot measure: no record in {folder} within {PATIENCE_S} s"
            raise TimeoutError(msg)
        time.sleep(0.0001)
    there = time.monotonic_ns()
    record: dict[str, Any] = json.loads(path.read_bytes())
    return record, there
