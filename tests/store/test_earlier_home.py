"""A home that an earlier assay made is opened, listed, shown, compared and resumed by this one.

The archive holds what the assay of its commit wrote; how it was made is told by
``tests/store/homes/make.py``. Its database holds absolute paths, which are moved along.
"""

from __future__ import annotations

import json
import os
import sqlite3
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from assay.model.files.home import is_home
from assay.model.files.marker import is_marked
from tests.command import Done
from tests.live.parts import Activity, run
from tests.passing import Hardware, lack
from tests.store.homes.make import BASE, ELSEWHERE, HOME, KILLED_IN, ROLES

ARCHIVES = sorted((Path(__file__).parent / "homes").glob("*.tar.xz"))
PAGES = {0, 130}
"""Exit codes of a page: complete, interrupted."""
SAME = (
    "workload",
    "metric",
    "unit",
    "direction",
    "baseline_value",
    "treatment_value",
    "loss",
    "slowdown",
    "blocks",
    "blocks_data",
    "aim",
)
"""What of a row no later rule for intervals and verdicts may change."""


@dataclass(frozen=True)
class Earlier:
    """The home of an earlier assay.

    Attributes:
        home: Its folder.
        roles: Ids of its activities by what they are there for.
    """

    home: Path
    roles: dict[str, str]

    def call(self, *words: str) -> Done:
        """Run this assay in it."""
        return run(*words, home=self.home)

    def folder(self, role: str) -> Path:
        """Return the folder of one of its own activities."""
        return self.home / "activities" / self.roles[role]


@pytest.fixture(params=ARCHIVES, ids=lambda archive: archive.name.partition(".")[0])
def earlier(request: pytest.FixtureRequest, tmp_path: Path) -> Earlier:
    """Unpack a home and move its paths."""
    with tarfile.open(request.param) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python below 3.11.4 has none
        archive.extractall(tmp_path)
    roles = json.loads((tmp_path / ROLES).read_text())
    with sqlite3.connect(tmp_path / HOME / "assay.db") as database:
        database.execute("UPDATE activity SET folder = replace(folder, ?, ?)", (str(BASE), str(tmp_path)))
    database.close()
    note = tmp_path / HOME / "activities" / roles["interrupted"] / "inflight.json"
    note.write_text(note.read_text().replace(str(BASE), str(tmp_path)))
    return Earlier(tmp_path / HOME, roles)


def test_it_gets_its_markers(earlier: Earlier) -> None:
    assert not is_home(earlier.home)
    assert earlier.call("activity", "list").code == 0
    assert is_home(earlier.home)
    assert is_marked(earlier.home / "work" / earlier.roles["interrupted"])


def test_its_activities_are_listed_with_their_states(earlier: Earlier) -> None:
    done = earlier.call("activity", "list", "--json")
    assert done.code == 0, done.err
    rows = {row["id"]: row for row in done.page["activities"]}
    states = {role: rows[name]["state"] for role, name in earlier.roles.items()}
    assert states == dict.fromkeys(earlier.roles, "complete") | {"interrupted": "interrupted"}
    assert [rows[name]["state"] for name in rows.keys() - set(earlier.roles.values())] == ["complete"]
    origins = {role: rows[name]["origin"] for role, name in earlier.roles.items()}
    linked = str(earlier.home.parent / ELSEWHERE / earlier.roles["imported"])
    assert origins == dict.fromkeys(earlier.roles) | {"imported": linked}
    assert [row["name"] for row in earlier.call("machine", "list", "--json").page["machines"]] == [
        "local",
        "bench",
    ]


def test_every_result_is_shown_compared_and_reported(earlier: Earlier) -> None:
    listed = earlier.call("result", "list", "--json")
    assert {row["id"] for row in listed.page["results"]} > set(earlier.roles.values())
    assert listed.err == ""
    for name in earlier.roles.values():
        for words in (("result", "show", name), ("result", "show", name, "--json"), ("report", name)):
            done = earlier.call(*words)
            assert done.code in PAGES, done.err
            assert name in done.out
            assert "warning" not in done.err
    proved = earlier.call("result", "show", earlier.roles["complete"], "--json").page["proof"]
    assert proved["runs"][-1]["activity"] == earlier.roles["run"]
    compared = earlier.call(
        "result", "compare", earlier.roles["complete"], earlier.roles["imported"], "--json"
    )
    assert compared.code == 0, compared.err
    assert len(compared.page["rows"]) > 0


def test_the_figures_are_those_that_it_wrote_itself(earlier: Earlier) -> None:
    for role in ("complete", "rejected", "run"):
        written = json.loads((earlier.folder(role) / "report.json").read_text())
        page = earlier.call("result", "show", earlier.roles[role], "--json").page
        assert page["rejections"] == written["rejections"]
        for row, before in zip(page["estimates"], written["estimates"], strict=True):
            assert {key: row[key] for key in SAME} == {key: before[key] for key in SAME}


def test_nothing_of_it_is_removed_but_what_a_crash_left(earlier: Earlier) -> None:
    kept = everything(earlier.home / "activities")
    done = earlier.call("platform", "clean", "--json")
    assert done.code == 0, done.err
    (left,) = [row for row in done.page["leftovers"] if str(earlier.home) in row["name"]]
    assert (left["removed"], Path(left["name"]).name) == (False, earlier.roles["interrupted"])
    assert f"assay activity resume {earlier.roles['interrupted']}" in left["why"]
    assert everything(earlier.home / "activities") == kept


def test_its_database_is_made_anew_from_its_records(earlier: Earlier) -> None:
    rows = earlier.call("activity", "list", "--json").page["activities"]
    done = earlier.call("store", "rebuild", "--json")
    assert done.code == 0, done.err
    assert done.page["machines"] == ["bench"]
    again = earlier.call("activity", "list", "--json").page["activities"]
    assert {row["origin"] is None for row in rows} == {True, False}
    assert [shown(row) for row in again] == [shown(row) for row in rows]


def shown(row: Any) -> Any:
    """Return what does not change when the database is made anew from records that were not complete."""
    return {name: value for name, value in row.items() if name != "ended_ns"}


@pytest.mark.live
def test_the_interrupted_one_is_resumed_to_its_end_and_its_records_stay(earlier: Earlier) -> None:
    if (os.cpu_count() or 1) < 2:
        lack(Hardware.PROCESSORS, "it was planned for two")
    name = earlier.roles["interrupted"]
    activity = Activity(earlier.folder("interrupted"))
    note, plan, records = (
        activity.under_way,
        (activity.folder / "activity.json").read_bytes(),
        activity.files(),
    )
    assert {path.split("/")[1][:4] for path in records} == {"0000", "0001"}
    done = earlier.call("activity", "resume", name, "--json")
    assert done.code == 0, done.err
    assert done.page["result"]["state"] == "complete"
    assert {path: activity.files()[path] for path in records} == records
    assert [record["planned"] for record in activity.records] == json.loads(plan)["trials"]
    assert (activity.folder / "activity.json").read_bytes() == plan
    assert activity.records[KILLED_IN]["started_ns"] == note["started_ns"], (
        "what it left running is collected"
    )
    assert [
        row for row in earlier.call("platform", "clean", "--json").page["leftovers"] if name in row["name"]
    ] == []


def everything(folder: Path) -> dict[str, bytes]:
    """Return the content of all files below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
