"""Is the time a straight line over events? A kink is looked for, found with its place, and named."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from assay.model.scan import Kink, Linearity
from assay.model.trial import Arm
from assay.stats.line import Cells

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

FALSE_ALARM = 0.05
"""Chance that a scan of two straight lines is called bent."""
CHECKS = 4
"""Tests of one scan, two on each arm: their chances are multiplied by it (Bonferroni)."""
PLACES = 9
"""Candidates between two neighbouring event numbers."""
EXACT = 1e-20
"""Share of the squares that rounding leaves of data without noise."""


def linearity(arm: Arm, cells: Cells) -> Linearity | None:
    """Test one arm's times for a bend: a kink at any place, and misfit that no kink explains.

    The broken line is continuous. In units of the expected time noise is alike at all event numbers; what a
    block does to all of its times is taken out where blocks hold several. The chance of the best of all
    places counts the search by the length of the curve of directions that the places draw on the sphere.

    Args:
        arm: Whose times they are.
        cells: Its times.

    Returns:
        ``None`` below three event numbers, or without a time more than the broken line has parameters.

    Source:
        M. Knowles, D. Siegmund, "On Hotelling's approach to testing for a nonlinear parameter in
        regression", Int. Stat. Rev. 57 (1989) 205-220 (the bound is exact for normal noise); lack of fit:
        N. R. Draper, H. Smith, "Applied Regression Analysis", 3rd ed., section 2.1.

    Limits:
        A kink before the second or after the last but one event number cannot be told from one at it. The
        weights come from the data. False alarms by simulation: ``tests/stats/test_scan_kink.py``.
    """
    import numpy as np

    sizes = np.unique(cells.events)
    if len(sizes) < 3:
        return None
    means = cells.means()
    y, line = cells.seconds / means, _line(cells, means)
    span = _basis(line)
    rest, freedom = y - span @ (span.T @ y), len(y) - span.shape[1]
    if freedom < 2:
        return None
    if rest @ rest <= EXACT * (y @ y):
        return Linearity(arm, len(sizes), straight=True, chance=1.0, kink=None, explained=True)
    places = _places(sizes)
    hinges = [np.maximum(cells.events - place, 0) / means for place in places]
    curve = np.array([_unit(hinge - span @ (span.T @ hinge)) for hinge in hinges])
    share = np.minimum((curve @ rest) ** 2 / (rest @ rest), 1.0)
    best = int(share.argmax())
    chance = min(1.0, CHECKS * _chance_of_search(float(share[best]), freedom - 1, _length(curve)))
    bent = chance <= FALSE_ALARM
    seen = np.column_stack([line, hinges[best]]) if bent else line
    misfit = min(1.0, CHECKS * _misfit(y, seen, cells, searched=bent))
    kink = _kink(sizes, places, share, freedom - 1, _slopes(y, seen)) if bent else None
    explained = misfit > FALSE_ALARM
    return Linearity(
        arm, len(sizes), not bent and explained, min(chance, misfit), kink if explained else None, explained
    )


def _line(cells: Cells, means: Numbers) -> Numbers:
    """Return the columns of a straight line, and of what blocks do to all of their times."""
    import numpy as np

    columns = np.column_stack([1 / means, cells.events / means])
    if np.bincount(cells.blocks, minlength=cells.count).min() < 2:
        return columns
    effects = (cells.blocks[:, None] == np.arange(cells.count)).astype(float)
    return np.column_stack([columns, effects[:, 1:] - effects[:, :1]])


def _basis(columns: Numbers) -> Numbers:
    import numpy as np

    left, sizes, _ = np.linalg.svd(columns / np.linalg.norm(columns, axis=0), full_matrices=False)
    return np.asarray(left[:, sizes > 1e-9 * sizes[0]])


def _places(sizes: Numbers) -> Numbers:
    """Return where a kink is looked for: the inner event numbers, and places between them."""
    import numpy as np

    inner = sizes[1:-1]
    between = [np.linspace(a, b, PLACES + 2)[1:-1] for a, b in pairwise(inner)]
    return np.sort(np.concatenate([inner, *between]))


def _unit(vector: Numbers) -> Numbers:
    import numpy as np

    return np.asarray(vector / np.linalg.norm(vector))


def _length(curve: Numbers) -> float:
    import numpy as np

    return float(np.arccos(np.clip(np.abs((curve[1:] * curve[:-1]).sum(axis=1)), 0, 1)).sum())


def _chance_of_search(share: float, freedom: int, length: float) -> float:
    """Return the bound on the chance that the best hinge takes such a share of the squares of noise."""
    from scipy.special import betainc

    once = float(betainc(freedom / 2, 0.5, 1 - share))
    return once + length / math.pi * float((1 - share) ** ((freedom - 1) / 2))


def _misfit(y: Numbers, seen: Numbers, cells: Cells, *, searched: bool) -> float:
    """Return the chance of such a distance between a curve and the mean of each event number."""
    import numpy as np
    from scipy.special import fdtrc

    each = (cells.events[:, None] == np.unique(cells.events)).astype(float)
    whole, part = _basis(np.column_stack([seen, each])), _basis(seen)
    within = len(y) - whole.shape[1]
    between = whole.shape[1] - part.shape[1] - searched
    if within < 1 or between < 1:
        return 1.0
    left = [float(((y - span @ (span.T @ y)) ** 2).sum()) for span in (part, whole)]
    if left[0] <= EXACT * float(y @ y):
        return 1.0
    if left[1] <= EXACT * float(y @ y):
        return 0.0
    return float(fdtrc(between, within, (left[0] - left[1]) / between / (left[1] / within)))


def _slopes(y: Numbers, seen: Numbers) -> tuple[float, float]:
    import numpy as np

    scale = np.linalg.norm(seen, axis=0)
    fitted = np.linalg.lstsq(seen / scale, y, rcond=None)[0] / scale
    return float(fitted[1]), float(fitted[1] + fitted[-1])


def _kink(sizes: Numbers, places: Numbers, share: Numbers, freedom: int, slopes: tuple[float, float]) -> Kink:
    """Name the best place and the event numbers around all places that explain the times as well."""
    from scipy.special import fdtri

    best = int(share.argmax())
    left = 1 - share
    as_good = left - left[best] <= max(left[best], 0.0) / freedom * float(fdtri(1, freedom, 0.95))
    first, last = places[as_good].min(), places[as_good].max()
    around = int(sizes[sizes < first].max()), int(sizes[sizes > last].min())
    return Kink(float(places[best]), *around, *slopes)


def kink_sentence(found: Linearity, label: str) -> str:
    """Return what is wrong with a straight line, for people.

    Args:
        found: What the check came to, not straight.
        label: Name of the arm.
    """
    if found.kink is None:
        return (
            f"The times of {label} over events are not a straight line, and no single kink explains them: "
            "fixed cost and slope are those of a line that does not fit."
        )
    kink = found.kink
    return (
        f"The line of {label} has a kink near {kink.events:.3g} events (between {kink.above} and {kink.below}): "
        f"{kink.slope_before:.3g} s an event before it, {kink.slope_after:.3g} s after it; fixed cost and "
        "slope mix the two."
    )


def bends(checks: Sequence[Linearity]) -> tuple[Linearity, ...]:
    """Return the checks that found something."""
    return tuple(check for check in checks if not check.straight)
