"""Threads of the host's cores.

Source: https://docs.kernel.org/admin-guide/hw-vuln/l1tf.html, SMT control.
"""

from __future__ import annotations

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Effect, Hazard
from assay.factors.base.levels import SWITCH
from assay.factors.host.files import KernelFile, host_factor

_CONTROL = "/sys/devices/system/cpu/smt/control"


def _smt(host: Host, level: str | None) -> str | None:
    now = host.read(_CONTROL)
    if now not in {"on", "off"}:
        return f"the processor has no threads to switch (the kernel says {now})"
    if level not in {None, now} and host.read("/sys/fs/cgroup/cpuset/cpuset.cpus") is not None:
        return "groups of cgroup v1 would lose the processors for good: boot with cgroup v2"
    return None


FACTORS = (
    host_factor(
        "host.smt",
        "several threads of a core",
        SWITCH,
        KernelFile(_CONTROL, "this kernel cannot switch the threads of a core", _smt),
        hazards=(Hazard.ISOLATION, Hazard.OTHERS),
        effects=(Effect("+20 % when on", "HS06", "CERN 2015"),),
        note="off takes processors away from everybody, pinned guests too",
    ),
)
