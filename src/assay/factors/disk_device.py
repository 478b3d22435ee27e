"""Factors of the device that a guest sees its disk as."""

from __future__ import annotations

from assay.factors import disk_seen
from assay.factors.draft import Draft
from assay.factors.evidence import Evidence, Host
from assay.factors.factor import Effect, Factor
from assay.factors.levels import SWITCH, Whole, Words
from assay.factors.qtree import Device
from assay.factors.versions import too_old

_TARGETS = {"virtio": "vda", "scsi": "sda", "sata": "sda", "ide": "hda", "usb": "sda", "nvme": "nvme0n1"}
_KINDS = (
    # (device, a device above it, bus), from QEMU's names of devices
    ("virtio-blk-device", "virtio-blk-pci", "virtio"),
    ("scsi-hd", "virtio-scsi-device", "scsi"),
    ("scsi-hd", "usb-storage", "usb"),
    ("ide-hd", "ich9-ahci", "sata"),
    ("ide-hd", "piix3-ide", "ide"),
    ("nvme-ns", "nvme", "nvme"),
)
_SCSI = "controller[@type='scsi']"


def _bus(draft: Draft, level: str) -> None:
    draft.at("devices/disk/target", dev=_TARGETS[level], bus=level)
    if level == "scsi":
        draft.add("devices/controller", type="scsi", index="0", model="virtio-scsi")
    elif level == "usb":
        draft.drop("devices/controller[@type='usb']")
        draft.add("devices/controller", type="usb", index="0", model="qemu-xhci")
    elif level == "ide":
        draft.at("os/type", machine="pc")  # q35 has no IDE
    elif level == "nvme":
        draft.at("devices/disk/serial").text = "assay"  # QEMU starts no NVMe disk without one


def _found_bus(seen: Evidence, _wanted: str) -> str:
    found = disk_seen.device(seen)
    if found is None:
        return "no device has the disk"
    above = [one.kind for one in found.up]
    buses = (bus for kind, over, bus in _KINDS if found.kind == kind and over in above)
    return next(buses, " on ".join(above[:3]))


def _needs_bus(host: Host, level: str | None) -> str | None:
    return too_old(host, libvirt=(11, 5, 0)) if level == "nvme" else None


def _driver(draft: Draft, **attributes: str) -> None:
    """Set attributes where libvirt takes them: on the disk's driver, or on that of its SCSI controller."""
    controller = draft.at("devices").find(_SCSI)
    draft.at("devices/disk/driver" if controller is None else f"devices/{_SCSI}/driver", **attributes)


def _iothread(draft: Draft, level: str) -> None:
    if level == "on":
        draft.at("iothreads").text = "1"
        draft.at("cputune")
        if draft.at("cputune").find("iothreadpin") is None:
            cpus = ",".join(map(str, draft.cpus))
            draft.add("cputune/iothreadpin", iothread="1", cpuset=cpus)
        _driver(draft, iothread="1")


def _found_iothread(seen: Evidence, _wanted: str) -> str:
    path = _path(disk_seen.virtio(seen))
    if path is None:
        return "off"
    name = seen.ask("qom-get", path=path, property="iothread")  # the tree of devices leaves it out
    return "on" if name in {f"/objects/{thread['id']}" for thread in seen.ask("query-iothreads")} else "off"


def _queues(draft: Draft, level: str) -> None:
    _driver(draft, queues=level)


def _found_queues(seen: Evidence, _wanted: str) -> str:
    found = disk_seen.virtio(seen)
    if found is None:
        return "1"
    count = int(found.properties.get("num-queues") or found.properties["num_queues"])
    vcpus = len(seen.ask("query-cpus-fast"))
    return str(count) if count <= vcpus else f"{count}, of which {vcpus} vCPUs use {vcpus}"


def _queue_size(draft: Draft, level: str) -> None:
    _driver(draft, queue_size=level)


def _found_queue_size(seen: Evidence, _wanted: str) -> str:
    found = disk_seen.virtio(seen)
    properties = {} if found is None else found.properties
    return properties.get("queue-size") or properties.get("virtqueue_size") or "no queue of virtio"


def _packed(draft: Draft, level: str) -> None:
    _driver(draft, packed=level)


def _found_packed(seen: Evidence, _wanted: str) -> str:
    return _negotiated(seen, disk_seen.virtio(seen), "packed", "VIRTIO_F_RING_PACKED")


def _event_idx(draft: Draft, level: str) -> None:
    _driver(draft, event_idx=level)


def _found_event_idx(seen: Evidence, _wanted: str) -> str:
    return _negotiated(seen, disk_seen.virtio(seen), "event_idx", "VIRTIO_RING_F_EVENT_IDX")


def _negotiated(seen: Evidence, found: Device | None, name: str, feature: str) -> str:
    """Return a feature of the rings: what the guest's driver took, or before there is one, what is offered."""
    offered = found is not None and found.properties.get(name) == "true"
    path = _path(found)
    status = seen.ask("x-query-virtio-status", path=path) if path else {}
    words = " ".join(status.get("status", {}).get("statuses", ()))
    if "DRIVER_OK" not in words:
        return "on" if offered else "off"
    taken = feature in " ".join(status["guest-features"]["transports"])
    return "on" if taken else "off, the guest's driver does not take it" if offered else "off"


def _path(found: Device | None) -> str | None:
    named = None if found is None else found.id or (found.above.id if found.above else "")
    return f"/machine/peripheral/{named}/virtio-backend" if named else None


def _ioeventfd(draft: Draft, level: str) -> None:
    _driver(draft, ioeventfd=level)


def _found_ioeventfd(seen: Evidence, _wanted: str) -> str:
    said = disk_seen.inherited(disk_seen.virtio(seen), "ioeventfd")
    return "on" if said == "true" else "off"


def _needs_packed(host: Host, _level: str | None) -> str | None:
    return too_old(host, libvirt=(6, 3, 0), qemu=(4, 2, 0))


def _needs_queue_size(host: Host, _level: str | None) -> str | None:
    return too_old(host, libvirt=(7, 8, 0))


_WHERE = "devices/disk/driver, or that of the virtio-scsi controller,"
_TREE = "HMP info qtree"
_TAKEN = f"{_TREE} (offered); once a driver runs, QMP x-query-virtio-status (taken)"

FACTORS = (
    Factor(
        "disk.bus",
        "what the guest sees its disk as",
        Words(("virtio", "scsi", "sata", "ide", "usb", "nvme")),
        "virtio",
        "devices/disk/target/@bus; scsi: devices/controller/@model='virtio-scsi'",
        f"{_TREE}, the disk's device and what it hangs on",
        _found_bus,
        edit=_bus,
        needs=_needs_bus,
        effects=(
            Effect(
                "ide 2,532, virtio 6,489, scsi 7,800, nvme 8,317 IOPS",
                "random reads at depth 16 of an empty device, emulated guest",
                "QEMU 7.2 on two cores",
            ),
        ),
        note="ide makes the machine pc, since q35 has no IDE; the guest's kernel must have the driver: the cloud "
        "kernel of our images has none for sata and usb",
    ),
    Factor(
        "disk.iothread",
        "the disk has a thread of its own in QEMU",
        SWITCH,
        "off, the main loop",
        f"iothreads; {_WHERE} @iothread",
        "QMP qom-get, iothread of the virtio device; query-iothreads",
        _found_iothread,
        edit=_iothread,
    ),
    Factor(
        "disk.queues",
        "queues between guest and QEMU",
        Whole(1, 1024, (1, 2, 4)),
        "as many as vCPUs",
        f"{_WHERE} @queues",
        f"{_TREE}, num-queues; QMP query-cpus-fast",
        _found_queues,
        edit=_queues,
        note="libvirt takes more queues than vCPUs; the guest uses one a vCPU",
    ),
    Factor(
        "disk.queue_size",
        "requests that fit into a queue",
        Whole(4, 1024, (64, 128, 256, 1024)),
        "256",
        "devices/disk/driver/@queue_size",
        f"{_TREE}, queue-size",
        _found_queue_size,
        edit=_queue_size,
        needs=_needs_queue_size,
    ),
    Factor(
        "disk.packed",
        "virtio's packed rings",
        SWITCH,
        "off",
        f"{_WHERE} @packed",
        _TAKEN,
        _found_packed,
        edit=_packed,
        needs=_needs_packed,
    ),
    Factor(
        "disk.event_idx",
        "guest and QEMU tell each other when to be notified",
        SWITCH,
        "on",
        "devices/disk/driver/@event_idx",
        _TAKEN,
        _found_event_idx,
        edit=_event_idx,
    ),
    Factor(
        "disk.ioeventfd",
        "the guest's notices reach QEMU without stopping its vCPU",
        SWITCH,
        "on",
        f"{_WHERE} @ioeventfd",
        f"{_TREE}, ioeventfd",
        _found_ioeventfd,
        edit=_ioeventfd,
    ),
)
