"""All checks of one result, in the order in which a reader asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.explain.sanity.cpu import job_efficiency, system_cpu
from assay.explain.sanity.disks import faster_than_disk
from assay.explain.sanity.gain import Gain, treatment_faster
from assay.explain.sanity.pressure import swap, throttled
from assay.explain.sanity.runs import Pair
from assay.explain.sanity.steal import steal_disagrees
from assay.explain.sanity.storage import cached_reads, flat_write_rate
from assay.explain.sanity.wall import copies_differ, short_wall
from assay.model.doubt import Raised


def sanity_doubts(pairs: Sequence[Pair], gains: Sequence[Gain], *, interval_s: float) -> Iterator[Raised]:
    """Yield the doubts of each workload, then explain the gains.

    Args:
        pairs: The workloads with their ended trials.
        gains: Where the treatment is faster.
        interval_s: Time between samples, s.
    """
    for pair in pairs:
        yield from short_wall(pair, interval_s)
        for check in (
            job_efficiency,
            system_cpu,
            flat_write_rate,
            cached_reads,
            swap,
            throttled,
            steal_disagrees,
            copies_differ,
        ):
            yield from check(pair)
    yield from faster_than_disk(pairs)
    by_name = {pair.workload.name: pair for pair in pairs}
    yield from (treatment_faster(by_name[gain.workload], gain) for gain in gains if gain.workload in by_name)
