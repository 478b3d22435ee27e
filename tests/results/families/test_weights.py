"""From the weighings of trials to the weight of guests."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.design import plan_trials
from assay.model.activity import PlannedGuest
from assay.model.platforms.platform import GuestWeight, HypervisorCpu
from assay.model.trial import Arm, PlannedTrial, State, Trial
from assay.model.work.disturbance import HostOver
from assay.results.families.weights import guest_weights
from assay.results.outcome import build_page
from tests.builders import plan_of, record_of
from tests.results.methods.test_guest_method import GUEST

MIB = 1 << 20
TRIALS = plan_trials(("spin", "again"), blocks=3, seed=1, visits=(1, 1))
WANTED = PlannedGuest(2, 1 << 30, "none", "0123")
HOST = HostOver(10.0, (1,), 0.0, 0.0, 0, below_base=False, swap_pages=0, clock_step_s=0.0)
PLAN = plan_of(TRIALS)
GUESTS = replace(
    PLAN,
    treatment=replace(PLAN.treatment, label="small", guest=WANTED),
    more=(replace(PLAN.treatment, label="large", guest=WANTED),),
)
LAST = {(trial.block, trial.slot): trial.index for trial in TRIALS}


def weighed(trial: PlannedTrial) -> Trial:
    """Return a record of a boot a visit; at the end of the visit of block b it weighs 100 + b MiB."""
    record = record_of(trial, 1.0, boot=f"b{trial.block}-{trial.slot}")
    if trial.arm is Arm.BASELINE:
        return record
    end = trial.index == LAST[trial.block, trial.slot]
    beside = (100 + trial.block + 50 * trial.level if end else 80) * MIB
    weight = GuestWeight(1 << 30, 256 * MIB, beside, 10 * MIB, 60.0 if end else 30.0)
    platform = replace(GUEST, vcpus=2)
    spent = HypervisorCpu(9.0, 1.0 + trial.block if end else 0.0)
    return replace(record, weight=weight, platform=platform, hypervisor_cpu=spent, host=HOST)


RECORDS = [weighed(trial) for trial in TRIALS]


def test_each_boot_is_one_sample_taken_at_the_end_of_its_visit() -> None:
    small, large = guest_weights(GUESTS, RECORDS)
    assert (small.label, small.vcpus, small.memory_bytes, small.age_s) == ("small", 2, 1 << 30, 60.0)
    assert small.beside_bytes is not None
    assert (small.beside_bytes.value, small.beside_bytes.boots) == (101 * MIB, 3)
    # Student's t of 2 degrees of freedom: 4.303 x 1 MiB / sqrt(3)
    assert small.beside_bytes.low == pytest.approx((101 - 2.484) * MIB, rel=1e-4)
    assert small.beside_bytes_per_vcpu is not None
    assert small.beside_bytes_per_vcpu.value == 50.5 * MIB
    assert small.touched_share is not None
    assert (small.touched_share.value, small.touched_share.low) == (0.25, 0.25)
    assert large.beside_bytes is not None
    assert large.beside_bytes.value == 151 * MIB


def test_cpu_outside_the_vcpus_is_a_share_of_a_processor_over_all_trials_of_a_boot() -> None:
    small, _ = guest_weights(GUESTS, RECORDS)
    assert small.other_cpu_share is not None
    assert small.other_cpu_share.value == pytest.approx((0.05 + 0.1 + 0.15) / 3)


def test_every_weighing_is_a_point_and_the_last_of_a_visit_is_marked() -> None:
    small, _ = guest_weights(GUESTS, RECORDS)
    assert [(point.boot, point.age_s, point.last) for point in small.points] == [
        (boot, age, last) for boot in range(3) for age, last in ((30.0, False), (60.0, True))
    ]


def test_a_boot_without_a_weighing_at_the_end_is_in_no_mean_and_never_a_zero() -> None:
    lost = [
        replace(r, weight=None) if r.planned.block < 2 and r.planned.index in LAST.values() else r for r in RECORDS  # noqa: E501
    ]  # fmt: skip
    small, _ = guest_weights(GUESTS, lost)
    assert small.beside_bytes is not None
    assert (small.beside_bytes.value, small.beside_bytes.low, small.beside_bytes.boots) == (
        102 * MIB,
        None,
        1,
    )
    cut = [r for r in RECORDS if r.planned.index not in LAST.values()]
    small, _ = guest_weights(GUESTS, cut)
    assert (small.beside_bytes, small.touched_share, small.age_s) == (None, None, None)
    assert len(small.points) == 3


def test_a_failed_trial_has_a_weight_all_the_same() -> None:
    failed = [replace(r, state=State.FAILED, measurements=()) for r in RECORDS]
    assert guest_weights(GUESTS, failed) == guest_weights(GUESTS, RECORDS)


def test_records_of_older_versions_and_machines_have_no_weight() -> None:
    assert guest_weights(GUESTS, [replace(r, weight=None) for r in RECORDS]) == ()
    assert guest_weights(PLAN, [record_of(trial, 1.0) for trial in TRIALS]) == ()


def test_the_page_holds_the_weights() -> None:
    assert build_page(GUESTS, RECORDS).weights == guest_weights(GUESTS, RECORDS)


def test_each_visit_of_a_restored_guest_is_a_sample_though_all_share_one_boot() -> None:
    small, _ = guest_weights(GUESTS, [replace(record, boot="saved") for record in RECORDS])
    apart, _ = guest_weights(GUESTS, RECORDS)
    assert small == apart
    assert {point.boot for point in small.points} == {0, 1, 2}
