"""A treatment that is faster than its baseline: explained by what differs between the arms, not averaged away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assay.explain.sanity.cpu import LEAST_CPU_S, efficiency, system_share
from assay.explain.sanity.runs import Pair, Runs, processors
from assay.model.doubt import Doubt
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
class Gain:
    """Metrics of a workload in which the treatment is faster.

    Attributes:
        workload: Name of the workload.
        metrics: Their names.
        slowdown: Time of the treatment over time of the baseline in the first of them, below 1.
    """

    workload: str
    metrics: tuple[str, ...]
    slowdown: float


@dataclass(frozen=True)
class Clue:
    """Something that differs between the arms and can make one of them faster; with what to do about it."""

    text: str
    next: str


def treatment_faster(pair: Pair, gain: Gain) -> Doubt:
    """Return the doubt of a gain: by how much, and with figures what differs between the arms.

    Source: HEPscore at IJCLab (Vamvakopoulos 2022): guests 1.15 times better by score and 4.39 times by wall
        time, because the metal's file system spun in its locks.

    Limits: a clue is what differs, not what was proved to be the cause; only a toggle proves.
    """
    clues = tuple(_clues(pair))
    faster = " and ".join(gain.metrics[:3]) + (" and others" if len(gain.metrics) > 3 else "")
    head = (
        f"{pair.treatment.label} is faster than {pair.baseline.label} in {gain.workload} {faster} "
        f"({1 / gain.slowdown:.3g} times{_by_wall(pair, gain)})"
    )
    if clues:
        sentence = f"{head}. What differs: {'; '.join(clue.text for clue in clues)}."
        return Doubt("treatment-faster", sentence, clues[0].next)
    sentence = (
        f"{head}, and neither reads from storage, system CPU, page cache, work, limits nor clock explain it "
        "as far as they were recorded."
    )
    return Doubt("treatment-faster", sentence, REPEAT)


REPEAT = (
    "Repeat it with more blocks and 'watch: [disks, delay, frequency]', and have the job count its work (events) "
    "on both arms."
)


def _by_wall(pair: Pair, gain: Gain) -> str:
    """Return the ratio of wall times where it tells another story than the metric."""
    here, there = (runs.usage(lambda usage: usage.wall_s) for runs in pair.arms)
    if not here or not there:
        return ""
    ratio = here / there
    return f", {ratio:.3g} times by wall time" if not 0.8 < ratio * gain.slowdown < 1.25 else ""


def _clues(pair: Pair) -> Iterator[Clue]:
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
    if not all(runs.trials for runs in pair.arms):
        return
    guest = pair.treatment.trials[0].platform is not None
    told = [_confined(runs, guest=guest) for runs in pair.arms]
    if apart := [f"{a} and {b}" for a, b in zip(*told, strict=True) if a != b]:
        yield Clue(
            f"the limits differ: {', '.join(apart)}",
            "Give both arms the same processors, memory and CPU quota (limits of the scene).",
        )


def _confined(runs: Runs, *, guest: bool) -> tuple[str, ...]:
    """Return an arm's limits as words; a guest's memory is its limit, and not compared."""
    trial = runs.trials[0]
    memory, quota = trial.limits.memory_bytes, trial.limits.cpu_quota
    return (
        f"{processors(trial)} processors",
        "" if guest else f"{format_bytes(memory)} of memory" if memory else "no memory limit",
        f"a CPU quota of {quota:.0%}" if quota else "no CPU quota",
    )


def _clock(pair: Pair) -> Iterator[Clue]:
    rate = pair.treatment.typical(lambda trial: trial.clock.rate if trial.clock else None)
    known = pair.treatment.typical(lambda trial: trial.clock.rate_uncertainty if trial.clock else None)
    if rate is not None and known is not None and 1 - rate > max(known, 0.001):
        yield Clue(
            f"its clock ran {rate - 1:+.2%} off the controller's, and a slow clock makes short times",
            "Use figures that don't rest on the guest's clock, or repair it (kvm-clock, chrony) and repeat.",
        )
