"""Settings of the machine that carries guests: written, read back, and put back at the end."""

from __future__ import annotations

from assay.factors.host import boot as host_boot
from assay.factors.host import disk as host_disk
from assay.factors.host import freq as host_freq
from assay.factors.host import idle as host_idle
from assay.factors.host import ksm as host_ksm
from assay.factors.host import kvm as host_kvm
from assay.factors.host import sched as host_sched
from assay.factors.host import smt as host_smt
from assay.factors.host import sysctl as host_sysctl
from assay.factors.host import thp as host_thp
from assay.factors.host import tuned as host_tuned

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
"""Written in this order, and put back in the reverse one: what sets others going (KSM's ``run``) after what
it obeys, and SMT last, as it takes processors away with their files.
"""
