"""The ready workloads on this machine: which can run, with which size, and why others cannot."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assay.activities.plan import workloads_here
from assay.activities.plan.workloads_here import SMALLEST, ready_here, refused_here, sized_here
from assay.activities.visits import visit
from assay.model.errors import MissingError, UnknownNameError
from assay.model.machines.machine import Machine
from assay.workloads import library
from tests.builders import FACTS, WORKLOAD

PLAIN = replace(WORKLOAD, program=None)


def test_a_program_that_is_not_on_the_path_is_named_with_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "spin" else f"/bin/{name}")
    assert refused_here(WORKLOAD, home=tmp_path) == "spin is not on PATH: apt install spin"
    assert refused_here(replace(WORKLOAD, package=None), home=tmp_path) == "spin is not on PATH"
    assert refused_here(replace(WORKLOAD, program="sh"), home=tmp_path) is None
    assert refused_here(PLAIN, home=tmp_path) is None


def test_the_bench_s_network_needs_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    talks = replace(PLAIN, needs_network=True)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert refused_here(talks, home=tmp_path) is None
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert refused_here(talks, home=tmp_path) == "only root can make the bench network that it needs"
    assert refused_here(PLAIN, home=tmp_path) is None


def test_a_pack_that_was_not_made_is_named_with_the_command_that_makes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def find_pack(home: Path, name: str) -> Path:
        asked.append((home, name))
        if name == "none":
            msg = "it has not been made yet"
            raise MissingError(msg, hint="assay workload pack none")
        if name == "unknown":
            kind = "pack"
            raise UnknownNameError(kind, name, ())
        return home

    monkeypatch.setattr(workloads_here, "find_pack", find_pack)
    assert refused_here(replace(PLAIN, pack="root"), home=tmp_path) is None
    assert refused_here(replace(PLAIN, pack="none"), home=tmp_path) == (
        "its pack is not there: assay workload pack none"
    )
    assert asked == [(tmp_path, "root"), (tmp_path, "none")]
    assert refused_here(replace(PLAIN, pack="unknown"), home=tmp_path) == (
        "its pack is not there: unknown pack 'unknown' (known: none)"
    )


def test_every_ready_workload_is_listed_with_what_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        workloads_here, "refused_here", lambda workload, home: f"{workload.name} in {home.name}"
    )
    listed = list(ready_here(tmp_path))
    assert [workload for workload, _ in listed] == list(library(SMALLEST).values())
    assert all(reason == f"{workload.name} in {tmp_path.name}" for workload, reason in listed)
    assert (SMALLEST.cache_bytes, SMALLEST.memory_bytes, SMALLEST.cpus) == (None, 1 << 30, 1)


def test_a_workload_is_sized_by_what_the_machine_can_give_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = replace(FACTS, cpus=(0, 1, 2, 3), cache_bytes=1 << 22, memory_bytes=6 << 30)

    @contextmanager
    def opened(machine: Machine, home: Path) -> Iterator[tuple[Any, None]]:
        assert (machine, home) == (Machine("local"), tmp_path)
        yield SimpleNamespace(facts=lambda: facts), None

    given: list[Any] = []
    make = workloads_here.with_parameters

    def with_parameters(name: str, parameters: Any, *, sizes: Any) -> Any:
        given.append(sizes)
        return make(name, parameters, sizes=sizes)

    monkeypatch.setattr(visit, "open_probe", opened)
    monkeypatch.setattr(workloads_here, "with_parameters", with_parameters)
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    workload, reason = sized_here("sysbench-cpu", home=tmp_path)
    (sizes,) = given
    assert (sizes.cache_bytes, sizes.memory_bytes) == (1 << 22, 6 << 30)
    assert 0 < sizes.cpus < 4, "one is left to the controller"
    assert workload.name == "sysbench-cpu"
    assert reason == "sysbench is not on PATH: apt install sysbench"


def test_an_unknown_workload_is_named_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(
        UnknownNameError, match="unknown workload 'sysbench-cpus'; nearest: 'sysbench-cpu'"
    ) as refused:
        sized_here("sysbench-cpus", home=tmp_path)
    assert refused.value.hint == "assay workload list"
