"""Parameters of the host's KVM modules.

Source: https://docs.kernel.org/virt/kvm/halt-polling.html; ``modinfo kvm kvm_intel kvm_amd``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import Cost, Effect, Factor, Hazard
from assay.factors.base.levels import Levels, Whole, Words
from assay.factors.host.files import AS_ON_HOST, KernelFile, host_factor

_FLAG = Words(("Y", "N"))
_NO_KVM = "guests run by emulation here: it would have no effect"


def _by_kvm(host: Host, _level: str | None) -> str | None:
    return None if host.accelerator == "kvm" else _NO_KVM


@dataclass(frozen=True)
class ReloadParameter:
    """A parameter that a module takes when it is loaded: never changed by us, with every guest down.

    Attributes:
        module: ``kvm_intel``.
        word: ``ept``.
    """

    module: str
    word: str

    @property
    def path(self) -> str:
        """Its file."""
        return f"/sys/module/{self.module}/parameters/{self.word}"

    def value(self, host: Host) -> str | None:
        """Return what the module says; flags of older kernels are numbers."""
        return {"1": "Y", "0": "N"}.get(text := host.read(self.path) or "", text) or None

    def actual(self, seen: Evidence, wanted: str) -> str:
        """Return what the module says, a number where one is wanted."""
        text = self.value(seen.host) if wanted in _FLAG.choices else seen.host.read(self.path)
        return text or f"{self.module} is not loaded"

    def needs(self, host: Host, level: str | None) -> str | None:
        """Return why a level cannot be had; for another than the module's, what to type."""
        if host.read(self.path) is None:
            return f"{self.module} is not loaded"
        if level is None or level in {self.value(host), host.read(self.path)}:
            return _by_kvm(host, level)
        load = f"modprobe -r {self.module} && modprobe {self.module} {self.word}={level}"
        return f"the module must be loaded anew with every guest down, which is never done by us: {load}"


def _live(name: str, title: str, levels: Levels, **more: Any) -> Factor:
    path = f"/sys/module/kvm/parameters/{name}"
    return host_factor(f"host.{name}", title, levels, KernelFile(path, "kvm is not loaded", _by_kvm), **more)


def _reload(module: str, word: str, title: str, levels: Levels, **more: Any) -> Factor:
    it = ReloadParameter(module, word)
    applied = f"modprobe {module} {word}="
    fields = {"hazards": (Hazard.OTHERS,), "needs": it.needs, **more}
    return Factor(
        f"host.{word}", title, levels, AS_ON_HOST, applied, it.path, it.actual, Cost.REBOOT, **fields
    )


_POLL = Effect("34 to 27 µs", "netperf TCP_RR", "kernel commit, halt polling 2015")
_POLL_MORE = Effect("2–5 %, storage 7–10 %", "Android guests", "Intel 749041")
_BURNS = "spends the host's processor while a guest is idle, and with it turbo"

FACTORS = (
    _live(
        "halt_poll_ns",
        "how long a core waits for a halted vCPU at most",
        Whole(0, 10_000_000, (0, 50_000, 200_000), "ns"),
        hazards=(Hazard.OTHERS,),
        effects=(_POLL, _POLL_MORE),
        note=_BURNS,
    ),
    _live("halt_poll_ns_grow", "factor by which that time grows", Whole(0, 100, (0, 2))),
    _live("halt_poll_ns_grow_start", "where it starts to grow", Whole(0, 10_000_000, (10_000,), "ns")),
    _live("halt_poll_ns_shrink", "divisor by which it shrinks; 0 to nothing", Whole(0, 100, (0, 2))),
    _live(
        "nx_huge_pages",
        "executable huge pages of guests are split (against iTLB multihit)",
        _FLAG,
        hazards=(Hazard.ISOLATION,),
        note="N lets a guest hang a processor that has the flaw",
    ),
    _reload(
        "kvm_intel",
        "ept",
        "nested paging, Intel",
        _FLAG,
        effects=(
            Effect(
                "+6 % when off; jobs several times slower, so reverted", "HS06, SLC 6 guests", "CERN 2015"
            ),
        ),
        note="without it, some guests start with one vCPU only",
    ),
    _reload("kvm_amd", "npt", "nested paging, AMD", _FLAG),
    _reload("kvm_intel", "pml", "logging of written pages by the processor", _FLAG),
    _reload(
        "kvm_intel",
        "ple_gap",
        "loops of a spinning vCPU that count as one; 0 off",
        Whole(0, 4096, (0, 128), "cycles"),
    ),
    _reload(
        "kvm_intel", "ple_window", "time until a spinning vCPU exits", Whole(0, 2**31, (4096,), "cycles")
    ),
    _reload(
        "kvm_amd", "pause_filter_count", "pauses until a spinning vCPU exits", Whole(0, 65535, (0, 3000))
    ),
)
