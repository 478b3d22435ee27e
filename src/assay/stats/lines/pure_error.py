"""How times scatter about one mean per event number: what a line over events is held against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.stats.lines.relative import Relative

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Places = NDArray[np.intp]
    Mask = NDArray[np.bool_]

MOST = 1000
"""Blocks, or event numbers, that are fitted beside each other: a matrix of so many rows takes
half a second.
"""
ZERO = 1e-10
"""Eigenvalue, of matrices whose largest is 1, that rounding leaves of nothing."""


@dataclass(frozen=True)
class PureError:
    """What is left of times where each event number has a mean of its own.

    Attributes:
        squares: Sum of squares.
        freedom: Degrees of freedom; 0 where no event number comes again.
    """

    squares: float
    freedom: int


def pure_error(times: Relative) -> PureError | None:
    """Return what one mean per event number, beside the effects of blocks, leaves of times.

    Args:
        times: Of one arm.

    Returns:
        ``None`` where more than 1,000 event numbers come again in more than 1,000 blocks of several times
        each.

    Source:
        N. R. Draper, H. Smith, "Applied Regression Analysis", 3rd ed., section 2.1. With effects of blocks,
        the two-way layout without interaction: S. R. Searle, "Linear Models" (1971), section 7.1; its degrees
        of freedom are the independent cycles of the graph that joins blocks and event numbers.
    """
    import numpy as np

    sizes, places = np.unique(times.cells.events, return_inverse=True)
    if not times.lost:
        rest = times.y - _means(times.y, places)[places]
        return PureError(float(rest @ rest), len(rest) - len(sizes))
    held = _repeated(times.cells.blocks, places)
    if not held.any():
        return PureError(0.0, 0)
    rows, columns = (np.unique(of[held], return_inverse=True)[1] for of in (times.cells.blocks, places))
    if rows.max() < columns.max():
        rows, columns = columns, rows
    return None if columns.max() >= MOST else _two_way(times.y[held], rows, columns)


def _means(values: Numbers, places: Places) -> Numbers:
    import numpy as np

    return np.asarray(np.bincount(places, values) / np.bincount(places))


def _repeated(blocks: Places, sizes: Places) -> Mask:
    """Return which times tell of noise: what is alone in its block or event number is fitted exactly, again
    and again.
    """
    import numpy as np

    first = int(blocks.max()) + 1
    ends = [blocks.tolist(), (first + sizes).tolist()]
    count, held = [0] * (first + int(sizes.max()) + 1), [True] * len(blocks)
    of = [0] * len(
        count
    )  # what is left of a node's times, combined by exclusive or: the last one is named by it
    for nodes in ends:
        for at, node in enumerate(nodes):
            count[node] += 1
            of[node] ^= at
    alone = [node for node, times in enumerate(count) if times == 1]
    while alone:
        if count[node := alone.pop()] != 1:
            continue
        at = of[node]
        held[at] = False
        for end in (ends[0][at], ends[1][at]):
            count[end] -= 1
            of[end] ^= at
            if count[end] == 1:
                alone.append(end)
    return np.array(held)


def _two_way(values: Numbers, rows: Places, columns: Places) -> PureError:
    """Return what effects of rows and columns leave of values; rows are taken out first, columns are solved
    for.
    """
    import numpy as np
    from scipy.sparse import csr_array

    in_rows, in_columns = np.bincount(rows), np.bincount(columns)
    weight = 1 / np.sqrt(in_rows[rows] * in_columns[columns])
    layout = csr_array((weight, (rows, columns)))
    shares, turned = np.linalg.eigh(np.eye(len(in_columns)) - (layout.T @ layout).toarray())
    known = shares > ZERO
    right = np.bincount(columns, values - _means(values, rows)[rows]) / np.sqrt(in_columns)
    effects = turned[:, known] @ ((turned[:, known].T @ right) / shares[known]) / np.sqrt(in_columns)
    rest = values - effects[columns]
    rest -= _means(rest, rows)[rows]
    return PureError(float(rest @ rest), len(values) - len(in_rows) - int(known.sum()))
