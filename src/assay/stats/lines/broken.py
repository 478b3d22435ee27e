"""The line of time over events that breaks at a known place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.stats.lines.line import Cells, Lines

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

UNKNOWN = 1e-9
"""Share of what all blocks know of a direction below which the others know nothing of it."""


def fit_broken(cells: Cells, kink: float) -> Lines:
    """Fit fixed cost, slope before and slope after a kink, once with all blocks and once without each.

    Weights are those of ``line.fit_lines``.

    Args:
        cells: Three or more event numbers, one of them below the kink and one above.
        kink: Event number at which the line breaks; it is held, not fitted.

    Returns:
        NaN where the blocks that are left do not hold event numbers enough.

    Source:
        D. J. Hudson, "Fitting segmented curves whose join points have to be estimated", J. Am. Statist.
        Assoc. 61 (1966) 1097-1129.

    Limits:
        How well the place is known is in no interval. Where event numbers lie on both sides of the kink a
        nominal 95 % covers 90 to 95 %; where the place is a guess between three event numbers it may cover
        half (``tests/stats/lines/test_scan_broken.py``).
    """
    import numpy as np

    weights = 1 / cells.means()
    first = np.minimum(cells.events, kink)
    columns = np.column_stack([np.ones_like(first), first, cells.events - first]) * weights[:, None]
    scale = np.linalg.norm(columns, axis=0)
    span, triangle = np.linalg.qr(columns / scale)
    y = cells.seconds * weights
    squares = _by_block(cells, span[:, :, None] * span[:, None, :])
    products = _by_block(cells, span * y[:, None])
    left, known = np.linalg.eigh(np.eye(3) - squares)
    turned = np.einsum("bji,bj->bi", known, span.T @ y - products)
    with np.errstate(divide="ignore", invalid="ignore"):
        turned = np.where(left.min(axis=1, keepdims=True) > UNKNOWN, turned / left, np.nan)
    fitted = np.linalg.solve(triangle, np.einsum("bij,bj->ib", known, turned)) / scale[:, None]
    return Lines(fitted[0], fitted[2], kink, fitted[1])


def _by_block(cells: Cells, terms: Numbers) -> Numbers:
    """Return nothing for the fit of all blocks, then each block's sum of its cells' terms."""
    import numpy as np

    sums = np.zeros((cells.count + 1, *terms.shape[1:]))
    np.add.at(sums, cells.blocks + 1, terms)
    return sums
