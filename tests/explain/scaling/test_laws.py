"""Amdahl's law and Gunther's: known parameters are found, and no others fit better."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import minimize

from assay.explain.scaling.cells import cells_of
from assay.explain.scaling.laws import Law, fit_law, fit_line
from tests.explain.scaling.curves import COUNTS, Shape, amdahl, bent, measured, plateau, usl


def fitted(
    shape: Shape, *, coherent: bool = True, counts: tuple[int, ...] = COUNTS, noise: float = 0.0
) -> Law:
    return fit_law(cells_of(measured(shape, counts=counts, noise=noise)), coherent=coherent)


@pytest.mark.parametrize(
    ("s", "k"), [(0.0, 0.0), (0.02, 0.0), (0.2, 0.0), (1.0, 0.0), (0.05, 0.01), (0.0, 0.02)]
)
def test_the_parameters_of_an_exact_curve_are_found(s: float, k: float) -> None:
    law = fitted(lambda n: 812.0 * usl(s, k)(n))
    assert (law.one, law.serial, law.coherency) == (
        pytest.approx(812.0), pytest.approx(s, abs=1e-8), pytest.approx(k, abs=1e-9)
    )  # fmt: skip
    assert law.rss == pytest.approx(0.0, abs=1e-12)


def test_amdahls_law_has_no_coherency_and_no_peak() -> None:
    law = fitted(amdahl(0.05), coherent=False, noise=0.02)
    assert (law.coherency, law.peak) == (0.0, None)
    assert law.serial == pytest.approx(0.05, abs=0.005)


def test_the_peak_is_where_the_universal_law_has_its_highest_rate() -> None:
    law = fitted(usl(0.04, 0.01))
    rates = {n: usl(0.04, 0.01)(n / 100) for n in range(100, 2000)}
    assert law.peak == pytest.approx(max(rates, key=lambda n: rates[n]) / 100, abs=0.01)
    assert law.peak == pytest.approx(math.sqrt(0.96 / 0.01))


def test_what_no_law_reaches_ends_at_the_ends_of_its_parameters() -> None:
    faster, falling = fitted(lambda n: n**1.3), fitted(bent(1, -0.5), coherent=False)
    assert (faster.serial, faster.coherency) == (0.0, 0.0)
    assert faster.rss == pytest.approx(fit_line(cells_of(measured(lambda n: n**1.3, noise=0.0))).rss)
    assert falling.serial == 1.0
    never = fitted(bent(1, -3), counts=(2, 4, 8, 16))
    assert math.isfinite(never.rss)
    assert never(math.log(8)) == pytest.approx(-3 * math.log(8), abs=1.5)


def nearest(n: np.ndarray, y: np.ndarray, *, coherent: bool) -> float:
    """Return the squares of the best law that a search without derivatives finds."""

    def left(free: np.ndarray) -> float:
        s, k = 1 / (1 + math.exp(-free[0])), math.exp(free[1]) if coherent else 0.0
        rest = y - np.log(n) + np.log(1 + s * (n - 1) + k * n * (n - 1))
        return float(((rest - rest.mean()) ** 2).sum())

    starts = [(a, b) for a in (-6, -1) for b in (-10, -3)]
    options = {"xatol": 1e-9, "fatol": 1e-13, "maxiter": 4000}
    return min(float(minimize(left, at, method="Nelder-Mead", options=options).fun) for at in starts)


@pytest.mark.parametrize("shape", [amdahl(0.05), usl(0.05, 0.01), plateau(6), bent(4, -0.3), bent(1, -0.5)])
@pytest.mark.parametrize("coherent", [False, True])
def test_no_other_law_is_nearer(shape: Shape, coherent: bool) -> None:
    points = measured(shape, noise=0.03)
    cells = cells_of(points)
    n, y = np.exp([cell.x for cell in cells]), np.array([cell.y for cell in cells])
    found = fit_law(cells, coherent=coherent).rss
    assert found / 5 <= nearest(n, y, coherent=coherent) * (1 + 1e-6)


@pytest.mark.parametrize("change", [lambda rate: 1000 * rate, lambda rate: rate / 1e6])
def test_the_unit_of_the_rate_is_that_of_one_worker_alone(change: Callable[[float], float]) -> None:
    plain, other = fitted(usl(0.05, 0.01)), fitted(lambda n: change(usl(0.05, 0.01)(n)))
    assert other.one == pytest.approx(change(plain.one))
    assert (other.serial, other.coherency) == (pytest.approx(plain.serial), pytest.approx(plain.coherency))
