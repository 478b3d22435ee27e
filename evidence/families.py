"""Families of noise, one effect each: what holds of a rule must hold in all, not under one model alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from evidence.noise import PRESETS, Array, Campaigns, Noise, simulate

PLAIN = replace(PRESETS["typical"], drift=0.0, outlier_share=0.0, arm_day=0.0)
"""White noise and boots alone: what the families have in common."""
TICK, RUN = 0.01, 2.0
"""Seconds: what a coarse clock tells apart, and a short run by it."""
Make = Callable[[np.random.Generator, int, int, float], Campaigns]
"""Generator, campaigns, blocks and loss."""


def _of(noise: Noise) -> Make:
    return lambda draw, campaigns, blocks, loss: simulate(
        noise, draw, campaigns=campaigns, blocks=blocks, loss=loss
    )


def _outliers(share: float) -> Make:
    """Runs that take 30 % longer, on either arm."""

    def made(draw: np.random.Generator, campaigns: int, blocks: int, loss: float) -> Campaigns:
        drawn = simulate(PLAIN, draw, campaigns=campaigns, blocks=blocks, loss=loss)
        late = [np.where(draw.random(arm.shape) < share, math.log(1.3), 0.0) for arm in (drawn.d, drawn.d)]
        return replace(drawn, baseline=drawn.baseline + late[0], treatment=drawn.treatment + late[1])

    return made


def _added(add: Callable[[np.random.Generator, tuple[int, int]], Array]) -> Make:
    """Add something to the treatment's logs."""

    def made(draw: np.random.Generator, campaigns: int, blocks: int, loss: float) -> Campaigns:
        drawn = simulate(PLAIN, draw, campaigns=campaigns, blocks=blocks, loss=loss)
        return replace(drawn, treatment=drawn.treatment + add(draw, drawn.d.shape))

    return made


def _heavy(draw: np.random.Generator, shape: tuple[int, int]) -> Array:
    return 0.007 * draw.standard_t(2.5, shape)


def _noisier(draw: np.random.Generator, shape: tuple[int, int]) -> Array:
    return draw.normal(0, 0.02, shape)


def _correlated(draw: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Make neighbouring blocks alike: an autoregression of 0.3 in what is most of the scatter."""
    found = draw.normal(0, 0.02, shape)
    for at in range(1, shape[1]):
        found[:, at] = 0.3 * found[:, at - 1] + math.sqrt(1 - 0.3**2) * found[:, at]
    return found


def _trend(draw: np.random.Generator, campaigns: int, blocks: int, loss: float) -> Campaigns:
    """Make the machine slower by 0.2 % from block to block, and half of that inside one."""
    drawn = simulate(PLAIN, draw, campaigns=campaigns, blocks=blocks, loss=loss)
    slope = 0.002 * np.arange(blocks)
    second = 0.001 * (draw.random((campaigns, blocks)) < 0.5)
    return replace(
        drawn, baseline=drawn.baseline + slope + second, treatment=drawn.treatment + slope + 0.001 - second
    )


def _ticks(draw: np.random.Generator, campaigns: int, blocks: int, loss: float) -> Campaigns:
    """Tell the times of short runs by a coarse clock."""
    drawn = simulate(PLAIN, draw, campaigns=campaigns, blocks=blocks, loss=loss)
    told = [np.log(np.round(RUN * np.exp(arm) / TICK) * TICK) for arm in (drawn.baseline, drawn.treatment)]
    return replace(drawn, baseline=told[0], treatment=told[1])


FAMILIES: Mapping[str, tuple[Make, str]] = {
    "typical": (_of(PRESETS["typical"]), "all of the *typical* noise"),
    "quiet": (_of(PRESETS["quiet"]), "all of the *quiet* noise"),
    "drift": (_of(replace(PLAIN, drift=0.02)), "a drift of 2 %"),
    "correlated": (_added(_correlated), "blocks with an autoregression of 0.3"),
    "outliers 1 %": (_outliers(0.01), "1 % of the runs take 30 % longer"),
    "outliers 5 %": (_outliers(0.05), "5 % of the runs take 30 % longer"),
    "heavy tails": (_added(_heavy), "Student's t with 2.5 degrees of freedom"),
    "boots": (_of(replace(PLAIN, boot=0.01)), "boots that differ by 1 %"),
    "one arm": (_added(_noisier), "one arm noisier by 2 %"),
    "trend": (_trend, "a machine that gets slower by 0.2 % a block"),
    "ticks": (_ticks, f"runs of {RUN:g} s by a clock of {1000 * TICK:g} ms"),
}
"""Each family's generator and what it adds to white noise and boots, by name."""


def draw_family(name: str, *, seed: int, campaigns: int, blocks: int, loss: float) -> Campaigns:
    """Return campaigns of a family; the same for the same seed."""
    draw = np.random.default_rng([seed, list(FAMILIES).index(name), round(1000 * loss), blocks])
    return FAMILIES[name][0](draw, campaigns, blocks, loss)
