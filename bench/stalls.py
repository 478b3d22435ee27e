"""Whether watching stalls a job that maps and unmaps memory all the time, with much memory resident."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench import ours
from bench.jobs import mapper, started
from bench.rows import Row, ratios, row

RESIDENT_BYTES = 2 << 30
EVERY_S = 0.1

Figures = dict[str, float]


def alone(command: tuple[str, ...]) -> Figures:
    """The job with nobody watching."""
    done = subprocess.run(command, capture_output=True, check=True, cwd=ours.TREE)
    figures: Figures = json.loads(done.stdout)
    return figures


def by_probe(command: tuple[str, ...], folder: Path, watch: tuple[str, ...]) -> Figures:
    """The job under the probe at 10 Hz."""
    number = len(list(folder.glob("stall*")))
    environment = {"PYTHONPATH": str(ours.TREE)}
    fields = {"interval_s": EVERY_S, "watch": watch, "environment": environment}
    ours.run(folder / f"stall{number}", *command, **fields)
    figures: Figures = json.loads((folder / f"stall{number}" / "stdout").read_bytes())
    return figures


def by_psutil(command: tuple[str, ...], *options: str) -> Figures:
    """The job with psutil at 10 Hz beside it."""
    sampler = [sys.executable, "-m", "bench.with_psutil", "--every", str(EVERY_S), *options]
    with started(*command) as process:
        beside = subprocess.Popen([*sampler, "--pid", str(process.pid)], stdout=subprocess.DEVNULL)
        output = process.stdout.read() if process.stdout else b""
        process.wait()
        beside.wait()
    figures: Figures = json.loads(output)
    return figures


def cases(folder: Path, seconds: float) -> dict[str, Callable[[], Figures]]:
    """All ways of watching that this build has."""
    command = mapper(RESIDENT_BYTES, seconds)
    found: dict[str, Callable[[], Figures]] = {
        "unwatched": partial(alone, command),
        "probe": partial(by_probe, command, folder, ()),
    }
    if "pss" in ours.groups():
        found["probe, group pss"] = partial(by_probe, command, folder, ("pss",))
    found["psutil"] = partial(by_psutil, command)
    found["psutil, PSS"] = partial(by_psutil, command, "--pss")
    return found


def rows(folder: Path, rounds: int, seconds: float = 5) -> list[Row]:
    """Loops, stalls and the longest stall of each."""
    ways = cases(folder, seconds)
    values: dict[str, list[Figures]] = defaultdict(list)
    draw = random.Random(1)  # noqa: S311 - an order, no secret
    for _ in range(rounds):
        for name in draw.sample(sorted(ways), len(ways)):
            values[name].append(ways[name]())
    found = []
    for name in ways:
        of = {key: [figures[key] for figures in values[name]] for key in ("loops", "stalls", "longest_s")}
        base = [figures["loops"] for figures in values["unwatched"]]
        loops = row(f"mmap job, 2 GiB: {name}: loops", "count", of["loops"])
        found.append(loops if name == "unwatched" else ratios(loops, of["loops"], base, "unwatched"))
        found.append(row(f"mmap job, 2 GiB: {name}: stalls over 10 ms", "count", of["stalls"]))
        longest = [value * 1e3 for value in of["longest_s"]]
        found.append(row(f"mmap job, 2 GiB: {name}: longest", "ms", longest))
    return found
