"""A machine against itself by the rows of ``quick``: how often is a difference called where there is none?"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from campaign import journal, tree
from campaign.progress import Progress
from evidence.page import Figures, Page, write

RUNS = 20
MOST_FALSE = 3
"""So many of 20 runs may call a difference that is not there; 5 % of runs are meant to."""
QUICK = tree.ROOT / "src/assay/scenes/library/quick.yaml"
COMMAND = "make campaign PART=aa"
CALLED = ("loss", "gain")


def scene() -> str:
    """Return the scene ``quick`` with this machine in the guest's place."""
    from ruamel.yaml import YAML

    told = YAML(typ="safe", pure=True).load(QUICK.read_text())
    own = {"scene": "aa", "title": "This machine against itself", "treatment": {"machine": "local"}}
    left = ("takes", "published")
    # JSON is YAML, too
    return json.dumps({key: value for key, value in {**told, **own}.items() if key not in left}, indent=2)


def attempt(number: int, work: Path) -> dict[str, Any]:
    """Evaluate once, in a home without a history, and return what was called."""
    home, file = work / "home", work / "aa.yaml"
    shutil.rmtree(home, ignore_errors=True)
    work.mkdir(parents=True, exist_ok=True)
    file.write_text(scene())
    load, began = os.getloadavg()[0], time.monotonic()
    command = [sys.executable, "-c", "from assay.cli import main; main()", "evaluate", str(file), "--json"]
    environment = {**os.environ, "ASSAY_HOME": str(home)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    shutil.rmtree(home, ignore_errors=True)
    told = {
        "run": number,
        "code": done.returncode,
        "seconds": round(time.monotonic() - began),
        "load": round(load, 2),
        "commit": tree.commit_of(tree.ROOT),
    }
    if done.returncode:
        return {**told, "told": done.stderr[-2000:]}
    return {**told, **found(json.loads(done.stdout))}


def found(page: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a result's page calls, how wide its intervals are and what it says against itself."""
    rows = [row for row in page["estimates"] if row["low"] is not None]
    return {
        "rows": len(rows),
        "called": [
            f"{row['workload']} {row['metric']} {row['loss']:+.1%} [{row['low']:.1%}, {row['high']:.1%}]"
            for row in rows
            if row["verdict"] in CALLED
        ],
        "half_width": median((row["high"] - row["low"]) / 2 for row in rows) if rows else None,
        "verdicts": dict(Counter(row["verdict"] for row in rows)),
        "doubts": sorted({d["code"] for d in page["doubts"] if d["severity"] in {"invalidates", "shifts"}}),
    }


def run_all(count: int, work: Path, folder: Path) -> int:
    """Evaluate as often as is still missing, and write the page."""
    state, commit = work / "aa.jsonl", tree.commit_of(tree.ROOT)
    ran = whole(journal.rows(state), commit)
    progress = Progress("aa", max(0, count - len(ran)))
    for number in range(len(ran) + 1, count + 1):
        row = attempt(number, work / "aa")
        journal.add(state, row)
        progress.step("failed" if row["code"] else "called" if row["called"] else "nothing called")
    page = page_of(whole(journal.rows(state), commit), count)
    write(page, folder)
    return int(not all(page.held.values()))


def whole(rows: Sequence[Figures], commit: str) -> list[Figures]:
    """Return the runs at a commit that came to a result."""
    return [row for row in rows if row["commit"] == commit and row["code"] == 0]


def page_of(runs: Sequence[Figures], count: int) -> Page:
    """Return the page of the runs of one commit."""
    rows = [
        {
            **row,
            "run": number,
            "shown": "; ".join(row["called"]) or "-",
            "points": None if row["half_width"] is None else 100 * row["half_width"],
            "against": ", ".join(row["doubts"]) or "-",
        }
        for number, row in enumerate(runs, 1)
    ]
    false = sum(bool(row["called"]) for row in runs)
    text = f"""
The rows of the scene `quick`, its blocks and its way of judging them, with this machine in the guest's place: nothing
differs, so each `loss` or `gain` is false. Each run has a home of its own, so no history of the site widens an interval.
{false} of {len(runs)} runs called one. Times depend on the machine, and other work on it is among the doubts.
"""  # noqa: E501
    shown = {
        "run": ("run", ""),
        "rows": ("rows", "d"),
        "shown": ("called", ""),
        "points": ("half-width, points (median)", ".1f"),
        "against": ("doubts that bear on figures", ""),
        "load": ("load before", ".1f"),
        "seconds": ("seconds", ".0f"),
    }
    held = {
        f"{count} runs came to a result": len(runs) >= count,
        f"at most {MOST_FALSE} of {RUNS} runs call a difference": false * RUNS <= MOST_FALSE * len(runs),
    }
    return Page("aa", "A machine against itself", text, rows, shown, held, command=COMMAND)
