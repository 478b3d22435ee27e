"""Checks of a single result: can these figures be what they say they are?

One file a theme, one function a check. A check gets the ended trials of one workload and returns doubts, each
with its figures and a next step; it never deletes a sample and never changes a figure.
"""

from assay.explain.sanity.checks import sanity_doubts
from assay.explain.sanity.gain import Gain
from assay.explain.sanity.runs import LoopSampled, Pair, Sampled, pairs
from assay.explain.sanity.steps import NEXT, with_next

__all__ = ["NEXT", "Gain", "LoopSampled", "Pair", "Sampled", "pairs", "sanity_doubts", "with_next"]
