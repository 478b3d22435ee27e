"""Levels in the words of Proxmox VE: one ``qm set``."""

from __future__ import annotations

import re
import shlex

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Settings
from assay.factors.export.words import Exported, Say, Word, as_it_is, flags, one_of, topology, words_for
from assay.model.units import parse_bytes

_DISK, _NET, _CPU = "disk", "net", "cpu"
_BUSES = ("virtio", "scsi", "sata", "ide")
_FLAGS = {"aes", "amd-no-ssb", "amd-ssbd", "ibpb", "md-clear", "pcid", "pdpe1gb", "spec-ctrl", "ssbd"}
"""Those that a ``--cpu flags=`` takes."""


def _features(level: str, _all: Settings) -> tuple[Word, ...]:
    wanted = flags(level)
    spelt = ";".join(f"{'+' if on else '-'}{name}" for name, on in wanted.items())
    return (Word(_CPU, "flags", spelt),) if set(wanted) <= _FLAGS else ()


def _topology(level: str, _all: Settings) -> tuple[Word, ...]:
    parts = topology(level)
    if parts["threads"] != "1":
        return ()
    return Word("", "--sockets", parts["sockets"]), Word("", "--cores", parts["cores"])


def _vcpus(level: str, settings: Settings) -> tuple[Word, ...]:
    if "cpu.topology" in settings:
        return _topology(settings["cpu.topology"], settings)
    return Word("", "--sockets", "1"), Word("", "--cores", level)


def _affinity(level: str, _all: Settings) -> tuple[Word, ...]:
    """Say a set of processors for the whole guest, the only pins that there are."""
    return (Word("", "--affinity", level),) if re.fullmatch(r"[0-9,-]+", level) else ()


def _limit(level: str, _all: Settings) -> tuple[Word, ...]:
    return (Word("", "--cpulimit", "0" if level == "none" else f"{float(level.removesuffix('%')) / 100:g}"),)


def _bus(level: str, _all: Settings) -> tuple[Word, ...]:
    if level == "scsi":
        return Word(_DISK, "bus", level), Word("", "--scsihw", "virtio-scsi-single")
    return (Word(_DISK, "bus", level),) if level in _BUSES else ()


def _hugepages(level: str, _all: Settings) -> tuple[Word, ...]:
    """Say huge pages, which Proxmox takes with NUMA alone."""
    size = {"2 MiB": "2", "1 GiB": "1024"}.get(level)
    return () if size is None else (Word("", "--numa", "1"), Word("", "--hugepages", size))


def _queues(level: str, settings: Settings) -> tuple[Word, ...]:
    return (Word(_DISK, "queues", level),) if settings.get("disk.bus") == "scsi" else ()


_WORDS: dict[str, Say] = {
    "cpu.vcpus": _vcpus,
    "cpu.mode": one_of(_CPU, "type", {"host-passthrough": "host", "maximum": "max"}),
    "cpu.model": as_it_is(_CPU, "type"),
    "cpu.feature": _features,
    "cpu.topology": _topology,
    "cpu.vcpupin": _affinity,
    "cpu.shares": as_it_is("", "--cpuunits"),
    "cpu.global_quota": _limit,
    "memory.size": lambda level, _all: (Word("", "--memory", str(parse_bytes(level) // 1024**2)),),
    "memory.hugepages": _hugepages,
    "memory.memballoon": one_of("", "--balloon", {"none": "0"}),
    "memory.nosharepages": one_of("", "--allow-ksm", {"on": "0", "off": "1"}),
    "disk.bus": _bus,
    "disk.cache": as_it_is(_DISK, "cache"),
    "disk.io": as_it_is(_DISK, "aio"),
    "disk.discard": one_of(_DISK, "discard", {"ignore": "ignore", "unmap": "on"}),
    "disk.detect_zeroes": one_of(_DISK, "detect_zeroes", {"off": "0", "on": "1"}),
    "disk.iothread": one_of(_DISK, "iothread", {"on": "1", "off": "0"}),
    "disk.queues": _queues,
    "net.model": as_it_is(_NET, "model"),
    "net.backend": one_of(_NET, "bridge", {"bridge": "BRIDGE"}),
    "net.queues": as_it_is(_NET, "queues"),
    "net.mtu": as_it_is(_NET, "mtu"),
}


def to_proxmox(settings: Settings, _on: Host) -> Exported:
    """Return a ``qm set``; ID, VOLUME and BRIDGE are the site's."""
    words, left = words_for(settings, _WORDS, "Proxmox")
    plain = [f"{word.key} {shlex.quote(word.value)}" for word in words if not word.place]
    options = [*plain, *_grouped(words)]
    return Exported(f"qm set ID {' '.join(options)}\n" if options else "", left)


def _grouped(words: list[Word]) -> list[str]:
    """Return the options that take several words at once."""
    parts = {place: {w.key: w.value for w in words if w.place == place} for place in (_CPU, _DISK, _NET)}
    bus, model = parts[_DISK].pop("bus", "scsi"), parts[_NET].pop("model", "virtio")
    of_disk = parts[_DISK] or any(word.key == "bus" for word in words)
    kind = parts[_CPU].pop("type", None)
    heads = {
        _CPU: ("--cpu", kind or "kvm64", bool(kind or parts[_CPU])),
        _DISK: (f"--{bus}0", "VOLUME", bool(of_disk)),
        _NET: ("--net0", model, any(word.place == _NET for word in words)),
    }
    return [
        (
            f"{option} "
            f"{shlex.quote(','.join([head, *(f'{key}={value}' for key, value in parts[place].items())]))}"
        )
        for place, (option, head, there) in heads.items()
        if there
    ]
