"""Rates of data beside the bare network's: by arm, in the same block, of served data alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assay.design import plan_trials
from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.machines.machine import Limits, Machine
from assay.model.metric import Measurement
from assay.model.trial import Arm, Trial
from assay.report.render.html import html_report
from assay.report.render.json import from_json, to_json
from assay.report.render.markdown import markdown_report
from assay.report.render.text import text_report
from assay.results.outcome import build_page
from assay.workloads import command_workload, library
from assay.workloads.sizes import Sizes
from assay.workloads.tools.data_read.definition import NAME, RATE
from tests.builders import plan_of, record_of

SIZES = Sizes(cache_bytes=None, memory_bytes=2**30, cpus=1)
READ, BARE, SENT = map(library(SIZES).__getitem__, (NAME, "iperf3-reverse", "iperf3"))
(NET,) = BARE.metrics
NFS, OWN = (("data.access", "nfs"),), (("data.access", "local"),)


def plan(*, base: Any = NFS, treated: Any = NFS, more: tuple[PlannedArm, ...] = ()) -> ActivityPlan:
    trials = plan_trials((NAME, BARE.name), blocks=3, seed=1, visits=(1,) * (1 + len(more)))
    made = plan_of(trials, workloads=(READ, BARE))
    arms = replace(made.baseline, data=base), replace(made.treatment, data=treated)
    return replace(made, baseline=arms[0], treatment=arms[1], more=more)


def records(made: ActivityPlan) -> list[Trial]:
    """The host reads 60 MB/s of 800 Mbit/s, the treatment 40 MB/s of 400 Mbit/s, within a hundredth."""
    found = []
    for one in made.trials:
        read = one.workload == NAME
        value = {True: (60.0, 40.0), False: (800.0, 400.0)}[read][one.arm is Arm.TREATMENT]
        noise = 1 + 0.01 * one.block * read
        found.append(record_of(one, None, measurements=(Measurement(RATE if read else NET, value * noise),)))
    return found


def test_each_arm_that_has_its_data_from_a_server_is_held_to_its_own_network() -> None:
    made = plan()
    page = build_page(made, records(made))
    host, guest = page.path_shares
    assert (host.label, host.access, host.path, host.blocks) == ("host", "nfs", "iperf3-reverse", 3)
    assert (host.rate, host.path_rate) == pytest.approx((60.6, 100.0))
    assert (host.share, guest.share) == pytest.approx((0.606, 0.808))
    assert host.low is not None
    assert host.low < host.share < host.high
    assert "60.6 % [59.1, 62.1]" in text_report(page)
    assert "## Share of the bare network" in markdown_report(page)
    assert '<h2 id="path-share">' in html_report(page)
    assert from_json(to_json(page).encode()).path_shares == page.path_shares


def test_an_arm_with_a_copy_of_its_own_has_no_share() -> None:
    made = plan(base=OWN)
    assert [one.label for one in build_page(made, records(made)).path_shares] == ["other"]
    own = plan(base=OWN, treated=OWN)
    page = build_page(own, records(own))
    assert page.path_shares == ()
    assert "bare network" not in text_report(page)


def test_of_several_treatments_each_is_held_to_its_own_and_the_baseline_is_told_once() -> None:
    other = PlannedArm("xrootd", Machine("local"), Limits((1,)), data=(("data.access", "xrootd"),))
    made = plan(more=(other,))
    shares = build_page(made, records(made)).path_shares
    assert [(one.label, one.access) for one in shares] == [
        ("host", "nfs"),
        ("other", "nfs"),
        ("xrootd", "xrootd"),
    ]


def test_without_a_measured_network_there_is_no_share() -> None:
    made = plan()
    alone = replace(made, workloads=(READ,), trials=tuple(t for t in made.trials if t.workload == NAME))
    assert build_page(alone, records(alone)).path_shares == ()


def test_data_are_received_so_a_stream_that_comes_is_asked_before_one_that_goes() -> None:
    made = plan()
    both = replace(made, workloads=(SENT, *made.workloads))
    assert build_page(both, records(made)).path_shares[0].path == "iperf3-reverse"
    sent = plan_trials((NAME, SENT.name), blocks=3, seed=1, visits=(1,))
    alone = replace(made, workloads=(READ, SENT), trials=sent)
    assert build_page(alone, records(alone)).path_shares[0].path == "iperf3"
    failed = replace(alone, workloads=(READ, BARE, SENT))
    assert build_page(failed, records(alone)).path_shares[0].path == "iperf3", "the other has no figure"


def test_a_program_of_the_user_s_that_is_called_like_a_tool_measures_no_network() -> None:
    made = plan()
    own = replace(command_workload(BARE.name, ("mine", "{server}")), metrics=(NET,))
    assert build_page(replace(made, workloads=(READ, own)), records(made)).path_shares == ()
