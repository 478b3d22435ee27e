"""How trials of several guests were run, in sentences: their common start, and how well it was kept."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from assay.model.activity import ActivityPlan
from assay.model.trial import Trial


def layout_sentences(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[str]:
    """Yield how the guests of layouts shared the work; nothing where no trial ran in several."""
    joint = [record for record in records if record.members]
    if not joint:
        return
    yield (
        "Layouts: the guests of one share the cores, the memory and the copies evenly; each was booted afresh in "
        "each visit, and all were usable before any job began. Rates of guests are summed, times averaged; a wall "
        "time is from the first release to the last end, on the host's clock."
    )
    late = [m.started_s - m.asked_s for r in joint for m in r.members if m.started_s is not None]
    if late:
        worst = max(late, key=abs)
        yield (
            f"Their jobs were released at one moment, or the stagger apart: seen on the host's clock, {len(late)} "
            f"releases were at most {worst * 1e3:+.1f} ms off what was asked."
        )
    preloaded = [record for record in records if plan.arm_of(record.planned).cache is not None]
    if preloaded:
        yield (
            "Preload: the files that the workload's 'cache' counts were read into each guest's page cache before "
            f"the start{_found(preloaded)}."
        )


def _found(preloaded: Sequence[Trial]) -> str:
    """Say how much of the files was in memory at the starts, as the guests' own kernels told."""
    checks = [one.cache for record in preloaded for one in record.members or (record,)]
    reported = [check.machine for check in checks if check is not None and check.machine is not None]
    reported = [files for files in reported if files.bytes]
    if not reported:
        return "; whether they were found there is not told"
    least = min(files.resident_bytes / files.bytes for files in reported)
    found = (
        "found there" if least >= 1 else f"at least {math.floor(1000 * least) / 10:g}% of them found there"
    )
    lack = len(checks) - len(reported)
    return f", and {found}" + (f"; for {lack} of {len(checks)} starts it is not told" if lack else "")
