"""Times in units of what is expected of their event number, where noise is alike, and models of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.stats.line import Cells

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

NOTHING = 1e-9
"""Length, as a share, of what rounding leaves of a column that others span."""


@dataclass(frozen=True)
class Relative:
    """Times of one arm over the mean time of their event number; columns of models, one row a time.

    Attributes:
        cells: The times.
        means: Mean time of each one's event number.
        y: The times over these means.
        line: Columns of a straight line, and of what a block does to all of its times where each holds
            several (they sum to zero, so that they cannot stand for a bend).
    """

    cells: Cells
    means: Numbers
    y: Numbers
    line: Numbers

    def hinge(self, place: float) -> Numbers:
        """Return the column of a slope that changes at a place."""
        import numpy as np

        return np.asarray(np.maximum(self.cells.events - place, 0) / self.means)

    def each(self) -> Numbers:
        """Return one column an event number: the model that fits every mean."""
        import numpy as np

        return np.asarray((self.cells.events[:, None] == np.unique(self.cells.events)).astype(float))


def relative(cells: Cells) -> Relative:
    """Return an arm's times in units of what is expected of them."""
    import numpy as np

    means = cells.means()
    line = np.column_stack([1 / means, cells.events / means])
    if np.bincount(cells.blocks, minlength=cells.count).min() >= 2:
        effects = (cells.blocks[:, None] == np.arange(cells.count)).astype(float)
        line = np.column_stack([line, effects[:, 1:] - effects[:, :1]])
    return Relative(cells, means, cells.seconds / means, line)


def basis(columns: Numbers) -> Numbers:
    """Return an orthonormal basis of what columns span, one vector a column."""
    import numpy as np

    left, sizes, _ = np.linalg.svd(unit(columns), full_matrices=False)
    return np.asarray(left[:, sizes > NOTHING * sizes[0]])


def beside(span: Numbers, values: Numbers) -> Numbers:
    """Return what a span leaves of values (a vector, or columns)."""
    import numpy as np

    return np.asarray(values - span @ (span.T @ values))


def unit(columns: Numbers) -> Numbers:
    """Return columns, none of them zero, at length 1."""
    import numpy as np

    return np.asarray(columns / np.linalg.norm(columns, axis=0))
