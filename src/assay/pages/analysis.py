"""What the analysis of measurements from elsewhere says, as data; the arithmetic belongs to ``stats``."""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.model.figures.estimate import Matters, Verdict
from assay.model.figures.measured import ValueKind
from assay.pages.context import Aim, DoubtCount, Interval
from assay.pages.families.events import CostPart, EventLoss, LineCheck, SizeLoss
from assay.pages.say import say

SCHEMA = "assay.analysis"
VERSION = (1, 1)


@dataclass(frozen=True)
class Scatter:
    """Where the scatter of the blocks comes from: standard deviations of the log slowdown."""

    group: Literal["session", "machine"] = say("What the blocks are grouped by.")
    groups: int = say("Number of groups.")
    between: float | None = say("Between groups; null with one group, or with one block in each.")
    within: float | None = say("Between the blocks of a group; null with one block in each.")
    chance: float | None = say("Chance of so different groups where they are alike (F test); null as above.")


@dataclass(frozen=True)
class Ratio:
    """The slowdown as a ratio of the total times of all blocks; the interval is over units of `level`."""

    slowdown: float = say("Total time of the treatment over that of the baseline.")
    low: float | None = say("Lower end of Fieller's interval; null where it has none.")
    high: float | None = say("Upper end of Fieller's interval; null where it has none.")


@dataclass(frozen=True)
class AnalysisRow:
    """The loss of one treatment, and what it means."""

    metric: ValueKind = say("What the values are: `time` or `rate`.")
    baseline: str = say("Arm that the loss is measured against.")
    treatment: str = say("Arm whose loss it is.")
    aim: Aim = say("What it is a loss of (the estimand).")
    level: Literal["block", "session", "machine"] = say("What counts once in the interval.")
    baseline_value: float | None = say("Geometric mean over the blocks, in the unit of the values.")
    treatment_value: float | None = say("The same of the treatment.")
    blocks: int = say("Complete blocks used.")
    incomplete_blocks: int = say("Blocks that hold one of the two arms only: left out.")
    sessions: int = say("Sessions of the complete blocks, over all machines.")
    machines: int = say("Machines of the complete blocks.")
    loss: float | None = say("1 - 1/slowdown, a fraction; negative is a gain; null without a complete block.")
    low: float | None = say("Lower end of the loss's interval; null where it has none.")
    high: float | None = say("Upper end of the loss's interval; null where it has none.")
    confidence: float = say("Coverage of the interval.")
    slowdown: float | None = say("Time of the treatment over time of the baseline for the same work.")
    mean: Interval | None = say("Mean loss with Student's interval, beside the headline.")
    tail_loss: bool = say("Mean and headline part: one arm has the slower outliers.")
    verdict: Verdict = say("What was found.")
    blocks_more: int | None = say(
        "Blocks still needed for a verdict at this noise; null where it stands, is not known, or "
        "where further sessions or machines would be needed (`level`)."
    )
    hours_more: float | None = say("Always null: the data do not tell how long a block takes.")
    within_margin: bool = say("There is a loss or a gain, and it does not matter: within the margin.")
    matters: Matters | None = say(
        "Whether it matters, by where the interval lies: `yes` beyond ±margin, `no` within, "
        "`maybe` across; null without a verdict."
    )
    method: str = say("Names of the interval and of the verdict's rule.")
    components: Scatter = say("Where the scatter of the blocks comes from.")
    ratio_of_totals: Ratio | None = say("Slowdown as a ratio of totals; null without a complete block.")
    fixed_cost_s: CostPart | None = say(
        "Time at no event, of the line before a kink; null below two event numbers, or without any."
    )
    per_event_s: CostPart | None = say(
        "Time an event, after a kink; null below two event numbers, or without any."
    )
    events_within_margin: int | None = say(
        "Smallest number of events from which the total's loss is within the margin of the loss of the cost "
        "per event; null where there is none, or where a line is bent (`linearity`)."
    )
    curve: tuple[EventLoss, ...] = say("Loss of the total over events, from the two lines, broken at kinks.")
    sizes: tuple[SizeLoss, ...] = say("What was measured at each event number of both arms.")
    linearity: tuple[LineCheck, ...] = say("Check of each arm's line; empty below three event numbers.")
    doubts: tuple[DoubtCount, ...] = say(
        "What speaks against the figures, each with the next step, the gravest first."
    )
    reason: str | None = say("Why the arms are not compared, one clause; null where they are.", default=None)


@dataclass(frozen=True)
class AnalysisPage:
    """The analysis of a file or table of measurements."""

    source: str = say("Name of the file, or `the table`.")
    kind: ValueKind = say("What its values are.")
    baseline: str = say("Arm that losses are measured against.")
    confidence: float = say("Coverage of all intervals.")
    margin: float = say("Loss that does not matter, a fraction: inside ±margin is equivalent.")
    estimates: tuple[AnalysisRow, ...] = say("One row a treatment, in the order of their names.")
    ordered: bool = say(
        "The data tell the order of their runs (column `order`): blocks are neighbours as they "
        "began, and it is seen where arm and order are one. Else blocks stand in the order of their names.",
        default=False,
    )
    notes: tuple[str, ...] = say("How the data were read, where it is not plain.", default=())
    schema: Literal["assay.analysis"] = say("Name of this format.", default=SCHEMA)
    version: tuple[int, int] = say("Major and minor version; readers refuse a newer major.", default=VERSION)
