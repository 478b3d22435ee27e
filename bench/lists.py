"""Lists of a store of a million trials, and of an empty one: what whole commands take."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.activities.summaries import MADE_BY
from assay.model.machines.fingerprint import facts_digest
from assay.probe.facts import recorded_fingerprint
from assay.store import tables as t
from assay.store.fingerprints import write_fingerprint
from assay.store.revision import FILE
from assay.store.seen import RULES
from assay.store.store import Store
from bench.commands import taken
from bench.rows import Row, row

RESULTS, TRIALS, METRICS = 18_500, 54, 11
FLEETS, LANES = 200, 10
"""Activities on several machines, and their machines; the results beside them are 18,500."""
MACHINES, SCENES = 40, 12
TAG = "paper"
"""Of each fiftieth result."""
BETWEEN_KERNELS = 1_000
"""Results from one kernel of the machine to the next; it boots for each."""
DOUBTED = 9
"""One trial of so many has a doubt."""
GOAL_S, GOAL_MIB, GOAL_START_S = 1.0, 150, 0.2
COMMANDS = (
    "result list",
    "result list --limit 20",
    "result list --verdict loss",
    "result list --machine node03",
    "activity list",
    "result list --json",
    "machine changes local",
)
STARTS = ("result list", "scene list", "machine list")
"""What an empty home is asked."""


def rows(rounds: int, results: int = RESULTS) -> list[Row]:
    """Time and memory of each list of a large store, and CPU time of those of an empty one."""
    with tempfile.TemporaryDirectory(prefix="assay-bench-lists-", dir="/var/tmp") as folder:
        large, empty = Path(folder) / "large", Path(folder) / "empty"
        fill(large, results)
        lists = [one for words in COMMANDS for one in _rows(large, words, results, rounds)]
        return lists + [_start(empty, words, rounds) for words in STARTS]


def _rows(home: Path, words: str, results: int, rounds: int) -> Iterator[Row]:
    each = [taken(home, tuple(words.split())) for _ in range(rounds)]
    what = f"assay {words}, {results} results of {TRIALS} trials"
    yield row(what, "s", [one.seconds for one in each], goal=GOAL_S)
    yield row(what, "MiB", [one.mib for one in each], goal=GOAL_MIB)


def _start(home: Path, words: str, rounds: int) -> Row:
    taken(home, ("result", "list"))  # makes the database
    each = [taken(home, tuple(words.split())).cpu_s for _ in range(rounds)]
    return row(f"assay {words}, an empty home: CPU time", "s", each, goal=GOAL_START_S)


def fill(home: Path, results: int = RESULTS, fleets: int = FLEETS) -> None:
    """Fill a home with the rows of many results, each with its trials, their figures and doubts, its summary,
    and a folder; and activities on several machines. A million trials have 5.5 million figures.
    """
    home.mkdir(exist_ok=True)
    Store(home).close()
    engine = sa.create_engine(f"sqlite:///{home / FILE}")
    estimates = [_estimate(number) for number in range(METRICS)]
    kernels = _kernels(home, 1 + results // BETWEEN_KERNELS)
    with engine.begin() as connection:
        for start in range(0, results, 500):
            numbers = range(start, min(start + 500, results))
            for table, made in (
                (t.activity, [_activity(home, number) for number in numbers]),
                (t.trial, [one for number in numbers for one in _trials(number)]),
                (t.measurement, [one for number in numbers for one in _measurements(number)]),
                (t.doubt, [one for number in numbers for one in _doubts(number)]),
                (t.summary, [_summary(number) for number in numbers]),
                (t.summary_content, [_content(number, estimates) for number in numbers]),
                (t.summary_key, [one for number in numbers for one in _keys(number)]),
                (t.seen, [_seen(number) for number in numbers]),
                (t.boot, [_boot(number, kernels) for number in numbers]),
                (t.tag, [{"activity": _id(number), "tag": TAG} for number in numbers if number % 50 == 0]),
            ):
                connection.execute(sa.insert(table), made)
        for number in range(fleets):
            connection.execute(sa.insert(t.fleet).values(**_fleet(home, number)))
            lanes = [*_lanes(home, number)]
            connection.execute(sa.insert(t.activity), lanes)
            connection.execute(
                sa.insert(t.seen), [_seen(number) | {"activity": lane["id"]} for lane in lanes]
            )
            connection.execute(sa.insert(t.fleet_summary).values(**_fleet_summary(number)))
    for number in range(results):
        folder = home / "activities" / _id(number)
        folder.mkdir(parents=True)
        (folder / "activity.json").write_text("{}\n")
        (folder / "facts").mkdir()
        (folder / f"facts/{number}.json").hardlink_to(_facts(home, number // BETWEEN_KERNELS))
    for number in range(fleets):
        folder = home / "activities" / _fleet_id(number)
        folder.mkdir(parents=True)
        (folder / "fleet.json").write_text("{}\n")


def _kernels(home: Path, count: int) -> list[str]:
    """Write the facts of this machine under several kernels; return their digests."""
    here = recorded_fingerprint(Path("/"))
    found = []
    for number in range(count):
        one = replace(here, facts=replace(here.facts, kernel=f"6.1.{number}"))
        write_fingerprint(_facts(home, number), one)
        found.append(facts_digest(one))
    return found


def _facts(home: Path, kernel: int) -> Path:
    return home / f"kernel-{kernel}.json"


def _id(number: int) -> str:
    return f"{number * 2654435761 % 2**32:08x}"


def _activity(home: Path, number: int) -> dict[str, Any]:
    return {
        "id": _id(number),
        "scene": f"scene-{number % SCENES}",
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


def _fleet_id(number: int) -> str:
    return _id(RESULTS + number)


def _fleet(home: Path, number: int) -> dict[str, Any]:
    its = {"id": _fleet_id(number), "folder": str(home / "activities" / _fleet_id(number))}
    names = ("scene", "title", "created_ns", "ended_ns", "state", "seed")
    return its | {name: _activity(home, number)[name] for name in names} | {"who": "farm", "lanes": LANES}


def _lanes(home: Path, number: int) -> Iterator[dict[str, Any]]:
    for lane in range(LANES):
        its = {"id": _id(RESULTS + FLEETS + number * LANES + lane), "fleet": _fleet_id(number)}
        yield _activity(home, number) | its | {"machine": f"node{lane:02d}"}


def _fleet_summary(number: int) -> dict[str, Any]:
    about = {"state": "complete", "scene": f"scene-{number % 12}", "headline": HEADLINE}
    return {"fleet": _fleet_id(number), "records": TRIALS * LANES, "made_by": MADE_BY} | about


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


def _measurements(number: int) -> Iterator[dict[str, Any]]:
    """Yield the figures of each trial: those of its workload, which has every second of the metrics."""
    for index in range(TRIALS):
        for metric in range(index % 2, METRICS, 2):
            key = {"activity": _id(number), "index": index, "metric": f"metric-{metric}"}
            yield {**key, "unit": "1/s", "direction": "higher", "value": 111.0 + index / 7}


def _doubts(number: int) -> Iterator[dict[str, Any]]:
    for index in range(0, TRIALS, DOUBTED):
        sentence = "12% of the processors' time was taken by other processes of the machine"
        yield {"activity": _id(number), "index": index, "code": "foreign-cpu", "sentence": sentence}


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


def _seen(number: int) -> dict[str, Any]:
    return {"activity": _id(number), "records": TRIALS, "made_by": RULES}


def _boot(number: int, kernels: list[str]) -> dict[str, Any]:
    made = {"qemu": "QEMU 9.1.0", "libvirt": "libvirt 10.10.0"}
    guests = made | {f"image of guest in scene-{number % SCENES}": "0" * 64}
    when = {"boot": str(number), "taken_ns": _activity(Path(), number)["created_ns"]}
    facts = kernels[number // BETWEEN_KERNELS]
    return {"activity": _id(number), "machine": "local", **when, "facts": facts, "guests": json.dumps(guests)}


def _keys(number: int) -> Iterator[dict[str, Any]]:
    machine = f"node{number % MACHINES:02d}"
    for field, value in (("verdict", "loss"), ("machine", machine), ("machine", f"{machine} (AMD EPYC)")):
        yield {"activity": _id(number), "field": field, "value": value}


def _content(number: int, estimates: list[dict[str, Any]]) -> dict[str, Any]:
    names = {
        "id": _id(number),
        "scene": f"scene-{number % SCENES}",
        "title": "Guests of this machine over it",
    }
    arms = {"baseline": "host", "treatment": "guest", "accelerator": "kvm", "command": None}
    design = {"seed": number, "confidence": 0.95, "margin": 0.02, "blocks_planned": 9}
    result = {**names, "state": "complete", **TIMES, **design, **arms}
    machines = [f"node{number % MACHINES:02d} (AMD EPYC)"]
    content = {"result": result, "headline": HEADLINE, "estimates": estimates, "doubts": []}
    rest = {"badge": None, "seconds": 540.0, "machines": machines}
    return {"activity": _id(number), "content": json.dumps({**content, **rest})}
