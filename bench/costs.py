"""CPU time of a sample: ours with a control group and without, and psutil's."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from bench import ours
from bench.floor import floor_ms
from bench.jobs import BUSY, TREE, Job, started
from bench.rows import Row, ratios, row

GOALS_MS = {"group": 0.05, "tree": 1.0}
DEFAULT_GOALS_MS = {BUSY.name: 0.1, TREE.name: 0.3}
SCOPES = {"group": "cgroup", "tree": "no cgroup"}
SETTLE_S = 1.0
NS_PER_MS = 1e6


@dataclass(frozen=True)
class Case:
    """One way of sampling: its figure in ms, what it is compared with, what it is more than, and its goal."""

    measure: Callable[[], float]
    beside: str | None = None
    over: str | None = None
    goal: float | None = None


def psutil_ms(job: Job, samples: int, *options: str) -> float:
    """CPU time of one sample by psutil in ms."""
    sampler = [sys.executable, "-m", "bench.with_psutil", "--samples", str(samples), *options]
    with started(*job.command) as process:
        time.sleep(SETTLE_S)
        done = subprocess.run([*sampler, "--pid", str(process.pid)], capture_output=True, check=True)
    return float(json.loads(done.stdout)["cpu_ns"]) / NS_PER_MS


def ours_ms(job: Job, samples: int, *options: str) -> float:
    """CPU time of one sample by the probe in ms."""
    return float(ours.cost(job, samples, *options)["cpu_ns"]) / NS_PER_MS


def hot(job: Job, groups: dict[str, bool]) -> dict[str, Case]:
    """Samples back to back."""
    count, few = (2000, 100) if job is BUSY else (200, 10)
    plain, io = "psutil", "psutil, logical I/O"
    cases = {}
    for scope, name in SCOPES.items():
        of = partial(ours_ms, job, count, "--scope", scope)
        cases[f"probe, {name}"] = Case(of, plain, goal=GOALS_MS[scope])
        cases[f"probe, {name}, logical I/O"] = Case(partial(of, "--process-io", "true"), io)
    for group, there in groups.items():
        name = f"added by group {group}" + ("" if there else " (absent here)")
        cases[name] = Case(partial(ours_ms, job, count // 4, "--watch", group), over="probe, cgroup")
    cases[plain] = Case(partial(psutil_ms, job, few))
    cases[io] = Case(partial(psutil_ms, job, few, "--io"))
    return cases


def as_in_a_run(job: Job) -> dict[str, Case]:
    """Samples at 10 Hz with all that a run reads by default, at the pace of a run."""
    words, beside = ("--every", "0.1", "--process-io", "true"), "psutil, logical I/O, at 10 Hz"
    cases = {
        f"probe, {name}, as by default at 10 Hz": Case(
            partial(ours_ms, job, 100, "--scope", scope, *words),
            beside,
            goal=DEFAULT_GOALS_MS[job.name] if scope == "group" else None,
        )
        for scope, name in SCOPES.items()
    }
    if job is BUSY:
        cases["sleep and reads alone, in C, at 10 Hz"] = Case(partial(floor_ms, 100, 0.1))
    return cases | {beside: Case(partial(psutil_ms, job, 100, "--every", "0.1", "--io"))}


def seconds_apart(job: Job, samples: int) -> dict[str, Case]:
    """Samples one second apart, when caches are cold."""
    every, beside = ("--every", "1"), "psutil, a second apart"
    cases = {
        f"probe, {name}, a second apart": Case(
            partial(ours_ms, job, samples, "--scope", scope, *every), beside
        )
        for scope, name in SCOPES.items()
    }
    return cases | {beside: Case(partial(psutil_ms, job, samples, *every))}


def interleaved(cases: dict[str, Case], rounds: int, seed: int = 1) -> dict[str, list[float]]:
    """Each case once a round, in an order drawn anew for each round."""
    values: dict[str, list[float]] = defaultdict(list)
    draw = random.Random(seed)  # noqa: S311 - an order, no secret
    for _ in range(rounds):
        for name in draw.sample(sorted(cases), len(cases)):
            values[name].append(cases[name].measure())
    return values


def told(job: Job, cases: dict[str, Case], rounds: int) -> list[Row]:
    """Rows of these cases, each with its ratio to what it is compared with."""
    values = interleaved(cases, rounds)
    found = []
    for name, case in cases.items():
        figures = values[name]
        if case.over:
            figures = [one - base for one, base in zip(figures, values[case.over], strict=True)]
        one = row(f"{job.name}: {name}", "ms", figures, goal=case.goal)
        found.append(ratios(one, figures, values[case.beside], case.beside) if case.beside else one)
    return found


def default_rows(rounds: int) -> list[Row]:
    """CPU time of a sample as a run takes it by default, of both jobs."""
    return [row for job in (BUSY, TREE) for row in told(job, as_in_a_run(job), rounds)]


def rows(rounds: int) -> list[Row]:
    """CPU time of a sample in every way, of both jobs."""
    groups = ours.groups()
    hot_rows = [row for job in (BUSY, TREE) for row in told(job, hot(job, groups), rounds)]
    return (
        hot_rows
        + default_rows(rounds)
        + [row for job in (BUSY, TREE) for row in told(job, seconds_apart(job, 10), 1)]
    )
