"""What QEMU took beside its vCPUs, and how well clocks agreed, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assay.pages.method.place import ClocksSeen, EmulatorCost


def emulator_sentences(arms: Iterable[EmulatorCost]) -> Iterator[str]:
    """Yield what the QEMU process of each arm took beside its vCPUs."""
    for arm in arms:
        whose = f" of {arm.label}" if arm.several else ""
        shares = ", ".join(f"{workload} {spent_s:.2f} s" for workload, spent_s in arm.workloads)
        yield f"CPU of the QEMU process{whose} outside its vCPUs, a trial: {shares}."


def clock_sentences(clocks: ClocksSeen | None) -> Iterator[str]:
    """Yield how far a guest's or a container's clock was off."""
    if clocks is not None:
        yield (
            f"The {'guest' if clocks.of_guests else 'container'}'s clock against the host's, before and after each "
            f"trial: rate off by at most {clocks.rate - 1:+.3%}, offset at most {clocks.offset_s * 1e3:+.1f} ms, known "
            f"to {clocks.uncertainty_s * 1e3:.1f} ms."
        )
