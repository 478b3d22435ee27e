"""Levels of starts in the words of Slurm: a throttle of both of its schedulers.

Source: slurm.conf(5), SchedulerParameters. sched_max_job_start and bf_max_job_start are the most jobs that
    the main scheduler and the backfill scheduler start in one run (0 is no limit); sched_min_interval is the
    least time between two runs of the main one, in microseconds (2 where nothing is said), bf_interval the
    time between two of the other, 1 to 10,800 s (30 where nothing is said). ``defer`` keeps a job from being
    started at its submission, past both. slurmctld reads sched_min_interval as a C int: 2147 s at most.
Limits: they throttle the whole controller, all partitions and all machines. Each scheduler counts for itself:
    of jobs that both could start, twice as many may start in a time.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Settings
from assay.factors.export.starts import left_beside, whole_seconds
from assay.factors.export.words import Exported
from assay.factors.start.starts import AT_ONCE, STAGGER

MOST_S = (2**31 - 1) // 10**6
"""Of sched_min_interval."""
HEAD = "# into the SchedulerParameters of slurm.conf, beside what is there; of all partitions\n"


def to_slurm(settings: Settings, _on: Host) -> Exported:
    """Return a line of ``slurm.conf``; without a stagger the limits are taken away."""
    seconds = whole_seconds(settings.get(STAGGER, "0 s"))
    left = {name: "Slurm has no word for it" for name in settings if name not in {STAGGER, AT_ONCE}}
    left |= left_beside(settings, (STAGGER, AT_ONCE))
    if seconds is None:
        left[STAGGER] = "Slurm's backfill scheduler counts whole seconds"
    elif seconds > MOST_S:
        left[STAGGER] = f"Slurm's sched_min_interval is {MOST_S} s at most"
    elif STAGGER in settings and not seconds and settings.get(AT_ONCE, "1") != "1":
        left[AT_ONCE] = f"with {STAGGER}=0 s all start at once"
    words = list(_words({name: level for name, level in settings.items() if name not in left}, seconds))
    text = f"{HEAD}SchedulerParameters={','.join(words)}\n" if words else ""
    return Exported(text, left)


def _words(settings: Settings, seconds: int | None) -> Iterator[str]:
    """Yield the parameters; a stagger of 0 s starts all at once, whatever their number would be."""
    together = settings.get(AT_ONCE, "1" if STAGGER in settings else None)
    if STAGGER in settings and seconds == 0:
        together = "0"
    if together is not None:
        yield from ("defer",) if together != "0" else ()
        yield f"sched_max_job_start={together}"
        yield f"bf_max_job_start={together}"
    if STAGGER in settings and seconds:
        yield f"sched_min_interval={seconds * 10**6}"
        yield f"bf_interval={seconds}"
