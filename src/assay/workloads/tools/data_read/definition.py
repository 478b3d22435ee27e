"""Every byte of an activity's data, read once: what the way to them costs.

Files are read one after the other by the program that reads them as a job would: ``dd`` in requests of 1 MiB
where the arm has them in a file system, ``xrdcp`` to nowhere where it has a URL. Each starts a process for
each file, which is in the time. What is not read to its end fails the trial.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.model.metric import Direction, Measurement, Metric
from assay.model.work.page_cache import CacheSpec, CacheState
from assay.model.work.workload import Workload
from assay.workloads.command import CPU, WALL
from assay.workloads.parameters import Parameters
from assay.workloads.sizes import Sizes

if TYPE_CHECKING:
    from assay.model.trial import Usage

NAME = "data-read"
RATE = Metric("data_rate", "MB/s", Direction.HIGHER)
"""1 MB = 1,000,000 B; of all copies together."""
GUESSED_BYTES_PER_S = 100e6
"""For the plan's expected time only."""
READ_EACH = (
    'for file; do case "$file" in '
    'root://*) xrdcp --nopbar --force "$file" /dev/null;; '
    '*) dd if="$file" of=/dev/null bs=1M status=none;; '
    "esac || exit 1; done"
)
"""A constant: the files are its arguments, never part of it."""


def workload(sizes: Sizes, given: Parameters) -> Workload:
    """Return the workload; how many bytes there are is filled in when the data are known (``sized``)."""
    del sizes, given  # all of the data, whatever the arm
    return Workload(
        name=NAME,
        command=("sh", "-c", READ_EACH, NAME, "{data-files}"),
        parser=NAME,
        metrics=(RATE, WALL, CPU),
        program="sh",
        package="dash",
        time_limit_s=600.0,
        cache=CacheSpec(CacheState.COLD, files=()),
    )


def measure(workload: Workload, outputs: Sequence[bytes], usage: Usage) -> tuple[Measurement, ...]:
    """Return the rate of all copies together, and the job's wall and CPU time."""
    del outputs  # nothing is printed
    read = workload.read_bytes
    rate = None if read is None else read * workload.placement.copies / usage.wall_s / 1e6
    cpu_s = usage.user_s + usage.system_s
    return Measurement(RATE, rate), Measurement(WALL, usage.wall_s), Measurement(CPU, cpu_s)
