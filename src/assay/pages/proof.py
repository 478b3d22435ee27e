"""What ablations proved of the causes of a loss: the content of ``proof.json``, and of its place
in a page.
"""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Literal

from assay.model.figures.proof import Proved
from assay.pages.decode import decode_file
from assay.pages.say import say

SCHEMA, VERSION = "assay.proof", (1, 1)

RunState = Literal["planned", "begun", "complete", "partial", "failed"]


@dataclass(frozen=True)
class AblationText:
    """A possible cause that is taken away."""

    name: str = say("Its name on the command line.")
    title: str = say("What is done where it is on.")
    proves: str = say("What is proved where it wins loss back.")


@dataclass(frozen=True)
class LeftOut:
    """An ablation that takes no part."""

    name: str = say("Its name.")
    applies: bool = say("It applies to the scene, and others came before it.")
    reason: str = say("Why.")


@dataclass(frozen=True)
class ProofRun:
    """One combination of ablations, measured as an activity of its own."""

    ablated: tuple[str, ...] = say(
        "Ablations that are on; none in the run as the result's scene is.", was="lifted"
    )
    seed: int = say("Seed of the order of its trials.")
    activity: str | None = say("Identity of its activity; null before it was made.")
    state: RunState = say("`planned`, `begun`, or how its activity ended.")


@dataclass(frozen=True)
class MeanLoss:
    """A mean loss with Student's interval."""

    loss: float = say("1 - 1/slowdown, a fraction.")
    low: float | None = say("Lower end of the interval; null below two blocks.")
    high: float | None = say("Upper end of the interval; null below two blocks.")


@dataclass(frozen=True)
class AblationShare:
    """What one ablation wins back of a loss."""

    ablation: str = say("Its name.", was="toggle")
    share: float = say("Shapley share, a fraction of throughput as the loss is.")
    low: float | None = say("Lower end of its interval; null below two blocks a run.")
    high: float | None = say("Upper end of its interval; null below two blocks a run.")
    verdict: Proved = say(
        "`caused`: the interval lies above zero; `adds loss`: below; `not proved`: neither."
    )


@dataclass(frozen=True)
class ProofRow:
    """One metric of one workload: its loss as a sum of what ablations win back and of the rest."""

    workload: str = say("Name of the workload.")
    metric: str = say("Name of the metric.")
    loss: MeanLoss | None = say(
        "With all ablations off: as measured where all combinations were run (up to three "
        "ablations), else by the fit; null where not measured."
    )
    shares: tuple[AblationShare, ...] = say("What each ablation wins back.")
    rest: MeanLoss | None = say(
        "With all ablations on: as measured where all combinations were run (up to three "
        "ablations), else by the fit; null where not measured."
    )
    runs: tuple[MeanLoss, ...] = say("Each run as measured, in the order of the proof's `runs`.")
    reason: str | None = say("Why nothing is said of it; null where something is.")
    changed: bool = say(
        "The loss is no longer what the result found: its causes are not proved by this.", default=False
    )


@dataclass(frozen=True)
class Proof:
    """What ablations proved of a result's causes; `loss` = all `shares` + `rest`, for each metric."""

    result: str = say("Identity of the result.")
    state: Literal["begun", "complete"] = say("`begun` while runs are left.")
    blocks: int = say("Blocks of each run.")
    confidence: float = say("Coverage of the intervals.")
    ablations: tuple[AblationText, ...] = say("What was taken away.", was="toggles")
    left_out: tuple[LeftOut, ...] = say("Ablations that take no part.")
    design: str = say("Which combinations are run, one sentence.")
    runs: tuple[ProofRun, ...] = say("The runs, in the order in which they are made.")
    rows: tuple[ProofRow, ...] = say("One a metric; empty while runs are left.", default=())
    doubts: tuple[str, ...] = say("What speaks against the proof.", default=())


def proof_to_json(proof: Proof) -> bytes:
    """Return the content of ``proof.json``."""
    values = {"schema": SCHEMA, "version": VERSION, **asdict(proof)}
    return json.dumps(values, indent=1, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def proof_from_json(data: bytes) -> Proof:
    """Return what ``proof_to_json`` wrote.

    Raises:
        ContextError: Not JSON, another format, a newer major version, or a field missing or of a wrong type.
    """
    return decode_file(Proof, data, "proof", SCHEMA, VERSION[0])
