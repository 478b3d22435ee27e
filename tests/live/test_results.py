"""Results travel as folders, are compared with each other, and a dry run leaves everything as it is."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.live.conftest import Make
from tests.live.parts import Activity, Done, World, activities, assert_same_world, domains, fits, run, world

pytestmark = pytest.mark.live


def test_a_copied_folder_is_a_result_in_a_fresh_home(
    evaluated: tuple[Done, Activity, World], make_home: Make, tmp_path: Path
) -> None:
    done, activity, _ = evaluated
    copy = shutil.copytree(activity.folder, tmp_path / "taken" / activity.id)
    fresh = make_home("fresh", images=False)
    taken = run("result", "import", str(copy), "--json", home=fresh)
    assert (taken.code, taken.page["result"]) == (0, activity.id), taken.err
    assert run("result", "show", "last", "--json", home=fresh).page == done.page
    listed = run("activity", "list", "--json", home=fresh).page["activities"]
    assert [(row["id"], row["state"], row["ended"]) for row in listed] == [(activity.id, "complete", 9)]


@pytest.mark.long
def test_two_results_of_one_scene_are_compared_metric_by_metric(
    halved: tuple[Done, Activity], eased: tuple[Done, Activity], shared_home: Path
) -> None:
    names = halved[1].id, eased[1].id
    compared = run("result", "compare", *names, "--json", home=shared_home)
    assert compared.code == 0, compared.err
    fits(compared.page, "comparison")
    (row,) = compared.page["rows"]
    assert (row["a"]["loss"], row["b"]["loss"]) == tuple(_loss(done) for done, _ in (halved, eased))
    assert row["difference"] == pytest.approx(row["b"]["loss"] - row["a"]["loss"], abs=0.01)
    text = run("result", "compare", *names, home=shared_home).out
    assert "sysbench-cpu" in text
    assert all(name in text for name in names)


def _loss(done: Done) -> float:
    (row,) = done.page["estimates"]
    loss: float = row["loss"]
    return loss


@pytest.mark.long
def test_results_that_cannot_be_compared_say_so(
    evaluated: tuple[Done, Activity, World], halved: tuple[Done, Activity], shared_home: Path
) -> None:
    page = run("result", "compare", evaluated[1].id, halved[1].id, "--json", home=shared_home).page
    assert page["rows"] == []
    assert {"scenes-differ", "accelerators-differ"} <= {doubt["code"] for doubt in page["doubts"]}
    assert page["only_a"]
    assert page["only_b"]


def test_a_dry_run_says_what_would_run_and_changes_no_file(
    evaluated: tuple[Done, Activity, World], shared_home: Path
) -> None:
    before, files, kept = world(shared_home), _files(shared_home), _rows(shared_home)
    said = run("evaluate", "quick", "--dry-run", "--seed", "7", home=shared_home)
    plan = run("evaluate", "quick", "--dry-run", "--seed", "7", "--json", home=shared_home).page
    assert said.code == 0, said.err
    assert f"{len(plan['trials'])} trials in 10 blocks, seed 7" in said.out
    assert plan["seconds"] > 0
    assert plan["disk_bytes"] > 0
    assert _files(shared_home) == files
    assert _rows(shared_home) == kept
    assert_same_world(shared_home, before)


def test_a_dry_run_in_a_fresh_home_makes_no_activity_no_guest_and_no_image(make_home: Make) -> None:
    fresh = make_home("dry", images=False)
    done = run("evaluate", "quick", "--dry-run", home=fresh)
    assert done.code == 0, done.err
    assert activities(fresh) == []
    assert not (fresh / "images").exists()
    assert not (fresh / "guests").exists()
    assert domains(fresh) == ()


def _files(home: Path) -> dict[str, Any]:
    """Return all files but the database, whose journal any reader may fold into it."""
    return {
        str(path): (path.stat().st_mtime_ns, path.stat().st_size)
        for path in home.rglob("*")
        if not path.name.startswith("assay.db")
    }


def _rows(home: Path) -> list[str]:
    with closing(sqlite3.connect(home / "assay.db")) as database:
        return [*database.iterdump()]
