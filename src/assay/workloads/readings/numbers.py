"""Numbers as programs write them, and one of several."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from assay.model.metric import LARGEST
from assay.model.work.reading import Of
from assay.workloads.readings.wrote import shown

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
SEVERAL = f"say which by 'of': {', '.join(Of)}"


def parse_number(text: str) -> float:
    """Return a number in the notation of C and JSON, without thousands' separators.

    Raises:
        ValueError: another text, a number below 0, or one that is not finite; the message says it.
    """
    if _NUMBER.fullmatch(text.strip()) is None:
        msg = f"expected a number, got '{shown(text.strip(), 40)}'"
        raise ValueError(msg)
    return measured(float(text))


def measured(value: float) -> float:
    """Return a number that a slowdown may be formed with, or that says "none".

    Raises:
        ValueError: below 0, not finite, or beyond what can be counted with.
    """
    if not math.isfinite(value) or value < 0:
        msg = f"expected a finite number of at least 0, got {value:g}"
        raise ValueError(msg)
    if value > LARGEST:
        msg = f"expected a number of at most {LARGEST:g}, got {value:g}"
        raise ValueError(msg)
    return value


def one_of(values: Sequence[float], of: Of) -> float:
    """Return one number for several.

    Args:
        values: At least one, in the order written.
        of: Which.

    Raises:
        ValueError: their sum is not finite.
    """
    if of is Of.FIRST:
        return values[0]
    if of is Of.LAST:
        return values[-1]
    total = measured(sum(values))
    return total if of is Of.SUM else total / len(values)
