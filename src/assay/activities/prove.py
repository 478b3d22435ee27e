"""Proves the causes of a result's loss: ablates them in turn and together, each combination an activity of
its own.

The proof lies in the result's folder as ``proof.json``: which runs belong to it is written down before the
first begins, so that a proof that was cut off goes on where it was.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assay.activities.evaluate import create, ensure_image, follow, prepare, resume
from assay.activities.events import Watcher
from assay.activities.pages import explained_page, write_page
from assay.activities.plan.reread import reread_scene
from assay.activities.proof_plan import ProofSpec, ablated_scene, lay_out
from assay.model.activity import ActivityState
from assay.model.errors import AssayError
from assay.pages.proof import Proof, ProofRun, RunState, proof_to_json
from assay.platforms.claims import refuse_second
from assay.results.proofs.proof_file import FILE, proof_of
from assay.results.proofs.proof_outcome import concluded
from assay.results.proofs.proved import weights_of
from assay.scenes import Scene
from assay.store.record import read_activity, replace_file
from assay.store.rows import ActivityRow
from assay.store.store import Store

ENDED: dict[ActivityState, RunState] = {
    ActivityState.COMPLETE: "complete",
    ActivityState.PARTIAL: "partial",
    ActivityState.FAILED: "failed",
}
"""How a run ended; every other state of its activity leaves it begun."""
UNSOUND: tuple[RunState, ...] = ("partial", "failed")
"""Ends of a run that are no answer: it is made again when the proof is asked for anew."""


def find_or_lay_out(folder: Path, wanted: ProofSpec, *, home: Path, store: Store) -> Proof:
    """Return the proof that a result has, if it is what is asked for; else a new one, not yet kept.

    Args:
        folder: The result's folder.
        wanted: What is to be proved; one that names nothing fits any proof.
        home: Folder of all state.
        store: Inventory of machines.

    Raises:
        AssayError: No ablation applies, or one that was named does not, or the result is itself a proof's
            run, or the folder of a run that was made is gone.
    """
    _refuse_run(folder)
    kept = proof_of(folder)
    if kept is not None and _fits(kept, wanted):
        return _checked(_again(kept), home=home, store=store)
    weights = weights_of(explained_page(folder).budgets)
    return lay_out(folder, wanted, home=home, store=store, causes=weights)


def prove(proof: Proof, folder: Path, *, home: Path, store: Store, watcher: Watcher) -> Proof:
    """Make the runs of a proof that are left, and return it with what they proved.

    The result's page is written again at the end, with the proof in it.

    Raises:
        KeyboardInterrupt: Stopped; all finished trials are safe and the rest can be made later.
        AssayError: Something needed is missing or lost; all finished trials are safe.
    """
    if proof.state == "complete":  # it holds all that is shown of it, whatever became of its runs' folders
        write_page(folder)
        return proof
    scene = reread_scene(read_activity(folder))
    try:
        for at, run in enumerate(proof.runs):
            if run.state not in ENDED.values():
                what = ", ".join(run.ablated) or "nothing"
                watcher.step(f"run {at + 1} of {len(proof.runs)}: ablated {what}")
                proof = _run(proof, at, scene, folder, home=home, store=store, watcher=watcher)
        proof = concluded(proof, folder, home=home)
        _keep(proof, folder)
    finally:
        write_page(folder)
    return proof


def _refuse_run(folder: Path) -> None:
    """Refuse to prove a sweep, or a run of another proof: its causes are those of the result that it belongs
    to.
    """
    plan = read_activity(folder)
    if plan.more:
        msg = f"cannot prove what costs result {folder.name}: it has {len(plan.treatments)} treatments"
        raise AssayError(msg, hint="evaluate the scene with one level of each factor, and prove that result")
    if (result := plan.proof_of) is not None:
        msg = f"cannot prove what costs result {folder.name}: it is a run of the proof of {result}"
        raise AssayError(msg, hint=f"assay explain {result} --prove")


def _again(proof: Proof) -> Proof:
    """Return a proof with the runs that did not succeed planned anew; their trials stay as results of their
    own.
    """
    if not any(run.state in UNSOUND for run in proof.runs):
        return proof
    runs = (
        replace(run, activity=None, state="planned") if run.state in UNSOUND else run for run in proof.runs
    )
    return replace(proof, state="begun", runs=tuple(runs), rows=(), doubts=())


def _checked(proof: Proof, *, home: Path, store: Store) -> Proof:
    """Refuse to go on with a proof of which a run is lost: without it nothing would be proved at the end."""
    if proof.state == "complete":
        return proof
    for run in proof.runs:
        row = _row(run, store)
        place = row.folder if row is not None else home / "activities" / str(run.activity)
        made = run.state in ENDED.values() or row is not None
        if made and not (place / "activity.json").is_file():
            msg = f"cannot go on with the proof of {proof.result}: the folder of its run is gone: {place}"
            on = f"assay explain {proof.result} --prove --blocks {proof.blocks + 1}"
            raise AssayError(
                msg, hint=f"bring it back, or begin another proof by other --blocks or --ablate: {on}"
            )
    return proof


def _fits(kept: Proof, wanted: ProofSpec) -> bool:
    ablations = {ablation.name for ablation in kept.ablations}
    return set(wanted.ablations) in (set(), ablations) and wanted.blocks in {None, kept.blocks}


def _run(  # noqa: PLR0913 - the proof's own acts, one after the other
    proof: Proof, at: int, scene: Scene, folder: Path, *, home: Path, store: Store, watcher: Watcher
) -> Proof:
    run = proof.runs[at]
    row = _row(run, store)
    if row is not None:
        state = resume(row, home=home, store=store, watcher=watcher)
    else:
        ablated = ablated_scene(scene, run, result=proof.result, blocks=proof.blocks)
        plan = prepare(ablated, home=home, store=store, command=read_activity(folder).command)
        ensure_image(plan, home=home, watcher=watcher)
        plan = replace(plan, proof_of=proof.result)
        refuse_second(home, plan.id)  # another process may be at this very proof: its file stays as it is
        proof = _with_run(proof, at, replace(run, activity=plan.id, state="begun"))
        _keep(proof, folder)
        place = create(plan, home=home, store=store)
        state = follow(plan, place, home=home, store=store, watcher=watcher)
    proof = _with_run(proof, at, replace(proof.runs[at], state=ENDED.get(state, "begun")))
    _keep(proof, folder)
    return proof


def _row(run: ProofRun, store: Store) -> ActivityRow | None:
    """Return the activity of a run, if it came to be made here."""
    own = (row for row in store.activities() if row.is_own)
    return next((row for row in own if row.id == run.activity), None)


def _with_run(proof: Proof, at: int, run: ProofRun) -> Proof:
    return replace(proof, runs=(*proof.runs[:at], run, *proof.runs[at + 1 :]))


def _keep(proof: Proof, folder: Path) -> None:
    replace_file(folder / FILE, proof_to_json(proof))
