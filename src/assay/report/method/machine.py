"""The machines of a result and what trials might use of them, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assay.model.machines.machine import Limits
from assay.model.units import format_bytes, format_rate
from assay.pages.method.place import BaselineSeen, Confined, Together


def baseline_sentences(seen: BaselineSeen | None) -> Iterator[str]:
    """Yield what the baseline's machine was."""
    if seen is not None:
        facts = seen.facts
        yield (
            f"{seen.label}: {facts.hostname}, {facts.cpu_model or 'unknown processor'}, "
            f"kernel {facts.kernel}; {_limits(seen.limits)}."
        )


def machine_sentences(arms: Iterable[Confined]) -> Iterator[str]:
    """Yield what each arm might use of its machine."""
    return (f"{arm.label}: {_limits(arm.limits)}." for arm in arms)


def together_sentences(arms: Iterable[Together]) -> Iterator[str]:
    """Yield how machines did the trials of an arm together."""
    for arm in arms:
        each = ", ".join(
            f"{name} {_limits(limits)}" for name, limits in zip(arm.machines, arm.confined, strict=True)
        )
        yield (
            f"{arm.label}: {len(arm.machines)} machines did each trial together, each with an equal part of "
            f"the files and of the workers ({each}). Rates are of all of them, from the first event to the "
            "last by one clock; times of phases are averaged."
        )
        if arm.worst_s is not None:
            yield (
                f"{arm.label}: released at one moment, by clocks compared just before; {arm.releases} "
                f"releases were at most {arm.worst_s * 1e3:+.1f} ms off it."
            )


def _limits(limits: Limits) -> str:
    cpus = ", ".join(map(str, limits.cpus))
    parts = [f"confined to core{'s' if len(limits.cpus) > 1 else ''} {cpus}" if cpus else "on all cores"]
    if limits.memory_bytes is not None:
        parts.append(f"{format_bytes(limits.memory_bytes)} of memory")
    if limits.cpu_quota is not None:
        parts.append(f"a CPU quota of {100 * limits.cpu_quota:.4g}%")
    if limits.read_bytes_per_s is not None:
        parts.append(f"at most {format_rate(limits.read_bytes_per_s)} read from each of its disks")
    if limits.write_bytes_per_s is not None:
        parts.append(
            f"at most {format_rate(limits.write_bytes_per_s)} written to the disk of its scratch folder"
        )
    if limits.pause is not None:
        parts.append(f"made to stand still {100 * limits.pause:.3g} % of the time")
    return ", ".join(parts)
