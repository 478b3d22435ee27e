"""Simulated campaigns: logs of run times with every kind of noise that a site has."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SWITCH_RUNS = 0.2
"""Starting and stopping a guest, in runs: 2 minutes beside a run of 10."""
DRIFT_RUNS = 12.0
"""Relaxation time of the drift, in runs: about two hours."""


@dataclass(frozen=True)
class Noise:
    """Standard deviations of the log of a run's time; ``outlier_mean`` is the mean of the delay that
    ``outlier_share`` of the runs suffer.
    """

    white: float
    drift: float
    day: float
    arm_day: float
    boot: float
    outlier_share: float
    outlier_mean: float
    machine: float
    arm_machine: float


PRESETS = {
    "quiet": Noise(0.003, 0.0015, 0.0015, 0.0003, 0.001, 0.01, 0.03, 0.01, 0.002),
    "typical": Noise(0.007, 0.005, 0.005, 0.001, 0.003, 0.03, 0.05, 0.015, 0.004),
    "noisy": Noise(0.02, 0.015, 0.015, 0.003, 0.008, 0.08, 0.10, 0.03, 0.01),
}
"""Assumed orders of magnitude, not fits to any site."""


@dataclass(frozen=True)
class Campaigns:
    """Many campaigns of as many blocks; arrays of campaigns x blocks.

    Attributes:
        baseline: Logs of the baseline's times.
        treatment: Logs of the treatment's times.
        runs: Runs spent up to and with each block, both arms and rejected ones counted.
    """

    baseline: Array
    treatment: Array
    runs: Array

    @property
    def d(self) -> Array:
        """Log slowdown of each block."""
        return self.treatment - self.baseline


def simulate(
    noise: Noise,
    draw: np.random.Generator,
    *,
    campaigns: int,
    blocks: int,
    loss: float,
    caught: float = 0.0,
) -> Campaigns:
    """Draw campaigns of one session on one machine: pairs in random order, with a new boot for every run.

    Args:
        noise: Standard deviations; how the machine answers the treatment (``arm_machine``) is in the loss.
        draw: Seeded generator.
        campaigns: How many campaigns.
        blocks: Number of blocks of each.
        loss: True loss, a ratio.
        caught: Share of outliers whose cause is seen, so that the run is repeated.
    """
    times = _runs(noise, draw, campaigns, 2 * blocks)
    outlier = draw.random(times.shape) < noise.outlier_share
    repeated = outlier & (draw.random(times.shape) < caught)
    times = times + np.where(outlier & ~repeated, draw.exponential(noise.outlier_mean, times.shape), 0.0)
    arms = _arms(times.reshape(campaigns, blocks, 2), draw)
    arms = arms + draw.normal(0, noise.arm_day, (2, campaigns, 1))
    runs = 2.0 + repeated.reshape(campaigns, blocks, 2).sum(axis=2)
    return Campaigns(arms[0], arms[1] - math.log1p(-loss), np.cumsum(runs, axis=1))


def _arms(pairs: Array, draw: np.random.Generator) -> Array:
    """Return the runs of each pair as arm x campaign x block, the arms in random order in time."""
    first = (draw.random(pairs.shape[:2]) < 0.5).astype(int)
    return np.stack([np.take_along_axis(pairs, (first ^ arm)[..., None], 2)[..., 0] for arm in (0, 1)])


def _runs(noise: Noise, draw: np.random.Generator, campaigns: int, runs: int) -> Array:
    """Return what is the same for both arms: machine, day, drift, boot, white noise, in order of time."""
    times = (1 + SWITCH_RUNS) * np.arange(runs, dtype=np.float64)
    own = draw.normal(0, noise.boot, (campaigns, runs)) + draw.normal(0, noise.white, (campaigns, runs))
    shared = draw.normal(0, noise.machine, (campaigns, 1)) + draw.normal(0, noise.day, (campaigns, 1))
    return drift(noise, draw, campaigns, times) + own + shared


def drift(noise: Noise, draw: np.random.Generator, campaigns: int, times: Array) -> Array:
    """Return the drift of each campaign at given times, in runs: an Ornstein-Uhlenbeck process."""
    steps = draw.normal(0, noise.drift, (len(times), campaigns))
    found = np.empty_like(steps)
    found[0] = steps[0]
    for at, gap in enumerate(np.diff(times), 1):
        keep = math.exp(-gap / DRIFT_RUNS)
        found[at] = keep * found[at - 1] + math.sqrt(1 - keep**2) * steps[at]
    return found.T
