"""Factors that KVM offers its guests: hints and shortcuts of a guest that knows that it is one.

Source: Linux ``Documentation/virt/kvm/x86/cpuid.rst``; libvirt ``formatdomain`` (``features``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from assay.factors import qom
from assay.factors.draft import Draft
from assay.factors.emulated import emulated
from assay.factors.evidence import Evidence, Host
from assay.factors.factor import Effect, Factor, Hazard
from assay.factors.levels import SWITCH

_IN_VAIN = "on is accepted under the emulator without effect"


def _switch(path: str, attribute: str) -> Callable[[Draft, str], None]:
    def edit(draft: Draft, level: str) -> None:
        draft.at(f"features/{path}").set(attribute, level)

    return edit


def _found(name: str) -> Callable[[Evidence, str], str]:
    def found(seen: Evidence, _wanted: str) -> str:
        return "on" if qom.cpu_property(seen, name) else "off"

    return found


def _needs_kvm(host: Host, level: str | None) -> str | None:
    return "is KVM's: the emulator has none" if emulated(host) and level != "off" else None


def _factor(name: str, title: str, default: str, *, path: str, attribute: str, seen_as: str) -> Factor:
    return Factor(
        name,
        title,
        SWITCH,
        default,
        f"features/{path}/@{attribute}",
        f"QMP qom-get, {seen_as} of the first vCPU",
        _found(seen_as),
        edit=_switch(path, attribute),
        needs=_needs_kvm,
        note=_IN_VAIN,
    )


_HINT = _factor(
    "kvm.hint-dedicated",
    "tell the guest that each vCPU has a processor of its own",
    "off",
    path="kvm/hint-dedicated",
    attribute="state",
    seen_as="kvm-hint-dedicated",
)
_POLL = _factor(
    "kvm.poll-control",
    "let the guest stop the host's polling when it polls itself",
    "off",
    path="kvm/poll-control",
    attribute="state",
    seen_as="kvm-poll-control",
)
_LOCKS = _factor(
    "cpu.pvspinlock",
    "locks that yield to the host when their holder does not run",
    "on by KVM",
    path="pvspinlock",
    attribute="state",
    seen_as="kvm-pv-unhalt",
)

FACTORS = (
    replace(_HINT, hazards=(Hazard.OTHERS,), note=f"slow where the hint is untrue; {_IN_VAIN}"),
    replace(
        _POLL,
        effects=(Effect("95.7 instead of 93.8 % of the host", "ping-pong of two vCPUs", "Tosatti 2019"),),
    ),
    _factor(
        "kvm.pv-ipi",
        "interrupts to many vCPUs by one exit",
        "on by KVM",
        path="kvm/pv-ipi",
        attribute="state",
        seen_as="kvm-pv-ipi",
    ),
    replace(
        _LOCKS, note="for overcommitted hosts and contended locks; libvirt refuses on under the emulator"
    ),
    _factor(
        "apic.eoi",
        "ends of interrupts without an exit",
        "on by KVM",
        path="apic",
        attribute="eoi",
        seen_as="kvm-pv-eoi",
    ),
)
