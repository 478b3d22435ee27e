"""Factors of a guest's own kernel, given as words of its command line.

Source: Linux ``Documentation/admin-guide/kernel-parameters.txt``.
Limits: from outside only what the kernel was given is seen, which is not yet in force; what it made of it is
looked at inside once the guest has booted (``guest_seen``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import Factor, Hazard
from assay.factors.base.levels import Words
from assay.factors.cpu.emulated import emulated
from assay.factors.guest.seen import GIVEN, INSIDE, last_word


def _given(key: str) -> Callable[[Draft, str], None]:
    def edit(draft: Draft, level: str) -> None:
        draft.kernel_words[:] = [word for word in draft.kernel_words if not word.startswith(f"{key}=")]
        draft.kernel_words.append(f"{key}={level}")

    return edit


def _actual(key: str) -> Callable[[Evidence, str], str]:
    def actual(seen: Evidence, wanted: str) -> str:
        given = last_word(str(seen.ask("qom-get", path="/machine", property="append")), key)
        return GIVEN if given == wanted else given

    return actual


def _needs_clocksource(host: Host, level: str | None) -> str | None:
    return "is KVM's: the emulator has none" if emulated(host) and level == "kvm-clock" else None


def _factor(key: str, title: str, levels: tuple[str, ...], default: str) -> Factor:
    return Factor(
        f"guest.{key}",
        title,
        Words(levels),
        default,
        f"os/cmdline, {key}=",
        f"{INSIDE[f'guest.{key}'].how}; of a paused guest, that it was given: QMP qom-get, "
        "append of the machine",
        _actual(key),
        edit=_given(key),
    )


_MITIGATIONS = _factor(
    "mitigations",
    "mitigations of processor faults in the guest's kernel",
    ("auto", "auto,nosmt", "off"),
    "auto",
)
_CLOCKSOURCE = _factor(
    "clocksource",
    "clock that the guest's kernel reads",
    ("kvm-clock", "tsc", "hpet", "acpi_pm"),
    "the kernel's choice",
)
_HUGE_PAGES = _factor(
    "transparent_hugepage",
    "transparent huge pages in the guest",
    ("always", "madvise", "never"),
    "the kernel's own",
)
_IDLE = _factor("idle", "what an idle vCPU does", ("poll", "halt", "nomwait"), "the kernel's choice")
_BALANCING = _factor(
    "numa_balancing",
    "moving of pages between memory nodes by the guest's kernel",
    ("enable", "disable"),
    "enable with several cells",
)

FACTORS = (
    replace(
        _MITIGATIONS,
        hazards=(Hazard.ISOLATION,),
        note="page-table isolation without pcid is the worst pair",
    ),
    replace(_CLOCKSOURCE, needs=_needs_clocksource, note="hpet and acpi_pm cost an exit for each reading"),
    replace(_HUGE_PAGES, note="2 MiB pages need this level and the host's"),
    replace(_IDLE, hazards=(Hazard.OTHERS,), note="poll burns a processor of the host for each vCPU"),
    replace(_BALANCING, note="only with several cells in the guest"),
)
