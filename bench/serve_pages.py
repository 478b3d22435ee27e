"""Pages of a store of a million trials: what they take and weigh, and what the server holds after them."""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx

from assay.activities.tuning.kept import keep_tuning
from assay.design import plan_trials
from assay.model.files.home import mark_home
from bench.lists import RESULTS, fill
from bench.rows import Row, row
from bench.serve_clients import Served, served
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
GOAL_S, GOAL_KB, GOAL_MIB = 1.0, 200.0, 150


def rows(rounds: int, results: int = RESULTS) -> list[Row]:
    """Time and size of each page, and the largest resident set of the server after all of them."""
    with tempfile.TemporaryDirectory(prefix="assay-bench-pages-", dir="/var/tmp") as folder:
        home = Path(folder) / "home"
        fill(home, results)
        mark_home(home)
        _measure(home)
        with served({**os.environ, "ASSAY_HOME": str(home)}) as server:
            return [*_of_pages(server, results, rounds), _of_server(server, results)]


def _of_pages(server: Served, results: int, rounds: int) -> Iterator[Row]:
    with httpx.Client(base_url=server.address, timeout=60, trust_env=False) as client:
        answers = [[_asked(client, path) for path in PAGES] for _ in range(rounds)]
    for path, each in zip(PAGES, zip(*answers, strict=True), strict=True):
        what = f"page {path}, {results} results"
        yield row(what, "s", [seconds for seconds, _ in each], goal=GOAL_S)
        yield row(what, "kB", [size / 1000 for _, size in each], goal=GOAL_KB)


def _of_server(server: Served, results: int) -> Row:
    status = Path(f"/proc/{server.pid}/status").read_text()
    held = re.search(r"VmHWM:\s+(\d+) kB", status)
    if held is None:
        msg = f"cannot read the memory of the server: no VmHWM in /proc/{server.pid}/status"
        raise RuntimeError(msg)
    return row(
        f"assay serve, {results} results, after all pages", "MiB", [int(held[1]) / 1024], goal=GOAL_MIB
    )


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
