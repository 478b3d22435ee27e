"""Ctrl-C, SIGTERM and ``assay activity stop``: nothing is left running, nothing is lost, one at a time."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.live.parts import (
    Activity,
    Done,
    Running,
    World,
    activities,
    assert_same_world,
    newest,
    run,
    seed_of,
    started,
)

pytestmark = [pytest.mark.live, pytest.mark.long]

COMMAND = ("evaluate", "--command", "sleep 1", "--seed", str(seed_of("tbb")))
SCENE = """\
scene: host-alone
title: This machine against itself under a limit
baseline: {machine: local}
treatment: {machine: local, factors: {cpu.quota: 50 %}}
workloads: [{name: wait, command: sleep 1}]
"""


@dataclass(frozen=True)
class Story:
    """All that happened, in its order; ``kept`` is what was finished when each process had ended."""

    activity: Activity
    other: Activity
    stopped: dict[str, Done]
    kept: dict[str, dict[str, tuple[bytes, int]]]
    refused: dict[str, Done]
    asked: Done
    end: Done


@pytest.fixture(scope="module")
def story(home: Path, before: World, tmp_path_factory: pytest.TempPathFactory) -> Story:
    """Stop an evaluation in a boot, in a guest's trial and by another process, then let it end."""
    stopped, kept, refused = {}, {}, {}
    scene = tmp_path_factory.mktemp("scene") / "host-alone.yaml"
    scene.write_text(SCENE)

    def stop_in(
        what: str,
        command: tuple[str, ...],
        act: Callable[[Running, Activity], None],
        *,
        resumed: Activity | None = None,
    ) -> Activity:
        old = activities(home)
        with started(*command, home=home, scratch=tmp_path_factory.mktemp("run")) as running:
            running.wait_for(lambda: resumed or newest(home, old), "the activity is there")
            found = resumed or newest(home, old)
            assert found is not None
            act(running, found)
            stopped[what] = running.end()
        assert_same_world(home, before)
        kept[what] = found.files()
        return found

    def in_boot(running: Running, _: Activity) -> None:
        running.wait_for(lambda: running.said("booting the guest"), "a guest boots")
        time.sleep(1.5)
        running.send(signal.SIGTERM)

    def in_guest(running: Running, activity: Activity) -> None:
        running.wait_for(lambda: activity.runs(0), "the guest's trial runs")
        running.press_ctrl_c()

    def in_trial(running: Running, activity: Activity) -> None:
        running.wait_for(lambda: activity.runs(0), "the host's trial runs")
        running.send(signal.SIGINT)

    asked: list[Done] = []

    def by_another(running: Running, activity: Activity) -> None:
        running.wait_for(lambda: activity.runs(1), "the second trial runs")
        refused["evaluate"] = run(*COMMAND, home=home)
        refused["resume itself"] = run("activity", "resume", activity.id, home=home)
        refused["resume another"] = run("activity", "resume", other.id, home=home)
        asked.append(run("activity", "stop", activity.id, home=home))

    activity = stop_in("a boot", COMMAND, in_boot)
    resume = ("activity", "resume", activity.id)
    stop_in("a guest's trial", resume, in_guest, resumed=activity)
    other = stop_in("a host's trial", ("evaluate", str(scene), "--seed", "1"), in_trial)
    stop_in("another process", resume, by_another, resumed=activity)
    end = run(*resume, "--json", home=home)
    return Story(activity, other, stopped, kept, refused, asked[0], end)


WHERE = ("a boot", "a guest's trial", "a host's trial", "another process")


@pytest.mark.parametrize("where", WHERE)
def test_a_stopped_evaluation_ends_as_interrupted_and_says_how_to_go_on(story: Story, where: str) -> None:
    done = story.stopped[where]
    assert done.code == 130, done.err
    name = story.other.id if where == "a host's trial" else story.activity.id
    assert f"assay activity resume {name}" in done.err
    assert "Traceback" not in done.err
    assert "interrupted" in done.out


def test_a_trial_that_was_stopped_leaves_no_record(story: Story) -> None:
    for where in ("a boot", "a guest's trial", "a host's trial"):
        assert story.kept[where] == {}


def test_stopping_from_another_process_is_asked_for_and_obeyed(story: Story) -> None:
    assert story.asked.code == 0, story.asked.err
    assert {name.split("/")[1][:4] for name in story.kept["another process"]} >= {"0000"}


@pytest.mark.parametrize("what", ["evaluate", "resume itself", "resume another"])
def test_a_second_activity_is_refused_while_one_runs(story: Story, what: str) -> None:
    done = story.refused[what]
    assert done.code == 4, done.err
    (line,) = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert story.activity.id in line
    assert f"assay activity stop {story.activity.id}" in done.err
    assert done.out == ""


def test_a_refused_evaluation_leaves_no_activity(story: Story, home: Path) -> None:
    assert {path.name for path in home.glob("activities/*")} == {story.activity.id, story.other.id}


def test_what_was_stopped_again_and_again_is_resumed_to_its_end(story: Story) -> None:
    assert story.end.code == 0, story.end.err
    assert story.end.page["result"]["state"] == "complete"
    assert [record["planned"] for record in story.activity.records] == story.activity.plan["trials"]
    now = story.activity.files()
    assert {name: now[name] for name in story.kept["another process"]} == story.kept["another process"]


def test_stopping_what_nobody_works_on_is_a_clear_error(story: Story, home: Path) -> None:
    done = run("activity", "stop", story.activity.id, home=home)
    assert done.code == 3
    assert "no process works on it" in done.err
