"""The ablations of ``assay explain --prove``: announced with what they will take, then made."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.output import answer_line, home, print_json, say
from assay.model.errors import AssayError, Exit
from assay.model.units import format_seconds

if TYPE_CHECKING:
    from assay.design import Cost
    from assay.pages.proof import Proof


def run_proof(folder: Path, proof: Proof, *, store: Any) -> Exit:
    """Say what will be run and run it; return how it ended."""
    from assay.activities.proof_plan import proof_cost
    from assay.activities.prove import prove
    from assay.cli.progress import watcher
    from assay.platforms.errors import ClaimedError

    for line in plan_lines(proof, proof_cost(proof, folder)):
        say(line)
    with watcher() as shown:
        try:
            proof = prove(proof, folder, home=home(), store=store, watcher=shown)
        except ClaimedError:  # the same command would be refused again: its hint says what to wait for
            raise
        except AssayError:
            _say_on(proof)
            raise
        except KeyboardInterrupt:
            _say_on(proof)
            return Exit.INTERRUPTED
    answered = [row.reason is None for row in proof.rows]
    return Exit.DONE if all(answered) and answered else Exit.PARTIAL if any(answered) else Exit.NOTHING


def show_plan(proof: Proof, cost: Cost, *, as_json: bool) -> None:
    """Print what would be run, and stop."""
    if as_json:
        print_json("proof-plan", seconds=cost.seconds, trials=cost.trials, proof=asdict(proof))
        return
    for line in plan_lines(proof, cost):
        answer_line(line)


def plan_lines(proof: Proof, cost: Cost) -> list[str]:
    """Return what a proof will run and take, line by line."""
    from assay.report.tables.proof_words import ablated_text

    left = [run for run in proof.runs if run.state in {"planned", "begun"}]
    if not left:
        return [f"all {len(proof.runs)} runs of the proof of {proof.result} are done: nothing is run again"]
    lines = [f"{ablation.name}: {ablation.title}" for ablation in proof.ablations]
    lines += [
        f"{'not ablated' if one.applies else 'does not apply'}: {one.name}: {one.reason}"
        for one in proof.left_out
    ]
    lines.append(proof.design)
    lines += [f"run {proof.runs.index(run) + 1}: ablated {ablated_text(run)}" for run in left]
    spent = f"{cost.trials} trials in {len(left)} runs of {proof.blocks} blocks"
    return [*lines, f"{spent}: about {format_seconds(cost.seconds)}"]


def _say_on(proof: Proof) -> None:
    say(f"what was measured is kept; to go on: assay explain {proof.result} --prove")
