"""A machine as treatment under the limits that a scene asks for, and what it is called then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.activities.visits.settings import of_data, of_host
from assay.model.activity import PlannedArm
from assay.model.machines.machine import Limits
from assay.model.units import format_bytes, format_rate
from assay.scenes import OtherMachine


def limited_all(arm: PlannedArm, wanted_each: Sequence[OtherMachine]) -> list[PlannedArm]:
    """Return an arm under the factors of each treatment; labels name those in which they differ."""
    labels = _labels([_words(arm, wanted) for wanted in wanted_each])
    if len(set(labels)) < len(labels):
        labels = _labels([_words(arm, wanted, full=True) for wanted in wanted_each])
    return [
        replace(limited(arm, wanted), label=label) for wanted, label in zip(wanted_each, labels, strict=True)
    ]


def _labels(wordings: Sequence[list[str]]) -> list[str]:
    """Return the words of each treatment that not all of them share; all of its words where it
    has no others.
    """
    shared = set(wordings[0]).intersection(*wordings) if len(wordings) > 1 else set()
    return [", ".join([word for word in words if word not in shared] or words) for words in wordings]


def _words(arm: PlannedArm, wanted: OtherMachine, *, full: bool = False) -> list[str]:
    return [*_quota(arm.label, wanted.cpu_quota, full=full), *_others(wanted, full=full)]


def limited(arm: PlannedArm, wanted: OtherMachine) -> PlannedArm:
    """Return an arm under a treatment's factors; its label names them."""
    memory = [size for size in (arm.limits.memory_bytes, wanted.memory_limit_bytes) if size is not None]
    limits = Limits(
        cpus=arm.limits.cpus,
        memory_bytes=min(memory, default=None),
        cpu_quota=wanted.cpu_quota,
        read_bytes_per_s=wanted.read_bytes_per_s,
        write_bytes_per_s=wanted.write_bytes_per_s,
        pause=wanted.pause,
    )
    return replace(
        arm,
        label=", ".join(_words(arm, wanted)),
        limits=limits,
        cache=wanted.page_cache,
        host_settings=of_host(wanted.settings),
        data=of_data(wanted.settings),
    )


def _quota(label: str, quota: float | None, *, full: bool) -> Iterator[str]:
    yield label if quota is None else f"{label} at {_percent(quota, full=full)}% CPU"


def _others(wanted: OtherMachine, *, full: bool) -> Iterator[str]:
    size = _bytes if full else format_bytes
    rate = _bytes_per_s if full else format_rate
    if wanted.memory_limit_bytes is not None:
        yield f"{size(wanted.memory_limit_bytes)} memory"
    if wanted.read_bytes_per_s is not None:
        yield f"{rate(wanted.read_bytes_per_s)} read"
    if wanted.write_bytes_per_s is not None:
        yield f"{rate(wanted.write_bytes_per_s)} write"
    if wanted.page_cache is not None:
        yield f"{wanted.page_cache} cache"
    if wanted.pause is not None:
        yield f"paused {_percent(wanted.pause, full=full)} %"
    yield from (f"{name} {level}" for name, level in wanted.settings)


def _percent(share: float, *, full: bool) -> str:
    return f"{100 * share:.12g}" if full else f"{100 * share:.4g}"


def _bytes(count: int) -> str:
    return f"{count} B"


def _bytes_per_s(count: int) -> str:
    return f"{count} B/s"
