"""openssl speed: what ``-mr`` prints of one algorithm and one block size, with ``-multi`` or without."""

from __future__ import annotations

import re

from assay.workloads import Direction, Figure, OutputError, ToolOutput

TOOL = "openssl"
_RATE = re.compile(r"\+F:\d+:([\w-]+):(\d+\.\d+)")
_BLOCK = re.compile(r"\+H:(\d+)")
_PASSED = re.compile(r"|Forked child \d+|Got: \+[FH]:.* from \d+|\+DT:.*|\+R:.*|Doing .*")
"""What is said of each process, or of what is under way: the last line is of all."""


def read(output: bytes) -> ToolOutput:
    """Return the rate in bytes a second.

    Raises:
        OutputError: a line is not known, there is no rate, several, or the output is cut off.
    """
    text = output.decode("utf-8-sig", "replace")
    figures: list[Figure] = []
    labels: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if match := _BLOCK.fullmatch(line):
            labels = {"block_bytes": match[1]}
        elif match := _RATE.fullmatch(line):
            figures.append(Figure(match[1].lower(), float(match[2]), "B/s", Direction.HIGHER, labels))
        elif not _PASSED.fullmatch(line):
            raise OutputError(TOOL, number, f"expected a line of openssl speed -mr, got '{line:.80}'")
    if len(figures) != 1 or not text.endswith("\n"):
        raise OutputError(TOOL, None, f"expected one whole line '+F:…', got {len(figures)}")
    return ToolOutput(TOOL, None, tuple(figures))
