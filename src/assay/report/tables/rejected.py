"""The trials that were rejected and run again, in words."""

from __future__ import annotations

from assay.model.trial import Arm
from assay.pages.context import Page, Rejections


def rejected_lines(page: Page) -> tuple[str, ...]:
    """Return how many runs of each arm were rejected and why; empty where no cause was declared."""
    return tuple(_line(page, one) for one in page.rejections)


def _line(page: Page, one: Rejections) -> str:
    label = page.result.baseline if one.arm is Arm.BASELINE else page.result.treatment
    counts = f"{label} ({one.arm}): {one.rejected} of {one.runs} run{'' if one.runs == 1 else 's'} rejected"
    if not one.rejected:
        return counts
    why = ", ".join(f"{cause.cause} ×{cause.count}" for cause in one.causes)
    return f"{counts} and run again ({why}): {', '.join(one.trials)}"
