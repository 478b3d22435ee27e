"""What each machine of an arm of several did, and its links: by the records' own members."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assay.design import plan_trials
from assay.model.activity import ActivityPlan, Beside
from assay.model.machines.clock import Instant
from assay.model.machines.machine import Limits, Machine, Reach
from assay.model.trial import Arm, LinkBytes, Member, State, Trial
from assay.model.work.phase import PhaseTime
from assay.report.render.html import html_report
from assay.report.render.json import from_json, to_json
from assay.report.render.markdown import markdown_report
from assay.report.render.text import text_report
from assay.results.losses.together import machine_parts
from assay.results.outcome import build_page
from tests.builders import plan_of, record_of

N1, N2 = (Machine(name, reach=Reach.SSH, host=name) for name in ("n1", "n2"))
REMOTE = (("data.access", "xrootd"),)


def plan() -> ActivityPlan:
    trials = plan_trials(("spin",), blocks=3, seed=1, visits=(1,))
    made = plan_of(trials)
    alone = replace(made.baseline, label="n1", machine=N1)
    both = replace(alone, label="n1+n2", beside=(Beside(N2, Limits((0,))),), data=REMOTE)
    workloads = (replace(made.workloads[0], name="spin"),)
    return replace(made, baseline=alone, treatment=both, workloads=workloads)


def stay(copy: int, start_s: float, end_s: float, events: int) -> PhaseTime:
    started, ended = (Instant(round(at * 1e9), 0) for at in (start_s, end_s))
    return PhaseTime(copy, "event-loop", started, ended, end_s - start_s, None, None, events)


def member(number: int, ended_s: float, links: tuple[LinkBytes, ...]) -> Member:
    name = f"n{number + 1}"
    first: Any = (f"machine-{number}", name, name, (0,), 1 << 30, 2, 0.0, 0.0, ended_s)
    return Member(*first, None, None, None, None, links=links)


def records(made: ActivityPlan) -> list[Trial]:
    """The second machine is half as fast, and has its 8 MB from the first."""
    passed = 8_000_000
    members = (
        member(0, 2.0, (LinkBytes("eth0", 40_000, passed), LinkBytes("eth1", 0, 0))),
        member(1, 4.0, (LinkBytes("eth0", passed, 40_000),)),
    )
    phases = (stay(0, 0, 1, 100), stay(1, 0, 2, 300), stay(2, 0, 4, 200), stay(3, 1, 4, 200))
    return [
        record_of(one, 100.0 + one.block)
        if one.arm is Arm.BASELINE
        else record_of(one, 150.0 + one.block, members=members, phases=phases)
        for one in made.trials
    ]


def test_each_machine_has_its_own_rate_its_end_and_its_links() -> None:
    made = plan()
    first, second = machine_parts(made, records(made))
    assert (first.machine, first.label, first.access, first.workers, first.trials) == (
        *("n1", "n1+n2", "xrootd"),
        *(2, 3),
    )
    assert (first.events_per_s, second.events_per_s) == (200.0, 100.0)
    assert (first.ended_s, second.ended_s) == (2.0, 4.0)
    assert [link.interface for link in first.links] == ["eth0", "eth1"]
    (link,) = second.links
    assert (link.received_bytes, link.sent_bytes) == (8e6, 4e4)
    assert link.received_bytes_per_s == pytest.approx(2e6), "of the whole trial of 4 s"


def test_every_rendering_tells_them() -> None:
    made = plan()
    page = build_page(made, records(made))
    assert "Machines that worked together" in text_report(page)
    assert "## Machines that worked together" in markdown_report(page)
    assert '<h2 id="together">' in html_report(page)
    assert from_json(to_json(page).encode()).machines == page.machines
    (row,) = [line for line in text_report(page).splitlines() if " n2 " in line and "eth0" in line]
    assert row.split()[1:] == [
        "n1+n2",
        "xrootd",
        "n2",
        "2",
        "100",
        "4",
        "eth0",
        "8",
        "2",
        "0.04000",
        "0.01000",
    ]


def test_how_they_worked_together_is_said() -> None:
    made = plan()
    said = " ".join(build_page(made, records(made)).method)
    assert "n1+n2: 2 machines did each trial together, each with an equal part of the files" in said
    assert "(n1 confined to core 1, n2 confined to core 0)" in said
    assert "6 releases were at most +0.0 ms off it" in said


def test_failed_trials_do_not_count_and_nothing_is_made_up() -> None:
    made = plan()
    failed = [replace(one, state=State.FAILED, measurements=()) for one in records(made)]
    assert machine_parts(made, failed) == ()
    silent = [replace(one, phases=()) for one in records(made)]
    assert {part.events_per_s for part in machine_parts(made, silent)} == {None}


def test_arms_of_one_machine_have_no_such_table() -> None:
    made = replace(plan(), treatment=plan().baseline)
    assert machine_parts(made, [replace(one, members=()) for one in records(plan())]) == ()
