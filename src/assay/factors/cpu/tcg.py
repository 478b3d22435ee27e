"""Factors of QEMU's emulator, TCG.

Source: QEMU 7.2 ``tcg/region.c``: of the cache each region loses a guard page and 1 KiB, and a region has at
least 2 MiB; ``softmmu/vl.c``: the first ``-accel`` that works is taken.
"""

from __future__ import annotations

import re

from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import Factor, Hazard
from assay.factors.base.levels import Size, Words, spell_bytes
from assay.factors.cpu.emulated import emulated
from assay.model.units import parse_bytes

_MIB = 1024**2
_LOST_MOST = (4096 + 1024) / (2 * _MIB)


def _tb_cache(draft: Draft, level: str) -> None:
    draft.at("features/tcg/tb-cache", unit="MiB").text = str(parse_bytes(level) // _MIB)


def _actual_tb_cache(seen: Evidence, wanted: str) -> str:
    reported = re.search(r"gen code size\s+\d+/(\d+)", seen.monitor("info jit"))
    if reported is None:
        return "QEMU tells no size"
    size, asked = int(reported[1]), parse_bytes(wanted)
    whole = asked * (1 - _LOST_MOST) <= size <= asked
    return wanted if whole else spell_bytes(-(-size // _MIB) * _MIB)


def _thread(_draft: Draft, _level: str) -> None:
    """Leave the draft as it is: QEMU takes a thread for each vCPU, and libvirt cannot say otherwise."""


def _actual_thread(seen: Evidence, _wanted: str) -> str:
    names = {thread.name for thread in seen.threads}
    if "ALL CPUs/TCG" in names:
        return "single"
    return "multi" if "CPU 0/TCG" in names else "the emulator does not run it"


def _needs_tcg(host: Host, _level: str | None) -> str | None:
    return None if emulated(host) else "is the emulator's: guests run by KVM here"


def _needs_thread(host: Host, level: str | None) -> str | None:
    reason = _needs_tcg(host, level)
    if reason is None and level == "single":
        return "cannot be said to libvirt: it writes -accel tcg itself, and QEMU heeds the first -accel alone"
    return reason


FACTORS = (
    Factor(
        "tcg.tb-cache",
        "memory for translated code",
        Size("8 MiB", "2 GiB", ("8 MiB", "32 MiB", "64 MiB", "256 MiB", "1 GiB"), step=_MIB),
        "1 GiB",
        "features/tcg/tb-cache",
        "QEMU's monitor, info jit, size of generated code",
        _actual_tb_cache,
        edit=_tb_cache,
        hazards=(Hazard.MEMORY,),
        needs=_needs_tcg,
        note="8 MiB: boot and compiling took four times as long; with 1 MiB no guest boots; more than 2 GiB "
        "is accepted and is 2 GiB",
    ),
    Factor(
        "tcg.thread",
        "threads that emulate: one for each vCPU, or one for all",
        Words(("multi", "single")),
        "multi",
        "nowhere: it is the default",
        "/proc/PID/task/TID/comm, CPU 0/TCG or ALL CPUs/TCG",
        _actual_thread,
        edit=_thread,
        needs=_needs_thread,
        note="-accel tcg,thread=single by qemu:commandline and -global tcg-accel.thread=single are accepted "
        "without effect; -icount has the effect but changes the guest's clock",
    ),
)
