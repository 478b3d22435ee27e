"""What to type next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from assay.model.activity import ActivityPlan
from assay.model.machine import Reach
from assay.model.observation import Observation, Scope
from assay.model.workload import Workload
from assay.report.context import Row
from assay.scenes import ready_names

MOST_BLOCKS = 200
"""More blocks than this are a matter for a plan, not for a hint."""


def next_commands(plan: ActivityPlan, rows: Sequence[Row], *, interrupted: bool) -> tuple[str, ...]:
    """Return commands to try after a result: what is left to do comes first.

    Args:
        plan: The activity's plan.
        rows: Its estimates.
        interrupted: Trials are left to run.
    """
    commands = [f"assay activity resume {plan.id}"] if interrupted else []
    more = [row.blocks_more for row in rows if row.blocks_more is not None]
    known = plan.command is not None or plan.scene in ready_names()
    if known and more and plan.blocks + max(more) <= MOST_BLOCKS:
        commands.append(f"{evaluate_command(plan)} --blocks {plan.blocks + max(more)}")
    commands.append(f"assay report {plan.id} --format html --output report.html")
    commands.append("assay result list")
    if plan.command is None:
        commands.append("assay evaluate --command './my-job --events 100'")
    return tuple(commands)


def evaluate_command(plan: ActivityPlan) -> str:
    """Return the command that evaluates the same again, without its design."""
    words = ["assay", "evaluate"]
    if plan.command is None:
        words += [plan.scene] if plan.scale is None else [plan.scene, "--scale", plan.scale]
    else:
        words += ["--command", plan.command]
        words += [word for path in plan.workloads[0].inputs for word in ("--input", path)]
    if plan.treatment.machine.reach is Reach.SSH and plan.treatment.guest is None:
        words += ["--against", plan.treatment.machine.name]
    return shlex.join([*words, *_placement(plan.workloads), *_observation(plan.observation)])


def _placement(workloads: Sequence[Workload]) -> Iterator[str]:
    """Yield what may have been asked for on the command line: what all workloads have in common."""
    for option, silent, word in (
        ("copies", 1, "{}"),
        ("threads", None, "{}"),
        ("stagger_s", 0.0, "{:.15g} s"),
    ):
        values = {getattr(workload.placement, option) for workload in workloads}
        if len(values) == 1 and (value := values.pop()) != silent:
            yield from (f"--{option.removesuffix('_s')}", word.format(value))


def _observation(observation: Observation) -> Iterator[str]:
    for option in ("watch", "counters"):
        if names := getattr(observation, option):
            yield from (f"--{option}", ",".join(names))
    if observation.profile is not None:
        yield f"--profile={observation.profile.hz}"
        if observation.profile.scope is Scope.MACHINE:
            yield "--system"
