"""A machine as treatment under the limits that a scene asks for, and what it is called then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.activities.places.settings import of_data, of_host
from assay.model.activity import Side
from assay.model.machines.machine import Limits
from assay.model.units import format_bytes, format_rate
from assay.scenes import OtherMachine


def limited_all(side: Side, wishes: Sequence[OtherMachine]) -> list[Side]:
    """Return an arm under the factors of each treatment; labels name those in which they differ."""
    labels = _labels([_words(side, wish) for wish in wishes])
    if len(set(labels)) < len(labels):
        labels = _labels([_words(side, wish, full=True) for wish in wishes])
    return [replace(limited(side, wish), label=label) for wish, label in zip(wishes, labels, strict=True)]


def _labels(said: Sequence[list[str]]) -> list[str]:
    """Return the words of each treatment that not all of them share; all of its words where it has no others."""
    shared = set(said[0]).intersection(*said) if len(said) > 1 else set()
    return [", ".join([word for word in words if word not in shared] or words) for words in said]


def _words(side: Side, wish: OtherMachine, *, full: bool = False) -> list[str]:
    return [*_quota(side.label, wish.cpu_quota, full=full), *_others(wish, full=full)]


def limited(side: Side, wish: OtherMachine) -> Side:
    """Return an arm under a treatment's factors; its label names them."""
    memory = [size for size in (side.limits.memory_bytes, wish.memory_limit_bytes) if size is not None]
    limits = Limits(
        cpus=side.limits.cpus,
        memory_bytes=min(memory, default=None),
        cpu_quota=wish.cpu_quota,
        read_bytes_per_s=wish.read_bytes_per_s,
        write_bytes_per_s=wish.write_bytes_per_s,
        pause=wish.pause,
    )
    return replace(
        side,
        label=", ".join(_words(side, wish)),
        limits=limits,
        cache=wish.page_cache,
        host_settings=of_host(wish.settings),
        data=of_data(wish.settings),
    )


def _quota(label: str, quota: float | None, *, full: bool) -> Iterator[str]:
    yield label if quota is None else f"{label} at {_percent(quota, full=full)}% CPU"


def _others(wish: OtherMachine, *, full: bool) -> Iterator[str]:
    size = _bytes if full else format_bytes
    rate = _bytes_per_s if full else format_rate
    if wish.memory_limit_bytes is not None:
        yield f"{size(wish.memory_limit_bytes)} memory"
    if wish.read_bytes_per_s is not None:
        yield f"{rate(wish.read_bytes_per_s)} read"
    if wish.write_bytes_per_s is not None:
        yield f"{rate(wish.write_bytes_per_s)} write"
    if wish.page_cache is not None:
        yield f"{wish.page_cache} cache"
    if wish.pause is not None:
        yield f"paused {_percent(wish.pause, full=full)} %"
    yield from (f"{name} {level}" for name, level in wish.settings)


def _percent(share: float, *, full: bool) -> str:
    return f"{100 * share:.12g}" if full else f"{100 * share:.4g}"


def _bytes(count: int) -> str:
    return f"{count} B"


def _bytes_per_s(count: int) -> str:
    return f"{count} B/s"
