"""The arms of a comparison, and what follows from them for its workloads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from assay.model.activity import PlannedArm
from assay.model.doubt import Raised
from assay.scenes import Guest
from assay.workloads import Sizes

ImageOf = Callable[[Guest], str]
"""Tells the digest of the image that a guest boots."""


@dataclass(frozen=True)
class Arms:
    """The two arms of a comparison, further treatments of a sweep, and what follows for the workloads."""

    baseline: PlannedArm
    treatment: PlannedArm
    sizes: Sizes
    doubts: tuple[Raised, ...] = ()
    more: tuple[PlannedArm, ...] = ()

    @property
    def every(self) -> tuple[PlannedArm, ...]:
        """The baseline and every treatment."""
        return (self.baseline, self.treatment, *self.more)


def again(arm: PlannedArm) -> PlannedArm:
    """Return an arm that differs in its name alone."""
    return replace(arm, label=f"{arm.label} again")
