"""What was measured elsewhere is for reading: none of its commands runs here."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from assay.platforms.durable import write_json
from assay.platforms.process import this_process
from assay.store.record import write_activity
from assay.store.store import Store
from tests.command import run
from tests.results.test_outcome import PLAN

FUTURE_NS = 4_102_444_800 * 10**9


@pytest.fixture
def home(measured: Path, tmp_path: Path) -> Path:
    """Return a home with one interrupted result that was imported, and none of its own."""
    foreign = tmp_path / "usb"
    shutil.copytree(measured / "activities" / PLAN.id, foreign)
    shutil.rmtree(foreign / "trials" / PLAN.trials[-1].name)
    evil = replace(PLAN.workloads[0], command=("/bin/sh", "-c", f"touch {tmp_path}/ran"))
    write_activity(foreign, replace(PLAN, created_ns=FUTURE_NS, workloads=(evil,)))
    fresh = tmp_path / "fresh"
    done = run("result", "import", str(foreign), "--json", home=fresh)
    assert done.code == 0, done.err
    assert done.page["origin"] == str(foreign)
    assert done.page["folder"] == str(fresh / "imported" / PLAN.id)
    return fresh


ACTS = {
    "resume": ("activity", "resume"),
    "extend": ("activity", "extend", "--blocks", "3"),
    "stop": ("activity", "stop"),
    "prove": ("explain", "--prove"),
}


@pytest.mark.parametrize("act", ACTS)
def test_it_is_never_resumed_extended_stopped_or_proved(home: Path, tmp_path: Path, act: str) -> None:
    me = this_process()
    write_json(home / "run" / f"{PLAN.id}.pid", {"pid": me.pid, "start_ticks": me.start_ticks})
    for name in (PLAN.id, PLAN.id[:4]):
        done = run(*ACTS[act], name, home=home)
        assert done.code == 3, done.err
        assert done.err == (
            f"error: cannot {act} activity {PLAN.id}: it was imported from {tmp_path}/usb\n\n"
            f"hint: {act} it in the home where it was measured, or evaluate its scene here\n"
        )
    done = run(*ACTS[act], "last", home=home)
    assert (done.code, "there is none yet" in done.err) == (3, True)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("act", ACTS)
def test_last_is_then_what_was_measured_here(home: Path, act: str, monkeypatch: pytest.MonkeyPatch) -> None:
    own = replace(PLAN, id="aaaa0000", created_ns=1)
    store = Store(home)
    store.add_activity(own, home / "activities" / own.id)
    store.close()
    done = run(*ACTS[act], "last", home=home)
    assert own.id in done.err
    assert PLAN.id not in done.err


def test_it_is_shown_with_where_it_came_from_and_without_a_word_of_resuming(
    home: Path, tmp_path: Path
) -> None:
    for command in (("result", "show"), ("report",), ("explain",)):
        done = run(*command, "last", home=home)
        assert f"result {PLAN.id} was imported from {tmp_path}/usb" in done.err, command
        assert "activity resume" not in done.out + done.err
    assert "report.html" not in run("result", "show", home=home).out.split("Files")[-1].split("Next")[0]
    assert "imported from" in run("activity", "show", "last", home=home).out
    for group, listed in (("activity", "activities"), ("result", "results")):
        assert str(tmp_path / "usb") in run(group, "list", home=home).out
        (row,) = run(group, "list", "--json", home=home).page[listed]
        assert row["origin"] == str(tmp_path / "usb")


def test_a_linked_result_lies_where_it_was(measured: Path, tmp_path: Path) -> None:
    folder = measured / "activities" / PLAN.id
    done = run("result", "import", "--link", str(folder), "--json", home=tmp_path / "fresh")
    assert (done.page["folder"], done.page["origin"]) == (str(folder), str(folder))
    assert run("activity", "resume", PLAN.id, home=tmp_path / "fresh").code == 3


def test_an_own_folder_stays_our_own(measured: Path) -> None:
    done = run("result", "import", str(measured / "activities" / PLAN.id), "--json", home=measured)
    assert done.page["origin"] is None
    (row,) = run("activity", "list", "--json", home=measured).page["activities"]
    assert (row["origin"], row["imported_ns"]) == (None, None)


def test_an_import_that_is_refused_is_one_line_and_changes_nothing(measured: Path, tmp_path: Path) -> None:
    other = shutil.copytree(measured / "activities" / PLAN.id, tmp_path / "usb")
    (place,) = other.glob(f"trials/{PLAN.trials[0].name}")
    record = json.loads((place / "trial.json").read_text())
    (place / "trial.json").write_text(json.dumps(record | {"ended_ns": record["ended_ns"] + 1}))
    before = run("activity", "list", "--json", home=measured).out
    done = run("result", "import", str(other), home=measured)
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith(
        f"error: cannot import {other}: activity {PLAN.id} is known with other content"
    )
    assert run("activity", "list", "--json", home=measured).out == before


def test_a_linked_folder_that_holds_another_activity_now_is_not_shown_as_the_one_imported(
    measured: Path, tmp_path: Path
) -> None:
    foreign, fresh = tmp_path / "usb", tmp_path / "linked"
    shutil.copytree(measured / "activities" / PLAN.id, foreign)
    assert run("result", "import", "--link", str(foreign), home=fresh).code == 0
    write_activity(foreign, replace(PLAN, id="00000000"))
    shown = run("result", "show", PLAN.id, home=fresh)
    assert shown.code == 3
    listed = run("result", "list", home=fresh)
    assert f"warning: result {PLAN.id} is left out" in listed.err


def test_a_report_is_not_written_into_a_pipe_that_nobody_reads(measured: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    done = run("report", PLAN.id, "--output", str(tmp_path / "pipe"), home=measured)
    assert (done.code, "it is a pipe" in done.err) == (4, True)
