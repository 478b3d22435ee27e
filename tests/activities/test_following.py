"""An activity as another process sees it go on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.activities import following
from assay.activities.following import Follower
from assay.activities.schedule import look_text
from assay.activities.troubles import failed_trials, log_tail, trial_doubts
from assay.design.ending import metered_of
from tests.web.going import Going


@pytest.fixture
def going(tmp_path: Path) -> Iterator[Going]:
    made = Going(tmp_path / "home")
    yield made
    made.end()


def test_a_record_is_read_once(going: Going, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    real = following.read_trial
    monkeypatch.setattr(following, "read_trial", lambda place: (read.append(place.name), real(place))[1])
    follower = Follower(going.folder, going.home)
    going.record(4)
    assert [lane.done for lane in follower.look()] == [4]
    (part,) = follower.parts()
    assert follower.parts()[0] is part, "nothing has changed"
    going.record(2)
    (lane,) = follower.look()
    assert (lane.done, lane.left) == (6, 12)
    assert len(read) == len(set(read)) == 6


def test_what_runs_now_is_told_with_its_beginning(going: Going) -> None:
    follower = Follower(going.folder, going.home)
    assert (follower.look()[0].trial, follower.look()[0].begun_ns) == (None, None)
    planned = going.begin()
    (lane,) = follower.look()
    assert lane.trial == f"block {planned.block} {going.plan.arm_of(planned).label} spin"
    assert lane.begun_ns is not None
    going.end()
    assert follower.look()[0].state == "interrupted"


def test_failures_and_doubts_are_told_the_newest_first_and_each_doubt_once(going: Going) -> None:
    going.fail("exit 1")
    going.doubt("First.")
    going.doubt("Second.")
    going.fail("exit 2")
    parts = Follower(going.folder, going.home).parts()
    assert [one.cause for one in failed_trials(parts)] == ["exit 2", "exit 1"]
    (doubt,) = trial_doubts(parts)
    assert (doubt.sentence, doubt.times) == ("Second.", 2)


def test_the_end_of_a_log_is_told_in_whole_lines(going: Going) -> None:
    assert log_tail(going.folder, 3) == ()
    for number in range(2000):
        going.say(f"line {number}")
    assert log_tail(going.folder, 2) == ("line 1998", "line 1999")
    assert all(line.startswith("line ") for line in log_tail(going.folder, 10_000))
    going.say("10 %\r20 %\r30 %")
    assert log_tail(going.folder, 1) == ("30 %",)


def test_the_loss_of_each_metric_is_told(going: Going) -> None:
    follower = Follower(going.folder, going.home)
    assert follower.look()[0].losses == ()
    going.record(6)
    (lane,) = follower.look()
    (part,) = follower.parts()
    told = {(one.workload, one.metric): one for one in lane.losses}
    assert len(told) == len(lane.losses) == len(part.losses)
    for workload, metric, metered in metered_of(part.plan, part.records):
        one = told.pop((workload, metric))
        assert (one.treatment, one.blocks) == (None, len(metered.slowdowns))
        assert one.loss is not None
        if one.blocks > 1:
            assert one.low is not None
            assert one.high is not None
            assert one.low <= one.loss <= one.high
    assert not told
    said = look_text(part.plan, part.records)
    assert lane.said == said
