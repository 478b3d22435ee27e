"""A proof as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from assay.pages.proof import Proof
from assay.report.tables.proof_words import (
    HEADERS,
    RIGHT,
    RUN_HEADERS,
    TITLE,
    next_step,
    proof_cells,
    proof_notes,
    run_cells,
)
from assay.report.tables.tables import plain, table


def text_proof(proof: Proof) -> str:
    """Return a proof as lines of any length: the shares, the runs, and how to read them."""
    return "\n\n".join(_parts(proof))


def _parts(proof: Proof) -> Iterator[str]:
    cells = proof_cells(proof)
    if cells:
        yield f"{TITLE}\n{table(HEADERS, cells, right=RIGHT)}"
    runs = table(RUN_HEADERS, run_cells(proof))
    yield runs if cells else f"{TITLE}\n{runs}"
    yield "\n".join(plain(note) for note in proof_notes(proof))
    if step := next_step(proof):
        yield f"to go on: {step}"
