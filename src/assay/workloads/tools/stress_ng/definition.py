"""Bogo operations by stress-ng: arithmetic, memory, context switches or page faults, a stressor on each
processor.

Each of the four asks the hypervisor for something else: ``cpu`` for nothing, ``vm`` for memory that is
written over and over (second-level page tables, TLB), ``switch`` for wake-ups between two processes,
``fault`` for pages that are touched first. The rate by CPU time beside that by the clock shows whether a loss
is waiting or work.

Source: stress-ng(1). Limits: a bogo operation is no unit of work but for the same stressor of the same
    version; the
records keep the program's digest. Figures are read from the YAML that stress-ng writes to its standard
output; what it says against them stands in its log on standard error, which is read with it.
"""

from __future__ import annotations

from assay.model.metric import Direction, Measurement, Metric, OfCopies
from assay.model.work.workload import Workload
from assay.workloads.errors import OutputError
from assay.workloads.parameters import Parameters
from assay.workloads.sizes import MIB, Sizes

TOOL = "stress-ng"
SECONDS = 5
"""Long against the start of its processes, and above what stress-ng calls too short in these four
stressors.
"""
VM_BYTES = 64 * MIB
"""Of each ``vm`` stressor: beyond the caches of a core, small enough for a guest of 1 GiB with eight
processors.
"""
RATE = Metric("bogo_ops_per_s", "bogo ops/s", Direction.HIGHER)
CPU_RATE = Metric("bogo_ops_per_cpu_s", "bogo ops/CPU-s", Direction.HIGHER, of_copies=OfCopies.MEAN)
METRICS = (RATE, CPU_RATE)

_OPTIONS: dict[str, tuple[str, ...]] = {"vm": ("--vm-bytes", str(VM_BYTES))}


def workload(stressor: str, sizes: Sizes, given: Parameters) -> Workload:
    """Return the workload of a stressor, one of it on each processor; its files lie in the scratch folder."""
    seconds = given.runtime_s or SECONDS
    name = f"{TOOL}-{stressor}"
    length = ("--timeout", f"{seconds}s", "--temp-path", "{directory}")
    reported = ("--metrics", "--yaml", "/dev/stdout")
    return Workload(
        name=name,
        command=(TOOL, f"--{stressor}", str(sizes.cpus), *_OPTIONS.get(stressor, ()), *length, *reported),
        parser=name,
        metrics=METRICS,
        program=TOOL,
        package=TOOL,
        seconds=seconds,
        time_limit_s=300.0 + 2 * seconds,
        note=f"{sizes.cpus} of stress-ng's stressor {stressor}",
    )


def parse(stressor: str, output: bytes) -> tuple[Measurement, ...]:
    """Return bogo operations a second by the clock and by CPU time.

    Args:
        stressor: The one that ran.
        output: The log, and the YAML behind it.

    Raises:
        OutputError: not stress-ng's, nothing of the stressor, or figures that stress-ng distrusts.
    """
    from assay.workloads.tools.stress_ng.reader import read

    figures = {
        figure.metric: figure
        for figure in read(output).measurements
        if figure.labels.get("stressor") == stressor
    }
    names = ("bogo_ops_per_second_real_time", "bogo_ops_per_second_usr_sys_time")
    if any(name not in figures for name in names):
        raise OutputError(TOOL, None, f"expected figures of the stressor '{stressor}', got none")
    if (reason := figures[names[0]].labels.get("not_comparable")) is not None:
        raise OutputError(TOOL, None, f"expected figures that can be compared: {reason}")
    return tuple(
        Measurement(metric, figures[name].value) for metric, name in zip(METRICS, names, strict=True)
    )
