"""The page that lays several results beside each other, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.pages.say import say
from assay.pages.summary import Summary


@dataclass(frozen=True)
class SeveralPage:
    """Several results beside each other: nothing is computed over them (`assay result compare` does that)."""

    results: tuple[Summary, ...] = say("The results, in the order in which they were named.")
    schema: Literal["assay.several-results"] = say("Name of this format.", default="assay.several-results")
    version: tuple[int, int] = say("Major and minor version; readers refuse a newer major.", default=(1, 1))
