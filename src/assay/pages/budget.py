"""What a page says of where a loss went, as data; the arithmetic belongs to ``explain``."""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.pages.say import say

CategoryName = Literal["user", "system", "io", "queue", "idle"]
GainName = Literal["user", "system", "io", "queue", "idle", "later"]
StepName = Literal["user", "system", "io", "queue", "idle", "small"]
Source = Literal["job", "processors", "machine", "none"]
FactorName = Literal["instructions", "cpi", "frequency"]
Evidence = Literal["attributed", "caused"]


@dataclass(frozen=True)
class BudgetPart:
    """One phase and category of time of a budget."""

    phase: str = say(
        "Name of the phase; `total` where none were told of, `rest` is what lies between and around them."
    )
    category: CategoryName = say(
        "`user` and `system` CPU time, `io` wait, `queue`: steal and run-queue wait, `idle`: the remainder."
    )
    baseline_s: float = say("Seconds of wall time on the baseline, mean over blocks.")
    treatment_s: float = say("The same on the treatment.")
    contribution: float = say(
        "Its part of the loss: difference over the treatment's whole time, mean over blocks; all "
        "add up to `loss`."
    )
    low: float | None = say("Lower end of its interval; null below two blocks.")
    high: float | None = say("Upper end of its interval; null below two blocks.")


@dataclass(frozen=True)
class BudgetStep:
    """One bar of the waterfall, in shares of the treatment's time."""

    phase: str | None = say("Phase of its part; null for the small parts that are drawn together.")
    category: StepName = say("Category of its part; `small` for these.")
    parts: int = say("Parts that it stands for.")
    start: float = say("Where it begins; the first at the baseline's time, 1 - loss.")
    end: float = say("Where it ends; the last at the treatment's time, 1.")
    low: float | None = say("Lower end of the interval of its height; null below two blocks.")
    high: float | None = say("Upper end of the interval of its height; null below two blocks.")


@dataclass(frozen=True)
class PhaseShare:
    """How long each of several jobs that ran at once was in a phase, and what that contributes."""

    phase: str = say("Name of the phase; `rest` is what lies between and around them.")
    baseline_s: float = say("Seconds of a job's own wall time on the baseline, mean over jobs and blocks.")
    treatment_s: float = say("The same on the treatment.")
    contribution: float = say(
        "Its part of what a job takes longer: difference over a job's whole time on the treatment, "
        "mean over blocks; all add up to the loss of a job's own time."
    )
    low: float | None = say("Lower end of its interval; null below two blocks.")
    high: float | None = say("Upper end of its interval; null below two blocks.")


@dataclass(frozen=True)
class CpuFactor:
    """What a factor of CPU time = instructions × CPI × 1/frequency contributes to the loss."""

    factor: FactorName = say("Which factor.")
    baseline: float = say("Its mean on the baseline: a count, cycles an instruction, or Hz.")
    treatment: float = say("Its mean on the treatment, for the same work.")
    contribution: float = say("Its part of the loss; the three add up to that of `task-clock`.")
    low: float | None = say("Lower end of its interval; null below two blocks.")
    high: float | None = say("Upper end of its interval; null below two blocks.")


@dataclass(frozen=True)
class CauseShown:
    """A name for a part of the loss, with what to try next."""

    code: str = say("Stable word for programs, `cpu-quota`.")
    sentence: str = say("One sentence for people, with the figures that triggered it.")
    next: str = say("What to try.")
    contribution: float = say("Its part of the loss, in shares of the treatment's time.")
    low: float | None = say("Lower end of its interval; null below two blocks.")
    high: float | None = say("Upper end of its interval; null below two blocks.")
    share: float = say("Its part of the loss, 1 = all of it.")
    overlaps: bool = say("It cuts the same loss another way: not to be added to the others.")
    evidence: Evidence = say(
        "`attributed`: counters show it; `caused`: an ablation proved it.", default="attributed"
    )
    proved: float | None = say(
        "What ablating it wins back, a fraction of throughput as the loss is; null where nothing was proved.",
        default=None,
    )
    proved_low: float | None = say("Lower end of its interval; null as above.", default=None)
    proved_high: float | None = say("Upper end of its interval; null as above.", default=None)


@dataclass(frozen=True)
class GainShown:
    """A part of the time that is shorter on the treatment: with the causes it adds up to the loss."""

    category: GainName = say(
        "What the time is spent on, as of a part; `later`: all phases but the initialization, which overlaps."
    )
    sentence: str = say("One sentence for people, with both arms' seconds.")
    contribution: float = say("Its part of the loss, in shares of the treatment's time; below zero.")
    low: float | None = say("Lower end of its interval; null below two blocks.")
    high: float | None = say("Upper end of its interval; null below two blocks.")
    share: float = say("Its part of the loss, 1 = all of it; below zero.")
    overlaps: bool = say("It balances a cause that cuts the same loss another way.", default=False)


@dataclass(frozen=True)
class CountedFigure:
    """A figure of both arms that stands beside the budget: means over trials, for the same work."""

    name: str = say("What it is.")
    unit: str = say("Unit of both values; empty for counts.")
    baseline: float | None = say("Mean of the baseline; null = not told.")
    treatment: float | None = say("Mean of the treatment; null = not told.")


@dataclass(frozen=True)
class BudgetShown:
    """Where the time of one workload went: parts that add up to the loss."""

    workload: str = say("Name of the workload.")
    time: str = say("Which time is divided: `wall time`, or the time for the same work by its rate.")
    metrics: tuple[str, ...] = say(
        "Metrics whose loss this is, `wall_time` where the wall time is divided; the headline is "
        "of the only one."
    )
    parallelism: int = say(
        "Processors that the job uses at once: wall time × parallelism = CPU time + waits + idle.",
        was="lanes",
    )
    blocks: int = say("Blocks used.")
    loss: float = say("Mean over blocks of (treatment - baseline) / treatment: what the parts add up to.")
    low: float | None = say("Lower end of its interval; null below two blocks.")
    high: float | None = say("Upper end of its interval; null below two blocks.")
    headline: float | None = say(
        "The loss of the metric as estimated from log slowdowns, which may differ a little; null without one."
    )
    headline_low: float | None = say("Lower end of the headline's interval.")
    headline_high: float | None = say("Upper end of the headline's interval.")
    baseline_s: float = say("Seconds on the baseline, mean over blocks.")
    treatment_s: float = say("Seconds on the treatment, mean over blocks.")
    io_from: Source = say(
        "Who told of I/O wait: the `job`, the `processors` that it was confined to, the whole "
        "`machine`, or `none` (then it is in `idle`)."
    )
    queue_from: Source = say("Who told of waits for a processor: likewise.")
    parts: tuple[BudgetPart, ...] = say("All parts, phases in their order.")
    steps: tuple[BudgetStep, ...] = say("The waterfall from the baseline's time to the treatment's.")
    cpu: tuple[CpuFactor, ...] = say("Inside CPU time; empty without counters on both arms.", default=())
    causes: tuple[CauseShown, ...] = say(
        "What the loss is attributed to, the largest first; empty where the loss's interval holds zero.",
        default=(),
    )
    counted: tuple[CountedFigure, ...] = say("What else was counted on both arms.", was="beside", default=())
    notes: tuple[str, ...] = say("What speaks against trusting it, and what is not told.", default=())
    treatment: str | None = say(
        "Label of the treatment where there are several; null where there is one.", default=None
    )
    against: str | None = say(
        "Label of the treatment that the loss is over, the machine that carries it; null is the baseline.",
        default=None,
    )
    gains: tuple[GainShown, ...] = say(
        "What was won meanwhile: where causes hold more than the whole loss everything that "
        "shrank, else what is clear and a tenth of the loss.",
        default=(),
    )
    by_phase: tuple[PhaseShare, ...] = say(
        "A job's own time by phases, where several jobs ran at once: the CPU time of a phase is not "
        "known there, so that `parts` take the work as a whole. Empty where one job ran.",
        default=(),
    )
