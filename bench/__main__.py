"""Measures and prints the table: ``python -m bench [--json FILE] [--rounds N] [--only PART]``."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from pathlib import Path

from bench import analyse, costs, guests, hosts, in_place, lists, ours, runs, size, stalls, thousand, trials
from bench.rows import Row, plain, table

PARTS = ("costs", "runs", "stalls", "guests")
APART = ("hosts", "thousand", "lists", "size", "analyse", "trials", "prmon")
"""Measured only where they are asked for: they need what nobody else does."""


def measure(parts: list[str], rounds: int, folder: Path) -> list[Row]:
    """All rows of these parts."""
    found: list[Row] = []
    if "costs" in parts:
        found += costs.rows(rounds)
    if "runs" in parts:
        found += runs.ends(folder, 4 * rounds) + runs.whole(folder) + runs.gaps(folder, 1)
    if "stalls" in parts:
        found += stalls.rows(folder, rounds)
    if "guests" in parts:
        found += guests.rows(rounds)
    if "hosts" in parts:
        found += hosts.rows(rounds)
    if "thousand" in parts:
        found += thousand.rows()
    if "lists" in parts:
        found += lists.rows(rounds)
    if "analyse" in parts:
        found += analyse.rows(rounds)
    if "size" in parts:
        found += size.rows(rounds)
    if "trials" in parts:
        found += trials.rows(rounds)
    if "prmon" in parts:
        found += in_place.rows(rounds)
    return found


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
        description="what the probe costs, beside psutil; guests restored, beside booted",
    )
    parser.add_argument("--json", type=Path, help="also write the rows to this file")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=(*PARTS, *APART), action="append")
    given = parser.parse_args()
    before = around()
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        rows = measure(given.only or list(PARTS), given.rounds, Path(folder))
    sys.stdout.write(f"{table(rows)}\n{json.dumps(before)}\n")
    if given.json:
        value = {"before": before, "after": around(), "rows": plain(rows)}
        given.json.write_text(json.dumps(value, indent=1) + "\n")
    return int(any(one.held is False for one in rows))


if __name__ == "__main__":
    sys.exit(main())
