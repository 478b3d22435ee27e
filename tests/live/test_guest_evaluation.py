"""One evaluation of a command in a guest, from the command line to its records and its report."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from assay.platforms.images.content import image_by_digest
from tests.live.conftest import COMMAND
from tests.live.parts import Activity, Done, World, assert_same_world, fits, run

pytestmark = pytest.mark.live

Evaluated = tuple[Done, Activity, World]


@pytest.fixture
def records(evaluated: Evaluated) -> list[Any]:
    return evaluated[1].records


@pytest.fixture
def guests(records: list[Any]) -> list[Any]:
    return [record for record in records if record["planned"]["arm"] == "treatment"]


@pytest.fixture
def hosts(records: list[Any]) -> list[Any]:
    return [record for record in records if record["planned"]["arm"] == "baseline"]


def test_it_ends_well_with_json_alone_on_stdout_that_fits_its_contract(evaluated: Evaluated) -> None:
    done, activity, _ = evaluated
    assert done.code == 0, done.err
    fits(done.page, "report")
    assert done.page["result"]["id"] == activity.id
    assert done.page["result"]["state"] == "complete"
    assert done.page["result"]["command"] == COMMAND
    assert done.page == evaluated_again(activity)


def evaluated_again(activity: Activity) -> Any:
    return run("result", "show", activity.id, "--json", home=activity.folder.parents[1]).page


def test_stderr_says_how_far_it_is_and_how_long_it_will_take(evaluated: Evaluated) -> None:
    done, _, _ = evaluated
    assert len(re.findall(r" ended \(.* s\) \[\d/9, about .* left\]", done.err)) == 9
    assert "\x1b" not in done.err + done.out


def test_nothing_is_left_behind(evaluated: Evaluated, shared_home: Path) -> None:
    assert_same_world(shared_home, evaluated[2])


def test_all_records_and_the_plan_fit_their_contracts(evaluated: Evaluated, records: list[Any]) -> None:
    fits(evaluated[1].plan, "activity")
    assert [record["planned"] for record in records] == evaluated[1].plan["trials"]
    for record in records:
        fits(record, "record")
        assert record["state"] == "ended"
        assert {m["metric"]["name"]: m["value"] > 0 for m in record["measurements"]} == {
            "wall_time": True,
            "cpu_time": True,
        }


def test_text_has_one_line_a_metric_with_its_range(evaluated: Evaluated, shared_home: Path) -> None:
    text = run("result", "show", evaluated[1].id, home=shared_home).out
    lines = [line for line in text.splitlines() if line.startswith("sysbench  ")]
    assert [line.split()[1] for line in lines] == ["wall_time", "cpu_time"]
    for line in lines:
        assert re.search(r" -?\d+(\.\d+)? to -?\d+(\.\d+)? % ", line)
        assert re.search(r" 3  (loss|gain|equivalent|not decided)", line)
    assert "Doubts\n" in text
    assert "How it was measured\n" in text
    assert "Next\n" in text


def test_the_report_lies_beside_the_records_and_needs_no_network(evaluated: Evaluated) -> None:
    page = (evaluated[1].folder / "report.html").read_text()
    assert "sysbench" in page
    assert not re.search(r"""(?:src|href)=["']https?:""", page)


def test_emulation_is_said_plainly_where_there_is_no_kvm(evaluated: Evaluated, guests: list[Any]) -> None:
    done, _, _ = evaluated
    accelerators = {guest["platform"]["accelerator"] for guest in guests}
    assert accelerators == {done.page["result"]["accelerator"]}
    codes = {doubt["code"] for doubt in done.page["doubts"]}
    assert ("emulated" in codes) == (accelerators == {"tcg"})


def test_each_block_boots_a_guest_of_its_own(guests: list[Any]) -> None:
    assert [guest["planned"]["block"] for guest in guests] == [0, 1, 2]
    assert len({guest["boot"] for guest in guests}) == 3


def test_the_domain_and_the_facts_of_the_guest_are_in_its_records(
    evaluated: Evaluated, guests: list[Any], shared_home: Path
) -> None:
    wanted = evaluated[1].plan["treatment"]["guest"]
    for guest in guests:
        platform = guest["platform"]
        domain = ElementTree.fromstring(evaluated[1].domain(guest))
        assert domain.findtext("name") == f"assay-{evaluated[1].id}-b{guest['planned']['block']}"
        assert domain.findtext("vcpu") == str(wanted["vcpus"]) == str(platform["vcpus"])
        assert platform["memory_bytes"] == wanted["memory_bytes"]
        assert platform["disk_cache"] == wanted["disk_cache"] == "none"
        assert platform["hypervisor"].startswith("QEMU ")
        assert platform["library"].startswith("libvirt ")
        assert guest["facts"]["kernel"] == image_by_digest(shared_home, platform["image"]).kernel_release
        assert guest["hypervisor_cpu"]["vcpu_s"] > 0


def test_the_guests_host_is_watched_from_a_core_that_is_not_measured(guests: list[Any]) -> None:
    for guest in guests:
        watch = guest["host_watch"]
        assert not set(watch["cpus"]) & set(guest["platform"]["cpus"])
        assert [one["group"] for one in watch["series"] if one["absent"] is None][:2] == ["guests", "vmstat"]
        assert watch["cost"]["cpu_s"] < 0.1 * guest["usage"]["wall_s"]
        assert not {"host-not-watched", "guest-not-watched"} & {doubt["code"] for doubt in guest["doubts"]}


def test_host_and_guest_stand_on_one_timeline(evaluated: Evaluated) -> None:
    page = json.loads((evaluated[1].folder / "report.json").read_text())
    (host, guest) = page["timelines"][0]["tracks"]
    assert host["host"] == []
    (whole,) = guest["host"]
    assert whole["phase"] == "whole trial"
    assert 0 <= whole["vcpu_run_s"]["low"] <= guest["vcpu_s"] + 0.05  # counted in ticks of 10 ms
    assert whole["vcpu_run_s"]["high"] > 0
    assert whole["vcpu_run_s"]["low"] + whole["vcpu_wait_s"]["low"] <= whole["seconds"]
    assert (whole["steal_s"], whole["exits"]) == (None, [])  # TCG tells neither
    assert {"vcpu_run", "vcpu_wait", "qemu_other"} <= {line["quantity"] for line in guest["lines"]}


def test_qemu_and_the_hosts_trials_are_confined_to_the_same_cores(
    guests: list[Any], hosts: list[Any]
) -> None:
    cores = {tuple(record["limits"]["cpus"]) for record in hosts}
    assert len(cores) == 1
    assert {tuple(guest["platform"]["cpus"]) for guest in guests} == cores


def test_the_guests_clock_is_checked_over_each_of_its_trials(guests: list[Any], hosts: list[Any]) -> None:
    for guest in guests:
        assert guest["clock"]["before"]["here_ns"] < guest["clock"]["after"]["here_ns"]
        assert guest["clock"]["after"]["uncertainty_s"] > 0
        assert abs(guest["clock"]["rate"] - 1) < 0.01
    assert {host["clock"] for host in hosts} == {None}


def test_no_trial_of_the_host_overlaps_with_another_trial(records: list[Any]) -> None:
    times = [(record["started_ns"], record["ended_ns"]) for record in records]
    assert all(start < end for start, end in times)
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(times))


def test_both_sides_name_the_executable_by_digest(guests: list[Any], hosts: list[Any]) -> None:
    for record in (*guests, *hosts):
        assert re.fullmatch(r"[0-9a-f]{64}", record["program"]["executable"]["sha256"])
        assert record["program"]["libraries"]
