"""Measures and prints the table: ``python -m bench [--table] [--json FILE] [--rounds N] [--only PART]``."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from bench import (
    analyse,
    costs,
    guests,
    hosts,
    in_place,
    lists,
    ours,
    plans,
    rebuild,
    runs,
    serve_pages,
    size,
    stalls,
    thousand,
    trials,
)
from bench.rows import Row, goals, plain, table


def _of_runs(rounds: int) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as given:
        folder = Path(given)
        return runs.ends(folder, 4 * rounds) + runs.whole(folder) + runs.gaps(folder, 1)


def _of_stalls(rounds: int) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        return stalls.rows(Path(folder), rounds)


PARTS: Mapping[str, Callable[[int], list[Row]]] = {
    "costs": costs.rows,
    "runs": _of_runs,
    "stalls": _of_stalls,
    "guests": guests.rows,
    "default": costs.default_rows,
    "prmon": in_place.rows,
    "trials": trials.rows,
    "plans": lambda rounds: plans.rows(min(rounds, MOST_PLANS)),
    "lists": lists.rows,
    "pages": serve_pages.rows,
    "size": size.rows,
    "analyse": analyse.rows,
    "rebuild": rebuild.rows,
    "hosts": hosts.rows,
    "thousand": lambda _rounds: thousand.rows(),
}
"""What can be measured, each part by the number of its rounds."""
MOST_PLANS = 1
"""A plan of 100,000 trials takes minutes, all of them CPU time."""
USUAL = ("costs", "runs", "stalls", "guests")
"""Measured unless told otherwise; what else there is needs what nobody else does, or long."""
TABLE = ("lists", "pages", "size", "analyse", "plans", "trials", "guests", "default", "prmon")
"""Those whose goals ``docs/bench.md`` has at its top, in its order."""


def measure(parts: list[str], rounds: int) -> list[Row]:
    """All rows of these parts."""
    return [row for part in parts for row in PARTS[part](rounds)]


def around() -> dict[str, object]:
    """What the figures depend on."""
    return {
        "kernel": platform.release(),
        "cpus": os.cpu_count(),
        "load": os.getloadavg(),
        "probe_bytes": ours.PROBE.stat().st_size,
    }


def main() -> int:
    """Says which goals are missed by exit code 1."""
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description="what the probe costs, beside psutil; guests beside booted ones",
    )
    parser.add_argument(
        "--table", action="store_true", help="the goals at the top of docs/bench.md, twice, as a table"
    )
    parser.add_argument("--json", type=Path, help="also write the rows to this file")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=PARTS, action="append")
    given = parser.parse_args()
    before, parts = around(), given.only or list(TABLE if given.table else USUAL)
    found = [measure(parts, given.rounds) for _ in range(2 if given.table else 1)]
    shown = goals(*found) if given.table else table(found[0])
    sys.stdout.write(f"{shown}\n{json.dumps(before)}\n")
    rows = [row for one in found for row in one]
    if given.json:
        value = {"before": before, "after": around(), "rows": plain(rows)}
        given.json.write_text(json.dumps(value, indent=1) + "\n")
    return int(any(one.held is False for one in rows))


if __name__ == "__main__":
    sys.exit(main())
