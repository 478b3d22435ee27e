"""From records to a page."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from assay.design import plan_trials
from assay.model.activity import PlannedGuest
from assay.model.doubt import Doubt
from assay.model.figures.estimate import Verdict
from assay.model.machines.machine import Facts
from assay.model.metric import Direction, Measurement, Metric
from assay.model.trial import Arm, PlannedTrial, State, Trial, Usage
from assay.model.work.observation import Observation, Profile
from assay.model.work.phase import PhaseRules
from assay.model.work.placement import PlacementSpec
from assay.model.work.workload import File, Program
from assay.results.outcome import build_page
from tests.builders import FACTS, RATE, clock_check, plan_of, record_of

TRIALS = plan_trials(("spin",), blocks=3, seed=1)
PLAN = plan_of(TRIALS)


def value_of(planned: PlannedTrial) -> float:
    """Return a rate: the treatment half as fast, the second visit to the baseline 1 % faster."""
    if planned.arm is Arm.TREATMENT:
        return 50.0 + planned.block / 10
    return 100.0 + planned.replicate


def records() -> list[Trial]:
    return [record_of(planned, value_of(planned)) for planned in TRIALS]


def fail(record: Trial) -> Trial:
    return replace(record, state=State.FAILED, measurements=(), cause="exit 1", exit_code=1)


def codes(found: Sequence[Trial]) -> list[str]:
    return [doubt.code for doubt in build_page(PLAN, found).doubts]


def test_all_measured_is_complete_with_a_loss_and_its_floor() -> None:
    page = build_page(PLAN, records())
    (row,) = page.estimates
    assert page.result.state == "complete"
    assert row.verdict is Verdict.LOSS
    assert row.loss == pytest.approx(0.5, abs=0.01)
    assert row.blocks == 3
    assert row.floor is not None
    assert row.floor.loss == pytest.approx(1 - 101 / 100, abs=1e-9)
    assert [block.treatment for block in row.blocks_data] == [50.0, 50.1, 50.2]


def test_the_page_follows_from_the_records_alone() -> None:
    assert build_page(PLAN, records()) == build_page(PLAN, list(reversed(records())))


def test_a_failed_trial_never_yields_an_estimate() -> None:
    found = [fail(r) if r.planned.arm is Arm.TREATMENT else r for r in records()]
    page = build_page(PLAN, found)
    (row,) = page.estimates
    assert page.result.state == "failed"
    assert (row.loss, row.treatment_value, row.verdict) == (None, None, Verdict.NOT_MEASURED)
    assert row.reason == "local: exit 1"


def test_one_failed_block_leaves_the_others_and_is_partial() -> None:
    found = [fail(r) if r.planned.arm is Arm.TREATMENT and r.planned.block == 1 else r for r in records()]
    page = build_page(PLAN, found)
    assert page.result.state == "partial"
    assert page.estimates[0].blocks == 2


def test_a_plan_that_was_cut_off_is_interrupted_and_says_how_to_go_on() -> None:
    page = build_page(PLAN, records()[:4])
    assert page.result.state == "interrupted"
    assert page.next[0] == "assay activity resume 0123abcd"
    assert [point.state for point in page.trials].count(State.WAITING) == 5


def test_no_record_at_all_is_interrupted_without_any_number() -> None:
    page = build_page(PLAN, [])
    assert page.result.state == "interrupted"
    assert page.estimates[0].baseline_value is None
    assert page.estimates[0].floor is None


def test_a_block_with_one_failed_visit_to_the_baseline_is_still_paired_with_the_other() -> None:
    found = [fail(r) if (r.planned.block, r.planned.replicate) == (0, 1) else r for r in records()]
    row = build_page(PLAN, found).estimates[0]
    assert row.blocks == 3
    assert row.blocks_data[0].baseline == (100.0,)
    assert row.floor is not None
    assert row.floor.blocks == 2


def test_programs_that_differ_by_digest_are_a_doubt_and_equal_ones_are_not() -> None:
    def with_library(record: Trial, digest: str) -> Trial:
        here = Program(File("spin", "/usr/bin/spin", "aa"), (File("libm.so.6", "/lib/libm.so.6", digest),))
        return replace(record, program=here)

    same = [with_library(r, "bb") for r in records()]
    other = [with_library(r, "cc" if r.planned.arm is Arm.TREATMENT else "bb") for r in records()]
    assert "programs-differ" not in codes(same)
    assert "programs-differ" in codes(other)
    sentence = next(d.sentence for d in build_page(PLAN, other).doubts if d.code == "programs-differ")
    assert "libm.so.6" in sentence


def test_a_virtual_baseline_is_a_doubt() -> None:
    found = [replace(r, facts=replace(FACTS, hypervisor=True)) for r in records()]
    assert "host-is-virtual" in codes(found)


def test_two_machines_with_other_processors_are_a_doubt() -> None:
    other: Facts = replace(FACTS, cpu_model="Another CPU")
    found = [replace(r, facts=other) if r.planned.arm is Arm.TREATMENT else r for r in records()]
    assert "processors-differ" in codes(found)


def test_a_floor_that_is_not_zero_is_a_doubt() -> None:
    assert "floor-not-zero" not in codes(records())  # without scatter nothing is known of it
    drift = {(replicate, block): 100 + 20 * replicate + block for replicate in (0, 1) for block in range(3)}
    found = [
        record_of(planned, drift[planned.replicate, planned.block])
        if planned.arm is Arm.BASELINE
        else record_of(planned, 50.0)
        for planned in TRIALS
    ]
    assert "floor-not-zero" in codes(found)


def test_a_barred_figure_is_not_measured_and_makes_the_result_failed() -> None:
    found = [
        replace(r, measurements=tuple(replace(m, value=None) for m in r.measurements))
        if r.planned.arm is Arm.TREATMENT
        else r
        for r in records()
    ]
    page = build_page(PLAN, found)
    assert page.estimates[0].verdict is Verdict.NOT_MEASURED
    assert page.result.state == "failed"


def test_the_exit_status_of_a_user_s_command_is_said_for_both_arms() -> None:
    page = build_page(replace(PLAN, command="./my-job"), records())
    said = [sentence for sentence in page.method if sentence.startswith("Exit status")]
    assert said == ["Exit status on host: 0, 0, 0, 0, 0, 0.", "Exit status on other: 0, 0, 0."]


def test_failed_trials_are_said_even_where_every_metric_has_a_loss() -> None:
    found = [fail(r) if (r.planned.block, r.planned.replicate) == (2, 1) else r for r in records()]
    page = build_page(PLAN, found)
    assert page.result.state == "partial"
    sentence = next(d.sentence for d in page.doubts if d.code == "trials-failed")
    assert (
        sentence == "1 of 9 trials failed and are in no figure (spin on host); the first, in block 2: exit 1."
    )


def test_a_measured_zero_is_no_slowdown_and_says_so() -> None:
    def zero(record: Trial) -> Trial:
        return replace(record, measurements=tuple(replace(m, value=0.0) for m in record.measurements))

    found = [zero(r) if r.planned.arm is Arm.TREATMENT else r for r in records()]
    (row,) = build_page(PLAN, found).estimates
    assert (row.loss, row.treatment_value) == (None, 0.0)
    assert row.reason == "0 was measured: no slowdown can be formed with it"


def test_a_machine_that_changed_between_blocks_is_a_doubt() -> None:
    found = [replace(r, facts=replace(FACTS, kernel="6.2")) if r.planned.block == 2 else r for r in records()]
    assert "machine-changed" in codes(found)


def test_a_guest_has_the_name_of_its_boot_on_either_arm() -> None:
    guest = PlannedGuest(vcpus=1, memory_bytes=2**30, disk_cache="none", image="0" * 16)
    plan = replace(PLAN, baseline=replace(PLAN.baseline, guest=guest))
    found = [replace(r, facts=replace(FACTS, hostname=f"guest-b{r.planned.block}")) for r in records()]
    said = [doubt.sentence for doubt in build_page(plan, found).doubts if doubt.code == "machine-changed"]
    assert [sentence.split("'")[0] for sentence in said] == ["The treatment"]  # a machine is to keep its own


def test_a_doubt_of_trials_names_the_first_and_the_workloads() -> None:
    doubt = Doubt("steal", "5 % was stolen.")
    found = [replace(r, doubts=(doubt,)) if r.planned.block == 1 else r for r in records()]
    (said,) = [d for d in build_page(PLAN, found).doubts if d.code == "steal"]
    assert said.count == 3
    assert " (host, block 1, spin" in said.sentence or " (other, block 1, spin" in said.sentence


def test_a_trial_of_a_clock_that_is_not_trusted_shows_no_times() -> None:
    found = [replace(r, clock=clock_check(1.05)) for r in records()]
    assert all(point.wall_s is None for point in build_page(PLAN, found).trials)
    corrected = [replace(r, clock=clock_check(1.005)) for r in records()]
    assert build_page(PLAN, corrected).trials[0].wall_s == pytest.approx(4.0 / 1.005)


def test_the_next_commands_go_on_with_the_blocks_it_needs() -> None:
    noisy = [record_of(p, 100.0 + (p.index * 7) % 13 + 8 * (p.arm is Arm.TREATMENT)) for p in TRIALS]
    page = build_page(replace(PLAN, command="my job --x 'a b'"), noisy)
    assert page.estimates[0].blocks_more is not None
    assert page.next[0].startswith("assay activity extend 0123abcd --blocks ")


def test_phases_that_a_program_tells_itself_have_rows_of_their_own() -> None:
    loop = Metric("event_loop_time", "s", Direction.LOWER)
    found = [
        replace(
            r,
            measurements=(*r.measurements, Measurement(loop, 2.0 if r.planned.arm is Arm.TREATMENT else 1.0)),
        )
        for r in records()
    ]
    rows = {row.metric: row for row in build_page(PLAN, found).estimates}
    assert list(rows) == ["events", "event_loop_time"]
    assert rows["event_loop_time"].loss == pytest.approx(0.5)


def test_a_phase_that_is_not_told_in_a_trial_says_why_its_block_is_missing() -> None:
    loop = Metric("event_loop_time", "s", Direction.LOWER)
    plan = plan_of(TRIALS, workloads=(replace(PLAN.workloads[0], metrics=(loop,)),))
    found = [replace(r, measurements=(Measurement(loop, None),)) for r in records()]
    row = next(row for row in build_page(plan, found).estimates if row.metric == "event_loop_time")
    assert (row.loss, row.reason) == (None, "the job did not tell of it in every trial")


def test_how_copies_and_phases_became_figures_is_said() -> None:
    placed = replace(
        PLAN.workloads[0],
        placement=PlacementSpec(copies=4, stagger_s=0.5),
        phases=PhaseRules(announce=True),
    )
    plan = plan_of(TRIALS, workloads=(placed,), observation=Observation(1.0, ("delay", "pss"), (), Profile()))
    page = build_page(plan, records())
    assert any("Copies at once: spin 4 (0.5 s apart)" in sentence for sentence in page.method)
    assert any("Phases of spin as the program told them" in sentence for sentence in page.method)


def test_a_gain_is_explained_and_every_doubt_of_a_page_says_what_to_do() -> None:
    def faster(record: Trial) -> Trial:
        guest = record.planned.arm is Arm.TREATMENT
        usage = Usage(4.0, 3.0, 0.5, 1 << 20, 0 if guest else 1 << 30, 0)
        return replace(
            record,
            measurements=(Measurement(RATE, (200.0 if guest else 100.0) + record.planned.block),),
            usage=usage,
        )

    page = build_page(PLAN, [faster(record) for record in records()])
    (doubt,) = (d for d in page.doubts if d.code == "treatment-faster")
    assert "host fetched 1 GiB from storage, other 0 B" in doubt.sentence
    assert all(d.next for d in page.doubts)


def test_a_result_without_anything_wrong_has_no_doubt_from_the_checks() -> None:
    noise = random.Random(1)
    same = [record_of(planned, 100.0 + noise.random()) for planned in TRIALS]
    assert build_page(PLAN, same).doubts == ()
