"""Sizes, rates, times and shares as people write them (``4 GiB``, ``20 MB/s``, ``90 s``, ``50 %``) and as
kept.

At rest: bytes and bytes a second as int, seconds as float, ratios with 1.0 = all.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

BYTES = {"B": 1, "kB": 1000, "MB": 1000**2, "GB": 1000**3, "TB": 1000**4,
         "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3, "TiB": 1024**4}  # fmt: skip
SECONDS = {"ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
RATES = {f"{unit}/s": count for unit, count in BYTES.items()}
RATIOS = {"%": 100}
"""Parts of the whole: a share is divided, which keeps 57 % the very 0.57."""

_DIGITS = 40
"""Of a number: one of any quantity that there is has fewer, and its product with a unit is a finite one."""
_QUANTITY = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z%]+(?:/s)?)\s*")


def parse_bytes(text: str) -> int:
    """Return the bytes of a size with its unit, ``4 GiB`` -> 4294967296.

    Raises:
        ValueError: no number with one of the units of ``BYTES``.
    """
    number, unit = _parse(text, BYTES, "a size", "4 GiB")
    return round(number * unit)


def parse_rate(text: str) -> int:
    """Return the bytes a second of a rate with its unit, ``20 MB/s`` -> 20000000.

    Raises:
        ValueError: no number with one of the units of ``RATES``.
    """
    number, unit = _parse(text, RATES, "a rate", "20 MB/s")
    return round(number * unit)


def parse_seconds(text: str) -> float:
    """Return the seconds of a time with its unit, ``90 s`` -> 90.0.

    Raises:
        ValueError: no number with one of the units of ``SECONDS``.
    """
    number, unit = _parse(text, SECONDS, "a time", "90 s")
    return number * unit


def parse_ratio(text: str) -> float:
    """Return the ratio of a share in percent, ``50 %`` -> 0.5.

    Raises:
        ValueError: no number followed by ``%``.
    """
    number, parts = _parse(text, RATIOS, "a share", "50 %")
    return number / parts


def parse_share(share: object) -> float:
    """Return a share of the whole as a fraction: ``1 %``, ``1%``, ``0.01`` or the number itself.

    Raises:
        ValueError: Neither a number nor a text of one; whether it is in a range is not looked at.
    """
    if isinstance(share, str):
        return parse_ratio(share) if "%" in share else float(share)
    if isinstance(share, bool) or not hasattr(share, "__float__"):
        msg = f"expected a share like '1 %' or 0.01, got {share!r}"
        raise ValueError(msg)
    try:
        return float(share)
    except (TypeError, OverflowError) as error:
        raise ValueError(str(error)) from None


def format_share(ratio: float, half: float) -> str:
    """Return a share with the decimals at which a half-width shows two significant figures, at most four.

    Args:
        ratio: The share, 0.01 = 1 %.
        half: Half-width of its interval, a ratio; 0 gives four significant figures.
    """
    percent, width = 100 * ratio, 100 * abs(half)
    if width == 0 or not math.isfinite(width):
        return f"{percent:.4g} %"
    exponent = int(f"{width:.1e}".partition("e")[2])
    return f"{percent:.{min(4, max(0, 1 - exponent))}f} %" if abs(percent) < 1e6 else f"{percent:.2e} %"


def format_spread(ratio: float) -> str:
    """Return a standard deviation as a share with two significant figures, ``0.51 %``."""
    return f"{float(f'{100 * ratio:.2g}'):g} %"


def format_bytes(count: int) -> str:
    """Return a size in the largest binary unit that keeps it at or above one, ``1.5 GiB``."""
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        if count >= BYTES[unit]:
            return f"{count / BYTES[unit]:.4g} {unit}"
    return f"{count} B"


def format_rate(bytes_per_s: int) -> str:
    """Return a rate in the largest decimal unit that keeps it at or above one, ``20 MB/s``."""
    for unit in ("TB", "GB", "MB", "kB"):
        if bytes_per_s >= BYTES[unit]:
            return f"{bytes_per_s / BYTES[unit]:.4g} {unit}/s"
    return f"{bytes_per_s} B/s"


def format_seconds(seconds: float) -> str:
    """Return a duration for people: ``45 s``, ``3 min 20 s``, ``2 h 5 min``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s" if whole % 60 else f"{whole // 60} min"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def _parse(text: str, units: Mapping[str, float], what: str, example: str) -> tuple[float, float]:
    match = _QUANTITY.fullmatch(str(text))
    if match is None or match[2] not in units or len(match[1]) > _DIGITS:
        msg = (
            f"expected {what} with its unit, like '{example}' (units: {', '.join(units)}), got '{text!s:.60}'"
        )
        raise ValueError(msg)
    return float(match[1]), units[match[2]]
