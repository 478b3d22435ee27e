"""Combinations of network levels that libvirt refuses, or accepts and lets fall."""

from __future__ import annotations

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Rule, Settings

_BEHIND_QEMU = {"user", "passt"}
_OF_VIRTIO = ("net.queues", "net.rx_queue_size", "net.tx_queue_size", "net.mtu")


def _queues_backend(settings: Settings, _host: Host) -> str | None:
    queues, backend = settings.get("net.queues", "1"), settings.get("net.backend")
    if queues == "1" or backend in {"bridge", "direct"}:
        return None
    if backend in _BEHIND_QEMU:
        return f"net.queues={queues} with net.backend={backend}: there are several queues only on taps"
    return f"net.queues={queues} needs net.backend=bridge or direct: a tap made ready has one queue"


def _queues_vcpus(settings: Settings, _host: Host) -> str | None:
    queues, vcpus = settings.get("net.queues", "1"), settings.get("cpu.vcpus")
    if vcpus is None or int(queues) <= int(vcpus):
        return None
    return f"net.queues={queues} with cpu.vcpus={vcpus}: a guest uses no more queues than it has vCPUs"


def _vhost(settings: Settings, _host: Host) -> str | None:
    if settings.get("net.driver") != "vhost":
        return None
    backend, model = settings.get("net.backend", ""), settings.get("net.model", "virtio")
    if backend in _BEHIND_QEMU:
        return f"net.driver=vhost with net.backend={backend}: accepted without effect, vhost serves taps"
    fault = f"net.driver=vhost with net.model={model}: accepted without effect, vhost serves virtio"
    return None if model == "virtio" else fault


def _mtu_backend(settings: Settings, _host: Host) -> str | None:
    backend = settings.get("net.backend")
    if "net.mtu" not in settings or backend not in {"user", "passt", "direct"}:
        return None
    return f"net.mtu with net.backend={backend}: libvirt sets it on bridges and on taps made ready alone"


def _of_virtio(settings: Settings, _host: Host) -> str | None:
    model = settings.get("net.model", "virtio")
    lost = [name for name in _OF_VIRTIO if name in settings and (name, settings[name]) != ("net.queues", "1")]
    if model == "virtio" or not lost:
        return None
    return f"{', '.join(lost)} with net.model={model}: accepted without effect, it is of virtio cards"


RULES = (
    Rule(("net.queues", "net.backend"), _queues_backend),
    Rule(("net.queues", "cpu.vcpus"), _queues_vcpus),
    Rule(("net.driver", "net.backend", "net.model"), _vhost),
    Rule(("net.mtu", "net.backend"), _mtu_backend),
    Rule(("net.model", *_OF_VIRTIO), _of_virtio),
)
