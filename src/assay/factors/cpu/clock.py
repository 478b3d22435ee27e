"""Factors of a guest's timers and clocks.

Source: libvirt ``formatdomain`` (``clock/timer``); QEMU ``hw/rtc/mc146818rtc.c``, ``hw/i386/kvm/i8254.c``
(``lost_tick_policy``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from assay.factors.base import qom
from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import Factor, Hazard
from assay.factors.base.levels import Whole, Words
from assay.factors.cpu.emulated import emulated


@dataclass(frozen=True)
class _Present(Words):
    """libvirt's ``yes`` and ``no``, which YAML hands on as truth values."""

    choices: tuple[str, ...] = ("yes", "no")

    def read(self, written: object) -> str:
        """Return the word; see ``Levels``."""
        return super().read(self.choices[0 if written else 1] if isinstance(written, bool) else written)

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of what can be written."""
        return {"enum": [*self.choices, True, False]}


_RTC = {"slew": "catchup", "discard": "delay"}
"""QEMU's word for what becomes of ticks that a guest missed -> libvirt's."""


def _timer(name: str, attribute: str) -> Callable[[Draft, str], None]:
    def edit(draft: Draft, level: str) -> None:
        clock = draft.at("clock")
        for old in clock.findall("timer"):
            if old.get("name") == name:
                clock.remove(old)
        draft.add("clock/timer", name=name).set(attribute, level)

    return edit


def _actual_hpet(seen: Evidence, _wanted: str) -> str:
    return "yes" if qom.has_device(seen, "hpet") else "no"


def _actual_rtc(seen: Evidence, _wanted: str) -> str:
    policy = qom.device_property(seen, "mc146818rtc", "lost_tick_policy")
    return _RTC.get(policy or "", f"policy {policy}")


def _actual_pit(seen: Evidence, _wanted: str) -> str:
    return qom.device_property(seen, "kvm-pit", "lost_tick_policy") or "a timer without policy"


def _needs_pit(host: Host, _level: str | None) -> str | None:
    return "is for KVM: the emulator's timer knows no policy" if emulated(host) else None


def _actual_kvmclock(seen: Evidence, _wanted: str) -> str:
    return "yes" if qom.cpu_property(seen, "kvmclock") else "no"


def _needs_kvmclock(host: Host, level: str | None) -> str | None:
    return "is KVM's: the emulator has none" if emulated(host) and level != "no" else None


def _actual_tsc(seen: Evidence, _wanted: str) -> str:
    return str(qom.cpu_property(seen, "tsc-frequency")) if qom.by_kvm(seen) else "the emulator's own"


def _needs_tsc(host: Host, _level: str | None) -> str | None:
    return "is for KVM: the emulator's counter keeps its own rate" if emulated(host) else None


FACTORS = (
    Factor(
        "clock.hpet",
        "high precision event timer in the guest",
        _Present(),
        "yes",
        "clock/timer[@name='hpet']/@present",
        "QMP qom-list, a device hpet",
        _actual_hpet,
        edit=_timer("hpet", "present"),
        note="a guest that uses it wakes up often when idle",
    ),
    Factor(
        "clock.rtc",
        "what becomes of ticks of the real-time clock that a guest missed",
        Words(("delay", "catchup")),
        "delay",
        "clock/timer[@name='rtc']/@tickpolicy",
        "QMP qom-get, lost_tick_policy of mc146818rtc (QEMU's words: discard, slew)",
        _actual_rtc,
        edit=_timer("rtc", "tickpolicy"),
        note="for right time, not for speed",
    ),
    Factor(
        "clock.pit",
        "what becomes of ticks of the interval timer that a guest missed",
        Words(("delay", "discard")),
        "delay",
        "clock/timer[@name='pit']/@tickpolicy",
        "QMP qom-get, lost_tick_policy of kvm-pit",
        _actual_pit,
        edit=_timer("pit", "tickpolicy"),
        needs=_needs_pit,
        note="accepted under the emulator without effect, as are catchup and present='no' anywhere",
    ),
    Factor(
        "clock.kvmclock",
        "KVM's clock for its guests",
        _Present(),
        "yes by KVM",
        "clock/timer[@name='kvmclock']/@present",
        "QMP qom-get, kvmclock of the first vCPU",
        _actual_kvmclock,
        edit=_timer("kvmclock", "present"),
        needs=_needs_kvmclock,
        note="yes is accepted under the emulator without effect",
    ),
    Factor(
        "clock.tsc",
        "rate of the time stamp counter",
        Whole(100_000_000, 10_000_000_000, (2_000_000_000, 2_500_000_000, 3_000_000_000), "Hz"),
        "the host's",
        "clock/timer[@name='tsc']/@frequency",
        "QMP qom-get, tsc-frequency of the first vCPU",
        _actual_tsc,
        edit=_timer("tsc", "frequency"),
        hazards=(Hazard.MIGRATION,),
        needs=_needs_tsc,
        note="more than 250 ppm off the host's rate libvirt refuses it, unless the processor scales "
        "the counter",
    ),
)
