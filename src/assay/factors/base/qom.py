"""What QEMU's object tree tells of a guest's processors and devices.

Source: QEMU QMP reference, ``qom-list``, ``qom-get``, ``query-kvm``; ``target/i386/cpu.c``
(``unavailable-features``: what was asked for and the accelerator cannot give).
"""

from __future__ import annotations

from typing import Any

from assay.factors.base.evidence import Evidence

_BOARD = "/machine/unattached"
_OF_X86 = "-x86_64-cpu"


def by_kvm(seen: Evidence) -> bool:
    """Tell whether KVM runs the guest's instructions."""
    return bool(seen.ask("query-kvm")["enabled"])


def vcpu_paths(seen: Evidence) -> tuple[str, ...]:
    """Return the object of each vCPU, by its number."""
    vcpus = sorted(seen.ask("query-cpus-fast"), key=lambda vcpu: int(vcpu["cpu-index"]))
    return tuple(str(vcpu["qom-path"]) for vcpu in vcpus)


def cpu_property(seen: Evidence, name: str) -> Any:
    """Return a property of the first vCPU; ``None`` where its model has none of that name."""
    path = vcpu_paths(seen)[0]
    if name not in {one["name"] for one in seen.ask("qom-list", path=path)}:
        return None
    return seen.ask("qom-get", path=path, property=name)


def cpu_type(seen: Evidence) -> str:
    """Return the processor that QEMU shows its guest: ``max``, ``host``, or a model, ``Nehalem``."""
    return str(cpu_property(seen, "type")).removesuffix(_OF_X86)


def default_cpu_type(seen: Evidence) -> str | None:
    """Return the processor that QEMU shows where nothing is said, in the words of ``cpu_type``; ``None`` if
    it tells none.
    """
    board = str(seen.ask("qom-get", path="/machine", property="type")).removesuffix("-machine")
    kinds = [one.get("default-cpu-type") for one in seen.ask("query-machines") if one["name"] == board]
    return str(kinds[0]).removesuffix(_OF_X86) if kinds and kinds[0] else None


def device_property(seen: Evidence, kind: str, name: str) -> str | None:
    """Return a property of the board's one device of a kind, ``mc146818rtc``; ``None`` where it has none."""
    for device in seen.ask("qom-list", path=_BOARD):
        if device["type"] == f"child<{kind}>":
            return str(seen.ask("qom-get", path=f"{_BOARD}/{device['name']}", property=name))
    return None


def has_device(seen: Evidence, kind: str) -> bool:
    """Tell whether the board has a device of a kind."""
    return any(device["type"] == f"child<{kind}>" for device in seen.ask("qom-list", path=_BOARD))
