"""What ``assay advise`` says, as data: settings that may win a loss back, and the commands that test them."""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.pages.budget import CountedFigure, FactorName
from assay.pages.context import DoubtCount, Result
from assay.pages.factor_page import EffectShown
from assay.pages.say import say

SCHEMA = "assay.advice"
VERSION = (1, 1)


@dataclass(frozen=True)
class AdviceRow:
    """A setting to try on one workload's loss."""

    workload: str = say("Name of the workload.")
    treatment: str | None = say("Label of the treatment where there are several; null where there is one.")
    factor: str = say("Name of the factor.")
    level: str = say("The level to try.")
    why: str = say("What it does about the cause, one sentence.")
    source: str = say("Who says so.")
    cause: str = say("Code of the cause that it may lift.")
    part: FactorName | None = say(
        "The factor of CPU time that it may lift, where counters divide the cause; null is all of it."
    )
    most: float = say("What the cause holds of the treatment's time: no more can be won.")
    low: float | None = say("Lower end of the interval of that; null below two blocks.")
    high: float | None = say("Upper end.")
    share: float = say("The same as a part of the loss, 1 = all of it.")
    measured: float | None = say(
        "What it won back where that was measured in this result, a fraction of throughput as the loss is; "
        "null where it was not."
    )
    measured_low: float | None = say("Lower end of its interval; null as above, and below two blocks.")
    measured_high: float | None = say("Upper end.")
    measured_by: Literal["ablation", "sweep"] | None = say(
        "How: `ablation` by `assay explain --prove`, `sweep` by a treatment that is the same but for it."
    )
    counted: tuple[CountedFigure, ...] = say("Figures that speak for it; empty where none was counted.")
    counters: tuple[str, ...] = say("Counters that would tell whether it may help; empty where they did.")
    seen: tuple[EffectShown, ...] = say("What others saw of the factor.")
    cost: str = say("What a change of level asks for: live, restart, new image, reboot.")
    hazards: tuple[str, ...] = say("What may be at risk.")
    refused: str | None = say("Why it cannot be had here, one clause; null where it can.")
    command: str | None = say(
        "The command that tests it, for a shell: the scene of the result with this setting alone changed, "
        "by its name, or as it was kept, which a first command writes to a file; null where a scene is to be "
        "written for it: of a sweep, and of a machine that is no guest of ours."
    )
    missing: tuple[str, ...] = say(
        "Instruction sets that the host's processor has and the guest's lacks, in the kernel's words, where "
        "another model of processor is advised; empty where both are not known. Since 1.1.",
        default=(),
    )


@dataclass(frozen=True)
class NextCount:
    """A cause for which no setting is known, and what to look at next."""

    workload: str = say("Name of the workload.")
    treatment: str | None = say("Label of the treatment where there are several; null where there is one.")
    cause: str = say("Code of the cause.")
    share: float = say("Its part of the loss, 1 = all of it.")
    next: str = say("What to try or to count.")


@dataclass(frozen=True)
class Advice:
    """What may win the losses of one result back."""

    result: Result = say("The outcome of the activity.")
    rows: tuple[AdviceRow, ...] = say("Settings to try, those first that could lift most.")
    unknown: tuple[NextCount, ...] = say("Causes for which no setting is known.")
    without_cause: tuple[str, ...] = say(
        "Workloads without a cause: nothing is lost, or nothing tells of it.", default=()
    )
    doubts: tuple[DoubtCount, ...] = say("What speaks against trusting the figures.", default=())
    schema: Literal["assay.advice"] = say("Name of this format.", default=SCHEMA)
    version: tuple[int, int] = say("Major and minor version; readers refuse a newer major.", default=VERSION)
