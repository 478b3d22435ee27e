"""Causes that hold more than the loss stand with what was gained: the shares add up."""

from __future__ import annotations

from dataclasses import replace
from math import fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.explain.budget import Budget, budget
from assay.explain.causes import causes
from assay.explain.gained import ROUNDED, gained
from assay.explain.split import Category
from tests.explain.cases import GUEST, HOST, made

USER, SYSTEM, IO, QUEUE, IDLE = Category
Seconds = dict[Category, float]


def _blocks(here: Seconds, there: Seconds) -> Budget:
    """Return the budget of three blocks that differ by a thousandth."""
    return made(*((here, {key: s * (1 + at / 1000) for key, s in there.items()}) for at in range(3)))


def test_a_cause_of_160_percent_of_a_loss_stands_with_what_was_gained() -> None:
    """Of 100 s the queue takes 13 s and the program's code gives 5 s back: a loss of 8 %."""
    found = _blocks({USER: 91.9, IDLE: 0.1}, {USER: 86.9, QUEUE: 13.0, IDLE: 0.1})
    (cause,) = causes(found, HOST, GUEST)
    (gain,) = gained(found, (cause,), "guest")
    assert (cause.code, cause.share) == ("run-queue", pytest.approx(1.6, abs=0.03))
    assert (gain.category, gain.share) == (USER, pytest.approx(-0.6, abs=0.03))
    assert gain.contribution.value == pytest.approx(-0.05, abs=2e-3)
    assert cause.share + gain.share == pytest.approx(1.0, abs=5e-3)
    assert gain.sentence == "The program's own code takes 87 s on guest instead of 91.9 s."


def test_small_gains_are_named_only_where_a_cause_holds_more_than_the_loss() -> None:
    beyond = _blocks({USER: 90.0, IO: 2.0}, {USER: 89.0, IO: 1.9, QUEUE: 11.0})
    whole = _blocks({USER: 88.0, SYSTEM: 1.0, IO: 2.0}, {USER: 87.9, SYSTEM: 1.5, IO: 1.5, QUEUE: 9.5})
    assert [one.category for one in gained(beyond, causes(beyond, HOST, GUEST), "guest")] == [USER, IO]
    assert causes(whole, HOST, GUEST)[0].share < 1 + ROUNDED
    assert gained(whole, causes(whole, HOST, GUEST), "guest") == ()


def test_a_clear_gain_of_a_tenth_of_the_loss_is_named_beside_causes_of_less() -> None:
    found = _blocks({USER: 50.0, IO: 5.0}, {USER: 70.0, IO: 2.0, IDLE: 1.0})
    quiet = replace(GUEST, io_known=False)
    named = causes(found, HOST, quiet)
    assert [one.code for one in named] == ["slower-cpu"]
    assert [one.category for one in gained(found, named, "guest")] == [IO]


def test_without_a_cause_no_gain_is_named() -> None:
    found = _blocks({USER: 50.0, IO: 5.0}, {USER: 45.0, IO: 9.0})
    assert gained(found, causes(found, HOST, GUEST), "guest") == ()


def test_a_start_that_holds_more_than_the_loss_is_balanced_by_what_follows() -> None:
    here = {("init", USER): 2.0, ("event-loop", USER): 20.0}
    blocks = [(here, {("init", USER): 7.0 + at / 100, ("event-loop", USER): 18.0}) for at in range(3)]
    found = budget(blocks)
    named = causes(found, HOST, GUEST)
    start = next(cause for cause in named if cause.overlaps)
    (later,) = (one for one in gained(found, named, "guest") if one.overlaps)
    assert start.share == pytest.approx(5 / 3, abs=0.01)
    assert start.share + later.share == pytest.approx(1.0, abs=1e-9)
    assert later.sentence == "All but the initialization takes 18 s on guest instead of 20 s."


@given(
    here=st.lists(st.floats(0.1, 100), min_size=5, max_size=5),
    there=st.lists(st.floats(0.1, 100), min_size=5, max_size=5),
)
def test_causes_and_gains_never_say_more_than_the_parts_that_they_explain(
    here: list[float], there: list[float]
) -> None:
    both = [dict(zip(Category, arm, strict=True)) for arm in (here, there)]
    found = _blocks(*both)
    named = causes(found, HOST, GUEST)
    won = gained(found, named, "guest")
    sums = [found.sum_of(lambda key, held=category: key[1] is held).value for category in Category]  # type: ignore[misc]
    held = fsum(cause.contribution.value for cause in named)
    back = fsum(one.contribution.value for one in won)
    assert held <= fsum(value for value in sums if value > 0) + 1e-9
    assert back >= fsum(value for value in sums if value < 0) - 1e-9
    if named and held / found.loss.value > 1 + ROUNDED:
        left = 1 - (held + back) / found.loss.value
        assert won
        assert left >= -len(Category) * ROUNDED  # what is left away is shown as nothing
