"""What speaks against trusting a budget, and what it cannot tell, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from assay.pages.budget_notes import BudgetNotes, HiddenWaits, Overdrawn


def note_sentences(notes: BudgetNotes) -> Iterator[str]:
    """Yield a sentence for each doubt about a budget."""
    if notes.overdrawn is not None:
        yield _overdrawn(notes.overdrawn)
    yield from _sources(notes)
    if notes.hidden is not None:
        yield _waited(notes.hidden)
    if notes.migrations_untold:
        yield (
            "Migrations of QEMU's vCPU threads are not told: the host's kernel has no "
            "/proc/PID/task/TID/sched (CONFIG_SCHED_DEBUG), or the record is older than format 1.11."
        )
    if notes.side_by_side:
        yield (
            "Copies ran side by side, so that the CPU time of a phase is not known: the job is taken "
            "as a whole."
        )


def _sources(notes: BudgetNotes) -> Iterator[str]:
    """Say whose waits these are where they are not the job's own."""
    if notes.io_from == "none":
        yield "Nothing told of I/O wait in some trials: it is in their idle time."
    elif notes.io_from == "machine":
        yield "I/O wait is the whole machine's, at most what CPU time leaves: the job's own was not told."
    elif notes.io_from == "processors":
        yield "I/O wait is that of the job's processors, in ticks of the kernel: the job's own was not told."
    if notes.queue_from == "none":
        yield "Nothing told of waits for a processor in some trials: they are in their idle time."
    elif notes.queue_from != "job":
        yield "Waits for a processor hold steal alone; those in the run queue are in the idle time."


def _waited(hidden: HiddenWaits) -> str:
    """Say where a guest took waiting of its vCPUs for CPU time."""
    return (
        "Of the CPU time that the guest counted its vCPUs waited for a processor of the host in "
        f"{hidden.typical_s:.3g} s "
        f"(median of {hidden.trials} trials; at most {hidden.most_s:.3g} s, in {hidden.where}): "
        "it counts as steal here."
    )


def _overdrawn(overdrawn: Overdrawn) -> str:
    """Say where more than the whole wall time was found."""
    most, usual = f"{overdrawn.most:.1%}", f"{overdrawn.usual:.1%}"
    reported = f"{most} in" if most == usual else f"{usual} in the median, {most} at worst, in"
    return (
        f"CPU time and waits are more than wall time × parallelism in {overdrawn.trials} of "
        f"{overdrawn.of} trials "
        f"(by {reported} {overdrawn.where}): waits overlap there, and idle time is below zero."
    )
