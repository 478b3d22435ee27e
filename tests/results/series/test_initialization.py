"""Cores used from the common start until all had initialized, in the fewest guests and in the most."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.design import plan_trials
from assay.model.activity import ActivityPlan, PlannedGuest
from assay.model.machines.clock import ClockCheck
from assay.model.machines.machine import Limits
from assay.model.platforms.layout import Layout, label_of
from assay.model.trial import Arm, Member, PlannedTrial, Trial
from assay.pages.families.initialization import Initialization
from assay.probe import parse_result
from assay.results.series.initialization import initializations
from tests.builders import clock_check, plan_of, record_of
from tests.results.methods.test_guest_method import GUEST

SAMPLE = json.loads((Path(__file__).parents[2] / "probe/records/1.0.json").read_text())
ZERO_NS = 5_000_000_000
INIT_S = {1: 2.0, 2: 4.0, 4: 8.0}
"""Until each copy has initialized, by the number of guests; it waits half of the time."""
END_S = 20.0
LAYOUTS = (Layout(1), Layout(2), Layout(4), Layout(4, preload=True), Layout(4, stagger_s=2.0))
COPIES = 4


def planned(layouts: Sequence[Layout] = LAYOUTS) -> ActivityPlan:
    plan = plan_of(plan_trials(("spin",), blocks=1, seed=3, visits=(1,) * len(layouts)))
    first, *more = (
        replace(
            plan.treatment,
            label=label_of(one, 4),
            limits=Limits((0, 1, 2, 3)),
            guest=PlannedGuest(4, 2**31, "none", "i", (), one),
        )
        for one in layouts
    )
    return replace(plan, treatment=first, more=tuple(more))


def result_of(guests: int, rate: float, *, phases: bool) -> dict[str, Any]:
    """Return the result of one guest's probe."""

    def instant(seconds: float) -> dict[str, int]:
        ns = ZERO_NS + round(seconds * rate * 1e9)
        return {"mono_ns": ns, "real_ns": ns}

    def stay(copy: int, phase: str, begin: float, end: float) -> dict[str, Any]:
        return {
            "copy": copy, "phase": phase, "started": instant(begin), "ended": instant(end),
            "wall_s": (end - begin) * rate, "user_s": None, "system_s": None, "events": None,
        }  # fmt: skip

    copies = range(COPIES // guests)
    told = [
        stay(copy, *one)
        for copy in copies
        for one in (("init", 0.0, INIT_S[guests]), ("event-loop", INIT_S[guests], END_S))
    ]
    usage = {**SAMPLE["usage"], "wall_s": END_S * rate}
    ended = [
        {
            "copy": copy, "cpus": [], "memory_nodes": [], "started": instant(0.0), "ended": instant(END_S),
            "exit_code": 0, "signal": None, "wall_s": END_S * rate, "user_s": None, "system_s": None,
            "rss_bytes": None,
        }
        for copy in copies
    ]  # fmt: skip
    return {**SAMPLE, "protocol": [1, 5], "usage": usage, "copies": ended, "phases": told if phases else []}


def samples_of(guests: int, rate: float) -> str:
    """Return samples every second: half a core a copy until it has initialized, then a whole one."""
    lines = ["mono_ns,job_user_s,job_system_s"]
    for second in range(int(END_S) + 1):
        user = COPIES // guests * rate * max(0.0, second - INIT_S[guests])
        system = COPIES // guests * rate * min(second, INIT_S[guests]) / 2
        lines.append(f"{ZERO_NS + round(second * rate * 1e9)},{user:.6f},{system:.6f}")
    return "\n".join(lines) + "\n"


def lay(folder: Path, guests: int, rate: float, *, phases: bool) -> None:
    folder.mkdir(parents=True)
    (folder / "probe.json").write_text(json.dumps(result_of(guests, rate, phases=phases)))
    (folder / "samples.csv").write_text(samples_of(guests, rate))


def ran(folder: Path, trial: PlannedTrial, layouts: Sequence[Layout], *, rate: float, phases: bool) -> Trial:
    """Lay the files of a trial, and return its record."""
    place = folder / "trials" / trial.name
    layout = layouts[trial.level]
    if trial.arm is Arm.BASELINE:
        place.mkdir(parents=True)
        (place / "samples.csv").write_text(samples_of(1, 1.0))
        return record_of(trial, 1.0)
    clock: ClockCheck | None = None if rate == 1.0 else clock_check(rate)
    if layout.guests == 1:
        lay(place, 1, rate, phases=phases)
        result = parse_result((place / "probe.json").read_bytes(), origin="probe.json")
        parts = {"copies": result.copies, "phases": result.phases, "usage": result.usage, "clock": clock}
        return record_of(trial, 1.0, platform=GUEST, **parts)
    members = []
    for number in range(layout.guests):
        lay(place / f"guest-{number}", layout.guests, rate, phases=phases)
        asked = layout.stagger_s * number
        members.append(
            Member(
                f"guest-{number}", "g", f"b{number}", (number,), 1, 1, asked, asked + 0.5, 20.0, clock,
                None, None, None,
            )
        )  # fmt: skip
    return record_of(trial, 1.0, members=tuple(members), platform=GUEST)


def started(
    folder: Path, layouts: Sequence[Layout] = LAYOUTS, *, rate: float = 1.0, phases: bool = True
) -> tuple[Initialization, ...]:
    plan = planned(layouts)
    records = [ran(folder, trial, layouts, rate=rate, phases=phases) for trial in plan.trials]
    return initializations(plan, records, folder)


@pytest.mark.parametrize("rate", [1.0, 1.25])
def test_the_fewest_and_the_most_guests_that_start_together_are_shown(tmp_path: Path, rate: float) -> None:
    (shown,) = started(tmp_path, rate=rate)
    assert (shown.workload, shown.block) == ("spin", 0)
    told = [(one.label, one.guests, one.cores) for one in shown.treatments]
    assert told == [("1 guest", 1, 4), ("4 guests", 4, 4), ("4 guests, preload", 4, 4)]
    assert shown.bounds_s[0] == 0.0
    assert shown.bounds_s[-1] == pytest.approx(1.1 * 8.5), (
        "the last end, of guests that were half a second late"
    )
    one, four, _ = shown.treatments
    assert one.ended_s == pytest.approx((2.0,) * 4)
    assert four.ended_s == pytest.approx((8.5,) * 4)
    assert one.used[0] == pytest.approx(2.0), "four copies that wait half of the time"
    assert one.used[-1] == pytest.approx(4.0)
    assert four.used[3] == pytest.approx(2.0), "all guests together"
    step_s = shown.bounds_s[1]
    spent = sum((cores or 0.0) * step_s for cores in four.used)
    assert spent == pytest.approx(2.0 * 8.0 + 4.0 * (shown.bounds_s[-1] - 8.5), rel=0.01)


def test_one_number_of_guests_is_not_shown(tmp_path: Path) -> None:
    assert started(tmp_path, (Layout(4), Layout(4, preload=True))) == ()


def test_a_layout_that_never_starts_together_is_not_the_other_end(tmp_path: Path) -> None:
    assert started(tmp_path, (Layout(1), Layout(4, stagger_s=2.0))) == ()


def test_jobs_that_tell_no_phases_are_not_shown(tmp_path: Path) -> None:
    assert started(tmp_path, phases=False) == ()


def test_a_guest_without_samples_leaves_its_layout_out(tmp_path: Path) -> None:
    plan = planned()
    records = [ran(tmp_path, trial, LAYOUTS, rate=1.0, phases=True) for trial in plan.trials]
    for file in tmp_path.glob("trials/*treatment4*/guest-2/samples.csv"):
        file.write_text("mono_ns,job_user_s,job_system_s\n")
    (shown,) = initializations(plan, records, tmp_path)
    assert [one.label for one in shown.treatments] == ["1 guest", "4 guests"]
