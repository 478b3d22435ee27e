"""An activity on this machine alone: copies of a job of two phases, one of which a quota of CPU time slows
down.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.live.parts import Activity, Done, activities, fits, quiet, run

pytestmark = [pytest.mark.live, pytest.mark.long]

SCENE = """\
scene: phases
title: An event loop under a quota, after an initialization that waits
baseline: {machine: local}
treatment: {machine: local, factors: {cpu.quota: 10 %}}
workloads:
  - name: job
    command: sh -c 'sleep 0.4; exec {probe} kernel two-phase --init-bytes 8 --events 200 --every 50'
    phases:
      marks: {event-loop: ^event loop begins, end: ^event loop ends}
      events: ^event (\\d+)
placement: {copies: 2, threads: 1, pinning: [0], stagger: 20 ms}
watch: [pressure]
interval: 200 ms
"""


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, Activity]:
    """Evaluate the scene; return what it said and its activity."""
    folder = tmp_path_factory.mktemp("phases")
    (folder / "phases.yaml").write_text(SCENE)
    done = run("evaluate", str(folder / "phases.yaml"), "--seed", "1", "--json", home=folder / "home")
    assert done.code == 0, done.err
    (activity,) = activities(folder / "home")
    return done, activity


def test_the_loss_is_in_the_phase_where_it_is(evaluated: tuple[Done, Activity]) -> None:
    rows = {row["metric"]: row for row in evaluated[0].page["estimates"]}
    names = ["job_time", "wall_time", "cpu_time", "init_time", "event_loop_time", "end_time", "events_per_s"]
    assert list(rows) == names
    if quiet(evaluated[1].records):
        assert abs(rows["init_time"]["loss"]) < 0.2
        assert 0.3 < rows["event_loop_time"]["loss"] < 0.95
        assert 0.3 < rows["events_per_s"]["loss"] < 0.95


def test_each_record_tells_of_both_copies_and_their_phases(evaluated: tuple[Done, Activity]) -> None:
    for record in evaluated[1].records:
        fits(record, "record")
        assert [copy["copy"] for copy in record["copies"]] == [0, 1]
        assert {tuple(copy["cpus"]) for copy in record["copies"]} == {tuple(record["limits"]["cpus"][:1])}
        phases = [(one["copy"], one["phase"]) for one in record["phases"]]
        assert phases == [(copy, name) for copy in (0, 1) for name in ("init", "event-loop", "end")]
        loops = [one for one in record["phases"] if one["phase"] == "event-loop"]
        assert [one["events"] for one in loops] == [200, 200]
        assert [one["group"] for one in record["series"]] == ["pressure"]


def test_the_plan_keeps_what_was_asked_for(evaluated: tuple[Done, Activity]) -> None:
    plan = evaluated[1].plan
    fits(plan, "activity")
    assert plan["workloads"][0]["placement"]["copies"] == 2
    assert plan["observation"]["watch"] == ["pressure"]
    assert plan["observation"]["interval_s"] == 0.2


def test_both_copies_leave_their_own_output(evaluated: tuple[Done, Activity]) -> None:
    for trial in Path(evaluated[1].folder, "trials").iterdir():
        for name in ("stdout", "stdout.1"):
            assert "event loop begins\n" in (trial / name).read_text()
