"""What ``assay explain`` says, as data: the losses of a result and where they went."""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.pages.budget import BudgetShown
from assay.pages.context import DoubtCount, Page, Result, Row
from assay.pages.proof import Proof
from assay.pages.say import say

SCHEMA = "assay.explanation"
VERSION = (1, 5)


@dataclass(frozen=True)
class Explanation:
    """Where the losses of one result went."""

    result: Result = say("The outcome of the activity.")
    estimates: tuple[Row, ...] = say("One row a metric, in the order shown.")
    budgets: tuple[BudgetShown, ...] = say("Where the loss went, one a workload with a complete block.")
    doubts: tuple[DoubtCount, ...] = say("What speaks against trusting the figures.")
    proof: Proof | None = say("What ablations proved; null where none were made.", default=None)
    schema: Literal["assay.explanation"] = say("Name of this format.", default=SCHEMA)
    version: tuple[int, int] = say("Major and minor version; readers refuse a newer major.", default=VERSION)


def explanation_of(page: Page) -> Explanation:
    """Return the explanation that a page with budgets holds."""
    return Explanation(page.result, page.estimates, page.budgets, page.doubts, page.proof)
