"""Is the time a straight line over events? A kink is looked for, found with its place, and named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.model.figures.scan import Kink, Linearity
from assay.model.trial import Arm
from assay.stats.lines.hinge import EXACT, Search, search_hinge
from assay.stats.lines.line import Cells
from assay.stats.lines.pure_error import pure_error
from assay.stats.lines.relative import Relative, basis, orthogonal_to, relative

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

FALSE_ALARM = 0.05
"""Chance that a scan of two straight lines is called bent."""
CHECKS = 4
"""Tests of one scan, two on each arm: their chances are multiplied by it (Bonferroni)."""


def linearity(arm: Arm, cells: Cells) -> Linearity | None:
    """Test one arm's times for a bend: a kink at any place, then misfit that no kink explains.

    Args:
        arm: Whose times they are.
        cells: Its times.

    Returns:
        ``None`` below three event numbers, or with fewer than two times more than a line needs.

    Source:
        The search for a kink: ``hinge``. Lack of fit: N. R. Draper, H. Smith, "Applied Regression Analysis",
        3rd ed., section 2.1; a kink that was searched costs two parameters. False alarms and power by
        simulation: ``tests/stats/lines/test_scan_kink.py``.

    Limits:
        Noise must be a share of the time; a gradual bend may be called a kink where the sizes are few. Where
        event numbers vary from block to block, so that hardly any comes again, a kink is looked for and no
        other misfit.
    """
    times = relative(cells)
    search = search_hinge(times)
    if search is None:
        return None
    chance = min(1.0, CHECKS * search.chance())
    bent = chance <= FALSE_ALARM
    misfit = min(1.0, CHECKS * _misfit(times, search.place if bent else None))
    explained = misfit > FALSE_ALARM
    kink = _kink(times, search) if bent and explained else None
    straight = not bent and explained
    return Linearity(arm, _sizes(cells), straight, min(chance, misfit), kink)


def _sizes(cells: Cells) -> int:
    return len(set(cells.events.tolist()))


def _misfit(times: Relative, kink: float | None) -> float:
    """Return the chance of such a distance of the event numbers' means from the line or broken line; 1 where
    none comes again.
    """
    from scipy.special import fdtrc

    pure = pure_error(times)
    if pure is None or pure.freedom < 1:
        return 1.0
    span = basis(_broken(times, kink))
    between = len(times.y) - times.lost - pure.freedom - span.shape[1] - (kink is not None)
    left = float((orthogonal_to(span, times.y) ** 2).sum())
    if between < 1 or left <= EXACT * float(times.y @ times.y):
        return 1.0
    if pure.squares <= EXACT * float(times.y @ times.y):
        return 0.0
    return float(
        fdtrc(between, pure.freedom, (left - pure.squares) / between / (pure.squares / pure.freedom))
    )


def _broken(times: Relative, kink: float | None) -> Numbers:
    import numpy as np

    return times.line if kink is None else np.column_stack([times.line, times.hinge(kink)])


def _kink(times: Relative, search: Search) -> Kink:
    """Name the best place, the event numbers around all that are about as good, and both slopes."""
    import numpy as np

    columns = _broken(times, search.place)
    scale = np.linalg.norm(columns, axis=0)
    fitted = np.linalg.lstsq(columns / scale, times.y, rcond=None)[0] / scale
    first, last = search.around()
    above = max(n for n in times.cells.events if n < first)
    below = min(n for n in times.cells.events if n > last)
    start, before, change = float(fitted[0]), float(fitted[1]), float(fitted[-1])
    seconds = start + before * search.place
    return Kink(search.place, int(above), int(below), seconds, before, before + change)
