"""What speaks against trusting a budget, and what it cannot tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from assay.explain.split import MOST_BELOW, overdrawn
from assay.results.budgets.spent import Spent
from assay.results.budgets.uses import serial_phases


def budget_notes(spent: Sequence[Spent]) -> Iterator[str]:
    """Yield a sentence for each doubt about the budget of these trials."""
    yield from _overdrawn(spent)
    yield from _sources(spent)
    yield from _waited(spent)
    if any(one.trial.phases and not serial_phases(one.trial) for one in spent):
        yield "Copies ran side by side, so that the CPU time of a phase is not known: the job is taken as a whole."


def _sources(spent: Sequence[Spent]) -> Iterator[str]:
    """Say whose waits these are where they are not the job's own."""
    disks, queues = {one.reported.io for one in spent}, {one.reported.queue for one in spent}
    if "none" in disks:
        yield "Nothing told of I/O wait in some trials: it is in their idle time."
    elif "machine" in disks:
        yield "I/O wait is the whole machine's, at most what CPU time leaves: the job's own was not told."
    elif "processors" in disks:
        yield "I/O wait is that of the job's processors, in ticks of the kernel: the job's own was not told."
    if "none" in queues:
        yield "Nothing told of waits for a processor in some trials: they are in their idle time."
    elif queues != {"job"}:
        yield "Waits for a processor hold steal alone; those in the run queue are in the idle time."


def _waited(spent: Sequence[Spent]) -> Iterator[str]:
    """Say where a guest took waiting of its vCPUs for CPU time."""
    hidden = sorted((one.reported.hidden_s, one.trial.planned.name) for one in spent if one.reported.hidden_s)
    if hidden:
        worst_s, where = hidden[-1]
        typical = median(seconds for seconds, _ in hidden)
        yield (
            f"Of the CPU time that the guest counted its vCPUs waited for a processor of the host in {typical:.3g} s "
            f"(median of {len(hidden)} trials; at most {worst_s:.3g} s, in {where}): it counts as steal here."
        )


def _overdrawn(spent: Sequence[Spent]) -> Iterator[str]:
    """Say where more than the whole wall time was found; idle time is negative there."""
    found = [(overdrawn(one.times), one) for one in spent]
    over = [(share, one) for share, one in found if share > MOST_BELOW]
    if over:
        share, worst = max(over, key=lambda pair: pair[0])
        most, usual = f"{share:.1%}", f"{median(part for part, _ in over):.1%}"
        reported = f"{most} in" if most == usual else f"{usual} in the median, {most} at worst, in"
        yield (
            f"CPU time and waits are more than wall time × lanes in {len(over)} of {len(spent)} trials "
            f"(by {reported} {worst.trial.planned.name}): waits overlap there, and idle time is below zero."
        )
