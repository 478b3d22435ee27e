"""Figures of what came from a job's storage: where a server or its client read for the job, they are not the
job's.
"""

from __future__ import annotations

from assay.model.metric import Direction, Metric

READER = "root-analysis"
"""Parser of the workloads that have them."""
DEVICE = Metric("device_rate", "MB/s", Direction.HIGHER)
"""Bytes that the job's processes made the kernel fetch from storage, over the event loop; 1 MB =
1,000,000 B.
"""
DEVICE_BYTES = Metric("device_read", "MB", Direction.LOWER, timed=False)
AMPLIFICATION = Metric("read_amplification", "ratio", Direction.LOWER, timed=False)
"""Bytes from the device over bytes asked for: above 1 the kernel reads what nobody wants."""
OF_STORAGE = (DEVICE, DEVICE_BYTES, AMPLIFICATION)
