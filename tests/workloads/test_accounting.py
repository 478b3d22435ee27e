"""Figures of the kernel's accounting: what they are of a job's totals, and who may have them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.model.errors import AssayError
from assay.model.metric import Direction, Metric
from assay.model.trial import Usage
from assay.model.work.placement import PlacementSpec
from assay.model.work.workload import Workload
from assay.workloads import command_workload, measure, with_accounting
from assay.workloads.accounting import ACCOUNTED

USAGE = Usage(
    wall_s=10.0, user_s=6.0, system_s=18.0, rss_bytes=50_000_000, read_bytes=None, write_bytes=200_000_000
)
JOB = command_workload("job", ["./job"])


def figures(workload: Workload, usage: Usage = USAGE, processors: int = 4) -> dict[str, float | None]:
    found = measure(workload, outputs=[b""], usage=usage, processors=processors)
    return {one.metric.name: one.value for one in found}


def test_a_job_has_them_behind_its_own_in_one_order() -> None:
    asked = with_accounting(JOB, ("write-rate", "memory", "efficiency", "system-share"))
    names = [metric.name for metric in asked.metrics]
    assert names == [
        *("wall_time", "cpu_time", "job_efficiency", "system_share", "resident_memory", "write_rate"),
    ]
    assert tuple(figures(asked)) == tuple(names)
    assert len(ACCOUNTED) == 4


def test_only_those_asked_for_are_measured() -> None:
    assert set(figures(JOB)) == {"wall_time", "cpu_time"}
    assert set(figures(with_accounting(JOB, ("memory",)))) == {"wall_time", "cpu_time", "resident_memory"}


@pytest.mark.parametrize(
    ("copies", "threads", "processors", "percent"),
    [(1, None, 4, 240.0), (1, 4, 4, 60.0), (4, None, 4, 60.0), (32, None, 4, 60.0), (3, 2, 256, 40.0)],
)
def test_efficiency_is_of_as_many_processors_as_the_job_can_use(
    copies: int, threads: int | None, processors: int, percent: float
) -> None:
    placed = replace(JOB, placement=PlacementSpec(copies=copies, threads=threads))
    found = figures(with_accounting(placed, ("efficiency",)), processors=processors)
    assert found["job_efficiency"] == pytest.approx(percent)


def test_shares_memory_and_rate_are_of_the_totals() -> None:
    found = figures(with_accounting(JOB, ACCOUNTED))
    assert found["system_share"] == pytest.approx(75.0)
    assert found["resident_memory"] == pytest.approx(50.0)
    assert found["write_rate"] == pytest.approx(20.0)


def test_what_the_kernel_does_not_tell_has_no_value() -> None:
    asked = with_accounting(JOB, ACCOUNTED)
    assert figures(asked, replace(USAGE, write_bytes=None))["write_rate"] is None
    assert figures(asked, replace(USAGE, write_bytes=0))["write_rate"] == 0
    idle = figures(asked, replace(USAGE, user_s=0.0, system_s=0.0))
    assert (idle["job_efficiency"], idle["system_share"]) == (0, None)
    assert figures(asked, replace(USAGE, wall_s=0.0))["job_efficiency"] is None


@pytest.mark.parametrize("engine", ["podman", "docker"])
def test_a_container_outside_of_the_job_is_refused(engine: str) -> None:
    container = command_workload("reco", [engine, "run", "reco-bmk"])
    with pytest.raises(AssayError, match=f"cannot add job_efficiency to reco: {engine} runs its container"):
        with_accounting(container, ("efficiency",))
    assert with_accounting(container, ()) == container
    assert len(with_accounting(command_workload("reco", ["apptainer", "run"]), ("memory",)).metrics) == 3


def test_a_workload_with_a_figure_of_that_name_is_refused() -> None:
    own = replace(JOB, metrics=(*JOB.metrics, Metric("write_rate", "kB/s", Direction.HIGHER)))
    with pytest.raises(AssayError, match="cannot add write_rate to job: it has a figure of that name"):
        with_accounting(own, ("write-rate",))
    assert with_accounting(own, ("memory",)).metrics[-1].name == "resident_memory"
