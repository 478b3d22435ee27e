"""What a row says beside its loss, and why a row or a score has none."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from assay.model.doubt import Doubt
from assay.model.figures.estimate import Verdict
from assay.model.figures.published import PublishedSpec
from assay.model.goal import Goal, Shape
from assay.model.machines.floor import MetricFloor, SiteFloor
from assay.model.machines.machine import Limits, Machine, Reach
from assay.model.metric import Direction, Measurement, Metric
from assay.model.platforms.container import PlannedContainer, Runtime
from assay.model.trial import Arm, State, Trial
from assay.model.work.page_cache import CacheSpec, CacheState
from assay.model.work.phase import PhaseRules
from assay.model.work.placement import PlacementSpec
from assay.pages.context import Aim, Row
from assay.pages.names import some
from assay.report.doubts import worded
from assay.results.doubts.arms_differ import changed, hardware, programs
from assay.results.outcome import build_page
from assay.results.publications.published import published_of
from tests.builders import FACTS, WORKLOAD, record_of
from tests.results import test_score
from tests.results.families.test_weights import WANTED
from tests.results.methods.test_guest_method import GUEST
from tests.results.test_outcome import PLAN, fail, records

RECORDS = records()
Change = Callable[[Trial], Trial]


def treated(**changes: Any) -> list[Trial]:
    """Return records whose treatment has these fields."""
    return [replace(r, **changes) if r.planned.arm is Arm.TREATMENT else r for r in RECORDS]


def row_of(found: list[Trial], plan: Any = PLAN) -> Row:
    """Return the only row."""
    (row,) = build_page(plan, found).estimates
    return row


def test_values_of_a_row_are_geometric_means_of_the_blocks_that_count() -> None:
    row = row_of(RECORDS)
    assert row.baseline_value == pytest.approx(math.sqrt(100.0 * 101.0))
    assert row.treatment_value == pytest.approx((50.0 * 50.1 * 50.2) ** (1 / 3))
    lost = [r for r in RECORDS if (r.planned.block, r.planned.arm) != (2, Arm.TREATMENT)]
    assert row_of(lost).treatment_value == pytest.approx(math.sqrt(50.0 * 50.1))
    nothing = [replace(r, measurements=(replace(r.measurements[0], value=0.0),)) for r in RECORDS]
    assert (row_of(nothing).baseline_value, row_of(nothing).treatment_value) == (0.0, 0.0)
    assert row_of([]).baseline_value is None


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (fail, "local: exit 1"),
        (
            lambda r: replace(r, measurements=(replace(r.measurements[0], value=0.0),)),
            "0 was measured: no slowdown can be formed with it",
        ),
        (lambda r: replace(r, measurements=()), "the job did not tell of it in every trial"),
        (
            lambda r: replace(
                r, measurements=(), doubts=(Doubt("steal", "No."), Doubt("clock-rate", "It ran off."))
            ),
            "It ran off.",
        ),
        (lambda r: replace(r, measurements=(), doubts=(Doubt("no-figure", "It has none."),)), "It has none."),
        (
            lambda r: replace(r, state=State.WAITING, measurements=()),
            "the job did not tell of it in every trial",
        ),
    ],
)
def test_why_a_block_is_missing_is_said(change: Change, reason: str) -> None:
    found = [change(r) if (r.planned.block, r.planned.arm) == (1, Arm.TREATMENT) else r for r in RECORDS]
    row = row_of(found)
    assert (row.reason, row.blocks) == (reason, 2)


def test_a_block_that_was_not_run_on_both_arms_is_missing_for_that() -> None:
    gone = [r for r in RECORDS if (r.planned.block, r.planned.arm) != (1, Arm.TREATMENT)]
    assert row_of(gone).reason == "it was not run on both arms of every block"
    assert row_of(RECORDS).reason is None


def test_an_adaptive_activity_misses_only_blocks_that_it_ran() -> None:
    two = [r for r in RECORDS if r.planned.block < 2]
    assert row_of(two, replace(PLAN, goal=Goal(adaptive=True))).reason is None
    assert row_of(two).reason == "it was not run on both arms of every block"


@pytest.mark.parametrize(
    ("goal", "floor"), [(Goal(), True), (Goal(shape=Shape.PAIRS), False), (Goal(runs=2), False)]
)
def test_a_noise_floor_is_that_of_two_visits_of_one_run(goal: Goal, floor: bool) -> None:
    assert (row_of(RECORDS, replace(PLAN, goal=goal)).floor is not None) is floor


@pytest.mark.parametrize(
    ("changes", "aim"),
    [
        ({}, Aim("this-session", "as-is", "total", "solo", "events")),
        ({"events": 300}, Aim("this-session", "as-is", "total(300)", "solo", "events")),
        ({"cache": CacheSpec(CacheState.COLD)}, Aim("this-session", "cold", "total", "solo", "events")),
        (
            {"placement": PlacementSpec(copies=2, threads=1)},
            Aim("this-session", "as-is", "total", "full-node(2 jobs)", "events"),
        ),
    ],
)
def test_what_a_loss_is_a_loss_of(changes: dict[str, Any], aim: Aim) -> None:
    plan = replace(PLAN, workloads=(replace(WORKLOAD, **changes),))
    limits = [replace(r, limits=Limits((0, 1))) for r in RECORDS]
    assert row_of(limits, plan).aim == aim


def test_two_sessions_aim_at_the_machine_and_a_phase_at_itself() -> None:
    far = [replace(r, started_ns=r.started_ns + 10**13 * (r.planned.block == 2)) for r in RECORDS]
    aim = row_of(far).aim
    assert aim is not None
    assert aim.scope == "this-machine"
    loop = Metric("event_loop_time", "s", Direction.LOWER)
    plan = replace(PLAN, workloads=(replace(WORKLOAD, phases=PhaseRules(announce=True)),))
    reported = [
        replace(r, measurements=(*r.measurements, Measurement(loop, 1.0 + r.planned.index))) for r in RECORDS
    ]
    phases = {row.metric: row.aim.phase for row in build_page(plan, reported).estimates if row.aim}
    assert phases["events"] == "total"


def _known(sigma: float | None, metric: str = "events") -> SiteFloor:
    return SiteFloor("node", 0, 4, 0, (MetricFloor(WORKLOAD.work, "spin", metric, 5, 20, sigma, 0.01),))


def test_the_sites_floor_of_a_metric_widens_its_interval() -> None:
    far = [replace(r, started_ns=r.started_ns + 10**13 * (r.planned.block == 2)) for r in RECORDS]
    plain = row_of(far)
    wide = row_of(far, replace(PLAN, floor=_known(0.05)))
    other = row_of(far, replace(PLAN, floor=_known(0.05, "other")))
    assert (other.low, other.high) == (plain.low, plain.high)
    assert wide.low is not None
    assert plain.low is not None
    assert wide.low < plain.low - 0.01
    assert row_of(far, replace(PLAN, floor=_known(None))).low == plain.low


def test_an_early_look_has_no_verdict_by_a_test_that_is_taken_once() -> None:
    page = build_page(PLAN, [r for r in RECORDS if r.planned.index < 8])
    (row,) = page.estimates
    assert page.result.state == "interrupted"
    assert row.verdict is Verdict.INCONCLUSIVE
    assert row_of(RECORDS).verdict is Verdict.LOSS
    assert row_of([]).verdict is Verdict.NOT_MEASURED


def test_more_blocks_take_as_long_as_the_blocks_took() -> None:
    noisy = [record_of(r.planned, 100.0 + (r.planned.index * 7) % 13) for r in RECORDS]
    row = row_of(noisy)
    assert row.blocks_more is not None
    assert row.hours_more is not None
    assert row.hours_more / row.blocks_more == pytest.approx(
        30 / 3600, rel=0.2
    )  # trials begin every ten seconds


def test_why_a_workload_has_no_part_in_a_score() -> None:
    plan, found = test_score.PLAN, test_score.RECORDS
    small = replace(test_score.JOB, rule_met=False, note="too small")

    def reason(changed_: Any, left: list[Trial]) -> Any:
        (score,) = build_page(changed_, left).scores
        return score

    lost = [r for r in found if r.planned.workload != "job"]
    reported = reason(replace(plan, workloads=(WORKLOAD, small, test_score.RATED)), lost)
    assert (reported.reason, reported.marks, reported.parts) == (
        "job wall_time: it was not run on both arms of every block", ("job: too small",),
        ("spin events", "job wall_time", "rated events"),
    )  # fmt: skip
    bare = replace(test_score.JOB, metrics=(replace(test_score.WALL, timed=False),))
    untimed = reason(replace(plan, workloads=(WORKLOAD, bare, test_score.RATED)), found)
    assert untimed.reason == "job: it has no metric that rests on a clock"
    assert untimed.parts == ("spin events", "job", "rated events")
    odd = [r for r in found if (r.planned.workload == "job") is (r.planned.block % 2 == 0)]
    assert reason(plan, odd).reason == "in no block was every workload complete"
    assert reason(plan, []).reason.count("; ") == 2


@pytest.mark.parametrize(
    ("accelerators", "here"),
    [
        ((None,), "A CPU"),
        (("kvm",), "A CPU, guests by KVM"),
        (("tcg",), "A CPU, guests emulated (TCG)"),
        (("xen",), "A CPU, guests by xen"),
    ],
)
def test_what_ours_was_measured_on_is_told_beside_published_figures(
    accelerators: tuple[str | None, ...], here: str
) -> None:
    (one,) = accelerators
    found = treated(platform=None if one is None else replace(GUEST, accelerator=one))
    plan = replace(PLAN, published=(PublishedSpec("juno-2017/cpu-loss", ("spin",)),))
    published = published_of(plan, found, rows=build_page(PLAN, found).estimates, scans=(), weights=())
    assert published is not None
    assert published.here == here


LINK = (
    "Name a workload that shows nothing but the hardware in the scene, design: {reference: "
    "flops}: each loss is then also shown corrected by it."
)


@pytest.mark.parametrize(
    ("facts", "code", "what", "step"),
    [
        ({"cpu_model": "B CPU"}, "processors-differ", "processors differ (A CPU and B CPU)", LINK),
        ({"cache_bytes": 7}, "caches-differ", "caches differ (1048576 and 7)", LINK),
        ({"kernel": "6.2"}, "kernels-differ", "kernels differ (6.1 and 6.2)", None),
        ({"thp": "never"}, "thp-modes-differ", "THP modes differ (always and never)", None),
        ({"clock_source": "hpet"}, "clock-sources-differ", "clock sources differ (tsc and hpet)", None),
        (
            {"governor": "powersave"},
            "frequency-governors-differ",
            "frequency governors differ (performance and powersave)",
            LINK,
        ),
    ],
)
def test_two_machines_that_differ_are_told_in_what(
    facts: dict[str, Any], code: str, what: str, step: str | None
) -> None:
    here = replace(FACTS, thp="always", governor="performance")
    found = [
        replace(r, facts=replace(here, **facts) if r.planned.arm is Arm.TREATMENT else here) for r in RECORDS
    ]
    sentence = f"The {what}: the loss is between these two machines, not of a platform."
    assert list(map(worded, hardware(PLAN, found))) == [Doubt(code, sentence, step)]
    corrected = replace(PLAN, goal=Goal(reference="flops"))
    assert list(map(worded, hardware(corrected, found))) == [Doubt(code, sentence)]


def test_platforms_that_show_another_processor_by_design_are_not_compared() -> None:
    found = treated(facts=replace(FACTS, cpu_model="B CPU", thp="never"))
    arm = PLAN.treatment
    by_design = (
        replace(arm, guest=WANTED),
        replace(arm, host_settings=(("host.thp", "never"),)),
    )
    for treatment in by_design:
        assert list(hardware(replace(PLAN, treatment=treatment), found)) == []
    far = replace(arm, host_settings=(("host.thp", "never"),), machine=Machine("far", Reach.SSH))
    assert len(list(hardware(replace(PLAN, treatment=far), found))) == 2
    assert list(hardware(PLAN, [r for r in found if r.planned.arm is Arm.BASELINE])) == []


@pytest.mark.parametrize(
    ("field", "values", "is_said"),
    [
        ("hostname", ("a", "b"), True),
        ("cpu_model", ("a", "b"), True),
        ("kernel", ("a", "b"), True),
        ("memory_bytes", (1, 2), True),
        ("governor", ("a", "b"), True),
        ("thp", ("a", "b"), True),
        ("clock_source", ("a", "b"), True),
        ("boot_id", ("a", "b"), False),
    ],
)
def test_a_machine_that_changed_is_told_with_both_values(
    field: str, values: tuple[Any, Any], is_said: bool
) -> None:
    found = [
        replace(r, facts=replace(FACTS, **{field: values[r.planned.block == 2]}))
        if r.planned.arm is Arm.BASELINE
        else r
        for r in RECORDS
    ]
    sentence = (
        f"The baseline's machine changed during the activity: {field} was {values[0]} and then {values[1]}."
    )
    assert [worded(doubt).sentence for doubt in changed(PLAN, found)] == ([sentence] if is_said else [])


def test_what_is_another_at_every_visit_by_itself_is_no_change() -> None:
    names = [
        replace(r, facts=replace(FACTS, hostname=f"b{r.planned.block}", memory_bytes=1)) for r in RECORDS
    ]
    sizes = [replace(r, facts=replace(FACTS, memory_bytes=1 + r.planned.block)) for r in RECORDS]
    guest = replace(PLAN, treatment=replace(PLAN.treatment, guest=WANTED))
    assert [worded(d).sentence.split("'")[0] for d in changed(guest, names)] == ["The baseline"]
    uml = replace(PLAN, treatment=replace(PLAN.treatment, container=PlannedContainer(Runtime.UML)))
    assert [worded(d).sentence.split("'")[0] for d in changed(uml, sizes)] == ["The baseline"]
    runc = replace(PLAN, treatment=replace(PLAN.treatment, container=PlannedContainer(Runtime.RUNC)))
    assert len(list(changed(runc, sizes))) == 2


def test_names_of_a_sentence_are_cut_after_three() -> None:
    assert some(["a", "b", "c"]) == "a, b, c"
    assert some(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more"
    assert some(["a", "b"], most=1) == "a and 1 more"
    assert list(programs(PLAN, RECORDS)) == []
