"""Simulations of two sizes: a small one in every run, the large one among the long tests."""

from __future__ import annotations

from math import sqrt

import pytest


def campaigns(small: int, large: int) -> pytest.MarkDecorator:
    """Call a test with each number of ``campaigns``."""
    return pytest.mark.parametrize("campaigns", [small, pytest.param(large, marks=pytest.mark.long)])


def error(share: float, count: int) -> float:
    """Return the standard error of a share that is seen in so many campaigns."""
    return sqrt(share * (1 - share) / count)
