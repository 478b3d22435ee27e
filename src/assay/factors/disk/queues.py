"""Factors of how requests travel from a guest to QEMU."""

from __future__ import annotations

from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import Factor
from assay.factors.base.levels import SWITCH, Whole
from assay.factors.base.versions import too_old
from assay.factors.disk import seen as disk_seen
from assay.factors.disk.virtio import TREE, WHERE, set_driver, virtio_path


def _iothread(draft: Draft, level: str) -> None:
    if level == "on":
        draft.at("iothreads").text = "1"
        draft.at("cputune")
        if draft.at("cputune").find("iothreadpin") is None:
            cpus = ",".join(map(str, draft.cpus))
            draft.add("cputune/iothreadpin", iothread="1", cpuset=cpus)
        set_driver(draft, iothread="1")


def _actual_iothread(seen: Evidence, _wanted: str) -> str:
    path = virtio_path(disk_seen.virtio(seen))
    if path is None:
        return "off"
    name = seen.ask("qom-get", path=path, property="iothread")  # the tree of devices leaves it out
    return "on" if name in {f"/objects/{thread['id']}" for thread in seen.ask("query-iothreads")} else "off"


def _queues(draft: Draft, level: str) -> None:
    set_driver(draft, queues=level)


def _actual_queues(seen: Evidence, _wanted: str) -> str:
    device = disk_seen.virtio(seen)
    if device is None:
        return "1"
    count = int(device.properties.get("num-queues") or device.properties["num_queues"])
    vcpus = len(seen.ask("query-cpus-fast"))
    return str(count) if count <= vcpus else f"{count}, of which {vcpus} vCPUs use {vcpus}"


def _queue_size(draft: Draft, level: str) -> None:
    set_driver(draft, queue_size=level)


def _actual_queue_size(seen: Evidence, _wanted: str) -> str:
    device = disk_seen.virtio(seen)
    properties = {} if device is None else device.properties
    return properties.get("queue-size") or properties.get("virtqueue_size") or "no queue of virtio"


def _ioeventfd(draft: Draft, level: str) -> None:
    set_driver(draft, ioeventfd=level)


def _actual_ioeventfd(seen: Evidence, _wanted: str) -> str:
    value = disk_seen.inherited(disk_seen.virtio(seen), "ioeventfd")
    return "on" if value == "true" else "off"


def _needs_queue_size(host: Host, _level: str | None) -> str | None:
    return too_old(host, libvirt=(7, 8, 0))


FACTORS = (
    Factor(
        "disk.iothread",
        "the disk has a thread of its own in QEMU",
        SWITCH,
        "off, the main loop",
        f"iothreads; {WHERE} @iothread",
        "QMP qom-get, iothread of the virtio device; query-iothreads",
        _actual_iothread,
        edit=_iothread,
    ),
    Factor(
        "disk.queues",
        "queues between guest and QEMU",
        Whole(1, 1024, (1, 2, 4)),
        "as many as vCPUs",
        f"{WHERE} @queues",
        f"{TREE}, num-queues; QMP query-cpus-fast",
        _actual_queues,
        edit=_queues,
        note="libvirt takes more queues than vCPUs; the guest uses one a vCPU",
    ),
    Factor(
        "disk.queue_size",
        "requests that fit into a queue",
        Whole(4, 1024, (64, 128, 256, 1024)),
        "256",
        "devices/disk/driver/@queue_size",
        f"{TREE}, queue-size",
        _actual_queue_size,
        edit=_queue_size,
        needs=_needs_queue_size,
    ),
    Factor(
        "disk.ioeventfd",
        "the guest's notices reach QEMU without stopping its vCPU",
        SWITCH,
        "on",
        f"{WHERE} @ioeventfd",
        f"{TREE}, ioeventfd",
        _actual_ioeventfd,
        edit=_ioeventfd,
    ),
)
