"""What a machine must have for one scene beside its programs: what the scene says, room, and rights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from assay.activities.plan.disk_room import ALLOWANCE_BYTES
from assay.activities.plan.needs import lacks_of
from assay.factors.base.evidence import Host
from assay.model.machines.check import Check
from assay.model.machines.machine import Facts
from assay.model.work.needs import Needs
from assay.model.work.workload import Workload
from assay.scenes import OtherMachine, Scene
from assay.workloads import Sizes, disk_bytes


def workloads_for(scene: Scene, facts: Facts) -> tuple[Workload, ...]:
    """Return the workloads of a scene as they would be sized on a machine."""
    return scene.prepare(Sizes(facts.cache_bytes, facts.memory_bytes, max(1, len(facts.cpus))))


def room_for(workloads: Sequence[Workload]) -> int:
    """Return the bytes that the folder of trials must have free: for the largest files of a workload, and
    small ones. What a user's own program writes is not known and counts as nothing.
    """
    return ALLOWANCE_BYTES + max((disk_bytes(one) or 0 for one in workloads), default=0)


def needs_check(scene: Scene, facts: Facts, *, on: Host, home: Path | None) -> Iterator[Check]:
    """Hold a machine to the ``needs`` of a scene; nothing where it has none.

    Args:
        scene: What it is to serve.
        facts: What it is.
        on: The same machine, as factors see it.
        home: Folder of all state where that lies on this machine, whose disk must have room; ``None`` does
            not look.
    """
    if scene.needs != Needs():
        lacks = [*lacks_of(scene.needs, facts, on, home)]
        yield Check("needs", not lacks, "; ".join(lacks) or "it has all that the scene says")


def rights_check(scene: Scene, facts: Facts, workloads: Sequence[Workload], *, root: bool) -> Iterator[Check]:
    """See whether limits, caches and counters that a scene asks for can be had there by our user.

    Args:
        scene: What it is to serve.
        facts: What it is.
        workloads: Its workloads.
        root: We are root there.
    """
    if any(map(_is_limited, scene.machines)):
        which = facts.cgroup or "no control group can be made, and the scene sets limits: be root there"
        yield Check("limits", facts.cgroup is not None, which)
    if any(one.cache is not None and one.cache.drop for one in workloads):
        why = "root" if root else "not root, and the scene drops the caches of the whole machine"
        yield Check("caches", root, why)
    if scene.observation.counters:
        why = "root" if root else "not root: they may be absent (kernel.perf_event_paranoid)"
        yield Check("counters", good=True, sentence=why, optional=not root)


def _is_limited(arm: OtherMachine) -> bool:
    """Tell whether a control group is needed for it."""
    return any(
        limit is not None
        for limit in (
            arm.cpu_quota,
            arm.memory_limit_bytes,
            arm.read_bytes_per_s,
            arm.write_bytes_per_s,
            arm.pause,
        )
    )
