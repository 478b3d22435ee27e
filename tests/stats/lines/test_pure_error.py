"""What one mean per event number leaves of times, against the model with a column for each."""

from __future__ import annotations

import numpy as np
import pytest

import assay.stats.lines.pure_error
from assay.stats.lines.line import Cells
from assay.stats.lines.pure_error import pure_error
from assay.stats.lines.relative import relative
from tests.stats.lines.test_relative import cells


def dense(held: Cells) -> tuple[float, int]:
    """Return what a column for each event number, and for each block of several times, leaves of times; and
    the freedom.
    """
    times = relative(held)
    columns = [held.events == size for size in np.unique(held.events)]
    if times.lost:
        columns += [held.blocks == block for block in range(held.count)]
    model = np.column_stack(columns).astype(float)
    rest = times.y - model @ np.linalg.lstsq(model, times.y, rcond=None)[0]
    return float(rest @ rest), len(rest) - int(np.linalg.matrix_rank(model))


def laid_out(seed: int, *, blocks: int, sizes: int, each: int) -> Cells:
    """Return blocks of so many times each, at event numbers by chance."""
    draw = np.random.default_rng(seed)
    events = np.concatenate([draw.choice(sizes, each, replace=False) for _ in range(blocks)]) + 1.0
    at = np.repeat(np.arange(blocks), each)
    return Cells(at, events, (35 + 0.85 * events) * draw.lognormal(0, 0.01, len(at)), blocks)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("blocks", "sizes", "each"),
    [(7, 4, 3), (20, 12, 3), (12, 30, 3), (9, 60, 2), (40, 8, 1), (30, 90, 1), (3, 40, 30)],
)
def test_what_event_numbers_leave_is_what_a_column_for_each_leaves(
    blocks: int, sizes: int, each: int, seed: int
) -> None:
    held = laid_out(seed, blocks=blocks, sizes=sizes, each=each)
    found = pure_error(relative(held))
    assert found is not None
    squares, freedom = dense(held)
    assert found.freedom == freedom
    assert found.squares == pytest.approx(squares, rel=1e-9, abs=1e-24)


@pytest.mark.parametrize("seed", range(5))
def test_uneven_blocks_leave_what_columns_leave(seed: int) -> None:
    found = pure_error(relative(cells(seed, blocks=9)))
    assert found is not None
    assert (found.squares, found.freedom) == (
        pytest.approx(dense(cells(seed, blocks=9))[0]),
        dense(cells(seed, blocks=9))[1],
    )


@pytest.mark.parametrize("each", [1, 2])
def test_event_numbers_that_do_not_come_again_tell_of_no_noise(each: int) -> None:
    events = np.arange(6 * each) + 1.0
    held = Cells(np.repeat(np.arange(6), each), events, 35 + 0.85 * events, 6)
    found = pure_error(relative(held))
    assert found is not None
    assert (found.squares, found.freedom) == (0.0, 0)


def test_a_chain_of_blocks_and_event_numbers_tells_of_no_noise() -> None:
    """Each block shares a number with the next: both are fitted exactly, from the ends of the chain on."""
    events = np.array([block + further for block in range(5000) for further in (1.0, 2.0)])
    held = Cells(np.repeat(np.arange(5000), 2), events, 35 + 0.85 * events, 5000)
    found = pure_error(relative(held))
    assert found is not None
    assert found.freedom == 0


def test_more_blocks_and_event_numbers_than_can_be_fitted_beside_each_other_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = relative(laid_out(1, blocks=8, sizes=6, each=4))
    assert pure_error(held) is not None
    monkeypatch.setattr(assay.stats.lines.pure_error, "MOST", 5)
    assert pure_error(held) is None
