"""Factors that KVM offers its guests: hints and shortcuts of a guest that knows that it is one.

Source: Linux ``Documentation/virt/kvm/x86/cpuid.rst``; libvirt ``formatdomain`` (``features``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from assay.factors.base import qom
from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import Effect, Factor, Hazard
from assay.factors.base.levels import SWITCH
from assay.factors.cpu.emulated import emulated

_IN_VAIN = "on is accepted under the emulator without effect"
_ONE_WAY = "libvirt's element alone is without effect where the model of processor has it otherwise"

Edit = Callable[[Draft, str], None]


def _element(path: str, attribute: str = "state") -> Edit:
    def edit(draft: Draft, level: str) -> None:
        draft.at(f"features/{path}").set(attribute, level)

    return edit


def _property(name: str, *, element: Edit | None = None) -> Edit:
    """Return an edit that tells QEMU, too: of some features libvirt writes only one level."""

    def edit(draft: Draft, level: str) -> None:
        if element is not None:
            element(draft, level)
        if draft.accelerator == "kvm":
            draft.qemu_argument("-global", f"x86_64-cpu.{name}={level}")

    return edit


def _actual(name: str) -> Callable[[Evidence, str], str]:
    def actual(seen: Evidence, _wanted: str) -> str:
        return "on" if qom.cpu_property(seen, name) else "off"

    return actual


def _needs_kvm(host: Host, level: str | None) -> str | None:
    return "is KVM's: the emulator has none" if emulated(host) and level != "off" else None


def _factor(name: str, title: str, applied: str, edit: Edit, *, seen_as: str) -> Factor:
    return Factor(
        name,
        title,
        SWITCH,
        "on with host-passthrough",
        applied,
        f"QMP qom-get, {seen_as} of the first vCPU",
        _actual(seen_as),
        edit=edit,
        needs=_needs_kvm,
        note=_IN_VAIN,
    )


_HINT = _factor(
    "kvm.hint-dedicated",
    "tell the guest that each vCPU has a processor of its own",
    "features/kvm/hint-dedicated/@state",
    _element("kvm/hint-dedicated"),
    seen_as="kvm-hint-dedicated",
)
_POLL = _factor(
    "kvm.poll-control",
    "let the guest stop the host's polling when it polls itself",
    "features/kvm/poll-control/@state; -global x86_64-cpu.kvm-poll-control",
    _property("kvm-poll-control", element=_element("kvm/poll-control")),
    seen_as="kvm-poll-control",
)
_IPI = _factor(
    "kvm.pv-ipi",
    "interrupts to many vCPUs by one exit",
    "features/kvm/pv-ipi/@state; -global x86_64-cpu.kvm-pv-ipi",
    _property("kvm-pv-ipi", element=_element("kvm/pv-ipi")),
    seen_as="kvm-pv-ipi",
)
_LOCKS = _factor(
    "cpu.pvspinlock",
    "locks that yield to the host when their holder does not run",
    "features/pvspinlock/@state",
    _element("pvspinlock"),
    seen_as="kvm-pv-unhalt",
)

FACTORS = (
    replace(
        _HINT, default="off", hazards=(Hazard.OTHERS,), note=f"slow where the hint is untrue; {_IN_VAIN}"
    ),
    replace(
        _POLL,
        effects=(Effect("95.7 instead of 93.8 % of the host", "ping-pong of two vCPUs", "Tosatti 2019"),),
        note=f"{_ONE_WAY}; {_IN_VAIN}",
    ),
    replace(_IPI, note=f"{_ONE_WAY}; {_IN_VAIN}"),
    _factor(
        "kvm.pv-tlb-flush",
        "flushes of other vCPUs' address translations left to the host",
        "-global x86_64-cpu.kvm-pv-tlb-flush; libvirt has no element",
        _property("kvm-pv-tlb-flush"),
        seen_as="kvm-pv-tlb-flush",
    ),
    replace(
        _LOCKS, note="for overcommitted hosts and contended locks; libvirt refuses on under the emulator"
    ),
    _factor(
        "apic.eoi",
        "ends of interrupts without an exit",
        "features/apic/@eoi",
        _element("apic", "eoi"),
        seen_as="kvm-pv-eoi",
    ),
)
