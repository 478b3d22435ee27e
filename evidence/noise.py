"""Simulated campaigns: logs of run times with every kind of noise that a site has."""

from __future__ import annotations

import math
from collections.abc import Sequence
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
    """Many campaigns of the same plan; arrays of campaigns x blocks.

    Attributes:
        baseline: Logs of the baseline's times.
        treatment: Logs of the treatment's times.
        runs: Runs spent up to and with each block, both arms and rejected ones counted.
        session: Index of each block's session, one a block.
    """

    baseline: Array
    treatment: Array
    runs: Array
    session: NDArray[np.int64]

    @property
    def d(self) -> Array:
        """Log slowdown of each block."""
        return self.treatment - self.baseline


def simulate(
    noise: Noise,
    draw: np.random.Generator,
    *,
    campaigns: int,
    blocks: Sequence[int],
    loss: float,
    caught: float = 0.0,
    fleet: bool = False,
) -> Campaigns:
    """Draw campaigns of pairs in random order, with a new boot for every run.

    Args:
        noise: Standard deviations.
        draw: Seeded generator.
        campaigns: How many campaigns.
        blocks: Number of blocks of each session.
        loss: True loss, a ratio.
        caught: Share of outliers whose cause is seen, so that the run is repeated.
        fleet: Whether the machine answers the treatment in its own way (else the scope is this machine).
    """
    parts = [_session(noise, draw, campaigns, count, caught) for count in blocks]
    machine = draw.normal(0, noise.machine, (campaigns, 1))
    arms = np.concatenate([part[0] for part in parts], axis=2) + machine
    runs = np.cumsum(np.concatenate([part[1] for part in parts], axis=1), axis=1)
    if fleet:
        arms = arms + draw.normal(0, noise.arm_machine, (2, campaigns, 1))
    return Campaigns(arms[0], arms[1] - math.log1p(-loss), runs, np.repeat(np.arange(len(blocks)), blocks))


def _session(
    noise: Noise, draw: np.random.Generator, campaigns: int, blocks: int, caught: float
) -> tuple[Array, Array]:
    """Return both arms' logs (arm x campaign x block) and the runs of each block of one session."""
    times = _runs(noise, draw, campaigns, 2 * blocks)
    outlier = draw.random(times.shape) < noise.outlier_share
    repeated = outlier & (draw.random(times.shape) < caught)
    times = times + np.where(outlier & ~repeated, draw.exponential(noise.outlier_mean, times.shape), 0.0)
    pairs = times.reshape(campaigns, blocks, 2)
    first = (draw.random((campaigns, blocks)) < 0.5).astype(int)
    arms = np.stack([np.take_along_axis(pairs, (first ^ arm)[..., None], 2)[..., 0] for arm in (0, 1)])
    arms = arms + draw.normal(0, noise.arm_day, (2, campaigns, 1))
    return arms, 2.0 + repeated.reshape(campaigns, blocks, 2).sum(axis=2)


def _runs(noise: Noise, draw: np.random.Generator, campaigns: int, runs: int) -> Array:
    """Return what both arms share of a session: day, drift, boot and white noise, in order of time."""
    keep = math.exp(-(1 + SWITCH_RUNS) / DRIFT_RUNS)
    steps = draw.normal(0, noise.drift, (runs, campaigns))
    drift = np.empty_like(steps)
    drift[0] = steps[0]
    for run in range(1, runs):
        drift[run] = keep * drift[run - 1] + math.sqrt(1 - keep**2) * steps[run]
    shape = (campaigns, runs)
    day = draw.normal(0, noise.day, (campaigns, 1))
    return drift.T + day + draw.normal(0, noise.boot, shape) + draw.normal(0, noise.white, shape)
