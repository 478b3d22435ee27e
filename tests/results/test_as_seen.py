"""Whole pages of results, as they were seen: every figure, sentence and next step of many kinds of
activities.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from assay.design import plan_trials
from assay.model.activity import ActivityPlan, PlannedGuest
from assay.model.doubt import Doubt
from assay.model.goal import Goal
from assay.model.machines.machine import Limits
from assay.model.metric import Direction, Measurement, Metric
from assay.model.platforms.data import LOCAL
from assay.model.platforms.platform import HypervisorCpu, SeenFactor
from assay.model.trial import Arm, State, Trial, Usage
from assay.model.work.disturbance import HostOver
from assay.model.work.observation import Observation, Profile
from assay.model.work.page_cache import CacheCheck, CacheSpec, CacheState, Residency
from assay.model.work.phase import PhaseRules
from assay.model.work.placement import PlacementSpec
from assay.model.work.reading import Reading, Success
from assay.model.work.workload import File, Program
from assay.pages.context import Page
from assay.results.outcome import build_page
from tests.builders import FACTS, WORKLOAD, clock_check
from tests.results import (
    test_correction,
    test_landscapes,
    test_outcome,
    test_own_clock,
    test_rejections,
    test_rows_together,
    test_same_result,
    test_scans,
    test_score,
    test_sweep,
)
from tests.results.families import test_layouts, test_scalings, test_weights
from tests.results.methods import (
    test_container_method,
    test_domain_method,
    test_guest_method,
    test_host_method,
)
from tests.results.seen import as_seen

PLAN, RECORDS = test_outcome.PLAN, test_outcome.records()
GUEST = test_guest_method.GUEST
MIB = 1 << 20


def treated(changes: dict[str, object], records: Sequence[Trial] = RECORDS) -> list[Trial]:
    """Return records whose treatment is changed."""
    return [replace(r, **changes) if r.planned.arm is Arm.TREATMENT else r for r in records]  # type: ignore[arg-type]


def troubled() -> Page:
    """Return a page of failed trials, of doubts, of other programs and of machines that differ and change."""
    library = [File("libm.so.6", "/lib/libm.so.6", digest) for digest in ("bb", "cc")]
    found = []
    for record in RECORDS:
        there = record.planned.arm is Arm.TREATMENT
        facts = replace(FACTS, hypervisor=True, kernel="6.2" if record.planned.block == 2 else "6.1")
        if there:
            facts = replace(
                facts, cpu_model="Another CPU", governor="powersave", thp="never", clock_source="hpet"
            )
        program = Program(File("spin", "/usr/bin/spin", "aa"), (library[there],))
        doubts = (Doubt("steal", "5 % was stolen."),) if record.planned.block else ()
        found.append(replace(record, facts=facts, program=program, doubts=doubts))
    found[-1] = test_outcome.fail(found[-1])
    found[2] = replace(test_outcome.fail(found[2]), cause="exit 9")
    return build_page(replace(PLAN, doubts=(("overcommitted", "Four guests on two cores."),)), found)


def watched() -> Page:
    """Return a page of a command of copies and phases that was looked at in every way."""
    placed = replace(
        WORKLOAD,
        placement=PlacementSpec(copies=4, threads=2, stagger_s=0.5, nice=5),
        phases=PhaseRules(announce=True),
        cache=CacheSpec(CacheState.COLD, drop=True),
        readings=(Reading(WORKLOAD.metrics[0], pattern="rate: (.*)"),),
        success=Success(pattern="done", absent="error", files=("out.root",)),
    )
    observation = Observation(0.5, ("delay", "pss"), ("cycles", "instructions"), Profile())
    plan = replace(PLAN, command="./my-job --n 'a b'", workloads=(placed,), observation=observation)
    checks = [CacheCheck(CacheState.COLD, True, Residency(2, 10 * MIB, at * MIB)) for at in (1, 2)]  # noqa: FBT003
    found = [
        replace(
            r, cache=checks[r.planned.arm is Arm.TREATMENT], usage=Usage(4.0, 3.0, 0.5, MIB, 5 * MIB, MIB)
        )
        for r in RECORDS
    ]
    return build_page(plan, found)


def guests() -> Page:
    """Return a page of a guest whose clock is compared, with what its host saw and counted."""
    wanted = PlannedGuest(vcpus=1, memory_bytes=1 << 30, disk_cache="none", image="0123")
    plan = replace(PLAN, treatment=replace(PLAN.treatment, label="guest", guest=wanted))
    host = HostOver(4.0, (1,), 0.5, 0.1, 0, None, 0, 0.0)
    factors = (
        SeenFactor("disk.bus", "virtio", "the domain"),
        SeenFactor("net.model", "virtio", "the domain"),
    )
    changes = {
        "platform": replace(GUEST, factors=factors), "clock": clock_check(1.002), "host": host,
        "hypervisor_cpu": HypervisorCpu(3.5, 0.25), "limits": Limits((1,), cpu_quota=0.5),
    }  # fmt: skip
    return build_page(plan, treated(changes))


def faster() -> Page:
    """Return a page of a treatment that is faster and reads less."""

    def one(record: Trial) -> Trial:
        guest = record.planned.arm is Arm.TREATMENT
        usage = Usage(4.0, 3.0, 0.5, MIB, 0 if guest else 1 << 30, 0)
        value = 200.0 + record.planned.index / 10 if guest else 100.0 + record.planned.index / 20
        return replace(record, measurements=(Measurement(test_outcome.RATE, value),), usage=usage)

    return build_page(PLAN, [one(record) for record in RECORDS])


def precise() -> Page:
    """Return a page of an adaptive activity in two sessions whose precision was not reached."""
    trials = plan_trials(("spin",), blocks=8, seed=4)
    goal = Goal(adaptive=True, precision=0.001, sessions=2, minimum_blocks=2, time_budget_s=7200.0, runs=1)
    plan = replace(PLAN, trials=trials, blocks=8, goal=goal)
    found = []
    for planned in trials:
        value = 100.0 + (planned.index * 7) % 13 - 10 * (planned.arm is Arm.TREATMENT)
        record = replace(test_outcome.record_of(planned, value))
        later = 10**13 if planned.block >= 4 else 0
        found.append(replace(record, started_ns=record.started_ns + later, ended_ns=record.ended_ns + later))
    return build_page(plan, found)


def phased() -> Page:
    """Return a page of phases that a program tells of, one of them not in every trial."""
    loop, end = (Metric(f"{name}_time", "s", Direction.LOWER) for name in ("event_loop", "end"))
    found = [
        replace(
            r,
            measurements=(
                *r.measurements,
                Measurement(loop, (2.0 if r.planned.arm is Arm.TREATMENT else 1.0) + r.planned.index / 100),
                Measurement(end, None if r.planned.block == 1 else 1.0 + r.planned.index / 1000),
            ),
        )
        for r in RECORDS
    ]
    return build_page(PLAN, found)


def contained() -> Page:
    """Return a page of two containers, gVisor's among them."""
    trials = plan_trials(("spin",), blocks=3, seed=1, visits=(1, 1))
    plan = replace(PLAN, trials=trials)
    plan = replace(
        plan, treatment=replace(plan.treatment, label="runc"), more=(replace(plan.treatment, label="gvisor"),)
    )
    kinds = (test_container_method.RUNC, test_container_method.GVISOR)
    found = [
        replace(
            test_outcome.record_of(t, 100.0 - t.index * (t.arm is Arm.TREATMENT)),
            container=kinds[t.level] if t.arm is Arm.TREATMENT else None,
        )
        for t in trials
    ]
    return build_page(plan, found)


def barred() -> Page:
    """Return a page of trials that came to different results."""
    return build_page(PLAN, test_same_result.reported("a", "b"))


def served() -> Page:
    """Return a page of a treatment that reads its data from a server, the baseline from its own disk."""
    reported = [(SeenFactor("data.access", level, "its mount"),) for level in (LOCAL, "nfs")]
    found = [replace(r, data=reported[r.planned.arm is Arm.TREATMENT]) for r in RECORDS]
    return build_page(PLAN, found)


def rejected() -> Page:
    """Return a page of trials that were rejected on one arm and disturbed on both."""
    again = test_rejections.rejected(Arm.TREATMENT, 5)
    return build_page(test_rejections.PLAN, test_rejections.KEPT[:30], rejected=again)


def landscape() -> Page:
    """Return a page of four points of file and record size."""
    plan = test_landscapes.planned(test_landscapes.WORKLOADS)
    return build_page(plan, [test_landscapes.ran(plan, trial) for trial in plan.trials])


def scaling() -> Page:
    """Return a page of one, two and four copies on both arms."""
    plan = test_scalings.plan_for(test_scalings.family())
    return build_page(plan, test_scalings.records_of(plan))


def scanned() -> Page:
    """Return a page of three event numbers with noise."""
    return test_scans.page(test_scans.records(test_scans.plan(), noise=0.002))


def swept() -> Page:
    """Return a page of two treatments, one of them without a complete block."""
    gone = [r for r in test_sweep.RECORDS if not (r.planned.level == 1 and r.planned.block > 2)]
    return build_page(test_sweep.SWEEP, gone)


PAGES: dict[str, Callable[[], Page]] = {
    "complete": lambda: build_page(PLAN, RECORDS),
    "interrupted": lambda: build_page(PLAN, RECORDS[:4]),
    "no-record": lambda: build_page(PLAN, []),
    "failed": lambda: build_page(
        PLAN, treated({"state": State.FAILED, "measurements": (), "cause": "exit 1"})
    ),
    "troubled": troubled,
    "watched": watched,
    "guests": guests,
    "faster": faster,
    "precise": precise,
    "phased": phased,
    "contained": contained,
    "barred": barred,
    "served": served,
    "rejected": rejected,
    "landscape": landscape,
    "scaling": scaling,
    "scanned": scanned,
    "swept": swept,
    "corrected": lambda: build_page(test_correction.PLAN, test_correction.RECORDS),
    "domain": lambda: build_page(test_domain_method.DOMAIN, test_domain_method.RECORDS),
    "host-settings": lambda: build_page(test_host_method.SET, test_host_method.RECORDS),
    "layouts": lambda: build_page(test_layouts.PLAN, test_layouts.RECORDS),
    "many-metrics": lambda: test_rows_together.page_of(test_rows_together.METRICS[:21], {"m00": 1.3}),
    "own-clock": lambda: build_page(test_own_clock.PLAN, test_own_clock.records(test_own_clock.FAST)),
    "score": lambda: build_page(test_score.PLAN, test_score.RECORDS),
    "weights": lambda: build_page(test_weights.GUESTS, test_weights.RECORDS),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_as_seen(name: str) -> None:
    page = PAGES[name]()
    as_seen(f"page-{name}", replace(page, trials=page.trials[:4]))


def test_the_order_of_records_changes_no_page() -> None:
    plan: ActivityPlan = PLAN
    assert build_page(plan, RECORDS[::-1]) == PAGES["complete"]()
