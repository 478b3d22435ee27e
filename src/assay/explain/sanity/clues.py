"""What differs between two arms and can make the treatment the faster one, each with figures and a next step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assay.explain.sanity.cpu import LEAST_CPU_S, efficiency, system_share
from assay.explain.sanity.runs import Pair, processors
from assay.model.units import format_bytes

HOST_CACHED = frozenset({"writeback", "writethrough", "unsafe", "default"})
"""libvirt's cache modes with which a guest's disk goes through the host's page cache.

Source: libvirt, "Domain XML format", driver element of disks.
"""
MUCH_BYTES = 32 << 20
APART = 1.5
"""Ratio from which two totals of "the same work" are apart."""
SHARES_APART = 0.10
"""Difference of two shares of CPU time."""


@dataclass(frozen=True)
class Clue:
    """Something that differs between the arms and can make one of them faster; with what to do about it."""

    text: str
    next: str


def clues(pair: Pair) -> Iterator[Clue]:
    """Yield what differs, the likeliest cause first; nothing where nothing that was recorded does."""
    yield from _system(pair)
    yield from _reads(pair)
    yield from _below(pair)
    yield from _work(pair)
    yield from _limits(pair)
    yield from _clock(pair)


def _system(pair: Pair) -> Iterator[Clue]:
    here, there = (runs.typical(system_share) for runs in pair.arms)
    if here is not None and there is not None and here - there > SHARES_APART:
        base, treated = pair.baseline.label, pair.treatment.label
        waits = [runs.typical(lambda t: efficiency(t, pair.workload.placement.threads)) for runs in pair.arms]
        beside = f", at a job efficiency of {waits[0]:.0%} and {waits[1]:.0%}" if all(waits) else ""
        yield Clue(
            f"{base} spent {here:.0%} of its CPU time in the kernel, {treated} {there:.0%}{beside}, which is how "
            "locks of a file system or of memory show",
            f"Profile the kernel on {base} ('profile: {{scope: machine}}', as root), and run {pair.workload.name} "
            "on another file system there.",
        )


def _reads(pair: Pair) -> Iterator[Clue]:
    """Look at what came from storage; what a server read for a job is not the job's."""
    if any(trial.from_server for runs in pair.arms for trial in runs.trials):
        return
    here, there = (runs.usage(lambda usage: usage.read_bytes) for runs in pair.arms)
    if here is None or there is None or not _apart(here, there, least=MUCH_BYTES):
        return
    yield Clue(
        f"{pair.baseline.label} fetched {format_bytes(round(here))} from storage, {pair.treatment.label} "
        f"{format_bytes(round(there))}: its page cache had the rest",
        f"Set 'cache: cold' (or 'warm') for {pair.workload.name}: both arms then start from the same state.",
    )


def _below(pair: Pair) -> Iterator[Clue]:
    """Look below the guest: its disk may be the host's memory."""
    platform = next((t.platform for t in pair.treatment.trials if t.platform), None)
    moved = pair.treatment.usage(lambda u: float((u.read_bytes or 0) + (u.write_bytes or 0))) or 0
    if platform is None or moved < MUCH_BYTES:
        return
    held = pair.treatment.typical(lambda t: t.cache.host.resident_bytes if t.cache and t.cache.host else None)
    if platform.disk_cache in HOST_CACHED:
        known = f" ({format_bytes(round(held))} of its image were there at the start)" if held else ""
        yield Clue(
            f"the guest's disk has cache mode {platform.disk_cache}: the {format_bytes(round(moved))} that it read "
            f"and wrote went through the host's page cache{known}",
            "Set 'disk.cache: none' for the guest, or count the host's own memory as part of what is measured.",
        )


def _work(pair: Pair) -> Iterator[Clue]:
    """Look for other work: what was written, and what was computed in user mode."""
    written = [runs.usage(lambda usage: usage.logical_write_bytes) for runs in pair.arms]
    if _apart(*written, least=MUCH_BYTES):
        yield Clue(
            f"they wrote {' and '.join(format_bytes(round(size or 0)) for size in written)}", SAME_WORK
        )
    user = [runs.usage(lambda usage: usage.user_s) for runs in pair.arms]
    if _apart(*user, least=LEAST_CPU_S):
        yield Clue(f"they computed for {user[0]:.3g} and {user[1]:.3g} s in user mode", SAME_WORK)


def _apart(here: float | None, there: float | None, *, least: float) -> bool:
    """Tell whether the baseline did more than the treatment: by half as much again, and by ``least``."""
    return here is not None and there is not None and here > APART * there and here - there > least


SAME_WORK = "Check that both arms do the same work: same inputs, same number of events and copies, same program (digests)."


def _limits(pair: Pair) -> Iterator[Clue]:
    """Look for limits that leave the treatment more than the baseline; a guest's memory is its own."""
    if not all(runs.trials for runs in pair.arms):
        return
    here, there = (runs.trials[0] for runs in pair.arms)
    apart = []
    if processors(there) > processors(here):
        apart.append(f"{processors(here)} and {processors(there)} processors")
    quotas = [trial.limits.cpu_quota or 1.0 for trial in (here, there)]
    if quotas[1] > quotas[0]:
        apart.append(f"a CPU quota of {100 * quotas[0]:.4g}% and of {100 * quotas[1]:.4g}%")
    memories = [trial.limits.memory_bytes or trial.facts.memory_bytes for trial in (here, there)]
    if there.platform is None and memories[1] > memories[0]:
        apart.append(f"{format_bytes(memories[0])} and {format_bytes(memories[1])} of memory")
    if apart:
        step = "Give both arms the same processors, memory and CPU quota (limits of the scene)."
        yield Clue(f"the limits differ: {', '.join(apart)}", step)


def _clock(pair: Pair) -> Iterator[Clue]:
    rate = pair.treatment.typical(lambda trial: trial.clock.rate if trial.clock else None)
    known = pair.treatment.typical(lambda trial: trial.clock.rate_uncertainty if trial.clock else None)
    if rate is not None and known is not None and 1 - rate > max(known, 0.001):
        yield Clue(
            f"its clock ran {rate - 1:+.2%} off the controller's, and a slow clock makes short times",
            "Use figures that don't rest on the guest's clock, or repair it (kvm-clock, chrony) and repeat.",
        )
