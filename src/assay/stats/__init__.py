"""Numbers in, numbers out: paired slowdowns, their intervals and what the intervals say.

Here belongs a formula with its source and its limits. Nothing here opens a file, reads a clock or
knows where a number came from.
"""

from assay.stats.replication.difference import Difference, loss_difference
from assay.stats.replication.paired import log_slowdown, loss_of, paired_loss

__all__ = ["Difference", "log_slowdown", "loss_difference", "loss_of", "paired_loss"]
