"""The search for the place at which a line breaks, and what the search costs in certainty."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from assay.stats.lines.relative import Relative, basis, orthogonal_to, unit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

PLACES = 9
"""Candidates between two neighbouring event numbers."""
MOST_PLACES, SPREAD = 500, 200
"""Candidates in all, which 52 event numbers have; of more so many of them are tried, and none between."""
AT_ONCE = 500_000
"""Numbers of the candidates' directions that are held at once, 4 MB."""
EXACT = 1e-20
"""Share of the squares that rounding leaves of data without noise."""
PLACE_CONFIDENCE = 0.95


@dataclass(frozen=True)
class Search:
    """What each place of a hinge explains of the squares that a straight line leaves.

    Attributes:
        places: Candidates, ascending.
        share: Share that a hinge there explains, 0 to 1; 0 everywhere where the line leaves nothing.
        freedom: Degrees of freedom that the line leaves, at least 2.
        length: Length of the curve that the candidates' directions draw on the unit sphere.
    """

    places: Numbers
    share: Numbers
    freedom: int
    length: float

    @property
    def place(self) -> float:
        """The best place."""
        return float(self.places[self.share.argmax()])

    def chance(self) -> float:
        """Return the bound on the chance that noise alone makes the best place so good.

        Source:
            H. Hotelling, "Tubes and spheres in n-spaces", Am. J. Math. 61 (1939) 440-460; M. Knowles,
            D. Siegmund, "On Hotelling's approach to testing for a nonlinear parameter in regression", Int.
            Stat. Rev. 57 (1989) 205-220.

        Limits:
            For normal noise. With one candidate it is the F test; it may exceed 1 where nothing is found.
        """
        from scipy.special import betainc

        left = 1 - float(self.share.max())
        once = float(betainc((self.freedom - 1) / 2, 0.5, left))
        return float(once + self.length / math.pi * left ** ((self.freedom - 2) / 2))

    def around(self) -> tuple[float, float]:
        """Return the first and last place that explain the times about as well as the best (95 %)."""
        from scipy.special import fdtri

        left, freedom = 1 - self.share, self.freedom - 1
        allowed = left.min() * (1 + float(fdtri(1, freedom, PLACE_CONFIDENCE)) / freedom)
        as_good = self.places[left <= allowed]
        return float(as_good.min()), float(as_good.max())


def search_hinge(times: Relative) -> Search | None:
    """Try a hinge at the inner event numbers and at places between them.

    Returns:
        ``None`` below three event numbers, or with fewer than two times more than a line needs.

    Limits:
        A hinge before the second or after the last but one event number fits as one at it. Of more than 52
        event numbers at most 200 are tried, spread evenly: a place is known to one in 200 of them.
    """
    import numpy as np

    sizes, span = np.unique(times.cells.events), basis(times.line)
    freedom = len(times.y) - times.lost - span.shape[1]
    if len(sizes) < 3 or freedom < 2:
        return None
    places, rest = _places(sizes), orthogonal_to(span, times.y)
    if rest @ rest <= EXACT * (times.y @ times.y):
        return Search(places, np.zeros(len(places)), freedom, 0.0)
    share, length = _explained(times, span, places, rest)
    return Search(places, share, freedom, length)


def _explained(times: Relative, span: Numbers, places: Numbers, rest: Numbers) -> tuple[Numbers, float]:
    """Return the share of what is left that a hinge explains at each place, and the length of their curve."""
    import numpy as np

    shares, length, last = [], 0.0, np.empty((len(rest), 0))
    for some in np.array_split(places, -(-len(places) * len(rest) // AT_ONCE)):
        curve = _curve(times, span, some)
        shares.append(np.minimum((curve.T @ rest) ** 2 / (rest @ rest), 1.0))
        length += _length(np.column_stack([last, curve]))
        last = curve[:, -1:]
    return np.concatenate(shares), length


def _curve(times: Relative, span: Numbers, places: Numbers) -> Numbers:
    """Return the directions of hinges at places, at length 1, beside the straight line."""
    import numpy as np

    return unit(orthogonal_to(span, unit(np.column_stack([times.hinge(place) for place in places]))))


def _places(sizes: Numbers) -> Numbers:
    import numpy as np

    inner = sizes[1:-1]
    if len(inner) + PLACES * (len(inner) - 1) > MOST_PLACES:
        some = np.unique(np.linspace(0, len(inner) - 1, SPREAD).round().astype(int))
        return np.asarray(inner[some])
    between = [np.linspace(a, b, PLACES + 2)[1:-1] for a, b in pairwise(inner)]
    return np.sort(np.concatenate([inner, *between]))


def _length(curve: Numbers) -> float:
    import numpy as np

    return float(np.arccos(np.clip((curve[:, 1:] * curve[:, :-1]).sum(axis=0), -1, 1)).sum())
