"""``kill -9`` in the middle, twice, and ``assay activity resume``: nothing finished is lost or repeated."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.live.parts import (
    Activity,
    Done,
    World,
    assert_same_world,
    domains,
    newest,
    run,
    seed_of,
    started,
)

pytestmark = pytest.mark.live

THIRD, IN_GUEST = 2, 3
"""Trials that are cut off: one of the host, and the guest's of the second block."""


@dataclass(frozen=True)
class Cut:
    """How things were when a process was killed: what it said, its trial, what was finished."""

    done: Done
    trial: Any
    finished: dict[str, tuple[bytes, int]]


@dataclass(frozen=True)
class Story:
    """All that happened, in its order."""

    activity: Activity
    plan: bytes
    third: Cut
    listed: str
    in_guest: Cut
    cleaned: list[Any]
    spared: tuple[str, ...]
    end: Done


@pytest.fixture(scope="module")
def story(home: Path, before: World, tmp_path_factory: pytest.TempPathFactory) -> Story:
    """Kill an evaluation over the network in its third trial, resume it, kill that in a guest, resume it."""
    seed = str(seed_of("tbbt"))
    command = ("evaluate", "--command", "iperf3 -c {server} -t 1", "--seed", seed)
    third = _kill(command, THIRD, home=home, scratch=tmp_path_factory.mktemp("third"))
    activity = newest(home)
    assert activity is not None
    plan = (activity.folder / "activity.json").read_bytes()
    listed = run("activity", "list", home=home).out
    resume = ("activity", "resume", activity.id)
    in_guest = _kill(resume, IN_GUEST, home=home, scratch=tmp_path_factory.mktemp("guest"))
    cleaned = run("platform", "clean", "--json", home=home).page["leftovers"]
    spared = domains(home)
    end = run(*resume, "--json", home=home)
    return Story(activity, plan, third, listed, in_guest, cleaned, spared, end)


def _kill(command: tuple[str, ...], index: int, *, home: Path, scratch: Path) -> Cut:
    with started(*command, home=home, scratch=scratch) as running:
        running.wait_for(lambda: newest(home), "the activity is there")
        activity = newest(home)
        assert activity is not None
        running.wait_for(lambda: activity.runs(index), f"trial {index} runs")
        trial, finished = activity.under_way, activity.files()
        running.send(signal.SIGKILL)
        return Cut(running.end(), trial, finished)


def test_both_processes_were_really_killed_in_the_trials_that_were_meant(story: Story) -> None:
    assert (story.third.done.code, story.third.trial["index"]) == (-signal.SIGKILL, THIRD)
    assert (story.in_guest.done.code, story.in_guest.trial["index"]) == (-signal.SIGKILL, IN_GUEST)
    assert story.third.trial["guest"] is None
    assert story.in_guest.trial["guest"] is not None


def test_an_activity_whose_process_is_gone_is_listed_as_interrupted(story: Story) -> None:
    (line,) = [line for line in story.listed.splitlines() if line.startswith(story.activity.id)]
    assert "interrupted" in line


def test_the_resumed_activity_is_complete(story: Story) -> None:
    assert story.end.code == 0, story.end.err
    assert story.end.page["result"]["state"] == "complete"


def test_the_plan_stays_the_same_and_is_run_to_its_end(story: Story) -> None:
    assert (story.activity.folder / "activity.json").read_bytes() == story.plan
    assert [record["planned"] for record in story.activity.records] == story.activity.plan["trials"]


def test_no_finished_trial_is_lost_or_repeated(story: Story) -> None:
    assert {name.split("/")[1][:4] for name in story.third.finished} == {"0000", "0001"}
    assert {name.split("/")[1][:4] for name in story.in_guest.finished} == {"0000", "0001", "0002"}
    now = story.activity.files()
    for cut in (story.third, story.in_guest):
        assert {name: now[name] for name in cut.finished} == cut.finished


@pytest.mark.parametrize("which", ["third", "in_guest"])
def test_the_trial_that_was_under_way_is_collected_and_not_run_again(story: Story, which: str) -> None:
    cut: Cut = getattr(story, which)
    record = story.activity.records[cut.trial["index"]]
    assert record["started_ns"] == cut.trial["started_ns"]
    assert record["state"] == "ended"
    assert record["usage"]["wall_s"] == pytest.approx(1, abs=1.5)


def test_cleaning_up_spares_the_guest_that_holds_a_record(story: Story) -> None:
    name = story.in_guest.trial["guest"]
    (guest,) = [item for item in story.cleaned if item["kind"] == "guest"]
    assert (guest["name"], guest["removed"]) == (name, False)
    assert f"assay activity resume {story.activity.id}" in guest["why"]
    assert name in story.spared
    assert story.activity.records[IN_GUEST]["boot"] == story.in_guest.trial["boot"]


def test_nothing_is_left_behind_by_three_processes_two_of_them_killed(
    story: Story, home: Path, before: World
) -> None:
    assert_same_world(home, before)
