"""Levels in the words of KubeVirt: what stands below a machine's ``spec.domain``."""

from __future__ import annotations

from typing import Any

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Settings
from assay.factors.export.words import ALONE, Exported, Say, Word, flags, one_of, topology, words_for
from assay.model.units import parse_bytes

_YES = {"on": "true", "off": "false", "yes": "true", "no": "false"}
_DISK, _NET = "devices.disks.0", "devices.interfaces.0"
_SAME = {"virtio": "virtio", "scsi": "scsi", "sata": "sata", "usb": "usb"}
_CARDS = {name: name for name in ("virtio", "e1000", "e1000e", "rtl8139")}


def _topology(level: str, _all: Settings) -> tuple[Word, ...]:
    return tuple(Word("cpu", name, count) for name, count in topology(level).items())


def _vcpus(level: str, settings: Settings) -> tuple[Word, ...]:
    layout = settings.get("cpu.topology")
    return (Word("cpu", "cores", level),) if layout is None else _topology(layout, settings)


def _features(level: str, _all: Settings) -> tuple[Word, ...]:
    return tuple(
        word
        for number, (name, wanted) in enumerate(flags(level).items())
        for word in (
            Word(f"cpu.features.{number}", "name", name),
            Word(f"cpu.features.{number}", "policy", "require" if wanted else "disable"),
        )
    )


def _iothread(level: str, settings: Settings) -> tuple[Word, ...]:
    """Say a thread of the disk's own, which KubeVirt refuses on another bus than virtio."""
    if level != "on":
        return (Word(_DISK, "dedicatedIOThread", "false"),)
    if settings.get("disk.bus", "virtio") != "virtio":
        return ()
    return (
        Word("", "ioThreadsPolicy", "auto"),
        Word(f"{_DISK}.disk", "bus", "virtio"),
        Word(_DISK, "dedicatedIOThread", "true"),
    )


def _all_vcpus(key: str) -> Say:
    """Return what says as many queues as vCPUs: KubeVirt knows no other number."""
    return lambda level, settings: (
        (Word("devices", key, "true"),) if level == settings.get("cpu.vcpus") else ()
    )


def _guest(level: str, _all: Settings) -> tuple[Word, ...]:
    return (Word("memory", "guest", f"{parse_bytes(level) // 1024**2}Mi"),)


_WORDS: dict[str, Say] = {
    "cpu.vcpus": _vcpus,
    "cpu.mode": one_of("cpu", "model", {"host-passthrough": "host-passthrough", "host-model": "host-model"}),
    "cpu.model": lambda level, _all: (Word("cpu", "model", level),),
    "cpu.feature": _features,
    "cpu.topology": _topology,
    "cpu.vcpupin": one_of("cpu", "dedicatedCpuPlacement", {"1:1": "true", "none": "false"}),
    "clock.hpet": one_of("clock.timer.hpet", "present", _YES),
    "memory.size": _guest,
    "memory.hugepages": one_of("memory.hugepages", "pageSize", {"2 MiB": "2Mi", "1 GiB": "1Gi"}),
    "memory.memballoon": one_of("devices", "autoattachMemBalloon", {"none": "false", "virtio": "true"}),
    "disk.cache": one_of(_DISK, "cache", {level: level for level in ("none", "writeback", "writethrough")}),
    "disk.io": one_of(_DISK, "io", {"native": "native", "threads": "threads"}),
    "disk.bus": one_of(f"{_DISK}.disk", "bus", _SAME),
    "disk.iothread": _iothread,
    "disk.queues": _all_vcpus("blockMultiQueue"),
    "net.model": one_of(_NET, "model", _CARDS),
    "net.queues": _all_vcpus("networkInterfaceMultiqueue"),
}


def to_kubevirt(settings: Settings, _on: Host, guest: Settings = ALONE) -> Exported:
    """Return YAML to merge into a VirtualMachine's ``spec.template.spec``; DISK and NETWORK are its names.

    Source: KubeVirt's ``api/core/v1/schema.go``, and what its admission webhook refuses.
    """
    words, left = words_for(settings, _WORDS, "KubeVirt", guest)
    tree: dict[str, Any] = {}
    words = _named(words)
    for word in words:
        inner = tree
        for step in filter(None, word.place.split(".")):
            inner = inner.setdefault(step, {})
        inner[word.key] = word.value
    lines = ["domain:", *_yaml(tree, 1)] if tree else []
    return Exported("".join(f"{line}\n" for line in lines), left)


def _named(words: list[Word]) -> list[Word]:
    """Return the words with the names that KubeVirt wants of each disk and interface: yours stand there."""
    found: list[Word] = []
    left = {_DISK: "DISK", _NET: "NETWORK"}
    for word in words:
        place = next((place for place in left if word.place.startswith(place)), None)
        if place is not None:
            found.append(Word(place, "name", left.pop(place)))
        found.append(word)
    return found


def _yaml(tree: dict[str, Any], depth: int) -> list[str]:
    """Return block YAML; keys that are numbers make a list."""
    lines: list[str] = []
    for key, value in tree.items():
        inner = _yaml(value, depth + 1) if isinstance(value, dict) else []
        indent = "  " * depth
        if key.isdigit():
            lines += [f"{indent}- {inner[0].strip()}", *inner[1:]]
        else:
            lines += [f"{indent}{key}:", *inner] if inner else [f"{indent}{key}: {value}"]
    return lines
