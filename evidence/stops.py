"""The product's rule for stopping at a precision, over many campaigns at once (``assay.design.stopping``)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.stats.components import floor_half
from evidence import many
from evidence.noise import Array, Campaigns


@dataclass(frozen=True)
class Rule:
    """When a campaign ends.

    Attributes:
        precision: Half-width wanted, a ratio.
        minimum_blocks: Fewer are never enough.
        sessions: Fewer are never enough.
        sigma: The site's A/A floor, log units.
    """

    precision: float
    minimum_blocks: int
    sessions: int
    sigma: float = 0.0


@dataclass(frozen=True)
class Stops:
    """Where each campaign ended; a campaign that did not is at its last block and ``False``."""

    blocks: NDArray[np.int64]
    low: Array
    high: Array
    reached: NDArray[np.bool_]


def stops(drawn: Campaigns, rule: Rule) -> Stops:
    """Look after every block, and end where half the interval of the loss is within the precision."""
    count, last = drawn.d.shape
    found = Stops(np.full(count, last), np.full(count, -np.inf), np.full(count, np.inf), np.zeros(count, bool))
    going = np.arange(count)
    for blocks in range(rule.minimum_blocks, last + 1):
        sessions = int(drawn.session[blocks - 1]) + 1
        if sessions < rule.sessions or not len(going):
            continue
        low, high = _ends(drawn.d[going, :blocks], rule.sigma, sessions)
        enough = (high - low) / 2 <= rule.precision
        ended = going[enough]
        found.blocks[ended], found.reached[ended] = blocks, True
        found.low[ended], found.high[ended] = low[enough], high[enough]
        going = going[~enough]
    return found


def _ends(d: Array, sigma: float, sessions: int) -> tuple[Array, Array]:
    """Return the interval of the loss with the floor in quadrature."""
    value, low, high = many.hodges_lehmann(d)
    floor = floor_half(sigma, sessions)
    return many.losses(value - np.hypot(value - low, floor)), many.losses(value + np.hypot(high - value, floor))
