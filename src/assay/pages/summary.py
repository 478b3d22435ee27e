"""A result in short, as it is kept beside its row in the database: what lists and overviews need."""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

from dataclasses import dataclass

from assay.model.figures.estimate import Matters, Verdict
from assay.model.metric import Direction
from assay.pages.context import DoubtCount, Result
from assay.pages.say import say


@dataclass(frozen=True)
class Estimate:
    """One metric of one workload: what is lost."""

    workload: str = say("Name of the workload.")
    metric: str = say("Name of the metric, unique within its workload.")
    unit: str = say("Unit of the values.")
    direction: Direction = say("Which way is better: `higher` or `lower`.")
    treatment: str | None = say("Label of the treatment where there are several; null where there is one.")
    against: str | None = say("Label of the treatment that the loss is over; null is the baseline.")
    baseline_value: float | None = say("Geometric mean on the baseline over blocks; null = not measured.")
    treatment_value: float | None = say("Geometric mean on the treatment over blocks; null = not measured.")
    loss: float | None = say("1 - 1/slowdown, a fraction; negative is a gain; null without a complete block.")
    low: float | None = say("Lower end of the loss's interval; null below two blocks.")
    high: float | None = say("Upper end of the loss's interval; null below two blocks.")
    blocks: int = say("Complete blocks used.")
    verdict: Verdict = say("What the interval says against zero and against the margin.")
    matters: Matters | None = say("Whether it matters, by where the interval lies; null without a verdict.")


@dataclass(frozen=True)
class Summary:
    """The outcome of one activity in short."""

    result: Result = say("The outcome of the activity.")
    headline: str = say("What came out, in one line.")
    estimates: tuple[Estimate, ...] = say("One row a metric, in the order shown.")
    doubts: tuple[DoubtCount, ...] = say("What speaks against trusting the figures, the gravest first.")
    badge: str | None = say(
        "Host name of the machine whose A/A history there was; null where there was none."
    )
    seconds: float | None = say("Wall time of all trials together; null where none ran.")
    machines: tuple[str, ...] = say(
        "Host name and processor of what each arm ran in, in the order of the plan.", default=()
    )
    facts: str | None = say(
        "SHA-256 of where all arms ran (`systems` of the report), in hex: equal where nothing of it differs; "
        "null before the first record.",
        default=None,
    )
    probe_cpu_s: float | None = say(
        "CPU time of the probes of all trials together, a guest's host watched included, seconds; null where "
        "no trial tells it.",
        default=None,
    )
