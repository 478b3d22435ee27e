"""Settings of the machine that carries guests: written, read back, and put back at the end."""

from __future__ import annotations

from assay.factors import (
    host_boot,
    host_disk,
    host_freq,
    host_idle,
    host_ksm,
    host_kvm,
    host_sched,
    host_smt,
    host_sysctl,
    host_thp,
    host_tuned,
)

FACTORS = (
    *host_thp.FACTORS,
    *host_ksm.FACTORS,
    *host_sysctl.FACTORS,
    *host_sched.FACTORS,
    *host_disk.FACTORS,
    *host_kvm.FACTORS,
    *host_tuned.FACTORS,
    *host_boot.FACTORS,
    *host_idle.FACTORS,
    *host_freq.FACTORS,
    *host_smt.FACTORS,
)
"""Written in this order, and put back in the reverse one: what sets others going (KSM's ``run``) after what it
obeys, and SMT last, as it takes processors away with their files."""
