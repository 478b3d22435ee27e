"""The acts of a proof one by one: what is refused, what each run is told, and what is kept of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.activities import pages, prove
from assay.activities.proof_plan import ProofSpec
from assay.model.activity import ActivityState
from assay.model.errors import AssayError
from assay.platforms.errors import ClaimedError
from assay.results.proofs.proof_file import proof_of
from assay.scenes import read_scene
from assay.store.record import read_activity, write_activity
from tests.activities.test_prove import SCENE, World, result, world

__all__ = ["result", "world"]


def test_a_sweep_is_refused_with_what_can_be_proved_instead(world: World, result: Path) -> None:
    plan = read_activity(result)
    write_activity(result, replace(plan, more=(replace(plan.treatment, label="more"),)))
    with pytest.raises(AssayError) as refused:
        world.prove(result)
    assert refused.value.message == f"cannot prove what costs result {result.name}: it has 2 treatments"
    assert refused.value.hint == "evaluate the scene with one level of each factor, and prove that result"


def test_a_run_is_refused_with_the_command_for_its_result(world: World, result: Path) -> None:
    write_activity(result, replace(read_activity(result), proof_of="89abcdef"))
    with pytest.raises(AssayError) as refused:
        world.prove(result)
    assert refused.value.message.endswith("it is a run of the proof of 89abcdef")
    assert refused.value.hint == "assay explain 89abcdef --prove"


def test_ablations_are_tried_in_the_order_of_what_the_budget_says(
    world: World, result: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[Any] = []
    monkeypatch.setattr(prove, "weights_of", lambda budgets: {"io": float(len(budgets))})
    monkeypatch.setattr(prove, "lay_out", lambda *given, **named: reported.append((given, named)))
    wanted = ProofSpec(blocks=4)
    prove.find_or_lay_out(result, wanted, home=world.home, store=world.store)
    count = len(pages.explained_page(result).budgets)
    assert reported == [
        ((result, wanted), {"home": world.home, "store": world.store, "causes": {"io": float(count)}})
    ]


def test_each_run_is_announced_prepared_and_followed_as_an_activity_of_the_proof(
    world: World, result: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_activity(result, replace(read_activity(result), command="spin --twice"))
    ensured, followed = list[Any](), list[Any]()
    monkeypatch.setattr(prove, "ensure_image", lambda plan, **given: ensured.append((plan.id, given)))

    def follow(plan: Any, folder: Path, **given: Any) -> ActivityState:
        followed.append((plan, folder, given))
        return world.follow(plan, folder)

    monkeypatch.setattr(prove, "follow", follow)
    proof = world.prove(result)
    assert world.watcher.said == [
        f"run {at + 1} of 4: ablated {', '.join(run.ablated) or 'nothing'}"
        for at, run in enumerate(proof.runs)
    ]
    assert ensured == [(run.activity, {"home": world.home, "watcher": world.watcher}) for run in proof.runs]
    for run, (plan, folder, given) in zip(proof.runs, followed, strict=True):
        assert (plan.id, plan.proof_of, plan.command) == (run.activity, result.name, "spin --twice")
        assert (plan.blocks, plan.seed) == (proof.blocks, run.seed)
        assert folder == world.home / "activities" / plan.id
        assert given == {"home": world.home, "store": world.store, "watcher": world.watcher}
        assert read_activity(folder).proof_of == result.name


def test_a_run_that_was_cut_off_is_resumed_with_what_its_first_try_had(
    world: World, result: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.stop_in = 1
    with pytest.raises(KeyboardInterrupt):
        world.prove(result)
    world.stop_in = None
    reported: list[Any] = []

    def resume(row: Any, **given: Any) -> ActivityState:
        reported.append((row.id, given))
        world.resume(row)
        return ActivityState.PARTIAL

    monkeypatch.setattr(prove, "resume", resume)
    proof = world.prove(result)
    assert reported == [
        (world.followed[0], {"home": world.home, "store": world.store, "watcher": world.watcher})
    ]
    assert [run.state for run in proof.runs] == ["partial", "complete", "complete", "complete"]


def test_a_run_that_is_interrupted_stays_begun(
    world: World, result: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prove, "follow", lambda *_given, **_named: ActivityState.INTERRUPTED)
    proof = prove.find_or_lay_out(result, ProofSpec(), home=world.home, store=world.store)
    begun = prove._run(
        proof, 1, read_scene(SCENE.encode(), file="x.yaml"), result,
        home=world.home, store=world.store, watcher=world.watcher,
    )  # fmt: skip
    assert [run.state for run in begun.runs] == ["planned", "begun", "planned", "planned"]
    assert proof_of(result) == begun


def test_the_page_is_written_where_a_proof_is_cut_off_too(world: World, result: Path) -> None:
    world.stop_in = 2
    with pytest.raises(KeyboardInterrupt):
        world.prove(result)
    assert world.pages == [result]


def test_a_complete_proof_is_only_written_into_the_page(world: World, result: Path) -> None:
    proof = world.prove(result)
    world.watcher.said.clear()
    assert world.prove(result) == proof
    assert (world.pages, world.watcher.said) == ([result, result], [])


def test_a_process_that_finds_another_at_work_leaves_the_proof_as_it_is(
    world: World, result: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def refuse(home: Path, activity: str) -> None:
        asked.append((home, activity))
        msg = "activity other is running"
        raise ClaimedError(msg)

    monkeypatch.setattr(prove, "refuse_second", refuse)
    with pytest.raises(ClaimedError):
        world.prove(result)
    assert proof_of(result) is None
    ((home, activity),) = asked
    assert (home, len(activity)) == (world.home, 8)


def test_a_proof_whose_run_failed_is_begun_anew_without_its_rows(world: World, result: Path) -> None:
    world.fail_in = 2
    first = world.prove(result)
    again = prove.find_or_lay_out(result, ProofSpec(), home=world.home, store=world.store)
    assert (again.state, again.rows, again.doubts) == ("begun", (), ())
    assert [run.activity is None for run in again.runs] == [False, True, False, False]
    assert [run.seed for run in again.runs] == [run.seed for run in first.runs]


def test_what_is_asked_for_anew_fits_a_proof_of_the_same_ablations_and_blocks(
    world: World, result: Path
) -> None:
    kept = world.prove(result)
    for wanted in (
        ProofSpec(("preload", "cpu-quota")),
        ProofSpec(blocks=kept.blocks),
        ProofSpec(("cpu-quota", "preload"), kept.blocks),
    ):
        assert prove._fits(kept, wanted)
    for wanted in (ProofSpec(("preload",)), ProofSpec(blocks=kept.blocks + 1)):
        assert not prove._fits(kept, wanted)


def test_a_run_that_is_gone_is_named_with_its_place_and_the_way_on(world: World, result: Path) -> None:
    world.stop_in = 2
    with pytest.raises(KeyboardInterrupt):
        world.prove(result)
    gone = result.parent / world.followed[0]
    (gone / "activity.json").unlink()
    with pytest.raises(AssayError) as refused:
        world.prove(result)
    kept = proof_of(result)
    assert kept is not None
    assert refused.value.message == (
        f"cannot go on with the proof of {result.name}: the folder of its run is gone: {gone}"
    )
    assert refused.value.hint == (
        f"bring it back, or begin another proof by other --blocks or --ablate: "
        f"assay explain {result.name} --prove --blocks {kept.blocks + 1}"
    )


def test_a_run_whose_row_lies_elsewhere_is_looked_for_there(
    world: World, result: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.stop_in = 2
    with pytest.raises(KeyboardInterrupt):
        world.prove(result)
    moved = tmp_path / "moved"
    moved.mkdir()
    (moved / "activity.json").touch()
    rows = [replace(row, folder=moved) for row in world.store.activities()]
    monkeypatch.setattr(world.store, "activities", lambda: tuple(rows))
    assert prove.find_or_lay_out(result, ProofSpec(), home=world.home, store=world.store).state == "begun"
    (moved / "activity.json").unlink()
    with pytest.raises(AssayError, match=r"its run is gone: .*moved"):
        prove.find_or_lay_out(result, ProofSpec(), home=world.home, store=world.store)
