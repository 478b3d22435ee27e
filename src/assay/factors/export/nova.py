"""Levels in the words of OpenStack's Nova: flavor, image properties, ``nova.conf``."""

from __future__ import annotations

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
    in_these_words,
    one_of,
    topology,
    words_for,
)
from assay.model.units import parse_bytes

_FLAVOR, _IMAGE, _LIBVIRT, _DEFAULT = "flavor", "image", "[libvirt]", "[DEFAULT]"
_YES = {"on": "true", "off": "false", "yes": "true", "no": "false"}
_PERIOD_US = 100_000
_PAGES = {"none": "small", "2 MiB": "2MB", "1 GiB": "1GB"}
_CARDS = ("virtio", "e1000e", "e1000", "rtl8139")
"""Those that Nova's libvirt driver starts by KVM (``SUPPORTED_VIF_MODELS``)."""
_RINGS = ("256", "512", "1024")
"""Sizes that ``[libvirt] rx_queue_size`` and ``tx_queue_size`` take."""


def _mib(place: str, key: str) -> Say:
    return lambda level, _all: (Word(place, key, str(parse_bytes(level) // 1024**2)),)


def _topology(level: str, _all: Settings) -> tuple[Word, ...]:
    return tuple(Word(_FLAVOR, f"hw:cpu_{name}", count) for name, count in topology(level).items())


def _mode(level: str, settings: Settings) -> tuple[Word, ...]:
    """Say a mode: Nova has no ``maximum``, and ``custom`` comes with a model alone."""
    if level == "custom":
        return _model(settings["cpu.model"], settings) if "cpu.model" in settings else ()
    said = {"host-passthrough": "host-passthrough", "host-model": "host-model", "default": "none"}
    return one_of(_LIBVIRT, "cpu_mode", said)(level, settings)


def _model(level: str, _all: Settings) -> tuple[Word, ...]:
    """Say a model with its mode: with another one instances do not start."""
    return Word(_LIBVIRT, "cpu_mode", "custom"), Word(_LIBVIRT, "cpu_models", level)


def _locked(level: str, settings: Settings) -> tuple[Word, ...]:
    """Say locked memory with a size of pages, without which Nova refuses the flavor."""
    size = _PAGES.get(settings.get("memory.hugepages", "none"))
    if size is None:
        return ()
    return Word(_FLAVOR, "hw:locked_memory", _YES[level]), Word(_FLAVOR, "hw:mem_page_size", size)


def _features(level: str, settings: Settings) -> tuple[Word, ...]:
    if settings.get("cpu.mode") in {"default", "maximum"}:
        return ()  # read by Nova with the other modes alone
    spelt = ",".join(f"{'+' if wanted else '-'}{name}" for name, wanted in flags(level).items())
    return (Word(_LIBVIRT, "cpu_model_extra_flags", spelt),)


def _quota(level: str, _all: Settings) -> tuple[Word, ...]:
    if level == "none":
        return ()  # the key is to be taken away: a flavor's quota is 0 or more
    quota = round(float(level.removesuffix("%")) / 100 * _PERIOD_US)
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
    "cpu.mode": _mode,
    "cpu.model": _model,
    "cpu.feature": _features,
    "cpu.pmu": one_of(_FLAVOR, "hw:pmu", _YES),
    "cpu.topology": _topology,
    "cpu.vcpupin": one_of(_FLAVOR, "hw:cpu_policy", {"1:1": "dedicated", "none": "shared"}),
    "cpu.shares": as_it_is(_FLAVOR, "quota:cpu_shares"),
    "cpu.quota": _quota,
    "clock.hpet": one_of(_IMAGE, "hw_time_hpet", _YES),
    "memory.size": _mib(_FLAVOR, "--ram"),
    "memory.hugepages": one_of(_FLAVOR, "hw:mem_page_size", _PAGES),
    "memory.locked": _locked,
    "numa.cell": one_of(_FLAVOR, "hw:numa_nodes", {str(count): str(count) for count in range(1, 65)}),
    "disk.cache": _cache,
    "disk.bus": _bus,
    "disk.discard": as_it_is(_LIBVIRT, "hw_disk_discard"),
    "disk.format": as_it_is(_LIBVIRT, "images_type"),
    "disk.packed": one_of(_FLAVOR, "hw:virtio_packed_ring", _YES),
    "disk.preallocation": one_of(_DEFAULT, "preallocate_images", {"off": "none", "falloc": "space"}),
    "net.model": in_these_words(_IMAGE, "hw_vif_model", _CARDS),
    "net.queues": _queues,
    "net.rx_queue_size": in_these_words(_LIBVIRT, "rx_queue_size", _RINGS),
    "net.tx_queue_size": in_these_words(_LIBVIRT, "tx_queue_size", _RINGS),
    "tcg.tb-cache": _mib(_LIBVIRT, "tb_cache_size"),
}


def to_nova(settings: Settings, _on: Host, guest: Settings = ALONE) -> Exported:
    """Return commands for flavor and image, and lines for ``nova.conf``.

    Source: Nova's ``nova/conf/libvirt.py``, ``nova/api/validation/extra_specs``, ``virt/libvirt/vif.py``;
        ``hw:locked_memory`` by its release note.
    """
    words, left = words_for(settings, _WORDS, "Nova", guest)
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
