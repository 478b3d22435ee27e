"""What ``assay workload parse`` says, as data.

Each field's help is its documentation: ``contracts/tool-output-v1.schema.json`` comes from it. The name
``version`` is the tool's here, so that of the format stands in ``schema``.
"""
# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from assay.model.metric import Direction
from assay.pages.context import DoubtCount
from assay.pages.say import say

_LABELS = "What tells it from the others of that metric, in the tool's words."


@dataclass(frozen=True)
class FigureShown:
    """A figure that the tool printed."""

    metric: str = say("The tool's own word, in lower case with underscores.")
    value: float = say("As printed.")
    unit: str = say(
        "The tool's own; KiB where it counts 1024, 1 of a count, unknown where it cannot be told."
    )
    direction: Direction | None = say("Which way is better; null where neither is.")
    labels: Mapping[str, str] = say(f"{_LABELS} not_comparable: why it may be read but not compared.")


@dataclass(frozen=True)
class NoFigure:
    """A place where the tool printed no number."""

    metric: str = say("As of a figure.")
    reason: str = say("Why it has no number.")
    labels: Mapping[str, str] = say(_LABELS)


@dataclass(frozen=True)
class ToolPage:
    """All figures of a tool's saved output."""

    tool: str = say("The program's name.")
    version: str | None = say("The tool's version; null where the output does not say it.")
    measurements: tuple[FigureShown, ...] = say("Its figures, in the order printed.")
    refused: tuple[NoFigure, ...] = say("What has no number.")
    notes: tuple[str, ...] = say(
        "What cannot be told of these figures: lines that are not known, an output whose end nothing marks."
    )
    doubts: tuple[DoubtCount, ...] = say(
        "What speaks against the figures, the gravest first, each with the next step.", default=()
    )
    schema: Literal["assay.tool-output 1.2"] = say(
        "Name and version of this format; readers refuse a newer major.", default="assay.tool-output 1.2"
    )
