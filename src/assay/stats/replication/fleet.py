"""The loss of a fleet of machines: another quantity than that of one machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from assay.model.figures.estimate import Estimate
from assay.stats.centre import Values
from assay.stats.replication.paired import middle_of, paired_loss


def fleet_loss(
    by_machine: Mapping[str, Values],
    *,
    confidence: float = 0.95,
    margin: float = 0.0,
    floor: float = 0.0,
    strictest: float | None = None,
) -> Estimate:
    """Estimate the loss of machines like these, each of which counts once.

    Args:
        by_machine: Log slowdown of each block, by machine.
        confidence: Coverage of the two-sided interval.
        margin: Loss that does not matter.
        floor: Half-width of what all machines may share that is no loss, as a coarse clock's shift; log
            units.
        strictest: As of ``paired_loss``.

    Returns:
        ``blocks`` counts all blocks; ``blocks_more`` is ``None``: machines would be needed, not blocks.

    Source:
        Two-stage analysis by cluster means: A. Donner, N. Klar, "Design and Analysis of Cluster
        Randomization Trials" (2000), section 7.2.

    Limits:
        Machines must be a sample of the fleet. What blocks of one machine tell of its own loss is in no
        interval here.
    """
    centres = [middle_of(values) for values in by_machine.values() if len(values)]
    estimate = paired_loss(centres, confidence=confidence, margin=margin, floor=floor, strictest=strictest)
    blocks = sum(len(values) for values in by_machine.values())
    method = f"over {len(centres)} machines: {estimate.method}"
    return replace(estimate, blocks=blocks, blocks_more=None, method=method)
