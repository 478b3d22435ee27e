"""Whole evaluations against containers: a plain one does not cost half of a loop, gVisor costs most of system
calls.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.live.parts import Activity, Done, activities, fits, quiet, run
from tests.passing import needs_small_registers

pytestmark = pytest.mark.live

SCENE = """\
scene: wall
title: What another wall costs
baseline: {{machine: local{baseline}}}
treatment: {{platform: {platform}}}
workloads:
  - name: job
    command: {command}
design: {{seed: 1}}
"""
LOOP = "sysbench cpu --cpu-max-prime=5000 --events=2000 --time=0 run"
SHORT = "sysbench cpu --cpu-max-prime=5000 --events=600 --time=0 run"
CALLS = "dd if=/dev/zero of=/dev/null bs=1 count=20000"


def evaluate(folder: Path, platform: str, command: str, baseline: str = "") -> tuple[Done, Activity]:
    file = folder / "wall.yaml"
    file.write_text(SCENE.format(platform=platform, command=command, baseline=baseline))
    done = run("evaluate", str(file), "--json", home=folder / "home")
    assert done.code == 0, done.err
    (activity,) = activities(folder / "home")
    assert list((folder / "home/containers").iterdir()) == []
    return done, activity


@pytest.mark.long
def test_a_plain_container_does_not_cost_half_of_a_loop(tmp_path: Path) -> None:
    done, activity = evaluate(tmp_path, "runc", LOOP)
    row = next(row for row in done.page["estimates"] if row["metric"] == "cpu_time")
    assert row["low"] < 0.5 or not quiet(activity.records)
    for record in activity.records:
        fits(record, "record")
        seen = record["container"]
        assert (seen is not None) == (record["planned"]["arm"] == "treatment")
        assert seen is None or (seen["kernel"], seen["writable"]) == ("host", [str(tmp_path / "home/work")])


@pytest.mark.long
def test_gvisor_loses_most_of_the_throughput_of_system_calls(tmp_path: Path) -> None:
    done, activity = evaluate(tmp_path, "runsc", CALLS, baseline=", platform: runc")
    row = next(row for row in done.page["estimates"] if row["metric"] == "wall_time")
    assert (row["verdict"] == "loss" and row["loss"] > 0.5) or not quiet(activity.records)
    kernels = {(record["planned"]["arm"], record["container"]["kernel"]) for record in activity.records}
    assert kernels == {("baseline", "host"), ("treatment", "gVisor")}
    assert any("answered by gVisor's kernel" in said for said in done.page["method"])


def test_a_kernel_in_a_process_has_no_network_and_says_so(tmp_path: Path) -> None:
    needs_small_registers()
    file = tmp_path / "wall.yaml"
    text = SCENE.format(platform="uml", command="'true'", baseline="").split("workloads:")[0]
    file.write_text(f"{text}workloads: [iperf3]\n")
    done = run("evaluate", str(file), home=tmp_path / "home")
    assert done.code != 0
    assert "user-mode Linux" in done.err


@pytest.mark.long
def test_containers_of_two_quotas_are_swept_over_one_host_without(tmp_path: Path) -> None:
    file = tmp_path / "wall.yaml"
    text = SCENE.format(platform="runc, factors: {cpu.quota: [25 %, 50 %]}", command=SHORT, baseline="")
    file.write_text(text)
    done = run("evaluate", str(file), "--json", home=tmp_path / "home")
    assert done.code == 0, done.err
    (activity,) = activities(tmp_path / "home")
    quotas = {
        (record["planned"]["arm"], record["planned"]["level"], (record["container"] or {}).get("cpu_quota"))
        for record in activity.records
    }
    assert quotas == {("baseline", 0, None), ("treatment", 0, 0.25), ("treatment", 1, 0.5)}
    losses = {row["treatment"]: row["loss"] for row in done.page["estimates"] if row["metric"] == "wall_time"}
    assert losses.keys() == {"runc at 25% CPU", "runc at 50% CPU"}
    if quiet(activity.records):
        assert losses["runc at 25% CPU"] > losses["runc at 50% CPU"] > 0.2
