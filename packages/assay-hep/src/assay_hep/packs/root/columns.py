"""What is in the made files: columns as a reconstruction writes them, drawn from a seed.

Scalars (event, weight, missing momentum, ``var_NN``), four leptons at most with their momentum and energy,
and seven cells at most with ``cell_NN``: jagged, each group with its counter. Numbers are whole sixteenths,
as calibrated values that were truncated before writing are; no library's logarithm is in them, so that they
are the same anywhere.
"""

from __future__ import annotations

from typing import Any

FEWEST = 12
"""Branches below which there is nothing but the leptons."""
LEPTONS = ("lepton_px", "lepton_py", "lepton_pz", "lepton_e")
_MOST_LEPTONS, _MOST_CELLS = 4, 7
_FIXED = 10
"""event, weight, met_x, met_y, nlepton, four of LEPTONS, ncell."""


def bytes_an_event(branches: int) -> int:
    """Return what one event takes before compression, on average."""
    scalars, cells = _others(branches)
    leptons = _MOST_LEPTONS / 2 * 4 * len(LEPTONS)
    return int(8 + 3 * 4 + 4 + leptons + 4 * scalars + 4 + _MOST_CELLS / 2 * 4 * cells)


def draw(rng: Any, events: int, *, first: int, branches: int) -> dict[str, Any]:
    """Return columns of consecutive events by name: scalars, and the groups ``lepton`` and ``cell``.

    Args:
        rng: numpy's generator.
        events: How many.
        first: Number of the first.
        branches: How many branches the tree has, counters among them, at least ``FEWEST``.
    """
    import awkward as ak
    import numpy as np

    scalars, cells = _others(branches)
    columns: dict[str, Any] = {"event": np.arange(first, first + events, dtype=np.int64)}
    for name in ("weight", "met_x", "met_y", *(f"var_{index:02d}" for index in range(scalars))):
        columns[name] = _sixteenths(rng, events)
    leptons = rng.integers(0, _MOST_LEPTONS + 1, events)
    columns["lepton"] = ak.unflatten(_leptons(rng, int(leptons.sum())), leptons)
    counts = rng.integers(0, _MOST_CELLS + 1, events)
    drawn = {f"{index:02d}": _sixteenths(rng, int(counts.sum())) for index in range(cells)}
    columns["cell"] = ak.unflatten(ak.zip(drawn), counts)
    return columns


def _others(branches: int) -> tuple[int, int]:
    scalars = (branches - _FIXED) // 2
    return scalars, branches - _FIXED - scalars


def _sixteenths(rng: Any, count: int) -> Any:
    import numpy as np

    return (rng.integers(-2048, 2048, count, dtype=np.int16) / np.float32(16)).astype(np.float32)


def _leptons(rng: Any, count: int) -> Any:
    import awkward as ak
    import numpy as np

    momentum = {name: _sixteenths(rng, count) for name in ("px", "py", "pz")}
    squares = sum(values.astype(np.float64) ** 2 for values in momentum.values())
    return ak.zip(momentum | {"e": np.sqrt(squares).astype(np.float32)})
