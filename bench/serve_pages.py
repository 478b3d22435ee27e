"""Pages of a store of a million trials: what they take and weigh, by ``python -m bench.serve_pages``."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx

from assay.activities.tuning.kept import keep_tuning
from assay.design import plan_trials
from bench.lists import RESULTS, TRIALS, fill
from bench.rows import Row, row, table
from bench.serve_clients import served
from tests.builders import plan_of, record_of
from tests.report.tunings import tuning
from tests.results.test_outcome import value_of
from tests.web.homes import SEARCH, home_of

ONE, OTHER = "0b0b0b0b", "0c0c0c0c"
"""Results whose records are there; of all others the database alone tells."""
BLOCKS = 18
FILTERS = (
    "scene=scene-3",
    "find=guests&scene=scene-3",
    "machine=local",
    "hardware=epyc",
    "treatment=guest",
    "tag=paper",
    "since=2023-12-01&until=2023-12-07",
    "verdict=loss",
)
PAGES = (
    "/",
    "/results",
    "/results?page=200",
    *(f"/results?{asked}" for asked in FILTERS),
    f"/results/{ONE}",
    f"/results/{ONE}/parts/trials",
    f"/results/{ONE}/trials",
    f"/results/{ONE}/trials/0",
    f"/results/{ONE}/advice",
    f"/compare?with={ONE}&with={OTHER}",
    "/activities",
    f"/activities/{ONE}",
    "/machines",
    "/machines/local",
    "/machines/local/changes",
    "/scenes",
    "/scenes/quick",
    "/scenes/quick/plan",
    "/tune",
    f"/tune/{SEARCH}",
)
GOAL_S, GOAL_KB = 1.0, 200.0


def rows(at: str, rounds: int) -> Iterator[Row]:
    """Yield time and size of each page, the first request apart from those that follow."""
    with httpx.Client(base_url=at, timeout=60, trust_env=False) as client:
        for path in PAGES:
            answers = [_asked(client, path) for _ in range(rounds)]
            yield row(path, "s", [seconds for seconds, _ in answers], goal=GOAL_S)
            yield row(path, "kB", [size / 1000 for _, size in answers], goal=GOAL_KB)


def _asked(client: httpx.Client, path: str) -> tuple[float, int]:
    began = time.perf_counter()
    answer = client.get(path, headers={"accept": "text/html"})
    answer.raise_for_status()
    return time.perf_counter() - began, len(answer.content)


def _measure(home: Path) -> None:
    """Add two results with their records, and a search."""
    trials = plan_trials(("spin",), blocks=BLOCKS, seed=1)
    records = [record_of(one, value_of(one)) for one in trials]
    home_of(home, *(plan_of(trials, id=one) for one in (ONE, OTHER)), trials=records)
    keep_tuning(tuning(), home)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--results", type=int, default=RESULTS, help=f"results of {TRIALS} trials each")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay-bench-pages-", dir="/var/tmp") as folder:
        home = Path(folder)
        fill(home, given.results)
        _measure(home)
        with served({**os.environ, "ASSAY_HOME": str(home)}) as at:
            made = table([*rows(at, given.rounds)])
    sys.stdout.write(f"{given.results} results of {TRIALS} trials\n{made}\n")


if __name__ == "__main__":
    main()
