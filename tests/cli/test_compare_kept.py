"""Results compared by what was kept beside their pages: the same as by their records."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from assay.activities import compared as room
from assay.activities.pages import write_page
from assay.activities.summaries import keep_summary
from assay.model.machines.floor import MetricFloor, SiteFloor
from assay.results.comparison import compare as by_records
from assay.store.record import write_activity, write_trial
from assay.store.store import Store
from tests.builders import WORKLOAD
from tests.command import run
from tests.results.test_outcome import PLAN, records

OTHER = "4567abcd"
(METRIC,) = WORKLOAD.metrics
KNOWN = MetricFloor(
    WORKLOAD.work, WORKLOAD.name, METRIC.name, sessions=3, blocks=30, session=0.01, block=0.02
)
FLOOR = SiteFloor("node", 0, 1, 0, (KNOWN,))


@pytest.fixture
def both(measured: Path) -> Path:
    """Return a home with two results, the second over a known floor and with other figures."""
    folder = measured / "activities" / OTHER
    for record in records():
        place = folder / "trials" / record.planned.name
        place.mkdir(parents=True)
        figures = tuple(replace(one, value=one.value and one.value**1.01) for one in record.measurements)
        write_trial(place, replace(record, activity=OTHER, measurements=figures))
    write_activity(folder, replace(PLAN, id=OTHER, floor=FLOOR))
    with closing(Store(measured)) as store:
        store.import_folder(folder)
    return measured


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Note of which results the records are read for a comparison."""
    folders: list[str] = []
    make = by_records._read
    monkeypatch.setattr(by_records, "_read", lambda folder: (folders.append(folder.name), make(folder))[1])
    return folders


def keep(home: Path, *names: str) -> None:
    with closing(Store(home)) as store:
        for name in names:
            folder = store.activity(name).folder
            keep_summary(store, write_page(folder), written=folder)


def compared(home: Path) -> str:
    return run("result", "compare", PLAN.id, OTHER, "--json", home=home).out


def test_what_was_kept_says_the_same_as_the_records(both: Path, read: list[str]) -> None:
    before = compared(both)
    assert any(row["low"] is not None for row in json.loads(before)["rows"])
    keep(both, PLAN.id)
    assert compared(both) == before
    keep(both, OTHER)
    assert compared(both) == before
    assert read == [PLAN.id, OTHER, OTHER]


@pytest.mark.parametrize("harm", ["gone", "cut", "changed", "page", "version"])
def test_what_is_not_right_any_more_is_made_from_the_records(
    both: Path, read: list[str], harm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = compared(both)
    keep(both, PLAN.id, OTHER)
    read.clear()
    kept = both / "activities" / OTHER / room.SIDE
    text = kept.read_text()
    if harm == "gone":
        kept.unlink()
    elif harm == "cut":
        kept.write_text(text[: len(text) // 2])
    elif harm == "changed":
        kept.write_text(text.replace('"loss": 0.', '"loss": 1.', 1))
    elif harm == "page":
        write_page(kept.parent)
        kept.write_text(text.replace('"page": "', '"page": "0', 1))
    else:
        monkeypatch.setattr(room, "MADE_BY", "a later one")
    assert compared(both) == before
    assert OTHER in read


def test_what_was_kept_is_compared_without_what_is_slow_to_start(both: Path) -> None:
    keep(both, PLAN.id, OTHER)
    heavy = (
        "sqlalchemy",
        "assay.store.store",
        "assay.workloads",
        "assay.results.outcome",
        "assay.web",
        "rich",
    )
    code = (
        "import sys\n"
        "from assay.cli import main\n"
        f"try: main(['result', 'compare', {PLAN.id!r}, {OTHER!r}])\n"
        f"except SystemExit: print([m for m in {heavy!r} if m in sys.modules])"
    )
    variables = {**os.environ, "ASSAY_HOME": str(both)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
    assert PLAN.id in done.stdout
    assert done.stdout.endswith("\n[]\n")


def test_it_is_closed_to_others(both: Path) -> None:
    keep(both, OTHER)
    assert (both / "activities" / OTHER / room.SIDE).stat().st_mode & 0o777 == 0o600


def test_what_lies_beside_a_page_that_was_not_written_here_is_not_read(both: Path, read: list[str]) -> None:
    """A folder that is read from where it lies may be another user's: a pipe there would be waited for."""
    before = compared(both)
    read.clear()
    os.mkfifo(both / "activities" / OTHER / room.SIDE)
    assert compared(both) == before
    assert OTHER in read
