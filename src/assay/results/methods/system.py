"""Where each arm of a result ran, from the facts in its records."""

from __future__ import annotations

from collections.abc import Sequence

from assay.model.activity import ActivityPlan
from assay.model.trial import Trial
from assay.pages.system import System


def systems_of(plan: ActivityPlan, records: Sequence[Trial]) -> tuple[System, ...]:
    """Return where each arm ran, in the order of the plan; an arm without a record has none.

    Limits: of several boots, and of several guests that ran a trial together, the first is shown; that they
        differ is a doubt's to say.
    """
    first: dict[str, Trial] = {}
    for record in records:
        first.setdefault(plan.arm_of(record.planned).label, record)
    labels = dict.fromkeys(arm.label for arm in plan.arms)
    return tuple(_system(label, first[label]) for label in labels if label in first)


def _system(label: str, record: Trial) -> System:
    facts, guest, limits = record.facts, record.platform, record.limits
    return System(
        label=label,
        hostname=facts.hostname,
        cpu_model=facts.cpu_model,
        cpus=len(facts.cpus),
        confined=limits.cpus if guest is None else guest.cpus,
        memory_bytes=facts.memory_bytes,
        memory_limit_bytes=limits.memory_bytes,
        architecture=facts.architecture,
        kernel=facts.kernel,
        clock_source=facts.clock_source,
        governor=facts.governor,
        thp=facts.thp,
        platform=_platform(record),
        accelerator=None if guest is None else guest.accelerator,
        guest_cpu=None if guest is None else guest.cpu_model,
        disk=_disk(record),
        below=record.below,
    )


def _platform(record: Trial) -> str | None:
    if record.platform is not None:
        return f"{record.platform.hypervisor}, {record.platform.library}"
    if record.container is not None:
        return record.container.version
    return None if record.plugin is None else f"{record.plugin.title}, {record.plugin.version}"


def _disk(record: Trial) -> str | None:
    if record.platform is None or record.platform.disk_format is None:
        return None
    cache = record.platform.disk_cache
    return record.platform.disk_format if cache is None else f"{record.platform.disk_format}, cache {cache}"
