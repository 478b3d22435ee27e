"""Numbers of ``perf stat`` in the language of its user: ``1.020.730`` cycles, ``0,71`` msec.

perf prints its text with the separators of ``LC_NUMERIC``, but the time of an interval always with a point. Which is
which is told by the seconds elapsed: they always have decimals.
"""

from __future__ import annotations

import re
from dataclasses import replace

from assay.workloads.outputs.numbered import Line

_COMMA = re.compile(r"\s*+[\d.\u202f\u00a0]*\d,\d+(?: \+- \S+)? seconds time elapsed\b")
_NARROW = re.compile(r"(?<=\d)[\u202f\u00a0](?=\d{3})")
_NUMBER = re.compile(r"(?<![^\s(\[#-])\d[\d.,]*(?=[\s%]|$)")
_INTERVAL = re.compile(r"\d+\.\d{9}")
_SWAP = str.maketrans(".,", ",.")


def with_points(lines: list[Line]) -> list[Line]:
    """Return the lines of a report with a point before decimals and no blank between thousands."""
    lines = [replace(line, text=_NARROW.sub("", line.text)) for line in lines]
    if not any(_COMMA.match(line.text) for line in lines):
        return lines
    return [replace(line, text=_NUMBER.sub(_swapped, line.text)) for line in lines]


def _swapped(number: re.Match[str]) -> str:
    return number[0] if _INTERVAL.fullmatch(number[0]) else number[0].translate(_SWAP)
