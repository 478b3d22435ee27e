"""A machine as treatment under the limits that a scene asks for, and what it is called then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.activities.settings import of_data, of_host
from assay.model.activity import Side
from assay.model.machine import Limits
from assay.model.units import format_bytes, format_rate
from assay.scenes import OtherMachine


def limited_all(side: Side, wishes: Sequence[OtherMachine]) -> list[Side]:
    """Return an arm under the factors of each treatment; labels name those in which they differ."""
    said = [_words(side, wish) for wish in wishes]
    shared = set(said[0]).intersection(*said) if len(said) > 1 else set()
    return [
        replace(limited(side, wish), label=", ".join(word for word in words if word not in shared))
        for wish, words in zip(wishes, said, strict=True)
    ]


def _words(side: Side, wish: OtherMachine) -> list[str]:
    return [*_quota(side.label, wish.cpu_quota), *_others(wish)]


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


def _quota(label: str, quota: float | None) -> Iterator[str]:
    yield label if quota is None else f"{label} at {quota:.0%} CPU"


def _others(wish: OtherMachine) -> Iterator[str]:
    if wish.memory_limit_bytes is not None:
        yield f"{format_bytes(wish.memory_limit_bytes)} memory"
    if wish.read_bytes_per_s is not None:
        yield f"{format_rate(wish.read_bytes_per_s)} read"
    if wish.write_bytes_per_s is not None:
        yield f"{format_rate(wish.write_bytes_per_s)} write"
    if wish.page_cache is not None:
        yield f"{wish.page_cache} cache"
    if wish.pause is not None:
        yield f"paused {100 * wish.pause:.3g} %"
    yield from (f"{name} {level}" for name, level in wish.settings)
