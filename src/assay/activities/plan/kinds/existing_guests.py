"""A libvirt domain that is there already as an arm, beside its own host."""

from __future__ import annotations

from pathlib import Path

from assay.activities.plan.arms import Arms
from assay.activities.plan.kinds.kind import Asked, OwnDisk
from assay.activities.plan.kinds.machines import under_limits
from assay.activities.plan.programs import needed_programs
from assay.activities.visits.existing import Beside, domain_arms
from assay.model.activity import ActivityPlan, PlannedArm


class ExistingGuestKind:
    """A domain that is used as it is (``PlaceKind``)."""

    def arms(self, asked: Asked) -> Arms:
        """Return the host and the domain, made as alike as they can be without touching the domain."""
        machines, programs = asked.scene.machines, needed_programs(asked.scene)
        wanted = next(one.domain for one in machines if one.domain is not None)
        arms = domain_arms(
            wanted,
            asked.other,
            Beside(asked.machine, asked.here, asked.cores),
            home=asked.home,
            programs=programs,
        )
        return under_limits(Arms(*arms), machines, asked.host)

    def visit_bytes(self, plan: ActivityPlan, arm: PlannedArm, home: Path) -> int:
        """Return nothing: it has disks of its own."""
        del plan, arm, home
        return 0

    def own_disk(self, arm: PlannedArm, home: Path) -> OwnDisk | None:
        """Return nothing: how much room its disk has is not known."""
        del arm, home
        return None
