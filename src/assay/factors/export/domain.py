"""Levels put into the definition of a domain that somebody else made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import fields
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from assay.factors.base.draft import QEMU_NAMESPACE, Draft
from assay.factors.base.evidence import Host
from assay.factors.base.factor import Settings
from assay.factors.catalogue import FACTORS
from assay.factors.start.starts import ELSEWHERE

NOT_HERE = {
    "net.backend": "it names a network of assay's: change the interface by hand",
    "disk.backing": "it is of the disk's making",
    "disk.guest-filesystem": "it is of the guest's own disk: make it anew in the guest",
}
"""Factors that assay makes for its own guests."""
_ADDED = (
    ("feature", ("name",), True),
    ("distances", (), True),
    ("controller", ("type", "index"), False),
)
"""Tags of elements that factors add, the attributes that tell them apart, and whether the newest counts."""
_UNITS = {"b": 1, "bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
_ACCELERATORS = {"qemu": "tcg"}


def into_domain(text: str, settings: Settings, on: Host) -> tuple[str, dict[str, str]]:
    """Return a domain's definition with levels in it, and the levels that are not, each with the reason.

    Args:
        text: The definition, as libvirt gives it.
        settings: Levels by factor; an empty one takes the factor's element back to where nothing is said,
            which is done for ``disk.cache`` and other attributes of a driver alone.
        on: The host that carries it.

    Raises:
        ValueError: The text is no domain.
    """
    try:
        domain = ElementTree.fromstring(text)  # noqa: S314 (libvirt's own)
    except ElementTree.ParseError as error:
        raise ValueError(str(error)) from error
    ElementTree.register_namespace("qemu", QEMU_NAMESPACE)
    left: dict[str, str] = {}
    with _first_disk(domain):
        for name in (name for name in FACTORS if name in settings):
            reason = _put(domain, name, settings[name], on)
            if reason is not None:
                left[name] = reason
    return ElementTree.tostring(domain, encoding="unicode"), left


def _put(domain: Element, name: str, level: str, on: Host) -> str | None:
    """Put a level into a domain; return why it is not, and leave the domain as it is then."""
    factor = FACTORS[name]
    if name in ELSEWHERE:
        return ELSEWHERE[name]
    if factor.edit is None:
        return "it is the host's, not the guest's"
    if name in NOT_HERE:
        return NOT_HERE[name]
    if not level:
        return "assay cannot tell what it was before: take its element away by hand"
    tried = _draft(deepcopy(domain), on)
    made = _making(tried)
    factor.edit(tried, level)
    reason = _beside(tried, made, _words(domain))
    if reason is None and ElementTree.tostring(tried.domain) != ElementTree.tostring(domain):
        if name == "disk.bus":
            _without_address(tried.domain)
        _once(tried.domain)
        _become(domain, tried.domain)
    return reason


def _beside(tried: Draft, made: Mapping[str, object], words: list[str | None]) -> str | None:
    """Return what a level asks for that is not of the definition; ``None`` where all of it is."""
    if tried.kernel_words:
        return f"it is of the guest's kernel, on its command line: {' '.join(tried.kernel_words)}"
    if _making(tried) != made:
        return f"it is of the disk's making: qemu-img convert -O {tried.disk_format}, with the guest stopped"
    if _words(tried.domain) != words:
        return "it is of QEMU's command line: libvirt has no element for it"
    return None


def _draft(domain: Element, on: Host) -> Draft:
    vcpu, memory = domain.find("vcpu"), domain.find("memory")
    count = int((vcpu.text if vcpu is not None else None) or "1")
    size = 0 if memory is None else int(memory.text or "0") * _UNITS.get(memory.get("unit", "KiB"), 2**10)
    kind = domain.get("type", "")
    return Draft(domain, _ACCELERATORS.get(kind, kind), count, size, on.cpus)


def _making(draft: Draft) -> Mapping[str, object]:
    return {
        one.name: deepcopy(getattr(draft, one.name)) for one in fields(draft) if one.name.startswith("disk_")
    }


def _without_address(domain: Element) -> None:
    """Leave a disk's place on its bus to libvirt: that of another bus is none."""
    disk = domain.find("devices/disk")
    if disk is not None:
        for address in disk.findall("address"):
            disk.remove(address)


def _words(domain: Element) -> list[str | None]:
    """Return the words of QEMU's command line that a domain adds."""
    return [
        word.get("value")
        for word in domain.iterfind(f"{{{QEMU_NAMESPACE}}}commandline/{{{QEMU_NAMESPACE}}}arg")
    ]


def _once(domain: Element) -> None:
    """Leave each element once that a factor adds to others of its tag: the one that was there, or the new
    level.
    """
    for parent in list(domain.iter()):
        for tag, key, newest in _ADDED:
            seen: dict[tuple[str | None, ...], Element] = {}
            for child in parent.findall(tag):
                which = tuple(child.get(name) for name in key)
                if which in seen:
                    parent.remove(seen[which] if newest else child)
                if newest or which not in seen:
                    seen[which] = child


def _become(domain: Element, other: Element) -> None:
    domain[:] = list(other)
    domain.attrib.clear()
    domain.attrib.update(other.attrib)


@contextmanager
def _first_disk(domain: Element) -> Iterator[None]:
    """Let the first disk that is none of a drive (a CD-ROM) be the first of all while factors change it."""
    devices = domain.find("devices")
    drives = [] if devices is None else _drives_before(devices)
    if devices is None or not drives:
        yield
        return
    place = list(devices).index(drives[0])
    for drive in drives:
        devices.remove(drive)
    yield
    devices = domain.find("devices")
    assert devices is not None  # noqa: S101 - factors take no such thing away
    for at, drive in enumerate(drives):
        devices.insert(place + at, drive)


def _drives_before(devices: Element) -> list[Element]:
    """Return the drives that stand before the first disk."""
    found: list[Element] = []
    for disk in devices.findall("disk"):
        if disk.get("device", "disk") == "disk":
            return found
        found.append(disk)
    return []
