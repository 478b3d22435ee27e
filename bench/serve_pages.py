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

from assay.model.files.home import mark_home
from bench.lists import RESULTS, TRIALS, fill
from bench.rows import Row, row, table
from bench.serve_clients import served

PAGES = (
    "/",
    "/results",
    "/results?page=200",
    "/results?verdict=loss",
    "/results?find=guests&scene=scene-3",
    "/activities",
    "/machines",
    "/scenes",
    "/scenes/quick",
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


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory(prefix="assay-bench-pages-", dir="/var/tmp") as folder:
        home = Path(folder)
        fill(home)
        mark_home(home)
        with served({**os.environ, "ASSAY_HOME": str(home)}) as at:
            made = table([*rows(at, rounds)])
    sys.stdout.write(f"{RESULTS} results of {TRIALS} trials\n{made}\n")


if __name__ == "__main__":
    main()
