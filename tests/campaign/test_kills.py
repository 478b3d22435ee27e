"""Kills at counted acts: which are chosen, how a process ends at one, and what is held against it."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from campaign import journal, kills, kills_judge, kills_page, kills_plan, tree
from campaign.killed import PHASES, phase_of
from campaign.kills_judge import Verdict
from campaign.kills_plan import CUT, EVALUATE, KILL, RESUME, End, Story
from campaign.kills_rooms import Room, Ssh
from tests.command import Done
from tests.live.parts import environment

SOURCE = Path(__file__).parents[2] / "src"
COMMIT = "commit machines.MachineRows.add_machines<machine.import_<entry._run"


def act(point: str, phase: str, nth: int = 1) -> dict[str, Any]:
    return {"point": point, "nth": nth, "phase": phase, "end": False}


ASKED = [act("ask wait x", "in a trial", nth) for nth in (1, 2, 3)]
ACTS = {
    ("one", EVALUATE): [
        act("mkdir a", "creating"),
        *ASKED,
        act("unlink b", "ending"),
        act("unlink b", "ending", 2),
    ],
    ("one", RESUME): [act("unlink b", "ending"), act("rename c", "bringing home")],
    ("two", EVALUATE): [act("mkdir a", "creating"), *ASKED],
}


def added(home: Path, log: Path, *order: str) -> subprocess.CompletedProcess[str]:
    """Add a machine by an assay whose acts are counted."""
    inventory = log.with_suffix(".yaml")
    inventory.write_text("machines: [{name: x, ssh: root@h}]")
    words = ["--log", str(log), *order, "--", "machine", "import", str(inventory)]
    command = [sys.executable, "-m", "campaign.killed", *words]
    return subprocess.run(
        command, env=environment(home), cwd=tree.ROOT, capture_output=True, text=True, check=False
    )


def lines(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def test_acts_are_counted_where_assay_does_them(tmp_path: Path) -> None:
    assert added(tmp_path / "home", tmp_path / "log").returncode == 0
    rows = lines(tmp_path / "log")
    home = ["mkdir", "fsync", "rename"]
    assert [row["point"].split()[0] for row in rows] == [*home, "mkdir", "commit", "commit"]
    assert rows[-1] == {"point": COMMIT, "nth": 1, "phase": "command", "end": False}
    assert [row["phase"] for row in rows] == [*["command"] * 3, "database", "database", "command"]


@pytest.mark.parametrize("by", ["SIGKILL", pytest.param("SIGTERM", marks=pytest.mark.long)])
@pytest.mark.parametrize("at", [("--at", COMMIT, "--nth", "1"), ("--nth", "6")])
def test_a_process_ends_right_before_its_act(tmp_path: Path, at: tuple[str, ...], by: str) -> None:
    ended = added(tmp_path / "home", tmp_path / "log", *at, "--by", by)
    assert ended.returncode == -signal.Signals[by]
    assert lines(tmp_path / "log")[-1] == {"point": COMMIT, "nth": 1, "phase": "command", "end": True}
    again = added(tmp_path / "home", tmp_path / "log")
    assert again.returncode == 0, "nothing was added before"


def test_a_command_may_run_at_an_act_and_the_process_goes_on(tmp_path: Path) -> None:
    command = json.dumps(["touch", str(tmp_path / "cut")])
    assert (
        added(tmp_path / "home", tmp_path / "log", "--at", COMMIT, "--nth", "1", "--run", command).returncode
        == 0
    )
    assert (tmp_path / "cut").exists()
    assert len(lines(tmp_path / "log")) == 6


def test_an_act_belongs_to_the_phase_of_the_innermost_function_that_has_one() -> None:
    places = [
        "record.replace_file",
        "inflight.write_inflight",
        "trial._start",
        "trial.run_trial",
        "conductor.x",
    ]
    assert phase_of(places) == "starting"
    assert phase_of(places[3:]) == "in a trial"
    assert phase_of(["record.replace_file"]) == "command"


@pytest.mark.parametrize("name", PHASES)
def test_the_functions_that_have_a_phase_are_there(name: str) -> None:
    module, *parts = name.split(".")
    sources = [path.read_text() for path in SOURCE.rglob(f"{module}.py")]
    holders = [f"class {parts[0]}"] if len(parts) > 1 else []
    words = [*(rf"^{holder}\b" for holder in holders), rf"^ *def {parts[-1]}\("]
    assert any(all(re.search(word, source, re.MULTILINE) for word in words) for source in sources)


def test_every_kill_point_is_met_once_and_then_others() -> None:
    stories = kills_plan.plan(ACTS, 6)
    points = [story.ends[-1].point for story in stories]
    assert sorted(points[:4]) == ["ask wait x", "mkdir a", "rename c", "unlink b"]
    assert {story.ends[-1].by for story in stories[:4]} == {KILL}
    assert len(stories) == 6
    assert len({json.dumps(story.key) for story in stories}) == len(stories)
    assert stories == kills_plan.plan(ACTS, 6)


def test_the_phases_take_turns_and_signals_are_mixed_in() -> None:
    stories = kills_plan.plan(ACTS, 12)
    phases = {row["point"]: row["phase"] for rows in ACTS.values() for row in rows}
    assert len({phases[story.ends[-1].point] for story in stories[:4]}) == 4
    assert {story.ends[-1].by for story in stories[4:]} == {KILL, "SIGTERM", "SIGINT"}


def test_a_resume_is_ended_after_a_kill_in_the_middle_of_the_trials() -> None:
    (story,) = [story for story in kills_plan.plan(ACTS, 6) if story.ends[-1].point == "rename c"]
    assert story.ends == (End(EVALUATE, "ask wait x", 2, KILL), End(RESUME, "rename c", 1, KILL))


def test_only_acts_on_the_machine_behind_ssh_are_cut() -> None:
    needs = Ssh().acts_of
    assert needs(act("ask run on bench session.Probe.start<trial._start", "starting"))
    assert not needs(act("ask run session.Probe.start<trial._start", "starting"))
    (story,) = kills_plan.plan({("one", EVALUATE): ASKED[:1]}, 1, by=CUT)
    assert story.ends[0].by == CUT


KEPT = {"trials/0000/trial.json": (b"{}", 1), "trials/0000/usage.json": (b"1", 1)}


@pytest.mark.parametrize(
    ("now", "planned", "faults"),
    [
        (KEPT, [0, 1], set()),
        ({**KEPT, "trials/0001/trial.json": (b"{}", 2)}, [0, 1], set()),
        ({"trials/0000/trial.json": (b"{}", 1)}, [0, 1], {"lost"}),
        ({**KEPT, "trials/0000/usage.json": (b"2", 1)}, [0, 1], {"changed"}),
        ({**KEPT, "trials/0000/usage.json": (b"1", 2)}, [0, 1], {"changed"}),
        (KEPT, [0], {"repeated"}),
        (KEPT, [0, 1, 1], {"repeated"}),
    ],
)
@pytest.mark.parametrize("plan", [b"{}", b"{ }"])
def test_a_record_lost_changed_or_repeated_and_another_plan_are_faults(
    tmp_path: Path, now: Mapping[str, tuple[bytes, int]], planned: list[int], faults: set[str], plan: bytes
) -> None:
    (tmp_path / "activity.json").write_bytes(plan)
    activity: Any = SimpleNamespace(
        folder=tmp_path,
        kept=lambda: now,
        records=[{"planned": one} for one in planned],
        plan={"trials": [0, 1]},
    )
    verdict = Verdict()
    kills_judge.judge_records(verdict, [{}, KEPT], b"{}", activity)
    assert set(verdict.faults) == faults | ({"plan"} if plan != b"{}" else set())


@pytest.mark.parametrize(("runs", "faults"), [(5, {"repeated"}), (6, set()), (7, set()), (8, {"repeated"})])
def test_jobs_that_start_too_often_or_not_at_all_are_a_fault(runs: int, faults: set[str]) -> None:
    verdict = Verdict()
    kills_judge.judge_runs(verdict, runs, least=6, most=7)
    assert set(verdict.faults) == faults


@pytest.mark.parametrize(
    ("code", "state", "faults"), [(0, "complete", set()), (0, "interrupted", {"stuck"}), (4, "", {"stuck"})]
)
def test_an_activity_that_is_not_complete_at_its_end_is_stuck(
    code: int, state: str, faults: set[str]
) -> None:
    verdict = Verdict()
    kills_judge.judge_end(verdict, Done(code, json.dumps({"result": {"state": state}}), "no", 1.0))
    assert set(verdict.faults) == faults


@pytest.mark.parametrize(
    ("state", "records", "faults"), [("complete", 6, 0), ("interrupted", 6, 1), ("interrupted", 5, 0)]
)
def test_a_list_that_does_not_say_that_all_trials_are_done_is_a_fault(
    state: str, records: int, faults: int
) -> None:
    verdict = Verdict()
    kills_judge.judge_state(verdict, {"state": state}, records, 6)
    assert len(verdict.faults) == faults


@pytest.mark.parametrize(
    "done",
    [Done(1, "", "Traceback (most recent call last)", 1), Done(3, "", "error: no", 1), Done(0, "", "", 1)],
)
def test_a_page_that_cannot_be_read_is_a_fault(done: Done) -> None:
    verdict = Verdict()
    kills_judge.judge_pages(verdict, lambda *_words: Done(0, "page", "", 1), "0123abcd")
    assert not verdict.faults
    kills_judge.judge_pages(verdict, lambda *_words: done, "0123abcd")
    assert set(verdict.faults) == {"page"}


def test_what_clean_finds_or_another_value_of_the_machine_is_left_behind() -> None:
    for reported in ('{"leftovers": []}', '{"leftovers": [{"kind": "group", "name": "x", "why": "y"}]}'):
        verdict = Verdict()
        kills_judge.judge_clean(verdict, lambda *_words, reported=reported: Done(0, reported, "", 1))
        assert bool(verdict.faults) == ("group" in reported)
    verdict = Verdict()
    kills_judge.judge_same(verdict, {"a": 1, "b": 2}, {"a": 1, "b": 3})
    assert verdict.faults == {"left": "b is 3, it was 2"}


def test_what_a_home_may_hold_and_what_is_left_in_it(tmp_path: Path) -> None:
    may = ("run/claims.lock", "work/probe-01", "activities/0123abcd/activity.json", "floor.json")
    left = (
        "run/0123abcd.pid",
        "run/0123abcd.pid.17.new",
        "work/0123abcd/pid",
        "activities/ffff0000/activity.json",
        "guests/assay-0123abcd-b0/disk",
        "activities/0123abcd/trials/.0001.new/stdout",
    )
    for name in (*may, *left):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert kills_judge.left_in(tmp_path, ["0123abcd"]) == [
        "activities/0123abcd/trials/.0001.new",
        "activities/ffff0000",
        "guests/assay-0123abcd-b0",
        "run/0123abcd.pid",
        "run/0123abcd.pid.17.new",
        "work/0123abcd",
    ]


def reported(*, fault: bool = False, phase: str | None = "ending") -> dict[str, Any]:
    end = {"verb": EVALUATE, "point": "unlink b", "nth": 1, "by": KILL}
    faults = {"lost": "trials/0000/trial.json"} if fault else {}
    met = [{**end, "phase": phase, "code": -9, "records": 0}]
    return {"part": "host", "scene": "one", "ends": [end], "met": met, "faults": faults, "commit": "abc"}


def test_the_page_counts_ends_by_act_and_phase_and_holds_none_of_the_faults() -> None:
    page = kills_page.page_of([reported(), reported(), reported(phase=None)])
    assert all(page.held.values())
    (row,) = page.rows
    assert (row["part"], row["phase"], row["unlink"], row["fsync"]) == ("host", "ending", 2, 0)
    assert (row["points"], row["faults"]) == (1, 0)
    assert "1 ends did not come" in page.text
    assert "states of the sources: abc (3)" in page.text
    assert "unlink" in page.shown
    assert "fsync" not in page.shown
    page = kills_page.page_of([reported(), reported(fault=True)])
    assert [what for what, so in page.held.items() if not so] == [
        "a kept record is lost in none of 2 activities"
    ]
    assert "evaluate: SIGKILL at unlink b (1)" in page.text


def test_a_page_of_nothing_holds_nothing() -> None:
    assert not all(kills_page.page_of([]).held.values())
    assert not all(kills_page.page_of([reported(phase=None)]).held.values())


def test_starts_of_jobs_are_counted_by_what_probes_were_asked(tmp_path: Path) -> None:
    teller = kills.Teller(kills.ROOMS["guest"](), "guest", tmp_path / "home", tmp_path)
    start, watch = (
        "ask run on guest session.Probe.start<trial._start<trial.run_trial",
        "ask run a<b.watch<trial._watch",
    )
    for log, rows in {
        "acts-0": [(start, False), (watch, False), (start, True)],
        "acts-last": [(start, False), ("answer run<trial._start<", False)],
    }.items():
        for point, end in rows:
            journal.add(tmp_path / log, {"point": point, "nth": 1, "phase": "x", "end": end})
    assert teller.asked() == 2


def test_a_story_is_told_again_only_where_it_had_a_fault_at_another_commit() -> None:
    row = {**reported(fault=True), "commit": "abc"}
    story = Story("one", (End(EVALUATE, "unlink b", 1, KILL),))
    assert kills.is_told(story, [row], "abc")
    assert not kills.is_told(story, [row], "abd")
    assert kills.is_told(story, [row | {"faults": {}}], "abd")
    assert not kills.is_told(Story("two", story.ends), [row], "abc")


def test_acts_are_counted_once_a_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[str] = []

    def count(_room: Room, scene: str) -> dict[str, Any]:
        counted.append(scene)
        return {EVALUATE: ASKED, RESUME: []}

    monkeypatch.setattr(kills, "count", count)
    for commit in ("abc", "abc", "abd"):
        found = kills.counted(Room(), tmp_path / "acts.jsonl", commit)
        assert found["limit", EVALUATE] == ASKED
    assert counted == list(Room.scenes) * 2


def test_a_machine_that_lets_no_activity_run_is_not_blamed_on_kills() -> None:
    kills.refuse(Done(0, "", "", 1))
    with pytest.raises(SystemExit, match="cannot go on"):
        kills.refuse(Done(4, "", "error: another runs", 1))
