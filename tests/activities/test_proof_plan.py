"""Which ablations are laid out for a result, what is left out and why, and what the runs will take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.activities import proof_plan
from assay.activities.plan.prepare import BOOT_S
from assay.activities.proof_plan import MOST_CHOSEN, ProofSpec, ablated_scene, lay_out, proof_cost
from assay.design import Cost, plan_trials
from assay.design.fraction import MOST_ABLATIONS, fraction
from assay.model.activity import PlannedGuest
from assay.model.errors import AssayError, UnknownNameError
from assay.model.goal import Goal
from assay.pages.proof import LeftOut, Proof, ProofRun
from assay.results.proofs.proof_file import proof_of
from assay.scenes import ABLATIONS, Scene, read_scene
from assay.store.record import read_activity, write_activity
from tests.activities.test_prove import SCENE, World, result, world
from tests.builders import plan_of

__all__ = ["result", "world"]


def laid(world: World, folder: Path, *, causes: Mapping[str, float] | None = None, **wanted: Any) -> Proof:
    return lay_out(folder, ProofSpec(**wanted), home=world.home, store=world.store, causes=causes)


def test_a_proof_says_before_its_first_run_what_will_be_run(world: World, result: Path) -> None:
    plan = read_activity(result)
    proof = laid(world, result)
    assert (proof.result, proof.state, proof.confidence) == (plan.id, "begun", plan.confidence)
    assert [(one.name, one.title, one.proves) for one in proof.ablations] == [
        (name, ABLATIONS[name].title, ABLATIONS[name].proves) for name in ("cpu-quota", "preload")
    ]
    assert proof.design == "All 4 combinations of 2 ablations are run."
    assert {one.ablated for one in proof.runs} == {(), ("cpu-quota",), ("preload",), ("cpu-quota", "preload")}
    assert {(one.activity, one.state) for one in proof.runs} == {(None, "planned")}
    assert (proof.rows, proof.doubts, proof_of(result)) == ((), (), None)


def test_every_ablation_that_takes_no_part_is_named_with_the_reason(world: World, result: Path) -> None:
    left = {one.name: one for one in laid(world, result).left_out}
    assert set(left) == set(ABLATIONS) - {"cpu-quota", "preload"}
    assert left["disk-cache"] == LeftOut("disk-cache", applies=False, reason="the treatment is no guest")
    assert list(left) == [name for name in ABLATIONS if name in left]
    assert [one.name for one in laid(world, result, ablations=("preload",)).left_out] == []


def test_the_order_of_the_runs_and_their_seeds_follow_from_the_result_s_seed(
    world: World, result: Path
) -> None:
    first, again = laid(world, result), laid(world, result)
    assert first.runs == again.runs
    write_activity(result, replace(read_activity(result), seed=12))
    other = laid(world, result)
    assert {run.seed for run in other.runs}.isdisjoint(run.seed for run in first.runs)
    assert all(0 <= run.seed < 2**32 for run in first.runs)
    orders = []
    for seed in range(8):
        write_activity(result, replace(read_activity(result), seed=seed))
        orders.append([run.ablated for run in laid(world, result).runs])
    assert any(order != orders[0] for order in orders), "what drifts is nobody's share"


@pytest.mark.parametrize(("ran", "expected"), [(2, 3), (3, 3), (7, 7), (10, 10), (11, 10)])
def test_there_are_as_many_blocks_as_the_result_had_within_limits(
    world: World, result: Path, monkeypatch: pytest.MonkeyPatch, ran: int, expected: int
) -> None:
    trials = plan_trials(("spin",), blocks=ran, seed=1)
    write_activity(result, replace(read_activity(result), trials=trials))
    monkeypatch.setattr(proof_plan, "read_trials", lambda _folder, **_: [Done(trial) for trial in trials])
    assert laid(world, result).blocks == expected
    assert laid(world, result, blocks=2).blocks == 2


class Done:
    """A trial with a record."""

    def __init__(self, planned: Any) -> None:
        self.planned = planned


def test_a_block_of_which_a_trial_is_left_did_not_run_to_its_end(
    world: World, result: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trials = plan_trials(("spin",), blocks=6, seed=1)
    write_activity(result, replace(read_activity(result), trials=trials))
    monkeypatch.setattr(
        proof_plan, "read_trials", lambda _folder, **_: [Done(trial) for trial in trials[:-1]]
    )
    assert laid(world, result).blocks == 5


def test_what_cannot_be_planned_with_an_ablation_on_is_left_out_with_that_reason(
    world: World, result: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def prepare(scene: Scene, **given: Any) -> Any:
        asked.append(given)
        if getattr(scene.treatment, "cpu_quota", None) is None:
            msg = "no such machine"
            raise AssayError(msg)
        return world.prepare(scene, **given)

    monkeypatch.setattr(proof_plan, "prepare", prepare)
    proof = laid(world, result)
    left = {one.name: one for one in proof.left_out}
    assert left["cpu-quota"] == LeftOut("cpu-quota", applies=False, reason="no such machine")
    assert [one.name for one in proof.ablations] == ["preload"]
    assert asked == [{"home": world.home, "store": world.store, "command": None}] * 3


def test_an_ablation_that_would_change_the_work_itself_is_left_out_unless_that_is_what_it_does(
    world: World, result: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def prepare(scene: Scene, **given: Any) -> Any:
        plan = world.prepare(scene, **given)
        (workload,) = plan.workloads
        ablated = scene.workloads[0].cache is None or scene.workloads[0].cache.state == "warm"
        return replace(plan, workloads=(replace(workload, command=("spin", "less")),)) if ablated else plan

    monkeypatch.setattr(proof_plan, "prepare", prepare)
    proof = laid(world, result)
    assert [one.name for one in proof.ablations] == ["cpu-quota"]
    left = {one.name: one for one in proof.left_out}
    assert left["preload"] == LeftOut("preload", applies=False, reason="it would change the work itself")
    assert proof.design == "It is run as it is and with cpu-quota ablated."
    changing = dict(ABLATIONS) | {"preload": replace(ABLATIONS["preload"], changes_work=True)}
    monkeypatch.setattr(proof_plan, "ABLATIONS", changing)
    assert [one.name for one in laid(world, result).ablations] == ["cpu-quota", "preload"]


def test_where_more_apply_than_are_ablated_unasked_the_rest_can_be_named(
    world: World, result: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proof_plan, "_reason", lambda *_given, **_named: None)
    proof = laid(world, result, causes={"cold-cache": 0.05, "io": 0.2, "queue": 0.01})
    assert [one.name for one in proof.ablations] == ["page-cache", "preload", "stagger"]
    assert len(proof.runs) == 8
    left = {one.name: one for one in proof.left_out}
    assert left["memory"] == LeftOut(
        "memory", applies=True, reason="3 others come before it: name it with --ablate memory"
    )
    assert MOST_CHOSEN == 3


def test_a_cause_goes_before_a_state_and_of_the_same_weight_the_first_in_the_catalogue() -> None:
    plan, reasons = plan_of(()), dict.fromkeys(ABLATIONS)

    def chosen(causes: Mapping[str, float]) -> list[str]:
        return [one.name for one in proof_plan._choose(plan, ProofSpec(), reasons, causes)]

    assert chosen({}) == list(ABLATIONS)[:3]
    assert chosen({"waiting": 0.01, "user": 0.5})[0] == "pause"
    assert chosen({"idle": 0.1, "io": 0.1})[0] == "disk-cache"


def test_named_ablations_are_all_ablated_and_none_may_be_unfit_or_too_many() -> None:
    plan, names = plan_of(()), tuple(ABLATIONS)
    some = dict.fromkeys(names[:5])
    chosen = proof_plan._choose(plan, ProofSpec(names[:5]), some, {"idle": 1.0})
    assert [one.name for one in chosen] == list(names[:5])
    assert MOST_ABLATIONS == 8
    eight = dict.fromkeys(names[:8])
    assert len(proof_plan._choose(plan, ProofSpec(names[:8]), eight, {})) == 8
    with pytest.raises(AssayError) as many:
        proof_plan._choose(plan, ProofSpec(names[:9]), dict.fromkeys(names[:9]), {})
    assert many.value.message == "cannot make 9 ablations at once: at most 8"
    assert many.value.hint == "name those that matter with --ablate"
    with pytest.raises(AssayError) as unfit:
        proof_plan._choose(plan, ProofSpec(names[:2]), {names[0]: None, names[1]: "no guest"}, {})
    assert unfit.value.message == f"cannot prove what costs result {plan.id}: {names[1]}: no guest"
    assert unfit.value.hint == "docs/proof.md says what each ablation takes away, and where it applies"


def test_a_result_to_which_no_ablation_applies_is_refused_with_all_reasons() -> None:
    names = tuple(ABLATIONS)[:2]
    with pytest.raises(AssayError) as none:
        proof_plan._choose(plan_of(()), ProofSpec(), dict.fromkeys(names, "no guest"), {})
    assert none.value.message.endswith(f": {names[0]}: no guest; {names[1]}: no guest")
    fitting = proof_plan._choose(plan_of(()), ProofSpec(), {names[0]: None, names[1]: "no guest"}, {})
    assert [one.name for one in fitting] == [names[0]]


def test_an_unknown_ablation_is_named_with_the_known(world: World, result: Path) -> None:
    with pytest.raises(UnknownNameError, match="unknown ablation 'cpu-quotas'; nearest: 'cpu-quota'"):
        laid(world, result, ablations=("preload", "cpu-quotas"))


def test_a_fraction_says_its_resolution_and_two_ablations_are_all_run() -> None:
    assert proof_plan._design_text(fraction(2), "ab") == "All 4 combinations of 2 ablations are run."
    five = proof_plan._design_text(fraction(5), "abcde")
    assert five == (
        "16 of 32 combinations are run (resolution 5): no ablation's own effect is mixed with "
        "another's or with a pair's."
    )


def test_the_run_as_it_is_keeps_the_scene_and_lifts_nothing() -> None:
    scene = read_scene(
        SCENE.replace("seed: 11", "seed: 11, confidence: 90 %, margin: 1 %").encode(), file="x.yaml"
    )
    made = ablated_scene(scene, ProofRun((), 7, None, "planned"), result="0123abcd", blocks=5)
    assert made.title == "Proof of 0123abcd: as it is"
    assert (made.design.blocks, made.design.confidence, made.design.margin, made.design.seed) == (
        5,
        0.9,
        0.01,
        7,
    )
    assert (made.treatment, made.workloads) == (scene.treatment, scene.workloads)
    both = ablated_scene(
        scene, ProofRun(("cpu-quota", "preload"), 7, None, "planned"), result="0123abcd", blocks=5
    )
    assert both.title == "Proof of 0123abcd: without cpu-quota, preload"
    assert getattr(both.treatment, "cpu_quota", 1) is None
    assert both.workloads != scene.workloads


def test_a_run_keeps_what_its_shape_refers_to() -> None:
    scene = read_scene(SCENE.encode(), file="x.yaml")
    kept = replace(scene, design=replace(scene.design, goal=Goal(reference=4)))
    made = ablated_scene(kept, ProofRun((), 7, None, "planned"), result="0123abcd", blocks=5)
    assert made.design.goal.reference == 4


def test_the_cost_is_that_of_a_block_as_its_trials_took_for_each_block_that_is_left(
    world: World, result: Path
) -> None:
    """A block has three trials here, and each record took 4 s."""
    proof = laid(world, result, blocks=4)
    assert proof_cost(proof, result) == Cost(4 * 4 * 3, 4 * 4 * 3 * 4.0)
    states = ("complete", "begun", "failed", "planned")
    runs = tuple(replace(run, state=state) for run, state in zip(proof.runs, states, strict=True))  # type: ignore[arg-type]
    assert proof_cost(replace(proof, runs=runs), result) == Cost(4 * 2 * 3, 4 * 2 * 3 * 4.0)


def test_the_boots_of_a_guest_and_a_guess_of_what_never_ran_belong_to_the_cost(
    world: World, result: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proof = laid(world, result, blocks=4)
    plan = read_activity(result)
    guest = replace(plan.treatment, guest=PlannedGuest(1, 1 << 30, "none", "image"))
    write_activity(result, replace(plan, treatment=guest))
    assert proof_cost(proof, result).seconds == pytest.approx(16 * (12.0 + BOOT_S))
    monkeypatch.setattr(proof_plan, "read_trials", lambda _folder, **_: [])
    guess_s = 3 * (plan.workloads[0].seconds + 1)
    assert proof_cost(proof, result).seconds == pytest.approx(16 * (guess_s + BOOT_S))
