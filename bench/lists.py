"""Lists of a store of a million trials: what they take, from the start of the command to its end."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.activities.summaries import MADE_BY
from assay.store import tables as t
from assay.store.revision import FILE
from assay.store.store import Store
from bench.commands import taken
from bench.rows import Row, row

RESULTS, TRIALS, METRICS = 18_500, 54, 11
GOAL_S, GOAL_MIB = 1.0, 150
TAG = "paper"
COMMANDS = {
    "result list": ("result", "list"),
    "result list --limit 20": ("result", "list", "--limit", "20"),
    "activity list": ("activity", "list"),
    "result list --json": ("result", "list", "--json"),
}


def rows(rounds: int) -> list[Row]:
    """Time and memory of each list."""
    with tempfile.TemporaryDirectory(prefix="assay-bench-lists-", dir="/var/tmp") as folder:
        home = Path(folder)
        fill(home)
        return [one for name, words in COMMANDS.items() for one in _rows(home, name, words, rounds)]


def _rows(home: Path, name: str, words: tuple[str, ...], rounds: int) -> Iterator[Row]:
    each = [taken(home, words) for _ in range(rounds)]
    what = f"assay {name}, {RESULTS} results of {TRIALS} trials"
    goal_s, goal_mib = (None, None) if "--json" in words else (GOAL_S, GOAL_MIB)
    yield row(what, "s", [seconds for seconds, _ in each], goal=goal_s)
    yield row(what, "MiB", [mib for _, mib in each], goal=goal_mib)


def fill(home: Path, results: int = RESULTS) -> None:
    """Fill a home with the rows of so many results, each with a folder and its summary; by default they have
    a million trials. Each fiftieth has a tag.
    """
    Store(home).close()
    engine = sa.create_engine(f"sqlite:///{home / FILE}")
    estimates = [_estimate(number) for number in range(METRICS)]
    with engine.begin() as connection:
        for start in range(0, results, 500):
            numbers = range(start, min(start + 500, results))
            for table, made in (
                (t.activity, [_activity(home, number) for number in numbers]),
                (t.trial, [one for number in numbers for one in _trials(number)]),
                (t.summary, [_summary(number) for number in numbers]),
                (t.summary_content, [_content(number, estimates) for number in numbers]),
                (t.summary_key, [one for number in numbers for one in _keys(number)]),
                (t.tag, [{"activity": _id(number), "tag": TAG} for number in numbers if number % 50 == 0]),
            ):
                connection.execute(sa.insert(table), made)
    for number in range(results):
        folder = home / "activities" / _id(number)
        folder.mkdir(parents=True)
        (folder / "activity.json").write_text("{}\n")


def _id(number: int) -> str:
    return f"{number * 2654435761 % 2**32:08x}"


def _activity(home: Path, number: int) -> dict[str, Any]:
    return {
        "id": _id(number),
        "scene": f"scene-{number % 12}",
        "title": "Guests of this machine over it",
        "folder": str(home / "activities" / _id(number)),
        "created_ns": 1_700_000_000_000_000_000 + number * 10**12,
        "ended_ns": 1_700_000_000_000_000_000 + number * 10**12 + 10**11,
        "state": "complete",
        "treatment": "guest",
        "seed": number,
        "trials": TRIALS,
        "ended": TRIALS,
        "failed": 0,
    }


def _trials(number: int) -> Iterator[dict[str, Any]]:
    for index in range(TRIALS):
        yield {
            "activity": _id(number),
            "index": index,
            "block": index // 6,
            "slot": index % 3,
            "arm": "treatment" if index % 3 == 1 else "baseline",
            "replicate": index % 3 // 2,
            "workload": f"work-{index % 2}",
            "state": "ended",
            "machine": "local",
            "exit_code": 0,
            "started_ns": 1_700_000_000_000_000_000,
            "ended_ns": 1_700_000_001_000_000_000,
        }


def _estimate(number: int) -> dict[str, Any]:
    figures = {"baseline_value": 123.456789012345, "treatment_value": 111.222333444555}
    interval = {"loss": 0.0991, "low": 0.0912345678901, "high": 0.107654321}
    verdict = {"verdict": "loss", "matters": "yes", "blocks": 9, "treatment": None, "against": None}
    names = {"workload": f"work-{number % 2}", "metric": f"metric-{number}", "unit": "1/s"}
    return {**names, "direction": "higher", **figures, **interval, **verdict}


TIMES = {"started": "2026-11-20T12:00:00+00:00", "ended": "2026-11-20T12:10:00+00:00"}
HEADLINE = f"{METRICS} metrics: {METRICS} loss, it matters"


def _summary(number: int) -> dict[str, Any]:
    return {
        "activity": _id(number),
        "records": TRIALS,
        "made_by": MADE_BY,
        "state": "complete",
        "started": TIMES["started"],
        "headline": HEADLINE,
    }


def _keys(number: int) -> Iterator[dict[str, Any]]:
    machine = f"node{number % 40:02d}"
    for field, value in (("verdict", "loss"), ("machine", machine), ("machine", f"{machine} (AMD EPYC)")):
        yield {"activity": _id(number), "field": field, "value": value}


def _content(number: int, estimates: list[dict[str, Any]]) -> dict[str, Any]:
    names = {"id": _id(number), "scene": f"scene-{number % 12}", "title": "Guests of this machine over it"}
    arms = {"baseline": "host", "treatment": "guest", "accelerator": "kvm", "command": None}
    design = {"seed": number, "confidence": 0.95, "margin": 0.02, "blocks_planned": 9}
    result = {**names, "state": "complete", **TIMES, **design, **arms}
    machines = [f"node{number % 40:02d} (AMD EPYC)"]
    content = {"result": result, "headline": HEADLINE, "estimates": estimates, "doubts": []}
    rest = {"badge": None, "seconds": 540.0, "machines": machines}
    return {"activity": _id(number), "content": json.dumps({**content, **rest})}
