"""Budgets, tracks, phases on the host and analyses of tables, as they were seen."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.activities.pages import explained_page
from assay.model.machines.machine import Limits
from assay.model.platforms.platform import HypervisorCpu
from assay.model.trial import Arm
from assay.model.work.placement import PlacementSpec
from assay.pages.budget import BudgetShown
from assay.probe import parse_phase_events, parse_series
from assay.results.series.timeline import track
from tests.builders import WORKLOAD, clock_check, plan_of, record_of
from tests.results.budgets import test_explanation as explained
from tests.results.methods import test_guest_method
from tests.results.seen import as_seen
from tests.results.series import test_host_track, test_timeline

HOST, PLAN = explained.HOST, explained.PLAN
MIB = 1 << 20


def throttled() -> BudgetShown:
    """Return the budget of a job under a quota of half."""
    guest = replace(HOST, wall_s=8.0, throttled_s=3.9, run_queue_s=4.0)
    half = {"limits": Limits((1,), cpu_quota=0.5)}
    return explained.shown(explained.records(replace(HOST, throttled_s=0.0), guest, treatment=half))


def counted() -> BudgetShown:
    """Return the budget of a guest under TCG whose instructions, cycles and bytes were counted."""
    host = replace(
        HOST, read_bytes=MIB, write_bytes=2 * MIB, logical_read_bytes=3 * MIB, logical_write_bytes=4 * MIB
    )
    there = {
        "platform": test_guest_method.GUEST, "hypervisor_cpu": HypervisorCpu(38.0, 1.5),
        "clock": clock_check(1.001), "counts": explained._counts(3e10, 6e10, 30.0),
    }  # fmt: skip
    here = {"counts": explained._counts(1e10, 1e10, 3.75)}
    guest = replace(host, wall_s=40.0, user_s=30.0, system_s=3.0, read_bytes=9 * MIB, major_faults=500)
    return explained.shown(explained.records(host, guest, baseline=here, treatment=there))


def phased() -> BudgetShown:
    """Return the budget of two phases, of which the first takes longer."""
    long, short = ({"phases": explained._phases(first, 2.9)} for first in (3.0, 1.0))
    guest = replace(explained.PHASED, wall_s=6.0, user_s=3.0, system_s=0.6)
    return explained.shown(explained.records(explained.PHASED, guest, baseline=short, treatment=long))


def crowded() -> BudgetShown:
    """Return the budget of copies that share a processor with others."""
    host = replace(HOST, user_s=3.6, system_s=0.4, run_queue_s=4.0, io_wait_s=0.0, idle_s=0.0)
    return explained.crowd(host, replace(host, wall_s=8.0, run_queue_s=12.0), copies=2)


def overdrawn() -> BudgetShown:
    """Return the budget of more waits than the wall time has room for."""
    return explained.shown(explained.records(HOST, replace(HOST, run_queue_s=1.0)))


def untold() -> BudgetShown:
    """Return the budget of waits that nobody tells."""
    bare = replace(HOST, run_queue_s=None, block_io_s=None)
    return explained.shown(explained.records(bare, replace(bare, wall_s=8.0)))


def of_processors() -> BudgetShown:
    """Return the budget of waits that the job's processors tell."""
    bare = replace(HOST, run_queue_s=None, block_io_s=None, io_wait_s=0.1, steal_s=0.05, idle_s=0.1)
    return explained.shown(explained.records(bare, replace(bare, wall_s=5.0, steal_s=0.8, io_wait_s=0.3)))


def same_work() -> BudgetShown:
    """Return the budget of a benchmark of fixed duration, for the same work."""
    plan = plan_of(PLAN.trials, workloads=(replace(WORKLOAD, placement=PlacementSpec(threads=1)),))
    rate = {Arm.BASELINE: 100.0, Arm.TREATMENT: 50.0}
    found = [
        record_of(p, rate[p.arm] + p.block, usage=replace(HOST, wall_s=4.0 + p.block / 1e3))
        for p in plan.trials
    ]
    return explained.shown(found, plan)


BUDGETS: dict[str, Callable[[], BudgetShown]] = {
    made.__name__.replace("_", "-"): made
    for made in (throttled, counted, phased, crowded, overdrawn, untold, of_processors, same_work)
}


@pytest.mark.parametrize("name", BUDGETS)
def test_a_budget_is_as_seen(name: str) -> None:
    as_seen(f"budget-{name}", BUDGETS[name]())


def test_waits_of_the_series_and_of_the_machine_are_as_seen(tmp_path: Path) -> None:
    bare = replace(HOST, run_queue_s=None, block_io_s=None)
    found = explained.records(bare, replace(bare, wall_s=8.0))
    for record in found:
        name = "machine_iowait_s,machine_steal_s"
        explained._write(tmp_path, record, "samples.csv", name, (5.0, 1.0), (5.5, 1.1))
    as_seen("budget-machine", explained.shown(found, folder=tmp_path))
    for record in found:
        columns = "source,run_queue_s,block_io_s"
        explained._write(tmp_path, record, "delay.csv", columns, ("taskstats", 0, 0), ("taskstats", 0.2, 0.4))
        explained._write(tmp_path, record, "memory.csv", "cache_bytes", (MIB,), (5 * MIB,))
    as_seen("budget-series", explained.shown(found, folder=tmp_path))


def test_a_recorded_activity_is_explained_as_seen() -> None:
    page = explained_page(explained.RECORDED / "cpu-quota")
    tracks = [
        replace(timeline, tracks=tuple(replace(t, bounds_s=(), lines=()) for t in timeline.tracks))
        for timeline in page.timelines
    ]
    as_seen("recorded-quota", replace(page, trials=page.trials[:2], timelines=tuple(tracks)))


@pytest.mark.parametrize("rate", [1.0, 1.005])
def test_a_track_is_as_seen(rate: float) -> None:
    reported = parse_phase_events(test_timeline.TOLD)
    made = track(
        test_timeline._trial(rate), "host", samples=parse_series(test_timeline.SAMPLES), reported=reported
    )
    as_seen(f"track-{rate}", made)


def test_phases_on_the_host_are_as_seen(tmp_path: Path) -> None:
    trial = test_host_track._trial(("init", 0, 4), ("event-loop", 4, 6))
    as_seen("host-phases", test_host_track._found(trial, test_host_track._host(tmp_path / "host")))
    whole = test_host_track._trial(("init", 0, 1.5), ("loop", 1.5, 3), ("init", 3, 4.5), platform=None)
    found = test_host_track._found(whole, test_host_track._host(tmp_path / "other", exits=False))
    as_seen("host-phases-without-exits", found)


def rows(**arms: float) -> list[dict[str, Any]]:
    """Return a table of eight blocks in two sessions, by arm with its seconds."""
    return [
        {
            "session": block // 4, "block": block, "arm": arm,
            "value": seconds * (1 + 0.001 * ((7 * block + at) % 5)),
        }
        for block in range(8)
        for at, (arm, seconds) in enumerate(arms.items())
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "arms", "options"),
    [
        ("two", {"host": 90.0, "guest": 100.0}, {}),
        ("three", {"host": 90.0, "guest": 100.0, "tuned": 90.1}, {"margin": 0.02, "confidence": 0.9}),
        ("rates", {"host": 100.0, "guest": 90.0}, {"kind": "rate"}),
        ("few", {"host": 90.0, "guest": 100.0}, {}),
    ],
)
def test_an_analysis_of_a_table_is_as_seen(
    name: str, arms: dict[str, float], options: dict[str, Any]
) -> None:
    table = rows(**arms)
    if name == "few":
        table = [row for row in table if row["block"] < 1 or (row["arm"] == "host" and row["block"] < 3)]
    as_seen(f"analysis-{name}", assay.analyse(table, **options))


def test_an_analysis_of_a_file_is_as_seen(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    table = [*rows(host=90.0, guest=100.0)[:10], *rows(host=90.0)[5:7]]
    with file.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(table[0]))
        writer.writeheader()
        writer.writerows(table)
    document = assay.analyse(file)
    as_seen("analysis-file", {**document, "source": Path(document["source"]).name})
