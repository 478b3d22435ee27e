"""Levels as libvirt's XML, and as the ``virt-xml`` command that writes it: edits of an empty domain."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import fields
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from assay.factors.catalogue import FACTORS, apply_to
from assay.factors.draft import QEMU_NAMESPACE, Draft
from assay.factors.evidence import Host
from assay.factors.export_words import Exported
from assay.factors.factor import Settings

_EMPTY = "<domain><devices><disk><driver/><target/></disk><interface/></devices></domain>"
_NAMES = ("id", "name", "vcpu", "vcpus", "iothread", "cell", "cellid", "type", "model")
"""Attributes that tell elements of one tag apart, the first that there is."""
_MANY = {"timer", "vcpupin", "iothreadpin", "feature"}
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
    vcpus = int(settings.get("cpu.vcpus", "1"))
    draft = Draft(ElementTree.fromstring(_EMPTY), on.accelerator, vcpus, 0, on.cpus)  # noqa: S314 - it is ours
    apply_to(draft, settings)
    for path in (
        "devices/disk/driver",
        "devices/disk/target",
        "devices/disk",
        "devices/interface",
        "devices",
    ):
        element = draft.domain.find(path)
        if element is not None and not (len(element) or element.attrib):
            draft.drop(path)
    return draft


def _lost(name: str, settings: Settings, on: Host) -> str | None:
    """Return why a level is not in the XML; ``None`` where it is."""
    if FACTORS[name].edit is None:
        return "it is the host's, not the guest's"
    context = {"cpu.vcpus": settings["cpu.vcpus"]} if "cpu.vcpus" in settings else {}
    alone = _applied({**context, name: settings[name]}, on)
    if alone.kernel_words:
        return f"it is of the guest's kernel, on its command line: {' '.join(alone.kernel_words)}"
    if _of_making(alone) != _of_making(_applied(context, on)):
        options = [f" -o {key}={value}" for key, value in alone.disk_options.items()]
        return f"it is of the disk's making: qemu-img create -f {alone.disk_format}{''.join(options)}"
    written = len(list(alone.domain.iter())) > len(list(_applied(context, on).domain.iter()))
    return None if written or name in context else "no element says it: it is so where nothing is said"


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
