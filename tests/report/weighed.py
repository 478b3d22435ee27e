"""Weights written by hand: a guest of one size, and guests of three sizes that were booted twice."""

from __future__ import annotations

from assay.model.trial import Arm
from assay.pages.families.weight import Amount, GuestWeights, WeightPoint

MIB = 2**20


def _points(beside: tuple[int, ...]) -> tuple[WeightPoint, ...]:
    return tuple(
        WeightPoint(
            boot, f"000{boot * 2 + at}-b{boot}-treatment-spin", 20.0 + 15 * at + boot,
            (mib + 8 * at + boot) * MIB,
            (150 + 40 * at) * MIB, (12 + at) * MIB, at == 1,
        )
        for boot, mib in enumerate(beside)
        for at in (0, 1)
    )  # fmt: skip


def weights_of(label: str, *, memory: int, vcpus: int, beside: tuple[int, ...]) -> GuestWeights:
    """Return the weight of a guest that held so many MiB at each boot's first weighing."""
    ends = [mib + 8 + boot for boot, mib in enumerate(beside)]
    mean, half, count = sum(ends) / len(ends), 3.5, len(ends)

    def amount(value: float, width: float) -> Amount:
        low, high = (None, None) if count < 2 else (value - width, value + width)
        return Amount(value, low, high, count)

    return GuestWeights(
        label, Arm.TREATMENT, memory * MIB, vcpus, "tcg", 35.5, amount(mean * MIB, half * MIB),
        amount(mean * MIB / vcpus, half * MIB / vcpus), amount(190 / memory, 0.01),
        amount(13.0 * MIB, 0.5 * MIB),
        amount(0.125, 0.004), _points(beside),
    )  # fmt: skip


SIZES = tuple(
    weights_of(f"cpu.vcpus {vcpus}, memory.size {memory} MiB", memory=memory, vcpus=vcpus,
    beside=(base, base + 3))
    for vcpus, more in ((1, 0), (4, 60))
    for memory, base in ((512, 110 + more), (1024, 118 + more), (4096, 131 + more))
)  # fmt: skip
ALONE = (weights_of("<b>guest</b>", memory=2048, vcpus=1, beside=(140,)),)
