"""Times in units of what is expected of their event number, where noise is alike, and models of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.stats.lines.line import Cells

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

NOTHING = 1e-9
"""Length, as a share, of what rounding leaves of a column that others span."""


@dataclass(frozen=True)
class Relative:
    """Times of one arm over the mean time of their event number; columns of models, one row a time.

    Where each block holds several times, what a block does to all of its times is taken out of everything
    here, which is the same as a column for each block (R. Frisch, F. V. Waugh, Econometrica 1 (1933) 387-401)
    without its cost. Effects of blocks sum to zero, so that they cannot stand for a bend.

    Attributes:
        cells: The times.
        means: Mean time of each one's event number.
        y: The times over these means.
        line: Columns of a straight line.
        lost: Degrees of freedom that the effects of blocks take.
    """

    cells: Cells
    means: Numbers
    y: Numbers
    line: Numbers
    lost: int

    def hinge(self, place: float) -> Numbers:
        """Return the column of a slope that changes at a place."""
        import numpy as np

        return self._kept(np.maximum(self.cells.events - place, 0) / self.means)

    def _kept(self, column: Numbers) -> Numbers:
        return without_blocks(column, self.cells) if self.lost else column


def relative(cells: Cells) -> Relative:
    """Return an arm's times in units of what is expected of them."""
    import numpy as np

    means = cells.means()
    columns = [cells.seconds / means, 1 / means, cells.events / means]
    lost = cells.count - 1 if np.bincount(cells.blocks, minlength=cells.count).min() >= 2 else 0
    if lost:
        columns = [without_blocks(column, cells) for column in columns]
    return Relative(cells, means, columns[0], np.column_stack(columns[1:]), lost)


def without_blocks(values: Numbers, cells: Cells) -> Numbers:
    """Return what the best effects of blocks that sum to zero leave of values; each block has some."""
    import numpy as np

    sizes = np.bincount(cells.blocks, minlength=cells.count)
    sums = np.bincount(cells.blocks, values, minlength=cells.count)
    common = (sums / sizes).sum() / (1 / sizes).sum()  # Lagrange's multiplier of the sum
    return np.asarray(values - ((sums - common) / sizes)[cells.blocks])


def basis(columns: Numbers) -> Numbers:
    """Return an orthonormal basis of what columns span, one vector a column."""
    import numpy as np

    left, sizes, _ = np.linalg.svd(unit(columns), full_matrices=False)
    return np.asarray(left[:, sizes > NOTHING * sizes[0]])


def orthogonal_to(span: Numbers, values: Numbers) -> Numbers:
    """Return what a span leaves of values (a vector, or columns)."""
    import numpy as np

    return np.asarray(values - span @ (span.T @ values))


def unit(columns: Numbers) -> Numbers:
    """Return columns, none of them zero, at length 1."""
    import numpy as np

    return np.asarray(columns / np.linalg.norm(columns, axis=0))
