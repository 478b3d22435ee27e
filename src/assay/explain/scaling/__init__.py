"""Scaling curves, rate against workers: their law, knee, best number of workers, efficiency, and what
saturates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.explain.scaling.choice import Between, Followed, Form, followed_by
from assay.explain.scaling.curve import CurvePoint, best_workers, curve_points
from assay.explain.scaling.knee import Knee, knee_of
from assay.explain.scaling.points import ScalePoint
from assay.explain.scaling.resource import Resource, Saturation
from assay.explain.scaling.saturation import saturation

__all__ = [
    "Between", "CurvePoint", "Followed", "Form", "Knee", "Resource", "Saturation", "ScalePoint", "Scaling",
    "best_workers", "curve_points", "followed_by", "knee_of", "saturation", "scaling_of",
]  # fmt: skip


MORE_COUNTS = "Measure with more numbers of workers, and in more blocks."


@dataclass(frozen=True)
class Scaling:
    """What a scaling curve says.

    Attributes:
        points: The curve, fewest workers first.
        followed: The law that it follows.
        knee: Where it leaves the line through the origin; ``None`` where it does not, or bends all the way.
        best: The smallest number of workers that is as good as any.
        saturation: What saturates behind the knee, or with the most workers.
    """

    points: tuple[CurvePoint, ...]
    followed: Followed
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
    followed = followed_by(points, knee, confidence=confidence)
    knee = knee if followed.form is Form.HINGE else None
    return Scaling(
        points=curve_points(points, confidence=confidence),
        followed=followed,
        knee=knee,
        best=best_workers(points, confidence=confidence),
        saturation=_saturation(points, followed, knee),
    )


def _saturation(points: Sequence[ScalePoint], followed: Followed, knee: Knee | None) -> Saturation:
    bends = bool(followed.untold) or followed.form in {Form.AMDAHL, Form.USL}
    explanation = saturation(points, knee.workers if knee else None, bends=bends)
    if not followed.untold:
        return explanation
    return Saturation(explanation.resource, f"{followed.untold} {explanation.sentence}", MORE_COUNTS)
