"""Scaling curves, rate against workers: knee, best number of workers, efficiency, and what saturates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.explain.scaling.curve import CurvePoint, best_workers, curve_points
from assay.explain.scaling.knee import Knee, knee_of
from assay.explain.scaling.points import ScalePoint
from assay.explain.scaling.resource import Resource, Saturation
from assay.explain.scaling.saturation import saturation

__all__ = [
    "CurvePoint", "Knee", "Resource", "Saturation", "ScalePoint", "Scaling", "best_workers", "curve_points",
    "knee_of", "saturation", "scaling_of",
]  # fmt: skip


@dataclass(frozen=True)
class Scaling:
    """What a scaling curve says.

    Attributes:
        points: The curve, fewest workers first.
        knee: Where it leaves the line through the origin; ``None`` where it does not.
        best: The smallest number of workers that is as good as any.
        saturation: What saturates behind the knee.
    """

    points: tuple[CurvePoint, ...]
    knee: Knee | None
    best: int
    saturation: Saturation


def scaling_of(points: Sequence[ScalePoint], *, confidence: float = 0.95) -> Scaling:
    """Return what a curve says.

    Args:
        points: One a worker count and block; at least one, rates above 0.
        confidence: Coverage of all intervals.
    """
    knee = knee_of(points, confidence=confidence)
    return Scaling(
        points=curve_points(points, confidence=confidence),
        knee=knee,
        best=best_workers(points, confidence=confidence),
        saturation=saturation(points, knee.workers if knee else None),
    )
