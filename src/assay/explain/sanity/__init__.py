"""Checks of a single result: can these figures be what they say they are?

One file a theme, one function a check. A check gets the ended trials of one workload and returns doubts, each
with its figures, which ``report.doubts`` words; it never deletes a sample and never changes a figure.
"""

from assay.explain.sanity.checks import sanity_doubts
from assay.explain.sanity.disk_kinds import Disk
from assay.explain.sanity.disks import faster_than_disk
from assay.explain.sanity.gain import Gain
from assay.explain.sanity.runs import LoopSampled, Pair, Sampled, pairs
from assay.explain.sanity.score import score_against_wall
from assay.explain.sanity.severity import SEVERITIES, severity_of, worst_severity
from assay.explain.sanity.storage import flat_rate

__all__ = [
    "SEVERITIES",
    "Disk",
    "Gain",
    "LoopSampled",
    "Pair",
    "Sampled",
    "faster_than_disk",
    "flat_rate",
    "pairs",
    "sanity_doubts",
    "score_against_wall",
    "severity_of",
    "worst_severity",
]
