"""What KVM counted of one guest: how often it left the guest, and what its page tables cost.

Source: Linux, Documentation/virt/kvm/api.rst (statistics) and virt/kvm/kvm_main.c: one folder a guest,
``/sys/kernel/debug/kvm/PID-FD``, one file a counter; needs root and debugfs.
Limits: not there under TCG, nor where debugfs is not mounted; names differ by kernel and processor.
"""

from __future__ import annotations

from pathlib import Path

KVM = Path("/sys/kernel/debug/kvm")


def kvm_count(pid: int, name: str, *, kvm: Path = KVM) -> int | None:
    """Return a counter of the guests of one QEMU process since their start; ``None`` is "not told".

    Args:
        pid: The QEMU process.
        name: File of the counter: ``exits``, ``pf_fixed``, ``tlb_flush``.
        kvm: Folder of KVM's statistics.
    """
    try:
        counts = [int(file.read_text()) for file in kvm.glob(f"{pid}-*/{name}")]
    except (OSError, ValueError):
        return None
    return sum(counts) if counts else None
