"""A running guest as libvirt and QEMU hold it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

from assay.model.platforms.platform import Platform
from assay.platforms.errors import PlatformError
from assay.platforms.guests.spec import GuestSpec
from assay.platforms.hypervisor import SYSTEM, hypervisor_of
from assay.platforms.readback.monitor import ask, parse_cache_mode, parse_version

if TYPE_CHECKING:
    from libvirt import virConnect, virDomain


def platform_of(domain: virDomain, spec: GuestSpec, *, cpus: tuple[int, ...]) -> Platform:
    """Return a running guest's platform; ``cpus`` were read back from the kernel.

    Raises:
        PlatformError: the guest does not run, or QEMU does not run it by the accelerator of its spec.
    """
    text = str(domain.XMLDesc(0))
    live = ElementTree.fromstring(text)  # noqa: S314 (libvirt's own)
    kvm = bool(ask(domain, "query-kvm")["enabled"])
    if kvm != (spec.accelerator.kind == "kvm"):
        msg = f"cannot trust guest {spec.name}: expected {spec.accelerator.kind}, QEMU says kvm is {kvm}"
        raise PlatformError(msg)
    return Platform(
        kind="libvirt",
        accelerator=spec.accelerator.kind,
        why=spec.accelerator.why,
        machine=_attribute(live, "os/type", "machine"),
        cpu_model=_cpu_model(live),
        vcpus=len(ask(domain, "query-cpus-fast")),
        memory_bytes=int(ask(domain, "query-memory-size-summary")["base-memory"]),
        disk_format=_attribute(live, "devices/disk/driver", "type"),
        disk_cache=parse_cache_mode(ask(domain, "query-block"), ask(domain, "query-named-block-nodes")),
        image=spec.image.digest,
        hypervisor=parse_version(ask(domain, "query-version")),
        library=_library(domain.connect()),
        cpus=cpus,
        domain_xml=text,
    )


def parse_library_version(number: int, name: str = "libvirt") -> str:
    """Return ``libvirt 9.0.0`` of libvirt's number 9000000 (major, minor, release by thousands)."""
    return f"{name} {number // 1_000_000}.{number // 1000 % 1000}.{number % 1000}"


def _library(connection: virConnect) -> str:
    """Return libvirt's version, and its address where that is not the machine's own daemon."""
    version, uri = parse_library_version(connection.getLibVersion()), hypervisor_of(connection).uri
    return version if uri == SYSTEM.uri else f"{version} ({uri})"


def _cpu_model(live: ElementTree.Element) -> str:
    named = live.findtext("cpu/model")
    return named or _attribute(live, "cpu", "mode")


def _attribute(live: ElementTree.Element, path: str, name: str) -> str:
    element = live.find(path)
    value = None if element is None else element.get(name)
    if value is None:
        msg = f"BUG: no {name} of {path} in the domain's XML"
        raise RuntimeError(msg)
    return value
