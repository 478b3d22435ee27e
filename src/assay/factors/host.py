"""Settings of the machine that carries guests: written, read back, and put back at the end."""

from __future__ import annotations

from assay.factors import (
    host_cpu,
    host_disk,
    host_found,
    host_idle,
    host_ksm,
    host_kvm,
    host_sysctl,
    host_thp,
)

FACTORS = (
    *host_thp.FACTORS,
    *host_ksm.FACTORS,
    *host_sysctl.FACTORS,
    *host_disk.FACTORS,
    *host_kvm.FACTORS,
    *host_found.FACTORS,
    *host_idle.FACTORS,
    *host_cpu.FACTORS,
)
"""Written in this order, and put back in the reverse one: what sets others going (KSM) after what it obeys."""
