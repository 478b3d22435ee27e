"""What libvirt's XML of a running domain says of it.

Source: https://libvirt.org/formatdomain.html. Limits: a cache mode that the XML leaves open is the
    hypervisor's
choice and not told; of several disks the first is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

_UNITS = {"b": 1, "bytes": 1, "k": 2**10, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
"""libvirt itself writes ``KiB``."""
_ACCELERATORS = {"qemu": "tcg"}


@dataclass(frozen=True)
class Described:
    """A running domain by its XML; ``None`` is "not told".

    Attributes:
        accelerator: ``kvm`` or ``tcg``.
        machine: QEMU machine type.
        cpu_model: CPU model given to it.
        vcpus: Processors that it has now.
        memory_bytes: Memory that it has now.
        cells: Bytes of each part of the memory that it was given.
        disk_format: Format of its first disk.
        disk_cache: Its cache mode.
        disk: The file that it lies in; ``None`` where it is none of its host's.
        macs: Hardware addresses of its interfaces, lower case.
    """

    accelerator: str
    machine: str
    cpu_model: str
    vcpus: int
    memory_bytes: int
    cells: tuple[int, ...]
    disk_format: str | None
    disk_cache: str | None
    disk: Path | None
    macs: tuple[str, ...]


def parse_domain(text: str) -> Described:
    """Return what a domain's XML says."""
    live = ElementTree.fromstring(text)  # noqa: S314 (libvirt's own)
    disk = next((one for one in live.iterfind("devices/disk") if one.get("device", "disk") == "disk"), None)
    kind = live.get("type", "")
    vcpu = live.find("vcpu")
    file = _of(disk, "source", "file")
    return Described(
        accelerator=_ACCELERATORS.get(kind, kind),
        machine=_of(live, "os/type", "machine") or "not told",
        cpu_model=live.findtext("cpu/model") or _of(live, "cpu", "mode") or "QEMU's default",
        vcpus=1 if vcpu is None else int(vcpu.get("current") or vcpu.text or 1),
        memory_bytes=_bytes(live.find("currentMemory")) or _bytes(live.find("memory")),
        cells=_cells(live),
        disk_format=_of(disk, "driver", "type"),
        disk_cache=_of(disk, "driver", "cache"),
        disk=Path(file) if file else None,
        macs=tuple(mac.get("address", "").lower() for mac in live.iterfind("devices/interface/mac")),
    )


def _cells(live: Element) -> tuple[int, ...]:
    cells = [
        _sized(cell.get("memory", "0"), cell.get("unit", "KiB")) for cell in live.iterfind("cpu/numa/cell")
    ]
    return tuple(cells) or (_bytes(live.find("memory")),)


def _bytes(element: Element | None) -> int:
    return 0 if element is None else _sized(element.text or "0", element.get("unit", "KiB"))


def _sized(number: str, unit: str) -> int:
    return int(number) * _UNITS[unit]


def _of(above: Element | None, path: str, name: str) -> str | None:
    element = None if above is None else above.find(path)
    return None if element is None else element.get(name)
