"""Levels in the words of OpenStack's Nova: flavor, image properties, ``nova.conf``."""

from __future__ import annotations

import shlex

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Settings
from assay.factors.export.words import Exported, Say, Word, as_it_is, flags, one_of, topology, words_for
from assay.model.units import parse_bytes

_FLAVOR, _IMAGE, _LIBVIRT, _DEFAULT = "flavor", "image", "[libvirt]", "[DEFAULT]"
_YES = {"on": "true", "off": "false", "yes": "true", "no": "false"}
_PERIOD_US = 100_000


def _mib(place: str, key: str) -> Say:
    return lambda level, _all: (Word(place, key, str(parse_bytes(level) // 1024**2)),)


def _topology(level: str, _all: Settings) -> tuple[Word, ...]:
    return tuple(Word(_FLAVOR, f"hw:cpu_{name}", count) for name, count in topology(level).items())


def _features(level: str, _all: Settings) -> tuple[Word, ...]:
    spelt = ",".join(f"{'+' if wanted else '-'}{name}" for name, wanted in flags(level).items())
    return (Word(_LIBVIRT, "cpu_model_extra_flags", spelt),)


def _quota(level: str, _all: Settings) -> tuple[Word, ...]:
    share = None if level == "none" else float(level.removesuffix("%"))
    quota = -1 if share is None else round(share / 100 * _PERIOD_US)
    return Word(_FLAVOR, "quota:cpu_period", str(_PERIOD_US)), Word(_FLAVOR, "quota:cpu_quota", str(quota))


def _bus(level: str, _all: Settings) -> tuple[Word, ...]:
    bus = Word(_IMAGE, "hw_disk_bus", level)
    if level == "scsi":
        return bus, Word(_IMAGE, "hw_scsi_model", "virtio-scsi")
    return (bus,) if level != "nvme" else ()


def _cache(level: str, _all: Settings) -> tuple[Word, ...]:
    """Say a cache mode for each kind of back end: files, volumes of LVM or iSCSI, those of Ceph."""
    kinds = ",".join(f"{kind}={level}" for kind in ("file", "block", "network"))
    return (Word(_LIBVIRT, "disk_cachemodes", kinds),)


def _queues(level: str, settings: Settings) -> tuple[Word, ...]:
    """Say as many queues as vCPUs: Nova knows no other number."""
    return (Word(_IMAGE, "hw_vif_multiqueue_enabled", "true"),) if level == settings.get("cpu.vcpus") else ()


_WORDS: dict[str, Say] = {
    "cpu.vcpus": as_it_is(_FLAVOR, "--vcpus"),
    "cpu.mode": lambda level, _all: (Word(_LIBVIRT, "cpu_mode", "none" if level == "default" else level),),
    "cpu.model": as_it_is(_LIBVIRT, "cpu_models"),
    "cpu.feature": _features,
    "cpu.pmu": one_of(_FLAVOR, "hw:pmu", _YES),
    "cpu.topology": _topology,
    "cpu.vcpupin": one_of(_FLAVOR, "hw:cpu_policy", {"1:1": "dedicated", "none": "shared"}),
    "cpu.shares": as_it_is(_FLAVOR, "quota:cpu_shares"),
    "cpu.quota": _quota,
    "clock.hpet": one_of(_IMAGE, "hw_time_hpet", _YES),
    "memory.size": _mib(_FLAVOR, "--ram"),
    "memory.hugepages": one_of(
        _FLAVOR, "hw:mem_page_size", {"none": "small", "2 MiB": "2MB", "1 GiB": "1GB"}
    ),
    "memory.locked": one_of(_FLAVOR, "hw:locked_memory", _YES),
    "numa.cell": one_of(_FLAVOR, "hw:numa_nodes", {str(count): str(count) for count in range(1, 65)}),
    "disk.cache": _cache,
    "disk.bus": _bus,
    "disk.discard": as_it_is(_LIBVIRT, "hw_disk_discard"),
    "disk.format": as_it_is(_LIBVIRT, "images_type"),
    "disk.packed": one_of(_FLAVOR, "hw:virtio_packed_ring", _YES),
    "disk.preallocation": one_of(_DEFAULT, "preallocate_images", {"off": "none", "falloc": "space"}),
    "net.model": as_it_is(_IMAGE, "hw_vif_model"),
    "net.queues": _queues,
    "net.rx_queue_size": as_it_is(_LIBVIRT, "rx_queue_size"),
    "net.tx_queue_size": as_it_is(_LIBVIRT, "tx_queue_size"),
    "tcg.tb-cache": _mib(_LIBVIRT, "tb_cache_size"),
}


def to_nova(settings: Settings, _on: Host) -> Exported:
    """Return commands for flavor and image, and lines for ``nova.conf``."""
    words, left = words_for(settings, _WORDS, "Nova")
    lines = [*_commands(words), *_sections(words)]
    return Exported("".join(f"{line}\n" for line in lines), left)


def _commands(words: list[Word]) -> list[str]:
    size = [f"{word.key} {word.value}" for word in words if word.key.startswith("--")]
    flavor = ["openstack", "flavor", "create" if size else "set", *size]
    heads = {_FLAVOR: [*flavor, "FLAVOR"], _IMAGE: ["openstack", "image", "set", "IMAGE"]}
    commands = []
    for place, head in heads.items():
        mine = [word for word in words if word.place == place]
        properties = [
            f"--property {shlex.quote(f'{word.key}={word.value}')}"
            for word in mine
            if not word.key.startswith("--")
        ]
        commands += [" ".join([*head, *properties])] if mine else []
    return commands


def _sections(words: list[Word]) -> list[str]:
    lines = []
    for place in (_DEFAULT, _LIBVIRT):
        mine = [f"{word.key} = {word.value}" for word in words if word.place == place]
        lines += ["# nova.conf", place, *mine] if mine else []
    return lines
