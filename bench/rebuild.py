"""The database made anew from the records of 100,000 trials, beside a plain reading of the same files."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from assay.design import plan_trials
from assay.model.files.home import mark_home
from assay.store.record import write_activity, write_trial
from assay.store.revision import FILE
from bench.commands import Taken, taken, taken_by
from bench.rows import Row, ratios, row
from tests.builders import plan_of, record_of

RESULTS, BLOCKS, A_BLOCK = 1_850, 18, 3
"""Results, and blocks of three trials of each: 99,900 trials."""
NAME = "0123abcd"
PEER = "json.loads() of each file"
_READ = """
import json, pathlib, sys
for file in pathlib.Path(sys.argv[1]).rglob("*.json"):
    json.loads(file.read_bytes())
"""


def rows(rounds: int, results: int = RESULTS) -> list[Row]:
    """Time and memory of ``assay store rebuild``, each round with no database there."""
    with tempfile.TemporaryDirectory(prefix="assay-bench-rebuild-", dir="/var/tmp") as folder:
        home = Path(folder) / "home"
        fill(home, results)
        theirs = [sys.executable, "-c", _READ, str(home)]
        both = [(_rebuilt(home), taken_by(theirs, home).seconds) for _ in range(rounds)]
    each, plain = [one for one, _ in both], [one for _, one in both]
    seconds = [one.seconds for one in each]
    what = f"assay store rebuild, {results * BLOCKS * A_BLOCK} trials"
    return [
        ratios(row(what, "s", seconds), seconds, plain, PEER),
        row(what, "MiB", [one.mib for one in each]),
        row(PEER, "s", plain),
    ]


def _rebuilt(home: Path) -> Taken:
    for file in home.glob(f"{FILE}*"):
        file.unlink()
    return taken(home, ("store", "rebuild"))


def fill(home: Path, results: int = RESULTS) -> None:
    """Fill a home with the records of many results: one is written as an activity writes it, all others are
    copies of it under names of their own.
    """
    trials = plan_trials(("spin",), blocks=BLOCKS, seed=1)
    with tempfile.TemporaryDirectory(prefix="assay-bench-rebuild-", dir="/var/tmp") as one:
        for planned in trials:
            place = Path(one) / "trials" / planned.name
            place.mkdir(parents=True)
            write_trial(place, record_of(planned, 100.0 + planned.index))
        write_activity(Path(one), plan_of(trials, id=NAME))
        files = {file.relative_to(one): file.read_bytes() for file in Path(one).rglob("*.json")}
    for number in range(results):
        name = f"{number:08x}"
        for path, data in files.items():
            place = home / "activities" / name / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data.replace(NAME.encode(), name.encode()))
    mark_home(home)
