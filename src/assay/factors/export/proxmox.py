"""Levels in the words of Proxmox VE: one ``qm set``."""

from __future__ import annotations

import re
import shlex

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Settings
from assay.factors.export.words import (
    ALONE,
    Exported,
    Say,
    Word,
    as_it_is,
    flags,
    one_of,
    topology,
    words_for,
)
from assay.model.units import parse_bytes

_DISK, _NET, _CPU = "disk", "net", "cpu"
_BUSES = ("virtio", "scsi", "sata", "ide")
_CARDS = ("virtio", "e1000", "e1000e", "rtl8139", "vmxnet3")
_TYPES = {"host-passthrough": "host", "maximum": "max"}
_FLAGS = {
    *("aes", "amd-no-ssb", "amd-ssbd", "hv-evmcs", "hv-tlbflush", "ibpb", "md-clear", "pcid", "pdpe1gb"),
    *("spec-ctrl", "ssbd", "virt-ssbd"),
}
"""Those that a ``--cpu flags=`` takes."""
_CONTROLLER = Word("", "--scsihw", "virtio-scsi-single")
"""The one with a thread and queues for each disk."""


def _features(level: str, settings: Settings) -> tuple[Word, ...]:
    """Say features with the type that they are of: ``--cpu`` says both at once."""
    mode = settings.get("cpu.mode", "host-passthrough")
    kind = settings.get("cpu.model") or _TYPES.get(mode)
    wanted = flags(level)
    spelt = ";".join(f"{'+' if on else '-'}{name}" for name, on in wanted.items())
    if kind is None or not set(wanted) <= _FLAGS:
        return ()
    return Word(_CPU, "type", kind), Word(_CPU, "flags", spelt)


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


def _of_disk(say: Say, buses: tuple[str, ...] = _BUSES) -> Say:
    """Return what says a level of the disk on the bus that it has: the option's name is the bus."""

    def words(level: str, settings: Settings) -> tuple[Word, ...]:
        bus, found = settings.get("disk.bus", "virtio"), say(level, settings)
        return (Word(_DISK, "bus", bus), *found) if found and bus in buses else ()

    return words


def _bus(level: str, _all: Settings) -> tuple[Word, ...]:
    if level == "scsi":
        return Word(_DISK, "bus", level), _CONTROLLER
    return (Word(_DISK, "bus", level),) if level in _BUSES else ()


def _iothread(level: str, settings: Settings) -> tuple[Word, ...]:
    """Say a thread of the disk's own, which another SCSI controller would not give it."""
    controller = (_CONTROLLER,) if level == "on" and settings.get("disk.bus") == "scsi" else ()
    return *controller, Word(_DISK, "iothread", "1" if level == "on" else "0")


def _queues(level: str, _all: Settings) -> tuple[Word, ...]:
    """Say queues of a disk, two or more."""
    return (_CONTROLLER, Word(_DISK, "queues", level)) if int(level) >= 2 else ()


def _of_card(say: Say, cards: tuple[str, ...] = _CARDS) -> Say:
    """Return what says a level of the card beside its model: ``--net0`` says both at once."""

    def words(level: str, settings: Settings) -> tuple[Word, ...]:
        model, found = settings.get("net.model", "virtio"), say(level, settings)
        bridge = () if settings.get("net.backend") == "user" else (Word(_NET, "bridge", "BRIDGE"),)
        return (Word(_NET, "model", model), *bridge, *found) if found and model in cards else ()

    return words


def _hugepages(level: str, _all: Settings) -> tuple[Word, ...]:
    """Say huge pages, which Proxmox takes with NUMA alone."""
    size = {"2 MiB": "2", "1 GiB": "1024"}.get(level)
    return () if size is None else (Word("", "--numa", "1"), Word("", "--hugepages", size))


_WORDS: dict[str, Say] = {
    "cpu.vcpus": _vcpus,
    "cpu.mode": one_of(_CPU, "type", _TYPES),
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
    "disk.cache": _of_disk(as_it_is(_DISK, "cache")),
    "disk.io": _of_disk(as_it_is(_DISK, "aio")),
    "disk.discard": _of_disk(one_of(_DISK, "discard", {"ignore": "ignore", "unmap": "on"})),
    "disk.detect_zeroes": _of_disk(one_of(_DISK, "detect_zeroes", {"off": "0", "on": "1"})),
    "disk.iothread": _of_disk(_iothread, ("virtio", "scsi")),
    "disk.queues": _of_disk(_queues, ("scsi",)),
    "net.model": _of_card(lambda level, _all: (Word(_NET, "model", level),)),
    "net.backend": _of_card(one_of(_NET, "bridge", {"bridge": "BRIDGE"})),
    "net.queues": _of_card(as_it_is(_NET, "queues"), ("virtio",)),
    "net.mtu": _of_card(as_it_is(_NET, "mtu"), ("virtio",)),
}


def to_proxmox(settings: Settings, _on: Host, guest: Settings = ALONE) -> Exported:
    """Return a ``qm set``; ID, VOLUME, MAC and BRIDGE are the site's.

    A disk and a card of which nothing is said are virtio, a processor the host's, as in assay's guests. An
    option of several levels takes the place of all of them: those that the guest keeps are said, too.

    Source: ``qm.conf(5)``; qemu-server's ``QemuServer/Drive.pm``, ``Network.pm``, ``CPUConfig.pm``.
    """
    said = {_option(name) for name in settings} - {None}
    kept = {name: level for name, level in guest.items() if _option(name) in said}
    words, reasons = words_for({**kept, **settings}, _WORDS, "Proxmox", guest)
    left = {name: reason for name, reason in reasons.items() if name in settings}
    plain = [f"{word.key} {shlex.quote(word.value)}" for word in words if not word.place]
    options = [*plain, *_grouped(words)]
    return Exported(f"qm set ID {' '.join(options)}\n" if options else "", left)


def _option(name: str) -> str | None:
    """Return the option that says several levels, this one among them; ``None`` for none."""
    group = name.partition(".")[0]
    if group in {_DISK, _NET}:
        return group
    return _CPU if name in {"cpu.mode", "cpu.model", "cpu.feature"} else None


def _grouped(words: list[Word]) -> list[str]:
    """Return the options that take several words at once."""
    parts = {place: {w.key: w.value for w in words if w.place == place} for place in (_CPU, _DISK, _NET)}
    heads = {
        _CPU: ("--cpu", parts[_CPU].pop("type", "")),
        _DISK: (f"--{parts[_DISK].pop('bus', '')}0", "VOLUME"),
        _NET: ("--net0", f"{parts[_NET].pop('model', '')}=MAC"),
    }
    there = {word.place for word in words}
    return [
        (
            f"{option} "
            f"{shlex.quote(','.join([head, *(f'{key}={value}' for key, value in parts[place].items())]))}"
        )
        for place, (option, head) in heads.items()
        if place in there
    ]
