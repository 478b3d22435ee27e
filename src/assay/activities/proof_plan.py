"""Which ablations are run to prove the causes of a result's loss, and what they will take."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.activities.evaluate import prepare
from assay.activities.plan.prepare import BOOT_S
from assay.activities.plan.reread import reread_scene
from assay.design import Cost, expected_cost
from assay.design.fraction import MOST_ABLATIONS, Fraction, aliases, fraction
from assay.model.activity import ActivityPlan
from assay.model.errors import AssayError, UnknownNameError
from assay.model.goal import Goal
from assay.model.trial import Arm
from assay.pages.proof import AblationText, LeftOut, Proof, ProofRun
from assay.scenes import ABLATIONS, Ablation, Design, Scene
from assay.scenes.changes.write import write_scene
from assay.store.record import read_activity, read_trials
from assay.store.store import Store

MOST_CHOSEN = 3
"""Ablations that are made where none were named: all their combinations are eight runs."""
FEWEST_BLOCKS, MOST_BLOCKS = 3, 10
"""Of each run where none were asked for: as many as the result had, within these."""


@dataclass(frozen=True)
class ProofSpec:
    """What is to be proved.

    Attributes:
        ablations: Names of the ablations; empty leaves the choice to what applies.
        blocks: Blocks of each run; ``None`` takes as many as the result had, 3 to 10.
    """

    ablations: tuple[str, ...] = ()
    blocks: int | None = None


def lay_out(
    folder: Path, wanted: ProofSpec, *, home: Path, store: Store, causes: Mapping[str, float] | None = None
) -> Proof:
    """Return the proof of a result's causes before its first run; nothing is started or kept.

    Args:
        folder: The result's folder.
        wanted: What is to be proved.
        home: Folder of all state.
        store: Inventory of machines.
        causes: Part of the loss by cause and by state of the budget: where more ablations apply than are
            ablated unasked, those come first that may ablate most of it.

    Raises:
        AssayError: No ablation applies, or one that was named does not.
    """
    plan = read_activity(folder)
    scene = reread_scene(plan)
    blocks = wanted.blocks or min(max(_blocks_run(plan, folder), FEWEST_BLOCKS), MOST_BLOCKS)
    asked = _asked(wanted)
    plain = prepare(scene, home=home, store=store, command=None)
    reasons = {
        name: _reason(ablation, scene, plain, home=home, store=store) for name, ablation in asked.items()
    }
    chosen = _choose(plan, wanted, reasons, causes or {})
    combinations = fraction(len(chosen))
    return Proof(
        result=plan.id,
        state="begun",
        blocks=blocks,
        confidence=plan.confidence,
        ablations=tuple(AblationText(t.name, t.title, t.proves) for t in chosen),
        left_out=tuple(_left_out(reasons, chosen)),
        design=_design_text(combinations, [ablation.name for ablation in chosen]),
        runs=_runs(combinations, chosen, plan.seed),
    )


def _blocks_run(plan: ActivityPlan, folder: Path) -> int:
    """Return how many blocks of a result ran to their end: a goal may have ended it before its last."""
    done = {record.planned.index for record in read_trials(folder, damaged=[])}  # a damaged one did not run
    left = {trial.block for trial in plan.trials if trial.index not in done}
    return len({trial.block for trial in plan.trials} - left)


def ablated_scene(scene: Scene, run: ProofRun, *, result: str, blocks: int) -> Scene:
    """Return the scene of one run: ablations on, its own seed, a fixed number of blocks in one session."""
    for name in run.ablated:
        scene = ABLATIONS[name].apply(scene)
    what = f"without {', '.join(run.ablated)}" if run.ablated else "as it is"
    was = scene.design.goal
    goal = Goal(
        shape=was.shape,
        reference=was.reference,
        rerun=was.rerun,
        wait_quiet_s=was.wait_quiet_s,
        require_quiet=was.require_quiet,
    )
    design = Design(blocks, scene.design.confidence, scene.design.margin, run.seed, goal)
    changed = replace(scene, title=f"Proof of {result}: {what}", design=design)
    return replace(changed, source=write_scene(changed))


def proof_cost(proof: Proof, folder: Path) -> Cost:
    """Return what the runs that are left will take, from what the result's own trials took."""
    plan = read_activity(folder)
    seen: dict[tuple[Arm, str], list[float]] = {}
    for record in read_trials(folder, damaged=[]):  # the others tell how long one takes
        key = (record.planned.arm, record.planned.workload)
        seen.setdefault(key, []).append((record.ended_ns - record.started_ns) / 1e9)
    seconds = {workload.name: workload.seconds for workload in plan.workloads}
    boot = BOOT_S if any(arm.guest for arm in plan.treatments) else 0.0
    block = [trial for trial in plan.trials if trial.block == 0]
    one = expected_cost(block, seconds, visit_s=boot, seen=seen)
    count = proof.blocks * sum(run.state in {"planned", "begun"} for run in proof.runs)
    return Cost(count * one.trials, count * one.seconds)


def _asked(wanted: ProofSpec) -> Mapping[str, Ablation]:
    for name in wanted.ablations:
        if name not in ABLATIONS:
            kind = "ablation"
            raise UnknownNameError(kind, name, ABLATIONS)
    return {name: ABLATIONS[name] for name in wanted.ablations} or ABLATIONS


def _reason(ablation: Ablation, scene: Scene, plain: ActivityPlan, *, home: Path, store: Store) -> str | None:
    """Return why an ablation cannot be made here; ``None`` where it can."""
    if reason := ablation.applies(scene):
        return reason
    try:
        ablated = prepare(ablation.apply(scene), home=home, store=store, command=None)
    except AssayError as error:
        return error.message
    return (
        None if ablation.changes_work or _work(plain) == _work(ablated) else "it would change the work itself"
    )


def _work(plan: ActivityPlan) -> Sequence[tuple[str, ...]]:
    return [workload.command for workload in plan.workloads]


def _choose(
    plan: ActivityPlan, wanted: ProofSpec, reasons: Mapping[str, str | None], causes: Mapping[str, float]
) -> list[Ablation]:
    wrong = [f"{name}: {reason}" for name, reason in reasons.items() if reason is not None]
    fitting = [ABLATIONS[name] for name, reason in reasons.items() if reason is None]
    if not fitting or (wanted.ablations and wrong):
        msg = f"cannot prove what costs result {plan.id}: {'; '.join(wrong)}"
        raise AssayError(msg, hint="docs/proof.md says what each ablation takes away, and where it applies")
    if len(wanted.ablations) > MOST_ABLATIONS:
        msg = f"cannot make {len(wanted.ablations)} ablations at once: at most {MOST_ABLATIONS}"
        raise AssayError(msg, hint="name those that matter with --ablate")
    if wanted.ablations or len(fitting) <= MOST_CHOSEN:
        return fitting

    def may_ablate(ablation: Ablation) -> tuple[float, float]:
        proved, states = (
            sum(causes.get(x, 0.0) for x in of) for of in (ablation.proves_causes, ablation.states)
        )
        return proved, states

    return sorted(fitting, key=may_ablate, reverse=True)[:MOST_CHOSEN]


def _left_out(reasons: Mapping[str, str | None], chosen: Sequence[Ablation]) -> Iterator[LeftOut]:
    for name, reason in reasons.items():
        if reason is not None:
            yield LeftOut(name, applies=False, reason=reason)
        elif ABLATIONS[name] not in chosen:
            before = f"{MOST_CHOSEN} others come before it: name it with --ablate {name}"
            yield LeftOut(name, applies=True, reason=before)


def _runs(combinations: Fraction, chosen: Sequence[Ablation], seed: int) -> tuple[ProofRun, ...]:
    """Return the runs in random order: what drifts from run to run is nobody's share."""
    draw = random.Random(f"proof of {seed}")  # noqa: S311 - an order, not a secret
    rows = draw.sample(combinations.rows, len(combinations.rows))
    return tuple(
        ProofRun(
            tuple(ablation.name for ablation, on in zip(chosen, row, strict=True) if on),
            draw.randrange(2**32),
            None,
            "planned",
        )
        for row in rows
    )


def _design_text(plan: Fraction, names: Sequence[str]) -> str:
    """Say which combinations are run, and what cannot be told apart."""
    runs = len(plan.rows)
    if len(names) == 1:
        return f"It is run as it is and with {names[0]} ablated."
    if not plan.words:
        return f"All {runs} combinations of {len(names)} ablations are run."
    groups = [" = ".join("×".join(names[at] for at in sorted(e)) for e in group) for group in aliases(plan)]
    mixed = f"; pairs that cannot be told apart: {', '.join(groups)}" if groups else ""
    return (
        f"{runs} of {2**plan.ablations} combinations are run (resolution {plan.resolution:g}): "
        f"no ablation's own effect is mixed with another's or with a pair's{mixed}."
    )
