"""What to type next."""

from __future__ import annotations

from collections.abc import Sequence

from assay.model.activity import ActivityPlan
from assay.pages.context import Row

MOST_BLOCKS = 200
"""More blocks than this are a matter for a plan, not for a hint."""


def next_commands(
    plan: ActivityPlan, rows: Sequence[Row], *, left: bool, swamped: bool = False
) -> tuple[str, ...]:
    """Return commands to try after a result: what is left to do comes first.

    Args:
        plan: The activity's plan.
        rows: Its estimates.
        left: Trials are left to run.
        swamped: Most of its trials were disturbed: more blocks would be, too.
    """
    commands = [f"assay activity resume {plan.id}"] if left else []
    more = [row.blocks_more for row in rows if row.blocks_more is not None]
    may_be = not left and plan.proof_of is None  # a proof's runs are all of one length
    if more and may_be and not swamped and max(more) <= MOST_BLOCKS:
        commands.append(f"assay activity extend {plan.id} --blocks {max(more)}")
    commands.append(f"assay report {plan.id} --format html --output report.html")
    commands.append("assay result list")
    if plan.command is None:
        commands.append("assay evaluate --command './my-job --events 100'")
    return tuple(commands)
