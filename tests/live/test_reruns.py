"""A disturbance that is planted beside one trial: the trial is rejected, kept, counted, and run again.

On this machine alone, without a guest. The loop is planted beside the first trial, and a plan of nine may run
one
again: whatever else disturbs this machine later is kept with its doubt.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.live.parts import Activity, Done, assert_same_world, fits, newest, run, started, world

pytestmark = [pytest.mark.live, pytest.mark.long]

SCENE = """\
scene: disturbed
title: This machine against itself, disturbed once
baseline: {machine: local}
treatment: {machine: local}
workloads: [{use: flops, parameters: {runtime: 1 s}}]
design: {blocks: 3, rerun: [foreign-cpu]}
"""
FIRST = 0


@dataclass(frozen=True)
class Story:
    """What happened: the command that ended it, its activity, and the rejected files when they appeared."""

    end: Done
    activity: Activity
    rejected: dict[str, tuple[bytes, int]]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    made = tmp_path_factory.mktemp("home")
    before = world(made)
    yield made
    assert_same_world(made, before)


@pytest.fixture(scope="module")
def disturbed(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Story:
    """Disturb the first trial until it is rejected, and let the evaluation end by itself."""
    return _story(home, tmp_path_factory.mktemp("disturbed"), kill=False)


@pytest.fixture(scope="module")
def resumed(home: Path, disturbed: Story, tmp_path_factory: pytest.TempPathFactory) -> Story:
    """Disturb the first trial, kill the evaluation while it runs again, and resume it."""
    return _story(home, tmp_path_factory.mktemp("resumed"), kill=True, old=[disturbed.activity])


def _story(home: Path, scratch: Path, *, kill: bool, old: list[Activity] | None = None) -> Story:
    scene = scratch / "disturbed.yaml"
    scene.write_text(SCENE)
    with started("evaluate", str(scene), "--json", home=home, scratch=scratch) as running:
        running.wait_for(lambda: newest(home, old or ()), "the activity is there")
        activity = newest(home, old or ())
        assert activity is not None
        running.wait_for(lambda: activity.under_way, "the first trial runs")
        with _busy(activity.plan["baseline"]["limits"]["cpus"][0]):
            running.wait_for(lambda: _rejected(activity), "the first trial is rejected")
        found = _rejected(activity)
        if kill:
            running.wait_for(lambda: activity.runs(FIRST), "it runs again")
            running.send(signal.SIGKILL)
        end = running.end()
    if kill:
        assert end.code == -signal.SIGKILL
        end = run("activity", "resume", activity.id, "--json", home=home)
    return Story(end, activity, found)


@contextmanager
def _busy(cpu: int) -> Iterator[None]:
    """Keep a processor busy meanwhile."""
    code = f"import os\nos.sched_setaffinity(0, [{cpu}])\nwhile True: pass"
    with subprocess.Popen([sys.executable, "-c", code]) as loop:
        try:
            yield
        finally:
            loop.kill()


def _rejected(activity: Activity) -> dict[str, tuple[bytes, int]]:
    """Return content and time of change of all files of the rejected records."""
    found = [path for path in activity.folder.glob("rejected/*/*") if path.is_file()]
    return {
        str(path.relative_to(activity.folder)): (path.read_bytes(), path.stat().st_mtime_ns) for path in found
    }


def _record(story: Story) -> Any:
    (path,) = story.activity.folder.glob("rejected/*/trial.json")
    return json.loads(path.read_text())


@pytest.fixture(params=["disturbed", "resumed"])
def story(request: pytest.FixtureRequest) -> Story:
    found: Story = request.getfixturevalue(request.param)
    return found


def test_the_result_is_complete(story: Story) -> None:
    assert story.end.code == 0, story.end.err
    fits(story.end.page, "report")
    assert story.end.page["result"]["state"] == "complete"
    assert len(story.activity.records) == 9


def test_the_disturbed_trial_is_kept_whole_and_never_changed(story: Story) -> None:
    name = story.activity.plan["trials"][FIRST]
    record = _record(story)
    fits(record, "record")
    assert record["planned"] == name
    assert {Path(path).name for path in story.rejected} >= {"trial.json", "probe.json", "stdout"}
    assert _rejected(story.activity) == story.rejected


def test_the_cause_and_its_figures_are_in_the_record(story: Story) -> None:
    record = _record(story)
    assert "foreign-cpu" in record["disturbed_by"]
    assert record["host"]["foreign_s"] > 0.05 * record["host"]["seconds"]
    assert "disturbed" in {doubt["code"] for doubt in record["doubts"]}


def test_the_trial_was_run_again_and_only_that_is_among_the_trials(story: Story) -> None:
    again = story.activity.records[FIRST]
    assert again["planned"] == _record(story)["planned"]
    assert again["started_ns"] > _record(story)["ended_ns"]


def test_the_page_counts_the_rejected_by_arm_and_cause(story: Story) -> None:
    arm = _record(story)["planned"]["arm"]
    counts = {one["arm"]: one for one in story.end.page["rejections"]}
    assert counts.keys() == {"baseline", "treatment"}
    assert counts[arm]["rejected"] == 1
    assert counts[arm]["causes"] == [{"cause": "foreign-cpu", "count": 1}]
    assert sum(one["rejected"] for one in counts.values()) == 1
    assert sum(one["runs"] for one in counts.values()) == 10


def test_the_user_is_told_while_it_happens_and_on_the_page(disturbed: Story, home: Path) -> None:
    assert re.search(r"was disturbed \(.*foreign-cpu.*\), is rejected and runs again", disturbed.end.err)
    shown = run("result", "show", disturbed.activity.id, home=home).out
    assert "1 of" in shown.split("Run again")[1]


def test_an_imported_result_has_the_same_page(disturbed: Story, tmp_path: Path) -> None:
    imported = run("result", "import", str(disturbed.activity.folder), home=tmp_path)
    assert imported.code == 0, imported.err
    page = run("result", "show", disturbed.activity.id, "--json", home=tmp_path).page
    assert page["rejections"] == disturbed.end.page["rejections"]
    assert page["estimates"] == disturbed.end.page["estimates"]


def test_the_next_process_goes_on_with_the_count(resumed: Story) -> None:
    """One of nine trials may run again: it was, before the process was killed."""
    assert len(list((resumed.activity.folder / "rejected").iterdir())) == 1
