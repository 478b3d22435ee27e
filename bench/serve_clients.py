"""Whether those who follow an activity's page disturb what it measures: ``python -m bench.serve_clients``.

Pairs of activities of the same scene, this machine against itself, one with clients on the stream of its page
and one with the server alone, in an order drawn anew for each pair. It needs this machine for itself.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import httpx

from assay.platforms.claims import live_activities
from assay.stats.mean import student
from assay.store.record import read_trials
from bench.rows import Row, ratios, row, table

CLIENTS, PAIRS, BLOCKS = 200, 10, 6
SCENE = f"""
scene: bench-clients
title: A busy job, this machine against itself
takes: 1 min
baseline: {{machine: local}}
treatment: {{machine: local}}
workloads: [{{name: spin, command: "{sys.executable} -c 'sum(i * i for i in range(30000000))'"}}]
design: {{blocks: {BLOCKS}, shape: pairs, confidence: 95 %, margin: 1 %}}
"""


def pairs(count: int, clients: int) -> tuple[list[float], list[float]]:
    """Return the mean seconds of a job of each pair's activities: with clients, and without."""
    with_them, without = [], []
    draw = random.Random(1)  # noqa: S311 - an order, no secret
    for _ in range(count):
        found = {many: _measured(many) for many in draw.sample((clients, 0), 2)}
        with_them.append(found[clients])
        without.append(found[0])
    return with_them, without


def rows(with_them: list[float], without: list[float], clients: int) -> list[Row]:
    """Seconds of a job."""
    alone = row("job while the server has no client", "s", without)
    many = row(f"job while {clients} clients follow it", "s", with_them)
    return [alone, ratios(many, with_them, without, "without")]


def _measured(clients: int) -> float:
    """Return the mean seconds of the jobs of one activity that so many follow."""
    with tempfile.TemporaryDirectory(prefix="assay-bench-clients-", dir="/var/tmp") as folder:
        home, scene = Path(folder) / "home", Path(folder) / "scene.yaml"
        scene.write_text(SCENE)
        variables = {**os.environ, "ASSAY_HOME": str(home)}
        with served(variables) as server:
            words = [sys.executable, "-m", "assay", "evaluate", str(scene), "--json"]
            with subprocess.Popen(words, env=variables, stdout=subprocess.DEVNULL) as conducted:
                with ThreadPoolExecutor() as pool:
                    following = pool.submit(asyncio.run, _follow(server.address, home, clients, conducted))
                    if conducted.wait() != 0:
                        msg = "the activity failed"
                        raise SystemExit(msg)
                following.result()  # a client that was lost is no client
        (activity,) = (home / "activities").iterdir()
        return fmean(one.usage.wall_s for one in read_trials(activity) if one.usage is not None)


class Served(NamedTuple):
    """A server: its address, and the number of its process."""

    address: str
    pid: int


@contextmanager
def served(variables: dict[str, str]) -> Iterator[Served]:
    """Serve a home."""
    words = [sys.executable, "-m", "assay", "serve", "--port", "0", "--json"]
    with subprocess.Popen(words, env=variables, stdout=subprocess.PIPE, text=True) as server:
        told = ""
        while server.stdout is not None and not told.rstrip().endswith("}"):
            line = server.stdout.readline()
            if not line:
                msg = "the server ended"
                raise SystemExit(msg)
            told += line
        try:
            yield Served(str(json.loads(told)["address"]), server.pid)
        finally:
            server.terminate()


async def _follow(at: str, home: Path, clients: int, conducted: subprocess.Popen[bytes]) -> None:
    """Follow the activity that is conducted, with so many clients, to its end."""
    while not (going := live_activities(home)):
        if conducted.poll() is not None:
            return
        await asyncio.sleep(0.1)
    # A connection for each request: none is taken that the server has just closed.
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    async with httpx.AsyncClient(base_url=at, timeout=60, trust_env=False, limits=limits) as client:
        await asyncio.gather(*(_events(client, f"activities/{going[0]}") for _ in range(clients)))


async def _events(client: httpx.AsyncClient, page: str) -> None:
    (await client.get(page)).raise_for_status()
    async with client.stream("GET", f"{page}/events") as stream:
        stream.raise_for_status()
        async for _ in stream.aiter_bytes():
            pass


def main() -> int:
    """Prints both, and the ratio with its interval."""
    parser = argparse.ArgumentParser(prog="python -m bench.serve_clients", description=__doc__)
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--clients", type=int, default=CLIENTS)
    given = parser.parse_args()
    with_them, without = pairs(given.pairs, given.clients)
    logs = [math.log(one / other) for one, other in zip(with_them, without, strict=True)]
    found = student(logs)
    ends = ", ".join(f"{math.exp(end):.4f}" for end in (found.low, found.high))
    sys.stdout.write(f"{table(rows(with_them, without, given.clients))}\n")
    sys.stdout.write(f"ratio with clients to without: {math.exp(found.value):.4f} [{ends}], 95 %\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
