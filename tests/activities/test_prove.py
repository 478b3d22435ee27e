"""The acts of a proof: written down first, one activity a combination, resumed where it was cut off."""

from __future__ import annotations

import itertools
import json
import math
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from assay.activities import evaluate, pages, proof_plan, prove
from assay.activities.proof_plan import ProofSpec, proof_cost
from assay.design import plan_trials
from assay.design.fraction import fraction
from assay.model.activity import ActivityPlan, ActivityState
from assay.model.errors import AssayError, UnknownNameError
from assay.model.figures.proof import Proved
from assay.model.trial import Arm
from assay.model.work.page_cache import CacheState
from assay.pages.proof import Proof, ProofRun, proof_from_json, proof_to_json
from assay.report.tables.proof_words import next_step
from assay.results.proofs.proof_file import proof_of
from assay.scenes import OtherMachine, Scene, read_scene
from assay.store.record import write_activity, write_trial
from assay.store.store import Store
from tests.builders import WORKLOAD, plan_of, record_of

SCENE = """\
scene: planted
title: Two losses
baseline: {machine: local}
treatment: {machine: local, factors: {cpu.quota: 50 %}}
workloads: [{name: spin, command: spin, cache: cold}]
design: {seed: 11}
"""
QUOTA, COLD = 0.4, 0.1
"""What each of the two costs, in log units; they do not interact there."""


class Nobody:
    """A watcher that keeps what is said."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def step(self, text: str, *, fraction: float | None = None) -> None:
        self.said.append(text)

    def progress(self, *, done: int, total: int, remaining_s: float) -> None: ...

    def trial_started(self, planned: Any, label: str) -> None: ...

    def trial_over(self, trial: Any) -> None: ...

    def look(self, text: str) -> None: ...

    def warn(self, sentence: str) -> None: ...


def slowdown(scene: Scene) -> float:
    assert isinstance(scene.treatment, OtherMachine)
    cold = scene.workloads[0].cache is not None and scene.workloads[0].cache.state is CacheState.COLD
    return QUOTA * (scene.treatment.cpu_quota is not None) + COLD * cold


@dataclass
class World:
    """A home in which nothing runs: trials are made up from what the scene says."""

    home: Path
    store: Store
    watcher: Nobody = field(default_factory=Nobody)
    followed: list[str] = field(default_factory=list)
    resumed: list[str] = field(default_factory=list)
    pages: list[Path] = field(default_factory=list)
    stop_in: int | None = None
    fail_in: int | None = None
    ids: Iterator[int] = field(default_factory=itertools.count)

    def prepare(self, scene: Scene, *, home: Path, store: Store, command: str | None) -> ActivityPlan:
        trials = plan_trials(("spin",), blocks=scene.design.blocks, seed=scene.design.seed or 0)
        number = next(self.ids)
        return plan_of(
            trials, id=f"{number:08x}", created_ns=number, scene=scene.name, title=scene.title,
            scene_text=scene.source,
            scene_digest=scene.digest, seed=scene.design.seed or 0, command=command,
            workloads=(replace(WORKLOAD, cache=scene.workloads[0].cache),),
        )  # fmt: skip

    def follow(self, plan: ActivityPlan, folder: Path, **_: Any) -> ActivityState:
        self.followed.append(plan.id)
        assert not (folder / "trials").exists(), "an activity is followed once"
        if self.stop_in == len(self.followed):
            raise KeyboardInterrupt
        if self.fail_in == len(self.followed):
            return ActivityState.FAILED
        self.measure(plan, folder)
        return ActivityState.COMPLETE

    def resume(self, row: Any, **_: Any) -> ActivityState:
        self.resumed.append(row.id)
        plan = evaluate.read_activity(row.folder)
        self.measure(plan, row.folder)
        return ActivityState.COMPLETE

    def measure(self, plan: ActivityPlan, folder: Path) -> None:
        effect = slowdown(read_scene(plan.scene_text.encode(), file="x.yaml"))
        for planned in plan.trials:
            wobble = 0.001 * math.sin(planned.index)
            value = 100.0 * math.exp(wobble - effect * (planned.arm is Arm.TREATMENT))
            place = folder / "trials" / planned.name
            place.mkdir(parents=True)
            write_trial(place, replace(record_of(planned, value), activity=plan.id))

    def prove(self, folder: Path, **wanted: Any) -> Proof:
        proof = prove.find_or_lay_out(folder, ProofSpec(**wanted), home=self.home, store=self.store)
        return prove.prove(proof, folder, home=self.home, store=self.store, watcher=self.watcher)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # hundreds of small records
    made = World(tmp_path, Store(tmp_path))
    for room in (prove, proof_plan):
        monkeypatch.setattr(room, "prepare", made.prepare)
    monkeypatch.setattr(prove, "follow", made.follow)
    monkeypatch.setattr(prove, "resume", made.resume)
    monkeypatch.setattr(prove, "write_page", made.pages.append)
    monkeypatch.setattr(evaluate, "check_disk", lambda plan, home: None)
    return made


@pytest.fixture
def result(world: World) -> Path:
    scene = read_scene(SCENE.encode(), file="planted.yaml")
    plan = world.prepare(scene, home=world.home, store=world.store, command=None)
    folder = world.home / "activities" / plan.id
    folder.mkdir(parents=True)
    write_activity(folder, plan)
    world.store.add_activity(plan, folder)
    world.measure(plan, folder)
    return folder


def shares(proof: Proof) -> dict[str, tuple[float, Proved]]:
    (row,) = proof.rows
    return {share.ablation: (share.share, share.verdict) for share in row.shares}


def test_two_planted_causes_are_proved_with_their_sizes(world: World, result: Path) -> None:
    proof = world.prove(result)
    assert not any(row.changed for row in proof.rows)
    found = shares(proof)
    assert {name: verdict for name, (_, verdict) in found.items()} == {
        "cpu-quota": Proved.CAUSED,
        "preload": Proved.CAUSED,
    }
    both, quota, cold = (-math.expm1(-d) for d in (QUOTA + COLD, QUOTA, COLD))
    assert found["cpu-quota"][0] == pytest.approx((both - cold + quota) / 2, abs=0.005)
    assert found["preload"][0] == pytest.approx((both - quota + cold) / 2, abs=0.005)
    (row,) = proof.rows
    assert row.loss is not None
    assert row.rest is not None
    assert sum(size for size, _ in found.values()) + row.rest.loss == pytest.approx(row.loss.loss, abs=1e-12)


def test_each_combination_is_an_activity_of_its_own_and_the_result_is_measured_anew(
    world: World, result: Path
) -> None:
    proof = world.prove(result)
    assert {run.ablated for run in proof.runs} == {
        (), ("cpu-quota",), ("preload",), ("cpu-quota", "preload"),
    }  # fmt: skip
    assert len({run.activity for run in proof.runs} | {result.name}) == 5
    assert len({run.seed for run in proof.runs}) == 4


def test_the_proof_is_written_down_before_its_first_trial(world: World, result: Path) -> None:
    world.stop_in = 1
    with pytest.raises(KeyboardInterrupt):
        world.prove(result)
    kept = proof_of(result)
    assert kept is not None
    assert [run.state for run in kept.runs] == ["begun", "planned", "planned", "planned"]
    assert kept.runs[0].activity == world.followed[0]
    assert kept.rows == ()


def test_a_proof_that_was_cut_off_goes_on_and_repeats_nothing(world: World, result: Path) -> None:
    world.stop_in = 3
    with pytest.raises(KeyboardInterrupt):
        world.prove(result)
    world.stop_in = None
    proof = world.prove(result)
    assert world.resumed == [world.followed[2]]
    assert len(world.followed) == 4
    assert proof.state == "complete"
    assert [run.state for run in proof.runs] == ["complete"] * 4


def test_a_proof_that_is_done_is_not_run_again(world: World, result: Path) -> None:
    proof = world.prove(result)
    again = world.prove(result)
    assert again == proof
    assert len(world.followed) == 4
    assert proof_cost(proof, result).trials == 0


def test_other_ablations_are_another_proof(world: World, result: Path) -> None:
    world.prove(result)
    proof = world.prove(result, ablations=("cpu-quota",), blocks=4)
    assert len(world.followed) == 4 + 2
    assert proof.blocks == 4
    assert set(shares(proof)) == {"cpu-quota"}


def test_the_page_of_the_result_shows_the_proof(world: World, result: Path) -> None:
    proof = world.prove(result)
    assert world.pages == [result]
    pages.write_page(result)
    page = json.loads((result / "report.json").read_text())
    assert page["proof"]["rows"] == json.loads(proof_to_json(proof))["rows"]
    assert "Proved by ablation" in (result / "report.html").read_text()


def test_a_loss_that_has_changed_since_is_said(world: World, result: Path) -> None:
    for record in result.glob("trials/*/trial.json"):
        value = json.loads(record.read_text())
        if value["planned"]["arm"] == "treatment":
            value["measurements"][0]["value"] *= 1.3
            record.write_text(json.dumps(value))
    proof = world.prove(result)
    (doubt,) = proof.doubts
    assert "something has changed" in doubt
    assert [row.changed for row in proof.rows] == [True]


def test_an_ablation_that_does_not_apply_is_refused_with_the_reason(world: World, result: Path) -> None:
    with pytest.raises(AssayError, match="the treatment is no guest"):
        world.prove(result, ablations=("disk-cache",))
    with pytest.raises(UnknownNameError, match="nearest: 'cpu-quota'"):
        world.prove(result, ablations=("cpu-quotas",))


def test_a_run_of_a_proof_is_not_proved_itself(world: World, result: Path) -> None:
    proof = world.prove(result)
    with pytest.raises(AssayError, match=f"a run of the proof of {result.name}"):
        world.prove(result.parent / str(proof.runs[0].activity))


def test_last_is_the_result_and_not_a_run_of_its_proof(world: World, result: Path) -> None:
    world.stop_in = 2
    with pytest.raises(KeyboardInterrupt):
        world.prove(result)
    assert world.store.activity("last").id == result.name
    assert world.store.activity("last", runs=True).id != result.name
    world.stop_in = None
    world.prove(result)
    assert world.store.activity("last").id == result.name


def test_a_run_that_failed_is_made_again_by_the_same_command(world: World, result: Path) -> None:
    world.fail_in = 2
    first = world.prove(result)
    assert [run.state for run in first.runs].count("failed") == 1
    assert next_step(first) == f"assay explain {result.name} --prove"
    world.fail_in = None
    again = prove.find_or_lay_out(result, ProofSpec(), home=world.home, store=world.store)
    assert [run.state for run in again.runs] == ["complete", "planned", "complete", "complete"]
    assert proof_of(result) == first, "asking changes nothing"
    proof = world.prove(result)
    assert len(world.followed) == 4 + 1
    assert {name for name, (_, verdict) in shares(proof).items() if verdict is Proved.CAUSED} == {
        "cpu-quota", "preload",
    }  # fmt: skip
    assert next_step(proof) is None


def test_a_complete_proof_is_shown_again_without_the_folders_of_its_runs(world: World, result: Path) -> None:
    proof = world.prove(result)
    for run in proof.runs:
        shutil.rmtree(result.parent / str(run.activity))
    assert world.prove(result) == proof


def test_a_lost_run_of_an_incomplete_proof_is_named_before_the_next_begins(
    world: World, result: Path
) -> None:
    world.stop_in = 3
    with pytest.raises(KeyboardInterrupt):
        world.prove(result)
    shutil.rmtree(result.parent / world.followed[0])
    with pytest.raises(AssayError, match=f"its run is gone: .*{world.followed[0]}") as caught:
        world.prove(result)
    assert "--blocks" in str(caught.value.hint)
    assert len(world.followed) == 3


def test_a_damaged_proof_is_named_and_stops_nothing_but_itself(world: World, result: Path) -> None:
    other = result.parent / "ffffffff"
    shutil.copytree(result, other)
    (other / "proof.json").write_text("{")
    assert world.prove(result).state == "complete"
    with pytest.raises(AssayError, match=r"ffffffff/proof\.json") as caught:
        world.prove(other)
    assert "move it away" in str(caught.value.hint)
    for page in (pages.explained_page(other), pages.whole_page(other), pages.page_of(other)):
        assert page.proof is None
        (doubt,) = (doubt for doubt in page.doubts if doubt.code == "proof-unreadable")
        assert f"{other}/proof.json" in doubt.sentence


def test_a_proof_of_a_result_that_ended_early_has_as_many_blocks_as_ran(world: World, result: Path) -> None:
    plan = evaluate.read_activity(result)
    long = replace(plan, blocks=40, trials=plan_trials(("spin",), blocks=40, seed=1))
    shutil.rmtree(result / "trials")
    for planned in long.trials:
        if planned.block < 4:
            place = result / "trials" / planned.name
            place.mkdir(parents=True)
            write_trial(place, replace(record_of(planned, 1.0), activity=plan.id))
    write_activity(result, long)
    proof = prove.find_or_lay_out(result, ProofSpec(), home=world.home, store=world.store)
    assert proof.blocks == 4


def test_ablations_that_may_ablate_most_come_first_where_more_apply_than_are_ablated() -> None:
    from assay.scenes import ABLATIONS

    plan, reasons = plan_of(()), dict.fromkeys(ABLATIONS)
    weights = {"cold-cache": 0.05, "io": 0.2, "queue": 0.01}
    chosen = proof_plan._choose(plan, ProofSpec(), reasons, weights)
    assert [ablation.name for ablation in chosen] == ["page-cache", "preload", "stagger"]


def test_a_kept_proof_is_read_as_it_was_written(world: World, result: Path) -> None:
    proof = world.prove(result)
    assert proof_from_json(proof_to_json(proof)) == proof


@pytest.mark.parametrize(
    "damage",
    [
        b"{",
        b"[]",
        b'{"schema": "assay.proof", "version": [2, 0]}',
        b'{"schema": "assay.proof", "version": 3}',
    ],
)
def test_a_damaged_or_newer_proof_is_refused(damage: bytes) -> None:
    with pytest.raises(AssayError, match="cannot read report: proof"):
        proof_from_json(damage)


def test_the_design_says_what_cannot_be_told_apart() -> None:
    one, three, four = (
        proof_plan._design_text(fraction(len(names)), names) for names in ("a", "abc", "abcd")
    )
    assert one == "It is run as it is and with a ablated."
    assert three == "All 8 combinations of 3 ablations are run."
    assert four.startswith("8 of 16 combinations are run (resolution 4)")
    assert four.endswith("pairs that cannot be told apart: a×b = c×d, a×c = b×d, a×d = b×c.")


def test_a_run_keeps_shape_and_causes_of_reruns_but_neither_goal_nor_sessions() -> None:
    text = SCENE.replace(
        "design: {seed: 11}",
        "design: {maximum-blocks: 40, precision: 1 %, sessions: 3, shape: pairs, rerun: [foreign-cpu]}",
    )
    scene = read_scene(text.encode(), file="x.yaml")
    run = ProofRun(("cpu-quota",), 99, None, "planned")
    made = proof_plan.ablated_scene(scene, run, result="0123abcd", blocks=4)
    again = read_scene(made.source.encode(), file="x.yaml")
    assert again.digest == made.digest
    assert again.title == "Proof of 0123abcd: without cpu-quota"
    assert (again.design.blocks, again.design.seed) == (4, 99)
    goal = again.design.goal
    assert (goal.adaptive, goal.precision, goal.sessions) == (False, None, 1)
    assert (goal.shape, goal.rerun) == (scene.design.goal.shape, scene.design.goal.rerun)
