"""Simulated campaigns have the noise that they are said to have."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evidence.noise import DRIFT_RUNS, PRESETS, SWITCH_RUNS, Noise, simulate

SILENT = Noise(*[0.0] * 9)


def d_of(noise: Noise, blocks: int, *, loss: float = 0.0) -> np.ndarray:
    return simulate(noise, np.random.default_rng(4), campaigns=4000, blocks=blocks, loss=loss).d


def test_without_noise_every_block_has_the_true_loss() -> None:
    assert -np.expm1(-d_of(SILENT, 3, loss=0.1)) == pytest.approx(0.1)


@pytest.mark.parametrize("name", ["day", "machine"])
def test_what_both_arms_share_is_not_in_a_pair(name: str) -> None:
    assert np.abs(d_of(replace(SILENT, **{name: 0.01}), 2)).max() < 1e-15


@pytest.mark.parametrize("name", ["white", "boot"])
def test_every_run_has_a_boot_and_white_noise_of_its_own(name: str) -> None:
    d = d_of(replace(SILENT, **{name: 0.01}), 3)
    assert d.std() == pytest.approx(0.01 * 2**0.5, rel=0.03)
    assert np.corrcoef(d[:, 0], d[:, 1])[0, 1] == pytest.approx(0, abs=0.05)


def test_an_arms_day_is_one_for_all_blocks() -> None:
    d = d_of(replace(SILENT, arm_day=0.01), 2)
    assert d[:, 0] == pytest.approx(d[:, 1], abs=1e-15)
    assert d.std() == pytest.approx(0.01 * 2**0.5, rel=0.03)


def test_drift_has_its_size_and_relaxation_time() -> None:
    noise = replace(SILENT, drift=0.01)
    drawn = simulate(noise, np.random.default_rng(1), campaigns=20_000, blocks=8, loss=0.0)
    assert drawn.baseline.std() == pytest.approx(0.01, rel=0.03)
    assert drawn.d.std() == pytest.approx(
        0.01 * (2 - 2 * np.exp(-(1 + SWITCH_RUNS) / DRIFT_RUNS)) ** 0.5, rel=0.03
    )


def test_outliers_delay_and_runs_repeated_for_their_cause_are_counted() -> None:
    noise = replace(SILENT, outlier_share=0.1, outlier_mean=0.05)
    draw = np.random.default_rng(2)
    drawn = simulate(noise, draw, campaigns=5000, blocks=4, loss=0.0, caught=0.5)
    delays = drawn.baseline[drawn.baseline != 0]
    assert delays.min() > 0
    assert delays.mean() == pytest.approx(0.05, rel=0.1)
    assert (drawn.baseline != 0).mean() == pytest.approx(0.05, rel=0.1)
    assert drawn.runs[:, -1].mean() == pytest.approx(8 * 1.05, rel=0.01)


def test_the_same_seed_gives_the_same_campaigns() -> None:
    assert (d_of(PRESETS["typical"], 5) == d_of(PRESETS["typical"], 5)).all()
