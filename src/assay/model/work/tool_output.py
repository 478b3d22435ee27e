"""What a tool printed: every figure of it, in the tool's own unit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.model.metric import Direction

NOT_COMPARABLE = "not_comparable"
"""Label of a figure that may be read but not compared; its value is the reason, one sentence."""


@dataclass(frozen=True)
class Figure:
    """One figure that a tool printed.

    Attributes:
        metric: The tool's own word in lower case with underscores: ``rewrite``, ``bw_bytes``.
        value: As printed; finite.
        unit: The tool's own: ``KiB/s`` where it counts 1024, ``kB/s`` where 1000, ``%``, ``1`` of a count.
        direction: Which way is better; ``None`` of what is neither, like the number of runs.
        labels: What tells it from the other figures of that metric, by the tool's words: ``{"job":
            "seq_write", "percentile": "99"}``; and ``not_comparable``.
    """

    metric: str
    value: float
    unit: str
    direction: Direction | None
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def comparable(self) -> bool:
        """It may be compared with the figure of another run."""
        return NOT_COMPARABLE not in self.labels


@dataclass(frozen=True)
class Refused:
    """A place where the tool should have printed a figure, and printed none: ``+++++``, ``<not supported>``.

    Attributes:
        metric: As of a figure.
        reason: Why it has no number, one sentence.
        labels: As of a figure.
    """

    metric: str
    reason: str
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ToolOutput:
    """All that a saved output says.

    Attributes:
        tool: The program's name, as it is called.
        version: As the output tells it; ``None`` where it does not.
        measurements: Its figures, in the order printed.
        refused: What has no number.
        remarks: Lines that the reader does not know and that hold no figure, each with its number.
        open_end: Nothing marks its end: whether lines behind the last one were cut off cannot be seen.
    """

    tool: str
    version: str | None
    measurements: tuple[Figure, ...]
    refused: tuple[Refused, ...] = ()
    remarks: tuple[str, ...] = ()
    open_end: bool = False
