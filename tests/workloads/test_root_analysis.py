"""The figures of an analysis of ROOT files; other physics than is in the files is no figure."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay.model.trial import Usage
from assay.model.work.workload import Workload
from assay.workloads import OutputError, Parameters, Sizes, fill, measure, with_parameters
from assay.workloads.tools.root_analysis.definition import measure_together

SIZES = Sizes(cache_bytes=None, memory_bytes=2**30, cpus=2)
ROOT = with_parameters("root-analysis", Parameters(), sizes=SIZES)


def usage(read_bytes: int | None) -> Usage:
    return Usage(4.0, 2.5, 0.5, rss_bytes=1, read_bytes=read_bytes, write_bytes=None)


def report(
    *, events: int = 100, start: float = 10.0, end: float = 12.0, users: int = 1, **more: Any
) -> bytes:
    worker = {
        "started_s": start,
        "ended_s": end,
        "events": events,
        "job_events": 200,
        "found": {"events": events, "branches": {"pt": 7}, "mass": []},
        "truth": {"events": 200, "branches": {"pt": 14}, "mass": []},
    }
    said = {"schema": "assay.root-analysis/1.0", "users": users, "events": events, "asked_bytes": 4_000_000}
    return json.dumps({**said, "workers": [worker | more]}).encode()


def figures(workload: Workload, *outputs: bytes, read_bytes: int | None) -> dict[str, float | None]:
    found = measure(workload, outputs=outputs, usage=usage(read_bytes))
    return {one.metric.name: one.value for one in found}


def test_rates_are_over_the_time_from_the_first_event_to_the_last() -> None:
    found = figures(ROOT, report(), report(start=11, end=14), read_bytes=10_000_000)
    assert found == {
        "events_per_s": 50.0,
        "asked_rate": 2.0,
        "device_rate": 2.5,
        "device_read": 10.0,
        "read_amplification": 1.25,
        "wall_time": 4.0,
        "cpu_time": 3.0,
    }
    of_phases = {"init_time", "event_loop_time"}  # they are timed by the probe
    assert set(found) == {metric.name for metric in ROOT.metrics} - of_phases


def test_what_the_kernel_does_not_tell_is_not_measured() -> None:
    found = figures(ROOT, report(), report(), read_bytes=None)
    assert found["device_rate"] is found["device_read"] is found["read_amplification"] is None
    assert found["events_per_s"] == 100.0


@pytest.mark.parametrize(
    ("outputs", "said"),
    [
        ((report(),), "expected 200 events of all workers, got 100"),
        ((report(), report(), report()), "expected 200 events of all workers, got 300"),
        (
            (report(), report(found={"branches": {"pt": 8}})),
            "expected the sum 14 of branch 'pt', got 15",
        ),
        ((report(), report(found={})), "expected sums of branches"),
        ((report(started_s="now"), report()), "expected a number 'started_s' of each worker"),
        ((report(events=200, start=5, end=5, truth=None),), "expected an event loop that takes time"),
        ((b'{"schema": "other/1.0"}',), "expected a report of assay.root-analysis/1.x"),
        ((b'{"schema": "assay.root-analysis/1.0", "workers": []}',), "expected a list of workers"),
        ((b"killed",), "expected a JSON object"),
    ],
)
def test_other_physics_or_another_report_is_refused(outputs: tuple[bytes, ...], said: str) -> None:
    with pytest.raises(OutputError) as caught:
        figures(ROOT, *outputs, read_bytes=1)
    assert said in caught.value.message


def test_files_of_somebody_else_are_held_to_their_number_of_events_alone() -> None:
    found = figures(ROOT, report(truth=None), report(truth=None), read_bytes=1)
    assert found["events_per_s"] == 100.0


def test_four_workloads_differ_in_branches_and_users_alone() -> None:
    said = {
        name: with_parameters(name, Parameters(), sizes=SIZES).command[3:-1]
        for name in ("root-analysis", "root-analysis-quarter", "root-analysis-few", "root-analysis-two-users")
    }
    assert said == {
        "root-analysis": ("--branches", "all"),
        "root-analysis-quarter": ("--branches", "25%"),
        "root-analysis-few": ("--branches", "few"),
        "root-analysis-two-users": ("--branches", "all", "--users", "2"),
    }
    assert ROOT.pack == "root"
    assert ROOT.program == ROOT.package == "python3"


USERS = with_parameters("root-analysis", Parameters(users=(("alice", 2), ("bob", 1))), sizes=SIZES)


def test_each_user_has_a_rate_of_his_own_over_his_own_time() -> None:
    outputs = [
        report(users=2, user=0, end=12.0),
        report(users=2, user=0, start=11.0, end=14.0),
        report(users=2, user=1, events=200, end=20.0, found={"branches": {"pt": 14}}),
    ]
    found = figures(USERS, *outputs, read_bytes=1)
    assert (found["events_per_s_alice"], found["events_per_s_bob"]) == (50.0, 20.0)
    assert found["events_per_s"] == 40.0


def test_a_user_whom_no_worker_is_of_has_no_figure() -> None:
    outputs = [report(users=2, user=0, events=200, found={"branches": {"pt": 14}})] * 2
    with pytest.raises(OutputError) as caught:
        figures(USERS, *outputs, read_bytes=1)
    assert "expected workers of user 1" in caught.value.message


def test_rates_of_several_machines_are_over_the_time_of_all_of_them_by_one_clock() -> None:
    """The second machine's clock is 100 s ahead; its half takes four times as long as the first's."""
    machines = [
        ([report(end=12.0)], float),
        ([report(start=110.0, end=118.0)], lambda seconds: seconds - 100.0),
    ]
    found = {one.metric.name: one.value for one in measure_together(ROOT, machines, usage(16_000_000))}
    assert found["events_per_s"] == 200 / 8.0
    assert found["asked_rate"] == 1.0
    assert found["device_rate"] == 2.0


def test_the_pack_is_filled_in_and_a_command_without_one_keeps_its_word() -> None:
    words = ("python3", "{pack}/run.py")
    filled = fill(words, probe="p", directory="d", server=None, pack="/home/packs/root-1")
    assert filled == ("python3", "/home/packs/root-1/run.py")
    assert fill(words, probe="p", directory="d", server=None) == words
