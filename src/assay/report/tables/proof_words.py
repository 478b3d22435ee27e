"""A proof in tables and sentences, shared by every rendering."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.pages.numbers import NOTHING, interval_text, percent_text
from assay.pages.proof import MeanLoss, Proof, ProofRow, ProofRun

TITLE = "Proved by ablation"
HEADERS = ("workload", "metric", "part", "loss", "verdict")
RIGHT = frozenset({3})
RUN_HEADERS = ("run", "ablated", "result", "state")


def proof_cells(proof: Proof) -> list[tuple[str, ...]]:
    """Return for each metric its loss, a row an ablation, and what is left; one text a column of
    ``HEADERS``.
    """
    return [cells for row in proof.rows if row.reason is None for cells in _cells(row)]


def run_cells(proof: Proof) -> list[tuple[str, ...]]:
    """Return one row a run, one text a column of ``RUN_HEADERS``."""
    return [
        (str(at + 1), ablated_text(run), run.activity or NOTHING, run.state)
        for at, run in enumerate(proof.runs)
    ]


def ablated_text(run: ProofRun) -> str:
    """Return what is ablated in a run: ``cpu-quota + preload``, ``nothing``."""
    return " + ".join(run.ablated) or "nothing"


def proof_notes(proof: Proof) -> tuple[str, ...]:
    """Return what must be known to read a proof, sentence by sentence; doubts first."""
    return tuple(_notes(proof))


def next_step(proof: Proof) -> str | None:
    """Return the command that goes on with a proof; ``None`` where all of its runs are complete."""
    done = proof.state == "complete" and all(run.state == "complete" for run in proof.runs)
    return None if done else f"assay explain {proof.result} --prove"


def _cells(row: ProofRow) -> Iterator[tuple[str, ...]]:
    first = (row.workload, row.metric)
    yield (*first, "loss, measured anew", loss_text(row.loss), "")
    for share in row.shares:
        yield (
            *first,
            share.ablation,
            interval_text(share.share, share.low, share.high, unit="pp"),
            str(share.verdict),
        )
    yield (*first, "left with all of them ablated", loss_text(row.rest), "")


def loss_text(loss: MeanLoss | None) -> str:
    """Return a mean loss with its interval."""
    return NOTHING if loss is None else interval_text(loss.loss, loss.low, loss.high)


def _notes(proof: Proof) -> Iterator[str]:
    yield from proof.doubts
    left = sum(run.state in {"planned", "begun"} for run in proof.runs)
    if left:
        yield f"{left} of {len(proof.runs)} runs are left; nothing is proved before the last."
    yield from (f"{ablation.name}: {ablation.title}." for ablation in proof.ablations)
    yield f"{proof.design} Each is an activity of {proof.blocks} blocks with a baseline of its own."
    yield (
        "Of the loss each ablation has its Shapley share with a "
        f"{percent_text(proof.confidence)} interval; shares and "
        "what is left add up to the loss. It is called caused only where the interval lies above zero."
    )
    yield from (f"Nothing is said of {r.workload} {r.metric}: {r.reason}." for r in proof.rows if r.reason)
    yield from _left_out(proof)


def _left_out(proof: Proof) -> Sequence[str]:
    could = "; ".join(f"{one.name} ({one.reason})" for one in proof.left_out if one.applies)
    cannot = ", ".join(one.name for one in proof.left_out if not one.applies)
    reported = (("Apply too, and were not ablated", could), ("Do not apply", cannot))
    return [f"{head}: {names}." for head, names in reported if names]
