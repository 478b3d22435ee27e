"""An activity on this machine alone: a step of the chain and a program with a preparation, under a quota."""

from __future__ import annotations

import pytest

from tests.live.parts import Activity, Done, activities, fits, quiet, run

pytestmark = [pytest.mark.live, pytest.mark.long]

SCENE = """\
scene: prepared
title: A step of the chain, and a program whose input is made first
baseline: {machine: local}
treatment: {machine: local, factors: {cpu.quota: 25 %}}
workloads:
  - {use: chain-detsim, parameters: {events: 12, size: 16 MiB}}
  - {name: count, command: wc -c numbers, prepare: dd if=/dev/zero of=numbers bs=1M count=8}
"""


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, Activity]:
    """Evaluate the scene; return what it said and its activity."""
    folder = tmp_path_factory.mktemp("prepared")
    (folder / "prepared.yaml").write_text(SCENE)
    done = run("evaluate", str(folder / "prepared.yaml"), "--seed", "1", "--json", home=folder / "home")
    assert done.code == 0, done.err
    (activity,) = activities(folder / "home")
    return done, activity


def test_the_loss_of_the_quota_is_in_the_event_loop(evaluated: tuple[Done, Activity]) -> None:
    rows = {(row["workload"], row["metric"]): row for row in evaluated[0].page["estimates"]}
    assert {metric for workload, metric in rows if workload == "chain-detsim"} == {
        "events_per_s",
        "init_time",
        "event_loop_time",
        "wall_time",
        "cpu_time",
    }
    if quiet(evaluated[1].records):
        assert 0.4 < rows["chain-detsim", "events_per_s"]["loss"] < 0.9
    assert rows["count", "wall_time"]["blocks"] == 3


def test_every_trial_of_the_step_came_to_the_same_result(evaluated: tuple[Done, Activity]) -> None:
    for record in evaluated[1].records:
        fits(record, "record")
    digests = {(record["planned"]["workload"], record["result_digest"]) for record in evaluated[1].records}
    assert len(digests) == 2
    assert ("count", None) in digests
    assert not [doubt for doubt in evaluated[0].page["doubts"] if doubt["code"] == "result-differs"]


def test_the_plan_keeps_how_the_input_is_made_and_nothing_is_left_of_it(
    evaluated: tuple[Done, Activity],
) -> None:
    plan = evaluated[1].plan
    fits(plan, "activity")
    prepared = {one["name"]: one["prepare"] for one in plan["workloads"]}
    assert [command[1] for command in prepared["chain-detsim"]] == ["tables", "phygen"]
    assert prepared["count"] == [["dd", "if=/dev/zero", "of=numbers", "bs=1M", "count=8"]]
    assert not list(evaluated[1].folder.parents[1].glob("work/*/prepared-*"))
