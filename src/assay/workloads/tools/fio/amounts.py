"""Numbers as fio prints them in its normal text: with a suffix, a unit, or two units for one quantity."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from assay.model.metric import Direction
from assay.model.work.tool_output import Figure
from assay.workloads.outputs.digits import NUMBER

COUNT = rf"{NUMBER}[kKMGTPE]?"
"""``66.1k``: a count without a unit, in which k, K in fio 2, is 1000."""
AMOUNT = rf"{NUMBER}(?:[kKMGTPE]i?)?(?:B|bit)?(?:/s)?"
"""``31.5MiB/s``, ``2165Mbit/s``; a plain ``0`` has no unit."""
TIME_UNITS = {"nsec": "ns", "usec": "us", "msec": "ms"}

_COUNT = re.compile(rf"({NUMBER})([kKMGTPE]?)")
_AMOUNT = re.compile(rf"({NUMBER})(.*)")
_POWERS = {"": 0, "k": 3, "K": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}


def count(text: str) -> float:
    """Return a count: ``66.1k`` is 66100. It matches ``COUNT``."""
    match = _COUNT.fullmatch(text)
    digits, suffix = match.groups() if match is not None else (text, "")
    return float(f"{digits}e{_POWERS[suffix]}")


def amount(
    metric: str, text: str, *, direction: Direction | None, plain: str, labels: Mapping[str, str]
) -> Figure:
    """Return a figure in the unit that stands behind its number.

    Args:
        metric: Its name.
        text: Matches ``AMOUNT``.
        direction: Which way is better.
        plain: The unit of a number without one: fio leaves it out where it prints 0.
        labels: Of the figure.
    """
    match = _AMOUNT.fullmatch(text)
    digits, unit = match.groups() if match is not None else (text, "")
    return Figure(metric, float(digits), unit or plain, direction, labels)


def both(
    metric: str, one: str, other: str, *, direction: Direction | None, plain: str, labels: Mapping[str, str]
) -> Iterator[Figure]:
    """Yield a quantity that fio prints twice; the label ``base`` tells what its prefixes count.

    ``kb_base`` says which comes first, the unit which is which; where neither has a prefix, fio's default
    does.
    """
    swapped = "i" in other.removesuffix("bit/s").removesuffix("bit") or _decimal_prefix(one)
    for text, base in ((one, "1000" if swapped else "1024"), (other, "1024" if swapped else "1000")):
        own = {**labels, "base": base}
        yield amount(metric, text, direction=direction, plain=plain, labels=own)


def old(
    metric: str, text: str, *, direction: Direction | None, plain: str, labels: Mapping[str, str]
) -> Figure:
    """Return a figure of fio 2, whose KB are 1024 bytes.

    Limits: with ``kb_base=1000`` they are 1000, and the output does not tell.
    """
    digits, suffix = re.fullmatch(rf"({NUMBER})(.*)", text).groups()  # type: ignore[union-attr]
    unit = re.sub(r"^([KMGTPE])(?=B)", r"\1i", suffix)
    return Figure(metric, float(digits), unit or plain, direction, labels)


def _decimal_prefix(text: str) -> bool:
    return re.fullmatch(rf"{NUMBER}[kKMGTPE](?:B|bit)(?:/s)?", text) is not None
