"""The analysis of a CSV file of a million rows, beside a plain reading of it by the csv module of Python."""

from __future__ import annotations

import csv
import math
import random
import sys
import tempfile
from pathlib import Path

from bench.commands import taken, taken_by
from bench.rows import Row, ratios, row

SESSIONS, BLOCKS = 50, 10_000
GOAL_S, GOAL_MIB = 4.0, 400
PEER = "csv.reader and float() of one column"
_READ = """
import csv, sys
with open(sys.argv[1], newline="") as file:
    lines = csv.reader(file)
    at = next(lines).index("value")
    print(sum(float(line[at]) for line in lines))
"""


def rows(rounds: int) -> list[Row]:
    """Time and memory of the command, from its start to its end."""
    with tempfile.TemporaryDirectory(prefix="assay-bench-analyse-", dir="/var/tmp") as folder:
        file = Path(folder) / "runs.csv"
        fill(file)
        home, theirs = Path(folder), [sys.executable, "-c", _READ, str(file)]
        each = [(taken(home, ("analyse", str(file))), taken_by(theirs, home)) for _ in range(rounds)]
    seconds, plain = [one.seconds for one, _ in each], [other.seconds for _, other in each]
    what = f"assay analyse, {2 * SESSIONS * BLOCKS} rows"
    return [
        ratios(row(what, "s", seconds, goal=GOAL_S), seconds, plain, PEER),
        row(what, "MiB", [one.mib for one, _ in each], goal=GOAL_MIB),
        row(PEER, "s", plain),
    ]


def fill(file: Path) -> None:
    """Write a file of sessions of blocks with two arms in a drawn order."""
    draw = random.Random(1)  # noqa: S311 - no secret
    with file.open("w", newline="") as out:
        lines = csv.writer(out)
        lines.writerow(["machine", "session", "block", "arm", "value", "order"])
        for number in range(SESSIONS * BLOCKS):
            session, block = divmod(number, BLOCKS)
            for at, arm in enumerate(draw.sample(("host", "guest"), 2)):
                value = math.exp(draw.gauss(3.05 if arm == "guest" else 3, 0.02))
                lines.writerow(["node01", f"d{session}", block, arm, f"{value:.4f}", 2 * number + at])
