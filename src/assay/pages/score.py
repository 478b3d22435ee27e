"""The score over all workloads of a scene, as data."""

from __future__ import annotations

from dataclasses import dataclass

from assay.pages.say import say


@dataclass(frozen=True)
class Score:
    """The geometric mean of a treatment's rates over the baseline's."""

    parts: tuple[str, ...] = say("Workload and metric of each part; all weigh the same.")
    score: float | None = say("1 - loss, the baseline scores 1; null without a complete block.")
    loss: float | None = say("1 - score, a fraction; null as above.")
    low: float | None = say("Lower end of the loss's interval; null below two blocks.")
    high: float | None = say("Upper end of the loss's interval; null below two blocks.")
    blocks: int = say("Blocks in which every workload is complete.")
    treatment: str | None = say(
        "Label of the treatment where there are several; null where there is one.", default=None
    )
    reason: str | None = say(
        "Why there is no score: the workloads that lack, each with its reason; null where there is one.",
        default=None,
    )
    marks: tuple[str, ...] = say("Parts whose size is not what their own rules ask for.", default=())


@dataclass(frozen=True)
class Lack:
    """A workload that has no part in a score."""

    workload: str = say("Name of the workload.")
    metric: str | None = say("The metric that stands for it; null where it has none that rests on a clock.")
    reason: str | None = say("Why that has no loss; null where it was not measured.")
