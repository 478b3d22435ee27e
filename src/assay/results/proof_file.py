"""The proof that lies in a result's folder."""

from __future__ import annotations

from pathlib import Path

from assay.report.proof import Proof, proof_from_json

FILE = "proof.json"


def proof_of(folder: Path) -> Proof | None:
    """Return the proof of a result's folder; ``None`` where none was begun.

    Raises:
        ContextError: It is damaged, or of a newer major version.
    """
    file = folder / FILE
    return proof_from_json(file.read_bytes()) if file.is_file() else None
