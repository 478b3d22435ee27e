"""The weight of guests as a table and as sentences."""

from __future__ import annotations

from collections.abc import Iterator

from assay.model.units import format_bytes, format_seconds
from assay.pages.context import Page
from assay.pages.families.weight import Amount, GuestWeights
from assay.pages.numbers import NOTHING, ends_text, interval_text

MIB = 2**20
HEADERS = (
    "guest", "memory", "vCPUs", "QEMU beside it, MiB", "a vCPU, MiB", "memory touched", "CPU beside vCPUs",
    "disk", "age", "boots",
)  # fmt: skip
NOTE = (
    "beside it: resident memory of the QEMU process less that of the guest's memory, at the end "
    "of a visit (age: since QEMU's "
    "start); CPU beside vCPUs: QEMU's other threads, of one processor; not in it: the host's "
    "page cache and kernel; pages that KSM or other processes share count in full"
)


def weight_cells(page: Page) -> list[tuple[str, ...]]:
    """Return one row an arm or treatment of guests; empty where none was weighed."""
    return [_row(weights) for weights in page.weights]


def weight_lines(page: Page) -> list[str]:
    """Return what is to be known before the table is read."""
    return [line for weights in page.weights for line in _lines(weights)]


def _row(weights: GuestWeights) -> tuple[str, ...]:
    disk, boots = weights.disk_bytes, weights.beside_bytes
    return (
        weights.label,
        format_bytes(weights.memory_bytes),
        str(weights.vcpus),
        _mib(weights.beside_bytes),
        _mib(weights.beside_bytes_per_vcpu),
        _share(weights.touched_share),
        _share(weights.other_cpu_share),
        NOTHING if disk is None else format_bytes(round(disk.value)),
        NOTHING if weights.age_s is None else format_seconds(weights.age_s),
        str(boots.boots if boots else 0),
    )


def _lines(weights: GuestWeights) -> Iterator[str]:
    count = weights.beside_bytes.boots if weights.beside_bytes else 0
    if count < 2:
        boots = "no boot was weighed at the end of its visit" if count == 0 else "one boot gives no interval"
        yield f"{weights.label}: {boots}."
    if growth := _growth(weights):
        yield growth


def _growth(weights: GuestWeights) -> str | None:
    """Say how much a boot gained from its first weighing to its last, the mean over boots with both."""
    by_boot: dict[int, list[tuple[float, int]]] = {}
    for point in weights.points:
        by_boot.setdefault(point.boot, []).append((point.age_s, point.beside_bytes))
    spans = [(boot[0], boot[-1]) for boot in by_boot.values() if len(boot) > 1]
    if not spans:
        return None
    gained = sum(last[1] - first[1] for first, last in spans) / len(spans)
    seconds = sum(last[0] - first[0] for first, last in spans) / len(spans)
    return (
        f"{weights.label}: from the first weighing of a boot to its last, "
        f"{format_seconds(seconds)} later, QEMU "
        f"{'gained' if gained >= 0 else 'gave back'} {abs(gained) / MIB:.1f} MiB beside the guest's memory "
        f"(mean of {len(spans)} boot{'' if len(spans) == 1 else 's'})."
    )


def _mib(amount: Amount | None) -> str:
    if amount is None:
        return NOTHING
    ends = (None if end is None else end / MIB for end in (amount.low, amount.high))
    return ends_text(amount.value / MIB, *ends)


def _share(amount: Amount | None) -> str:
    return NOTHING if amount is None else interval_text(amount.value, amount.low, amount.high)
