"""The proof that lies in a result's folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assay.model.activity import is_activity_id
from assay.model.doubt import raised
from assay.model.errors import AssayError
from assay.pages.context import Page
from assay.pages.decode import ContextError
from assay.pages.proof import Proof, proof_from_json
from assay.report.doubts import counted
from assay.results.doubts.ranked import ranked
from assay.store.record import RecordError

FILE = "proof.json"


def proof_of(folder: Path) -> Proof | None:
    """Return the proof of a result's folder; ``None`` where none was begun.

    Raises:
        RecordError: It is damaged, or of a newer major version.
    """
    file = folder / FILE
    if not file.is_file():
        return None
    try:
        return _checked(proof_from_json(file.read_bytes()))
    except ContextError as error:
        msg = f"cannot read {file}: {error.place}: expected {error.expected}, got {error.actual}"
        raise RecordError(
            msg, hint=f"move it away: what it lists stays as results of their own ({file})"
        ) from error


def _checked(proof: Proof) -> Proof:
    """Refuse a proof whose runs are no activities: their folders are looked for by these names."""
    for run in proof.runs:
        if run.activity is not None and not is_activity_id(run.activity):
            expected = "eight hexadecimal digits"
            raise ContextError(place="proof.runs.activity", expected=expected, actual=repr(run.activity))
    return proof


def with_kept_proof(page: Page, folder: Path) -> Page:
    """Return a page with the proof of its result; one that cannot be read is left out, with a doubt that says
    so.
    """
    try:
        return replace(page, proof=proof_of(folder))
    except AssayError as error:
        doubt = counted(raised("proof-unreadable", reason=error.message))
        return replace(page, doubts=ranked((*page.doubts, doubt)))
