"""Why there is no figure, in clauses."""

from __future__ import annotations

from collections.abc import Sequence

UNTOLD = "the job did not tell of it in every trial"
ONE_ARM = "it was not run on both arms of every block"


def no_slowdown(value: float) -> str:
    """Return why a value of no more than 0 bears no loss."""
    return f"{value:g} was measured: no slowdown can be formed with it"


def spoiled(ablation: str) -> str:
    """Return why an ablation proves nothing of a metric."""
    return f"it holds what '{ablation}' does by itself"


def not_in_run(activity: str | None, ablated: Sequence[str]) -> str:
    """Return which run of a proof lacks a metric."""
    return f"it was not measured in run {activity} ({', '.join(ablated) or 'nothing'} ablated)"
