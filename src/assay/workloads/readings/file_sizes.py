"""The size of the file that a tool of files worked on, as its output tells beside each figure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from assay.model.units import BYTES
from assay.model.work.tool_output import ToolOutput

_BONNIE = re.compile(r"(\d{1,18})([MG]?)$")
"""MiB where it says no unit. Source: bonnie++(8), -s."""
_KIB = re.compile(r"\d{1,18}$")


def sizes_of(output: ToolOutput, figures: Iterable[str]) -> set[int]:
    """Return the sizes in bytes that an output tells of some of its figures; empty where it tells none.

    Args:
        output: What a tool printed.
        figures: Names of the figures.
    """
    names = set(figures)
    reported = (_size(one.labels) for one in output.measurements if one.metric in names)
    return {size for size in reported if size is not None}


def _size(labels: Mapping[str, str]) -> int | None:
    if match := _KIB.match(labels.get("file_size_kib", "")):
        return int(match[0]) * BYTES["KiB"]
    if match := _BONNIE.match(labels.get("file_size", "")):
        return int(match[1]) * BYTES["GiB" if match[2] == "G" else "MiB"]
    return None
