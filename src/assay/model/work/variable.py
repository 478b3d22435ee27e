"""Variables of the environment that a job needs from whoever starts assay."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Variable:
    """A variable that the site sets, told to the job on whatever arm.

    Attributes:
        name: ``GEANT4_DATA_DIR``.
        why: What happens without it, a clause for the refusal.
        folder: Its value is a folder that must be there on each arm.
        value: Of a plan, its value; ``None`` before.
    """

    name: str
    why: str
    folder: bool = False
    value: str | None = None
