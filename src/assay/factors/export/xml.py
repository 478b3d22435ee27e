"""Levels as libvirt's XML, and as the ``virt-xml`` command that writes it: edits of an empty domain."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import fields
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from assay.factors.base.draft import QEMU_NAMESPACE, Draft
from assay.factors.base.evidence import Host
from assay.factors.base.factor import Settings
from assay.factors.catalogue import FACTORS, apply_to
from assay.factors.export.words import Exported
from assay.model.units import parse_bytes

_EMPTY = "<domain><devices><disk><driver/><target/></disk><interface/></devices></domain>"
_MAY_BE_EMPTY = (
    "cputune",
    "memory",
    "devices/disk/driver",
    "devices/disk/target",
    "devices/disk",
    "devices/interface",
    "devices",
)
_SIZES = ("cpu.vcpus", "memory.size")
_OF_SIZE = {"cpu.vcpupin": _SIZES[:1], "numa.cell": _SIZES}
"""Factors whose elements tell of every vCPU or of parts of the memory."""
_NAMES = ("id", "name", "vcpu", "vcpus", "iothread", "cell", "cellid", "type", "model")
"""Attributes that tell elements of one tag apart, the first that there is."""
_MANY = {"cell", "controller", "feature", "iothreadpin", "timer", "vcpupin"}
"""Tags of which a guest has several, even where a level writes one."""


def to_libvirt(settings: Settings, on: Host) -> Exported:
    """Return a domain that holds nothing but the levels: to be merged into a guest's own."""
    domain, left = _domain(settings, on)
    if not len(domain):
        return Exported("", left)
    ElementTree.register_namespace("qemu", QEMU_NAMESPACE)
    ElementTree.indent(domain)
    return Exported(ElementTree.tostring(domain, encoding="unicode") + "\n", left)


def to_virt_xml(settings: Settings, on: Host) -> Exported:
    """Return a command; DOMAIN is the guest's name."""
    domain, left = _domain(settings, on)
    for name in settings:
        if name not in left and not list(_paths(_applied({name: settings[name]}, on).domain, ".")):
            left[name] = "it is of QEMU's command line: take --format libvirt"
    options = [f"--xml {shlex.quote(word)}" for word in _paths(domain, ".")]
    return Exported(f"virt-xml DOMAIN --edit {' '.join(options)}\n" if options else "", left)


def _domain(settings: Settings, on: Host) -> tuple[Element, dict[str, str]]:
    why = {name: _lost(name, settings, on) for name in settings}
    left = {name: reason for name, reason in why.items() if reason is not None}
    draft = _applied({name: level for name, level in settings.items() if name not in left}, on)
    return draft.domain, left


def _applied(settings: Settings, on: Host) -> Draft:
    """Return an empty guest with levels, without the parts of it that stayed empty."""
    vcpus, memory = int(settings.get("cpu.vcpus", "1")), settings.get("memory.size", "2 GiB")
    domain = ElementTree.fromstring(_EMPTY)  # noqa: S314 (ours)
    draft = Draft(domain, on.accelerator, vcpus, parse_bytes(memory), on.cpus)
    apply_to(draft, settings)
    for pin in ("vcpupin", "iothreadpin"):
        if f"cpu.{pin}" not in settings:  # a guest of ours is confined to its cores whatever its levels say
            draft.drop(f"cputune/{pin}")
    for path in _MAY_BE_EMPTY:
        element = draft.domain.find(path)
        if element is not None and not (len(element) or element.attrib or element.text):
            draft.drop(path)
    return draft


def _lost(name: str, settings: Settings, on: Host) -> str | None:
    """Return why a level is not in the XML; ``None`` where it is."""
    if FACTORS[name].edit is None:
        return "it is the host's, not the guest's"
    if missing := [size for size in _OF_SIZE.get(name, ()) if size not in settings]:
        return f"it depends on {' and '.join(missing)}, which must be said with it"
    context = {size: settings[size] for size in _SIZES if size in settings and size != name}
    plain, alone = _applied(context, on), _applied({**context, name: settings[name]}, on)
    if alone.kernel_words:
        return f"it is of the guest's kernel, on its command line: {' '.join(alone.kernel_words)}"
    if _of_making(alone) != _of_making(plain):
        options = [f" -o {key}={value}" for key, value in alone.disk_options.items()]
        return f"it is of the disk's making: qemu-img create -f {alone.disk_format}{''.join(options)}"
    written = ElementTree.tostring(alone.domain) != ElementTree.tostring(plain.domain)
    return None if written else "no element says it: it is so where nothing is said"


def _of_making(draft: Draft) -> dict[str, object]:
    """Return what a draft says of the disk's making."""
    return {one.name: getattr(draft, one.name) for one in fields(draft) if one.name.startswith("disk_")}


def _paths(element: Element, path: str) -> Iterator[str]:
    """Yield what ``virt-xml --xml`` is given to make an element and all below it."""
    for child in element:
        if child.tag.startswith("{"):
            continue
        key = _key(child) if len(element.findall(child.tag)) > 1 or child.tag in _MANY else None
        here = f"{path}/{child.tag}" + ("" if key is None else f"[@{key}='{child.get(key)}']")
        words = [f"{here}/@{name}={value}" for name, value in child.attrib.items() if name != key]
        text = (child.text or "").strip()
        words += [f"{here}={text}"] if text else []
        yield from words or ([] if len(child) else [f"xpath.create={here}"])
        yield from _paths(child, here)


def _key(element: Element) -> str | None:
    return next((name for name in _NAMES if name in element.attrib), None)
