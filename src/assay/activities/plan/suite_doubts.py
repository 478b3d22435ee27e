"""What benchmark suites ask of a machine before they score it, as far as no other doubt says it."""

from __future__ import annotations

from collections.abc import Iterator

from assay.activities.plan.arms import Arms
from assay.model.doubt import Raised, raised
from assay.model.machines.machine import Facts

LEAST_BYTES_A_CORE = 2 * 10**9
"""HEP Benchmark Suite's ``min_memory_per_core`` in its shipped configurations."""


def suite_doubts(arms: Arms, here: Facts) -> Iterator[Raised]:
    """Yield what a score of these arms would hold beside the machine's own speed.

    Args:
        arms: Both arms, with the work's processors and memory.
        here: Facts of the baseline's machine.
    """
    each = arms.sizes.memory_bytes // max(1, arms.sizes.cpus)
    if each < LEAST_BYTES_A_CORE:
        yield raised("memory-a-core", each_bytes=each, least_bytes=LEAST_BYTES_A_CORE)
    if here.governor not in {None, "performance"}:
        yield raised("governor", governor=here.governor)
