"""What a reader of several runs in one file hands over: each figure finite, and told from all others."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from assay.model.work.tool_output import NOT_COMPARABLE, Figure, Refused, ToolOutput
from assay.workloads.errors import OutputError

RUN = "run"
"""Label of a figure of one of several runs in a file: ``1`` of the first."""
REPEAT = "repeat"
"""Label of a figure that stands in the output again: ``2`` of the second."""


def whole(tool: str, version: str | None, entries: Iterable[Figure | Refused]) -> ToolOutput:
    """Return all that an output says; what repeats metric and labels of an earlier entry is numbered.

    Raises:
        OutputError: a number beyond all that can be counted.
    """
    seen: Counter[tuple[object, ...]] = Counter()
    figures: list[Figure] = []
    refused: list[Refused] = []
    for entry in entries:
        labels = {key: value for key, value in entry.labels.items() if key != NOT_COMPARABLE}
        key = (type(entry), entry.metric, *sorted(labels.items()))
        seen[key] += 1
        reported = entry if seen[key] == 1 else _again(entry, seen[key])
        if isinstance(reported, Refused):
            refused.append(reported)
        elif math.isfinite(reported.value):
            figures.append(reported)
        else:
            raise OutputError(
                tool, None, f"expected a number of {reported.metric}, got one beyond all doubles"
            )
    return ToolOutput(tool, version, tuple(figures), tuple(refused))


def joined(outputs: Sequence[ToolOutput], *, label: str = RUN) -> ToolOutput:
    """Return what several runs of a tool say, at least one; the version where they agree on it.

    Args:
        outputs: Of each run.
        label: Tells which run a figure is of, from 1; none where there is one run.
    """
    if len(outputs) == 1:
        return outputs[0]
    runs = [(output, {label: str(number)}) for number, output in enumerate(outputs, start=1)]
    versions = {output.version for output in outputs}
    return ToolOutput(
        outputs[0].tool,
        outputs[0].version if len(versions) == 1 else None,
        tuple(
            replace(one, labels={**reported, **one.labels})
            for run, reported in runs
            for one in run.measurements
        ),
        tuple(
            replace(one, labels={**reported, **one.labels}) for run, reported in runs for one in run.refused
        ),
    )


def _again(entry: Figure | Refused, count: int) -> Figure | Refused:
    return replace(entry, labels={**entry.labels, REPEAT: str(count)})
