"""Arms of several machines: each machine is looked at, has its own processors, and is in the arm's name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.activities.plan.arms import Arms
from assay.activities.plan.data_plan import arms_with_data
from assay.activities.plan.kinds import several_machines
from assay.activities.plan.kinds.table import find_arms
from assay.activities.visits.cpu_allocation import check_names
from assay.model.errors import MissingError
from assay.model.machines.machine import Facts, Limits, Machine, Reach
from assay.scenes import Scene
from assay.scenes.load import read_scene
from tests.builders import FACTS
from tests.factors.parts import FakeHost

HERE = replace(FACTS, cpus=(0, 1, 2))
THERE = replace(FACTS, cpus=(0, 1))
ALONE = "{machine: n1, factors: {data.access: local}}"
BOTH = "{machine: n1, with: [n2], factors: {data.access: local}}"


def scene(baseline: str, treatment: str, *, copies: int = 60) -> Scene:
    one = "treatments" if treatment.startswith("[") else "treatment"
    text = f"""\
scene: together
title: One analysis on several machines
baseline: {baseline}
{one}: {treatment}
data: {{size: 120 MiB, files: 60, content: root}}
workloads: [{{use: root-analysis, placement: {{copies: {copies}}}}}]
"""
    return read_scene(text.encode(), file="together.yaml")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, str | None]]]:
    """Note which machines are looked at for which programs."""
    seen: list[tuple[str, dict[str, str | None]]] = []

    def look(machine: Machine, programs: Mapping[str, str | None], *, home: Path) -> Facts:
        del home
        seen.append((machine.name, dict(programs)))
        return THERE

    monkeypatch.setattr(several_machines, "look_at", look)
    return seen


def found(wanted: Scene) -> Arms:
    store = cast("Any", SimpleNamespace(machine=lambda name: Machine(name, Reach.SSH, f"{name}.site")))
    host = FakeHost()
    arms = find_arms(wanted, HERE, home=Path("/nowhere"), store=store, image=lambda _: "", host=host)
    arms = arms_with_data(wanted, arms, on=host)
    check_names(arms.every)
    return arms


def test_local_and_remote_data_differ_in_the_way_alone(asked: list[Any]) -> None:
    arms = found(scene(BOTH, "{machine: n1, with: [n2], factors: {data.access: xrootd}}"))
    assert [arm.label for arm in arms.every] == ["n1+n2", "n1+n2, data.access xrootd"]
    assert [dict(arm.data)["data.access"] for arm in arms.every] == ["local", "xrootd"]
    for arm in arms.every:
        assert [(one.machine.name, one.limits) for one in arm.each_machine] == [
            ("n1", Limits((1, 2))),
            ("n2", Limits((1,))),
        ]
    assert asked == [("n2", {"python3": "python3"}), ("n1", {"xrootd": "xrootd-server"})]


def test_one_machine_is_compared_with_several(asked: list[Any]) -> None:
    several = "[{machine: n1, with: [n2]}, {machine: n1, with: [n2, n3, n4, n5, n6]}]"
    arms = found(scene("{machine: n1}", several))
    assert [arm.label for arm in arms.every] == ["n1", "n1+n2", "n1+5 more"]
    assert [arm.parts for arm in arms.every] == [1, 2, 6]
    assert [name for name, _ in asked] == ["n2", "n3", "n4", "n5", "n6"], "each once, and no server"


def test_the_same_on_both_arms_is_called_again(asked: list[Any]) -> None:
    arms = found(scene(BOTH, BOTH))
    assert [arm.label for arm in arms.every] == ["n1+n2", "n1+n2 again"]


def test_ways_are_swept(asked: list[Any]) -> None:
    arms = found(scene(ALONE, "{machine: n1, with: [n2], factors: {data.access: [local, xrootd]}}"))
    assert [arm.label for arm in arms.every] == [
        "n1",
        "n1+n2, data.access local",
        "n1+n2, data.access xrootd",
    ]


def test_another_machine_alone_still_has_no_data() -> None:
    with pytest.raises(MissingError, match="cannot use data on n1"):
        found(scene("{machine: n1}", "{machine: n1, factors: {cpu.quota: 50 %}}"))
