"""What a report page says, as data: the one context from which text, Markdown, HTML and JSON come.

Losses are fractions (0.1 = 10 %), times seconds, all at full double precision; ``None`` is "not measured".
Each field's help is the documentation: ``docs/report.md`` and ``contracts/report-v1.schema.json`` come from
it.
"""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.model.doubt import Severity
from assay.model.figures.estimate import Matters, Verdict
from assay.model.metric import Direction
from assay.model.trial import Arm, State
from assay.pages.budget import BudgetShown
from assay.pages.families.events import EventScan
from assay.pages.families.initialization import Initialization
from assay.pages.families.landscapes import Landscape
from assay.pages.families.layouts import LayoutMap
from assay.pages.families.scaling import Scaling
from assay.pages.families.weight import GuestWeights
from assay.pages.path_share import PathShare
from assay.pages.proof import Proof
from assay.pages.published import Published
from assay.pages.say import say
from assay.pages.score import Score
from assay.pages.system import System
from assay.pages.together import MachinePart
from assay.pages.track import PhaseSpan, ProbeUse, Timeline
from assay.pages.version import SCHEMA, VERSION

ResultState = Literal["complete", "partial", "running", "interrupted", "failed"]


@dataclass(frozen=True)
class Result:
    """The outcome of one activity."""

    id: str = say("Identity of the activity, and of its result.")
    scene: str = say("Name of the scene.")
    title: str = say("One line for people.")
    state: ResultState = say(
        "`complete`: every metric was measured; `partial`: some were not; `running`: trials are "
        "still to come; `interrupted`: stopped before the end; `failed`: nothing was measured."
    )
    started: str = say("Start of the first trial, ISO 8601 in UTC.")
    ended: str = say("End of the last trial, ISO 8601 in UTC.")
    seed: int = say("Seed of the order of trials; the same seed gives the same plan.")
    confidence: float = say("Coverage of all intervals together, 0.95: each row tells its own.")
    margin: float = say("Loss that does not matter, a fraction: inside ±margin is equivalent.")
    blocks_planned: int = say("Blocks of the plan.")
    baseline: str = say("Label of the baseline, `host`.")
    treatment: str = say("Label of the treatment: `guest`, or the name of a machine.")
    accelerator: str | None = say("`kvm` or `tcg` where the treatment is a guest; null elsewhere.")
    command: str | None = say("The user's command as it was given; null for a scene's workloads.")


@dataclass(frozen=True)
class Interval:
    """A loss with its interval."""

    loss: float | None = say("Point estimate, a fraction; null without a complete block.")
    low: float | None = say("Lower end of the interval; null below two blocks.")
    high: float | None = say("Upper end of the interval; null below two blocks.")
    blocks: int = say("Complete blocks used.")


@dataclass(frozen=True)
class Corrected:
    """A loss from which another workload's loss in the same blocks was taken out."""

    reference: str = say("Name of the workload that stands for the difference of the hardware.")
    loss: float | None = say("Point estimate, a fraction; null without a complete block.")
    low: float | None = say("Lower end of the interval; null below two blocks.")
    high: float | None = say("Upper end of the interval; null below two blocks.")
    blocks: int = say("Complete blocks used.")


@dataclass(frozen=True)
class Uncorrected:
    """What a row would say if each machine's own clock were believed."""

    baseline_value: float | None = say("Geometric mean on the baseline by its own clock.")
    treatment_value: float | None = say("Geometric mean on the treatment by its own clock.")
    loss: float | None = say("Point estimate from these, a fraction; null without a complete block.")
    low: float | None = say("Lower end of the interval; null below two blocks.")
    high: float | None = say("Upper end of the interval; null below two blocks.")


@dataclass(frozen=True)
class Aim:
    """What a loss is a loss of (the estimand)."""

    scope: str = say(
        "What its interval holds for: `this-session`, `this-machine` (several sessions), `fleet(N)`."
    )
    regime: str = say("State of the files at the start: `cold`, `warm` or `as-is`.")
    phase: str = say("`total`, or the name of a phase; `total(n)` where n events count.")
    load: str = say(
        "`solo`; for k copies at once `full-node(k jobs)` where copies x threads fill the "
        "processors of both arms, else `k jobs`."
    )
    metric: str = say("The measured quantity.")


@dataclass(frozen=True)
class BlockValues:
    """One metric's values in one block."""

    block: int = say("Block from 0.")
    baseline: tuple[float, ...] = say(
        "Values on the baseline in the order of its visits; failed trials left out."
    )
    treatment: float | None = say("Value on the treatment; null = not measured.")
    session: int = say("Session from 0: blocks between which no long time passed.", default=0)


@dataclass(frozen=True)
class Row:
    """One metric of one workload: what was measured, what is lost, and what that means."""

    workload: str = say("Name of the workload.")
    metric: str = say("Name of the metric, unique within its workload.")
    unit: str = say("Unit of the values.")
    direction: Direction = say("Which way is better: `higher` or `lower`.")
    baseline_value: float | None = say("Geometric mean on the baseline over blocks; null = not measured.")
    treatment_value: float | None = say("Geometric mean on the treatment over blocks; null = not measured.")
    loss: float | None = say("1 - 1/slowdown, a fraction; negative is a gain; null without a complete block.")
    low: float | None = say("Lower end of the loss's interval; null below two blocks.")
    high: float | None = say("Upper end of the loss's interval; null below two blocks.")
    confidence: float = say("Coverage of the interval.")
    slowdown: float | None = say(
        "Time of the treatment over time of the baseline for the same work; 1.0 = equal."
    )
    blocks: int = say("Complete blocks used.")
    verdict: Verdict = say("What the interval says against zero and against the margin.")
    blocks_more: int | None = say(
        "Blocks still needed for a verdict at this noise; null where it stands or is not known."
    )
    method: str = say("Name of the interval's method.")
    floor: Interval | None = say(
        "Baseline against baseline: the run's own noise floor; null where not measured."
    )
    blocks_data: tuple[BlockValues, ...] = say("The values of each block, from which all of this comes.")
    reason: str | None = say("Why it was not measured, one sentence; null where it was.")
    mean: Interval | None = say(
        "Mean loss with Student's interval, beside the headline; null without a block.", default=None
    )
    aim: Aim | None = say("What it is a loss of (the estimand).", default=None)
    hours_more: float | None = say(
        "Hours that the blocks still needed would take; null as `blocks_more`.", default=None
    )
    within_margin: bool = say(
        "There is a loss or a gain, but all of its interval lies within ±margin.", default=False
    )
    matters: Matters | None = say(
        "Whether it matters, by where the interval lies: `yes` beyond ±margin, `no` within, "
        "`maybe` across; null without a verdict.",
        default=None,
    )
    corrected: Corrected | None = say(
        "The loss corrected by a reference workload, beside the uncorrected one; null without one.",
        default=None,
    )
    treatment: str | None = say(
        "Label of the treatment where there are several; null where there is one.", default=None
    )
    against: str | None = say(
        "Label of the treatment that the loss is over, the machine that carries it; null is the baseline.",
        default=None,
    )
    uncorrected: Uncorrected | None = say(
        "The same by the clocks as they ran; null where no value of it was corrected.", default=None
    )


@dataclass(frozen=True)
class Value:
    """One value of one metric in one trial."""

    metric: str = say("Name of the metric.")
    unit: str = say("Unit of the value.")
    value: float | None = say("The value; null = not measured.")
    uncorrected: float | None = say(
        "The value by the machine's own clock; null where that was not corrected, or not trusted.",
        default=None,
    )


@dataclass(frozen=True)
class TrialPoint:
    """One trial of the plan."""

    index: int = say("Position in the plan from 0: the order in which trials run.")
    name: str = say("Name of its record's folder.")
    block: int = say("Block from 0.")
    order: int = say("Position of its visit inside the block from 0; trials of one visit share a boot.")
    arm: Arm = say("`baseline` or `treatment`.")
    replicate: int = say("0, or 1 for the baseline's second visit, from which the noise floor comes.")
    workload: str = say("Name of the workload.")
    state: State = say("`waiting`, `running`, `ended` or `failed`; only `ended` has values.")
    cause: str | None = say("One sentence why it failed; null where it did not.")
    exit_code: int | None = say("As a shell gives it; null where the job was never started.")
    metrics: tuple[Value, ...] = say("Its values; empty for a failed trial.")
    wall_s: float | None = say("Seconds from start to end of the job; null where it was never started.")
    user_s: float | None = say("CPU seconds in user mode, children included.")
    system_s: float | None = say("CPU seconds in the kernel, children included.")
    doubts: tuple[str, ...] = say("Codes of the doubts about it.")
    phases: tuple[PhaseSpan, ...] = say(
        "Its phases; empty where none were told of, or its clock is not trusted.", default=()
    )
    probe: ProbeUse | None = say("The probe's own cost; null where it is not known.", default=None)
    host_probe: ProbeUse | None = say(
        "Cost of the probe that watched a guest's host meanwhile, on the host; null outside a "
        "guest and where it was not watched.",
        default=None,
    )
    treatment: str | None = say(
        "Label of the treatment where there are several; null where there is one, and for the baseline.",
        default=None,
    )


@dataclass(frozen=True)
class DoubtCount:
    """A doubt and how many trials carry it."""

    code: str = say("Stable word for programs.")
    sentence: str = say("One sentence for people.")
    count: int = say("Number of trials that carry it; 1 for a doubt about the whole result.")
    next: str | None = say("What to do or to look at next; null where nothing is to be done.", default=None)
    severity: Severity = say(
        "What it does to the figures, in this order: `invalidates`: they are not what they are "
        "called, `shifts`: it may move "
        "them by more than the margin, `widens`: less is known than it seems, `informs`: they stand.",
        default=Severity.SHIFTS,
    )


@dataclass(frozen=True)
class CauseCount:
    """A declared cause and how many rejected trials it was found in."""

    cause: str = say("Word of the cause, `foreign-cpu`.")
    count: int = say("Rejected trials in which it was found; one may have several causes.")


@dataclass(frozen=True)
class Rejections:
    """Trials of one arm that were rejected for a declared cause and run again."""

    arm: Arm = say("`baseline` or `treatment`.")
    rejected: int = say("Runs that were rejected.")
    runs: int = say("All runs so far, the rejected ones too.")
    causes: tuple[CauseCount, ...] = say("Why, by cause.")
    trials: tuple[str, ...] = say(
        "Names of the trials, one a rejection; their records are kept under `rejected/`."
    )


@dataclass(frozen=True)
class BadgeMetric:
    """What a metric did where nothing differed; standard deviations of the log slowdown of a block."""

    workload: str = say("Name of the workload.")
    metric: str = say("Name of the metric.")
    sessions: int = say("Sessions in which it was measured.")
    blocks: int = say("Blocks in all of them.")
    session: float | None = say(
        "Of what an arm has in one session and not in another: it widens intervals, that of one "
        "session too; null with one session."
    )
    block: float | None = say("Of the blocks of one session.")


@dataclass(frozen=True)
class Badge:
    """What this site's comparisons of the machine with itself (A/A) had shown when the activity
    was planned.
    """

    machine: str = say("Host name of the machine.")
    taken: str = say("End of the newest of them, ISO 8601 in UTC.")
    campaigns: int = say("Comparisons: one for each metric and activity.")
    false_verdicts: int = say("Those in which a look after some block would have found a loss or a gain.")
    most_false: float = say("Largest rate of false verdicts that this allows (one-sided 95 %), a fraction.")
    metrics: tuple[BadgeMetric, ...] = say("Those metrics of this result that are known from there.")


@dataclass(frozen=True)
class Page:
    """The page of one result."""

    result: Result = say("The outcome of the activity.")
    estimates: tuple[Row, ...] = say("One row a metric, in the order shown.")
    trials: tuple[TrialPoint, ...] = say("All trials of the plan, in their order.")
    doubts: tuple[DoubtCount, ...] = say("What speaks against trusting the figures, the gravest first.")
    method: tuple[str, ...] = say("How it was measured, sentence by sentence.")
    next: tuple[str, ...] = say("Commands to try next.")
    timelines: tuple[Timeline, ...] = say(
        "One block of each workload over time; empty where no series were recorded.", default=()
    )
    scans: tuple[EventScan, ...] = say(
        "Fixed cost and slope of each workload at several event numbers; empty without any.", default=()
    )
    scalings: tuple[Scaling, ...] = say(
        "Rates against the number of workers; empty where no workload was run with several numbers.",
        default=(),
    )
    layouts: tuple[LayoutMap, ...] = say(
        "Losses over the layouts of several guests, one map a metric; empty where no layouts are compared.",
        default=(),
    )
    budgets: tuple[BudgetShown, ...] = say(
        "Where the loss went, one a workload; empty where no block is complete.", default=()
    )
    rejections: tuple[Rejections, ...] = say(
        "Trials that were run again, by arm; empty where the scene declares no cause for it.", default=()
    )
    proof: Proof | None = say(
        "What ablations proved of the causes of the losses; null where none were made.", default=None
    )
    badge: Badge | None = say("The site's A/A history; null where there was none.", default=None)
    weights: tuple[GuestWeights, ...] = say(
        "What the guests held of their host, one an arm or treatment; empty where none was weighed.",
        default=(),
    )
    published: Published | None = say(
        "Published figures beside ours; null where the scene names none.", default=None
    )
    landscapes: tuple[Landscape, ...] = say(
        "Values and losses over file sizes and record sizes, one landscape an operation; empty "
        "where none varied.",
        default=(),
    )
    scores: tuple[Score, ...] = say(
        "The score over all workloads, one a treatment, without a figure where a workload lacks; "
        "empty where the scene asks for none.",
        default=(),
    )
    path_shares: tuple[PathShare, ...] = say(
        "Rates of data over that of the bare network; empty where no arm has its data from a server, or "
        "nothing measured the network.",
        default=(),
    )
    machines: tuple[MachinePart, ...] = say(
        "What each machine of an arm of several did, and what passed its links; empty without such an arm.",
        default=(),
    )
    systems: tuple[System, ...] = say(
        "Where each arm ran, in the order of the plan; empty before the first record.", default=()
    )
    initializations: tuple[Initialization, ...] = say(
        "Cores used by the jobs of the fewest and of the most guests until all had initialized, one a "
        "workload; empty where no layouts are compared, or nothing tells of phases.",
        default=(),
    )
    schema: Literal["assay.report"] = say("Name of this format.", default=SCHEMA)
    version: tuple[int, int] = say("Major and minor version; readers refuse a newer major.", default=VERSION)
