"""Blocks taken out of times of a scan, against the model with a column for each block."""

from __future__ import annotations

import numpy as np
import pytest

from assay.stats.lines.line import Cells
from assay.stats.lines.relative import relative, without_blocks


def cells(seed: int, *, blocks: int = 7) -> Cells:
    """Return blocks of two to five sizes each, with noise."""
    noise = np.random.default_rng(seed)
    held = [
        (b, n)
        for b in range(blocks)
        for n in noise.choice((10, 100, 300, 1000, 3000), 2 + b % 4, replace=False)
    ]
    at, events = (np.array(column) for column in zip(*held, strict=True))
    return Cells(at, events.astype(float), (35 + 0.85 * events) * noise.lognormal(0, 0.01, len(held)), blocks)


@pytest.mark.parametrize("seed", range(5))
def test_it_leaves_what_columns_that_sum_to_zero_leave(seed: int) -> None:
    held = cells(seed)
    each = (held.blocks[:, None] == np.arange(held.count)).astype(float)
    effects = each[:, 1:] - each[:, :1]
    fitted = effects @ np.linalg.lstsq(effects, held.seconds, rcond=None)[0]
    assert without_blocks(held.seconds, held) == pytest.approx(held.seconds - fitted, rel=1e-9)


def test_blocks_of_one_time_are_left_as_they_are() -> None:
    held = Cells(np.arange(4), np.array([10.0, 100.0, 10.0, 100.0]), np.array([40.0, 120.0, 41.0, 119.0]), 4)
    times = relative(held)
    assert times.lost == 0
    assert times.y == pytest.approx(held.seconds / held.means())
