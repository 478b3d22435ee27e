"""CPU time = instructions × CPI × 1/frequency, divided without a residual."""

from __future__ import annotations

import math
import random

import pytest

from assay.explain.cpu import Work, cpu_factors, cpu_shares, log_mean


def test_a_known_answer() -> None:
    base = Work(instructions=1e9, cycles=1e9, cpu_s=1.0)
    found = cpu_factors(base, Work(instructions=2e9, cycles=4e9, cpu_s=4.0))
    # twice the instructions, twice the cycles for each, the same frequency: half of 3 s each
    assert found.instructions_s == pytest.approx(1.5, abs=1e-12)
    assert found.cpi_s == pytest.approx(1.5, abs=1e-12)
    assert found.frequency_s == pytest.approx(0.0, abs=1e-12)


def test_the_formula_of_the_additive_index() -> None:
    base, treated = Work(3e9, 4e9, 2.0), Work(3.3e9, 5e9, 2.6)
    weight = (2.6 - 2.0) / math.log(2.6 / 2.0)
    found = cpu_factors(base, treated)
    assert found.instructions_s == pytest.approx(weight * math.log(1.1), abs=1e-12)
    assert found.cpi_s == pytest.approx(weight * math.log((5 / 3.3) / (4 / 3)), abs=1e-12)
    assert found.frequency_s == pytest.approx(weight * math.log((4 / 2.0) / (5 / 2.6)), abs=1e-12)


@pytest.mark.parametrize("seed", range(50))
def test_the_factors_add_up_and_swapping_the_arms_turns_their_signs(seed: int) -> None:
    draw = random.Random(seed)
    a, b = (Work(draw.uniform(1, 9), draw.uniform(1, 9), draw.uniform(1, 9)) for _ in range(2))
    there, back = cpu_factors(a, b), cpu_factors(b, a)
    total = there.instructions_s + there.cpi_s + there.frequency_s
    assert total == pytest.approx(b.cpu_s - a.cpu_s, abs=1e-12)
    assert there.cpi_s == pytest.approx(-back.cpi_s, abs=1e-12)


@pytest.mark.parametrize("ratio", [1.0, 1 + 1e-12, 1 + 9e-7, 1 - 9e-7, 1 + 1.1e-6, 0.5])
def test_the_logarithmic_mean_keeps_its_digits_near_equality(ratio: float) -> None:
    expected = 7.0 if ratio == 1 else 7.0 * (ratio - 1) / math.log1p(ratio - 1)
    assert log_mean(7.0 * ratio, 7.0) == pytest.approx(expected, rel=1e-9)


def test_parts_of_the_loss_are_means_over_blocks() -> None:
    base, treated = Work(1e9, 1e9, 1.0), Work(2e9, 2e9, 2.0)
    instructions, cpi, frequency = cpu_shares([(base, treated, 4.0), (base, treated, 2.0)], confidence=0.95)
    assert instructions.value == pytest.approx((0.25 + 0.5) / 2)
    assert (cpi.value, frequency.value) == pytest.approx((0.0, 0.0), abs=1e-12)
    assert instructions.low is not None


def test_without_a_count_nothing_is_divided() -> None:
    with pytest.raises(ValueError, match="counts above zero"):
        cpu_factors(Work(0.0, 1.0, 1.0), Work(1.0, 1.0, 1.0))
