"""Pages of a store of a million trials: what they take and weigh, and what the server holds after them."""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx

from assay.model.files.home import mark_home
from bench.lists import RESULTS, fill
from bench.rows import Row, row
from bench.serve_clients import Served, served

PAGES = (
    "/",
    "/results",
    "/results?page=200",
    "/results?verdict=loss",
    "/results?machine=node03",
    "/results?find=guests&scene=scene-3",
    "/activities",
    "/machines",
    "/scenes",
    "/scenes/quick",
)
GOAL_S, GOAL_KB, GOAL_MIB = 1.0, 200.0, 150


def rows(rounds: int, results: int = RESULTS) -> list[Row]:
    """Time and size of each page, and the largest resident set of the server after all of them."""
    with tempfile.TemporaryDirectory(prefix="assay-bench-pages-", dir="/var/tmp") as folder:
        home = Path(folder) / "home"
        fill(home, results)
        mark_home(home)
        with served({**os.environ, "ASSAY_HOME": str(home)}) as server:
            return [*_of_pages(server, results, rounds), _of_server(server, results)]


def _of_pages(server: Served, results: int, rounds: int) -> Iterator[Row]:
    with httpx.Client(base_url=server.address, timeout=60, trust_env=False) as client:
        for path in PAGES:
            answers = [_asked(client, path) for _ in range(rounds)]
            what = f"page {path}, {results} results"
            yield row(what, "s", [seconds for seconds, _ in answers], goal=GOAL_S)
            yield row(what, "kB", [size / 1000 for _, size in answers], goal=GOAL_KB)


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
