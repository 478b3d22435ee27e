"""Going on with an activity as a person meets it, and what is said of a goal before anything runs."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.activities import evaluate, extend
from assay.activities.fleet.conduct import FleetConductor
from assay.cli import booked
from assay.design import plan_trials
from assay.machines import UnreachableError
from assay.model.activity import ActivityPlan, ActivityState
from assay.model.errors import AssayError, Exit
from assay.model.fleet import Failure, Stop
from assay.model.goal import Goal, Shape
from assay.model.machines.floor import MetricFloor, SiteFloor
from assay.model.metric import Direction, Metric
from assay.platforms.durable import write_json
from assay.platforms.errors import ClaimedError
from assay.platforms.process import this_process
from assay.store.fleet import write_stop
from assay.store.record import write_activity, write_trial
from assay.store.store import Store
from tests.builders import RATE, WORKLOAD, plan_of, record_of
from tests.command import Done, run
from tests.results.test_outcome import PLAN
from tests.store.test_fleet import FLEET, laid

ON = f"what was measured is kept; to go on: assay activity resume {PLAN.id}\n"


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all that an extension needs be there."""
    monkeypatch.setattr(extend, "require_ready", lambda *_given, **_options: None)
    monkeypatch.setattr(extend, "look_around", lambda *_given, **_options: "node")


def ends(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Let what runs the trials end so."""

    def conduct(*_given: object, **_options: object) -> None:
        raise error

    monkeypatch.setattr(evaluate, "resume", conduct)


def longer(home: Path) -> Done:
    return run("activity", "extend", PLAN.id, "--blocks", "4", "--json", home=home)


def test_what_fails_before_anything_is_changed_says_nothing_of_going_on(
    measured: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_given: object, **_options: object) -> None:
        msg = "cannot run the image"
        raise AssayError(msg)

    monkeypatch.setattr(extend, "require_ready", refuse)
    done = longer(measured)
    assert (done.code, "cannot run the image" in done.err, ON in done.err) == (Exit.INPUT, True, False)


def test_an_extension_waits_for_a_machine_that_another_activity_measures(
    measured: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = ["measured by activity 89abcdef"]

    def look_around(*_given: object, **_options: object) -> str:
        if taken:
            raise ClaimedError(taken[0] if refuses else taken.pop())
        return "node"

    monkeypatch.setattr(extend, "require_ready", lambda *_given, **_options: None)
    monkeypatch.setattr(extend, "look_around", look_around)
    monkeypatch.setattr(booked, "BOOKED_S", 0.0)
    ends(monkeypatch, KeyboardInterrupt())
    refuses = True
    assert longer(measured).code == Exit.MISSING
    refuses = False
    done = run("activity", "extend", PLAN.id, "--blocks", "4", "--wait", home=measured)
    assert (done.code, "waiting: measured by activity 89abcdef" in done.err) == (Exit.INTERRUPTED, True)


def test_what_fails_once_it_is_extended_says_how_to_go_on(
    measured: Path, monkeypatch: pytest.MonkeyPatch, looked: None
) -> None:
    ends(monkeypatch, UnreachableError("cannot reach far", machine="far"))
    done = longer(measured)
    assert (done.code, ON in done.err) == (Exit.UNREACHABLE, True)
    page = run("result", "show", PLAN.id, "--json", home=measured).page
    assert (page["result"]["state"], page["result"]["blocks_planned"]) == ("complete", 3)
    assert page["next"][0] == f"assay activity resume {PLAN.id}"


def test_one_that_is_stopped_before_its_first_record_is_no_success(
    measured: Path, monkeypatch: pytest.MonkeyPatch, looked: None
) -> None:
    ends(monkeypatch, KeyboardInterrupt())
    done = longer(measured)
    assert (done.code, done.err.count(ON)) == (Exit.INTERRUPTED, 1)
    assert done.page["result"]["state"] == "complete"
    again = run("activity", "resume", PLAN.id, "--json", home=measured)
    assert (again.code, again.err.count(ON)) == (Exit.INTERRUPTED, 1)


def test_the_help_says_that_neither_goal_nor_budget_ends_it() -> None:
    assert "Neither its goal nor its time budget ends them earlier." in " ".join(
        run("activity", "extend", "--help").out.split()
    )


def undecided(home: Path) -> ActivityPlan:
    """Keep a finished result that some more blocks would decide."""
    trials = plan_trials(("spin",), blocks=5, seed=1, shape=Shape.PAIRS)
    plan, folder = plan_of(trials, goal=Goal(shape=Shape.PAIRS)), home / "activities" / PLAN.id
    for trial in trials:
        place = folder / "trials" / trial.name
        place.mkdir(parents=True)
        slower = trial.arm == "treatment" and trial.block % 4
        write_trial(place, record_of(trial, (90.0 if slower else 100.0) + trial.block % 3))
    write_activity(folder, plan)
    store = Store(home)
    store.import_folder(folder)
    store.close()
    return plan


def test_commands_that_would_be_refused_are_not_offered(tmp_path: Path) -> None:
    home, fresh = tmp_path / "home", tmp_path / "fresh"
    plan = undecided(home)

    def offered(of: Path) -> bool:
        found = [run(*words, home=of).page["next"] for words in SHOWN]
        assert found[0] == found[1]
        return any("activity extend" in command for command in found[0])

    assert offered(home)
    run("result", "import", str(home / "activities" / plan.id), home=fresh)
    assert not offered(fresh)
    me = this_process()
    write_json(home / "run" / f"{plan.id}.pid", {"pid": me.pid, "start_ticks": me.start_ticks})
    assert not offered(home), "it runs"


SHOWN = (("result", "show", PLAN.id, "--json"), ("report", PLAN.id, "--json"))


def planned(monkeypatch: pytest.MonkeyPatch, home: Path, **changes: Any) -> Done:
    """Ask what would run of a plan."""
    plan = plan_of(plan_trials(("spin",), blocks=5, seed=1), **changes)
    monkeypatch.setattr(evaluate, "prepare", lambda *_given, **_options: plan)
    return run("evaluate", "quick", "--dry-run", "--json", home=home)


def test_a_maximum_that_can_never_decide_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    two = replace(WORKLOAD, metrics=(RATE, Metric("latency", "s", Direction.LOWER)))
    done = planned(monkeypatch, tmp_path, goal=Goal(adaptive=True, shape=Shape.PAIRS), workloads=(two,))
    assert done.code == Exit.INPUT
    assert "cannot decide within 5 blocks that are looked at one by one: 2 metrics" in done.err
    assert "maximum-blocks: 6" in done.err


def test_a_floor_that_may_forbid_the_precision_is_a_doubt_of_what_would_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = MetricFloor(WORKLOAD.work, "spin", "events", 20, 200, 0.01, 0.01)
    goal = Goal(adaptive=True, precision=0.01, shape=Shape.PAIRS)
    done = planned(monkeypatch, tmp_path, goal=goal, floor=SiteFloor("node", 1, 1, 0, (known,)))
    assert done.code == 0, done.err
    (doubt,) = done.page["doubts"]
    assert doubt["code"] == "floor-above-precision"
    assert "may not be reached" in doubt["sentence"]
    assert done.page["basis"] == "no number would do, by the scatter of this site's A/A campaigns"


@pytest.mark.parametrize("waits", [True, False])
def test_machines_that_were_taken_out_go_on_and_may_wait_for_another_activity(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, waits: bool
) -> None:
    home, asked = tmp_path / "home", list[Any]()
    folder = laid(home)
    write_stop(folder, FLEET.lanes[2], Stop(Failure.BUSY, "measured by another", None, 3, 1, 4))
    with closing(Store(home)) as store:
        store.import_fleet(folder)
        store.set_fleet_state(FLEET.id, ActivityState.PARTIAL, ended_ns=1)
    monkeypatch.setattr(FleetConductor, "run", lambda _, lanes, *, waits: asked.append((lanes, waits)))
    done = run("activity", "retry", FLEET.id, *(["--wait"] if waits else []), home=home)
    assert asked == [((FLEET.lanes[2],), waits)], done.err
