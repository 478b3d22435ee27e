"""Scaling curves of known shape."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from assay.explain.scaling import ScalePoint

COUNTS = (1, 2, 4, 6, 8, 10, 12)
Shape = Callable[[float], float]


def plateau(knee: float) -> Shape:
    """Return a rate that grows with the workers up to the knee and then stays."""
    return lambda workers: min(workers, knee)


def bent(knee: float, slope: float) -> Shape:
    """Return a rate that goes on behind the knee with another slope on the log scale."""
    return lambda workers: min(workers, knee) * max(1.0, workers / knee) ** slope


def amdahl(serial: float) -> Shape:
    """Return a rate of which a share of the work is done by one worker alone."""
    return usl(serial, 0.0)


def usl(serial: float, coherency: float) -> Shape:
    """Return a rate by Gunther's universal scalability law."""
    return lambda n: n / (1 + serial * (n - 1) + coherency * n * (n - 1))


def measured(
    shape: Shape, *, counts: Sequence[int] = COUNTS, blocks: int = 5, noise: float = 0.02, seed: int = 1
) -> list[ScalePoint]:
    """Return a curve with relative noise in each point, and half of it in each block as a whole."""
    import numpy as np

    draw = np.random.default_rng(seed).standard_normal
    whole = [0.5 * noise * draw() for _ in range(blocks)]
    return [
        ScalePoint(count, block, shape(count) * math.exp(whole[block] + noise * draw()))
        for block in range(blocks)
        for count in counts
    ]
