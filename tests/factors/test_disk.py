"""A disk's levels: what they change in a guest's draft, how they are read from outside, what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from assay.factors.base.draft import Draft
from assay.factors.base.levels import LevelError
from assay.factors.catalogue import FACTORS, apply_to, read_setting, refused, verify
from tests.factors.parts import FakeEvidence, FakeHost, draft

CAPTURES = Path(__file__).parent / "captures"
DOMAIN = """
<domain><os><type machine="q35">hvm</type></os>
<devices><disk><driver name="qemu" type="qcow2"/><source file="/d"/><target dev="vda" bus="virtio"/></disk>
<controller type="usb" model="none"/></devices></domain>
"""
LIVE = ElementTree.fromstring(
    '<domain><devices><disk><source file="/d" index="2"/></disk></devices></domain>'
)
QCOW2 = {"format": "qcow2", "virtual-size": 1 << 30, "allocated": 1 << 18, "map": [], "direct": True}
TMPFS = "disk.host-filesystem=tmpfs disk.cache=writeback"
RING = "anon_inode:[io_uring]"
WHOLE = {**QCOW2, "allocated": (1 << 30) + 4096}


def settings_of(words: str) -> dict[str, str]:
    return dict(read_setting(word) for word in words.split())


def applied(words: str) -> Draft:
    made = draft(DOMAIN)
    apply_to(made, settings_of(words))
    return made


def evidence(*, disk: dict[str, Any] = QCOW2, qtree: str = "virtio", **node: Any) -> FakeEvidence:
    """Return a guest with one disk; ``node`` changes what QEMU says of its format."""
    cache = {"writeback": True, "direct": True, "no-flush": False}
    of_format = {"node-name": "libvirt-2-format", "drv": "qcow2", "cache": cache, "image": {}, **node}
    answers = {
        "query-block": [{}, {"inserted": {"node-name": "libvirt-1-format", "cache": cache}}],
        "query-named-block-nodes": [{"node-name": "libvirt-2-storage", "drv": "file"}, of_format],
        "query-cpus-fast": [{}, {}],
        "info qtree": (CAPTURES / f"qtree-7.2-{qtree}.txt").read_text(),
    }
    return FakeEvidence(answers, live=LIVE, disk=disk)


def found(setting: str, seen: FakeEvidence) -> str:
    (one,) = verify(settings_of(setting), seen)
    return one.actual


@pytest.mark.parametrize(
    ("words", "path", "attributes"),
    [
        ("disk.io=native", "devices/disk/driver", {"io": "native"}),
        ("disk.discard=unmap", "devices/disk/driver", {"discard": "unmap"}),
        ("disk.bus=sata", "devices/disk/target", {"dev": "sda", "bus": "sata"}),
        ("disk.bus=nvme", "devices/disk/target", {"dev": "nvme0n1", "bus": "nvme"}),
        ("disk.bus=nvme", "devices/disk/serial", {}),
        ("disk.bus=ide", "os/type", {"machine": "pc"}),
        ("disk.bus=usb", "devices/controller", {"type": "usb", "model": "qemu-xhci"}),
        ("disk.bus=scsi", "devices/controller[@type='scsi']", {"model": "virtio-scsi"}),
        ("disk.iothread=on", "devices/disk/driver", {"iothread": "1"}),
        ("disk.iothread=on", "cputune/iothreadpin", {"iothread": "1", "cpuset": "0,1"}),
        ("disk.queues=2", "devices/disk/driver", {"queues": "2"}),
        ("disk.metadata_cache=8MiB", "devices/disk/driver/metadata_cache/max_size", {"unit": "bytes"}),
    ],
)
def test_a_level_is_written_where_libvirt_reads_it(words: str, path: str, attributes: dict[str, str]) -> None:
    element = applied(words).domain.find(path)
    assert element is not None
    assert attributes.items() <= element.attrib.items()


def test_what_a_scsi_disk_cannot_be_told_is_told_to_its_controller() -> None:
    domain = applied("disk.bus=scsi disk.queues=2 disk.iothread=on disk.packed=on").domain
    assert domain.find("devices/controller[@type='scsi']/driver").attrib == {
        "queues": "2",
        "iothread": "1",
        "packed": "on",
    }
    assert set(domain.find("devices/disk/driver").attrib) == {"name", "type"}


@pytest.mark.parametrize(
    ("words", "form", "depth", "options"),
    [
        ("disk.cache=none", "qcow2", 1, {}),
        ("disk.format=raw", "raw", 0, {}),
        ("disk.format=qcow2", "qcow2", 0, {}),
        ("disk.preallocation=full disk.format=raw", "raw", 0, {"preallocation": "full"}),
        ("disk.cluster_size=1MiB", "qcow2", 0, {"cluster_size": "1048576"}),
        ("disk.backing=3 disk.extended_l2=on", "qcow2", 3, {"extended_l2": "on"}),
        ("disk.backing=0", "qcow2", 0, {}),
    ],
)
def test_a_disk_is_made_as_its_levels_say(words: str, form: str, depth: int, options: dict[str, str]) -> None:
    made = applied(words)
    assert (made.disk_format, made.disk_depth, made.disk_options) == (form, depth, options)


@pytest.mark.parametrize("bus", ["virtio", "scsi", "sata", "ide", "usb"])
def test_the_bus_is_told_from_the_devices_that_qemu_shows(bus: str) -> None:
    assert found("disk.bus=virtio", evidence(qtree=bus)) == bus


def test_what_the_device_was_given_is_read_in_its_properties() -> None:
    seen = evidence()
    assert found("disk.queue_size=64", seen) == "256"
    assert found("disk.queues=1", seen) == "1"
    assert found("disk.ioeventfd=on", seen) == "on"
    assert found("disk.queue_size=64", evidence(qtree="ide")) == "no queue of virtio"


@pytest.mark.parametrize(
    ("statuses", "taken", "level"),
    [
        ((), (), "on"),
        (("VIRTIO_CONFIG_S_DRIVER_OK: Driver is ready",), ("VIRTIO_RING_F_EVENT_IDX: used",), "on"),
        (("VIRTIO_CONFIG_S_DRIVER_OK: Driver is ready",), (), "off, the guest's driver does not take it"),
    ],
)
def test_a_ring_feature_counts_once_the_guests_driver_took_it(
    statuses: tuple[str, ...], taken: tuple[str, ...], level: str
) -> None:
    seen = evidence()
    path = "/machine/peripheral/virtio-disk0/virtio-backend"
    status = {"status": {"statuses": statuses}, "guest-features": {"transports": taken}}
    answers = {**seen.answers, ("x-query-virtio-status", path): status}
    assert found("disk.event_idx=on", FakeEvidence(answers, live=LIVE)) == level


@pytest.mark.parametrize("setting", ["disk.event_idx=on", "disk.packed=off"])
def test_a_qemu_that_cannot_be_asked_what_the_driver_took_shows_what_is_offered(setting: str) -> None:
    answers = evidence().answers  # without x-query-virtio-status, which QEMU has since 7.2
    seen = FakeEvidence(answers, live=LIVE, host=FakeHost(qemu=(7, 1, 0)))
    assert f"{setting.partition('=')[0]}={found(setting, seen)}" == setting


@pytest.mark.parametrize(
    ("disk", "level"),
    [
        ({**QCOW2, "map": [{"present": False}]}, "off"),
        ({**QCOW2, "map": [{"present": True, "offset": 1}, {"present": False}]}, "off"),
        ({**QCOW2, "map": [{"present": True, "offset": 1}]}, "metadata"),
        ({**QCOW2, "format": "raw", "map": [{"present": True, "offset": 0}]}, "off"),
        ({**WHOLE, "unwritten": 1 << 20}, "falloc"),
        ({**WHOLE, "unwritten": 0}, "full"),
        ({**WHOLE, "unwritten": None}, "falloc or full: its file system does not tell which"),
    ],
)
def test_preallocation_is_told_by_what_the_file_system_holds(disk: dict[str, Any], level: str) -> None:
    assert found("disk.preallocation=off", evidence(disk=disk)) == level


def test_a_disk_opened_in_another_format_than_it_lies_in_is_not_in_effect() -> None:
    assert found("disk.format=raw", evidence(drv="raw")) == "raw, and the file is qcow2"
    assert found("disk.format=raw", evidence(drv="file", disk={"format": "raw"})) == "raw"


def test_a_cache_mode_counts_only_if_the_kernel_has_the_file_open_so() -> None:
    assert found("disk.cache=none", evidence()) == "none"
    seen = evidence(disk={**QCOW2, "direct": False})
    assert found("disk.cache=none", seen) == "none for QEMU, and the file is open without O_DIRECT"


def test_what_qcow2_tells_of_itself() -> None:
    data = {"extended-l2": True, "lazy-refcounts": False}
    seen = evidence(image={"cluster-size": 131072, "format-specific": {"data": data}}, backing_file_depth=2)
    assert found("disk.cluster_size=64KiB", seen) == "128 KiB"
    assert found("disk.extended_l2=on", seen) == "on"
    assert found("disk.lazy_refcounts=on", seen) == "off"
    assert found("disk.backing=1", seen) == "2"
    assert found("disk.lazy_refcounts=on", evidence()) == "no qcow2"


@pytest.mark.parametrize(("of_format", "level"), [("unmap", "unmap"), ("ignore", "ignore")])
def test_trimmed_room_is_given_back_only_where_format_and_storage_do(of_format: str, level: str) -> None:
    storage = json.dumps({"node-name": "libvirt-2-storage", "discard": "unmap"})
    given = json.dumps({"node-name": "libvirt-2-format", "discard": of_format, "cache-size": 1 << 23})
    seen = FakeEvidence({}, live=LIVE, command=("qemu", "-blockdev", storage, "-blockdev", given))
    assert found("disk.discard=unmap", seen) == level
    assert found("disk.metadata_cache=1MiB", seen) == "8 MiB"


@pytest.mark.parametrize("setting", ["disk.discard=ignore", "disk.io=threads"])
def test_a_command_line_without_the_disk_is_no_level(setting: str) -> None:
    assert found(setting, FakeEvidence(live=LIVE, command=("qemu", "-drive", "file=/d"))) == "not told"


@pytest.mark.parametrize(
    ("reported", "files", "maps", "level"),
    [
        ({"aio": "io_uring"}, (RING,), "", "io_uring"),
        ({"aio": "io_uring"}, (), "", "io_uring for QEMU, and it has none open"),
        ({"aio": "io_uring"}, (RING,), None, "not told"),
        ({"aio": "native"}, (), "7f0-7f1 rw-s 00000000 00:12 1 /[aio] (deleted)", "native"),
        (
            {"aio": "native"},
            (RING,),
            "7f0-7f1 r--p 0 fe:00 1 /libaio.so.1",
            "native for QEMU, and it has none open",
        ),
        ({"aio": "threads"}, (RING,), "", "threads"),
        ({}, (), None, "threads"),
    ],
)
def test_how_requests_reach_the_kernel_is_what_qemu_was_told_and_the_process_shows(
    reported: dict[str, str], files: tuple[str, ...], maps: str | None, level: str
) -> None:
    command = ("qemu", "-blockdev", json.dumps({"node-name": "libvirt-2-storage", **reported}))
    shown = {} if maps is None else {"maps": maps}
    seen = FakeEvidence(live=LIVE, command=command, open_files=files, files=shown)
    assert found("disk.io=threads", seen) == level


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("disk.io=native disk.cache=writeback", "disk.io=native needs disk.cache=none or directsync"),
        ("disk.iothread=on disk.bus=ide", "disk.iothread with disk.bus=ide: only virtio and scsi have it"),
        ("disk.queues=2 disk.bus=sata", "disk.queues with disk.bus=sata"),
        ("disk.queue_size=128 disk.bus=scsi", "disk.queue_size with disk.bus=scsi: only virtio has it"),
        ("disk.queue_size=100", "disk.queue_size=100 is no power of two"),
        ("disk.cluster_size=192KiB", "disk.cluster_size=192 KiB is no power of two"),
        ("disk.queues=4 cpu.vcpus=2", "disk.queues=4 with cpu.vcpus=2"),
        ("disk.detect_zeroes=unmap", "disk.detect_zeroes=unmap with disk.discard=ignore runs as"),
        ("disk.preallocation=full disk.discard=unmap", "disk.preallocation=full with disk.discard=unmap"),
        ("disk.preallocation=falloc disk.detect_zeroes=on", "zeroes undo it"),
        ("disk.preallocation=metadata disk.format=raw", "a raw disk has no metadata"),
        ("disk.preallocation=full disk.backing=1", "over another disk only with disk.extended_l2=on"),
        ("disk.format=raw disk.backing=1", "nothing can lie below a raw disk"),
        ("disk.format=raw disk.metadata_cache=8MiB", "disk.metadata_cache with disk.format=raw"),
        ("disk.extended_l2=on disk.cluster_size=8KiB", "needs clusters of 16 KiB at least"),
        ("disk.lazy_refcounts=on", "disk.lazy_refcounts=on with disk.cache=none"),
        ("disk.copy_on_read=on disk.format=qcow2", "say disk.backing=1"),
        ("disk.iothread=on disk.ioeventfd=off", "the thread gets its work by ioeventfd"),
        ("disk.host-filesystem=ext4 disk.backing=1", "the image lies on another one"),
        ("disk.guest-filesystem=ext4 disk.backing=2", "the image below is ext4"),
        ("disk.preallocation=falloc disk.host-filesystem=ext2", "it reserves nothing"),
        ("disk.preallocation=falloc disk.host-filesystem=ext2-on-tmpfs", "it reserves nothing"),
        (f"disk.preallocation=falloc {TMPFS}", "it does not tell falloc from full"),
        (f"disk.preallocation=full {TMPFS}", "it does not tell falloc from full"),
        ("disk.bus=nvme", "needs libvirt 11.5, here is 9.0"),
    ],
)
def test_what_cannot_be_had_together_is_refused_with_the_reason(words: str, reason: str) -> None:
    (refusal,) = refused(settings_of(words), FakeHost(programs=("mkfs.ext4", "mkfs.ext2")))
    assert reason in refusal.reason


@pytest.mark.parametrize(
    "words",
    [
        "disk.io=native",
        "disk.iothread=off disk.bus=sata",
        "disk.queues=2",
        "disk.copy_on_read=on",
        "disk.preallocation=full disk.backing=1 disk.extended_l2=on",
        "disk.detect_zeroes=unmap disk.discard=unmap",
        "disk.lazy_refcounts=on disk.cache=directsync",
        f"disk.preallocation=metadata {TMPFS}",
        "disk.preallocation=full disk.host-filesystem=ext2",
    ],
)
def test_what_can_be_had_is_not_refused(words: str) -> None:
    assert refused(settings_of(words), FakeHost(programs=("mkfs.ext2",))) == ()


def test_a_kernel_that_forbids_io_uring_is_told_with_what_to_type() -> None:
    path = "/proc/sys/kernel/io_uring_disabled"
    reason = FACTORS["disk.io"].needs(FakeHost({path: "2"}), "io_uring")
    assert reason == f"this kernel forbids io_uring; echo 0 > {path}"
    assert FACTORS["disk.io"].needs(FakeHost({path: "2"}), "native") is None


def test_an_nvme_disk_is_known_to_a_newer_libvirt() -> None:
    assert FACTORS["disk.bus"].needs(FakeHost(libvirt=(11, 5, 0)), "nvme") is None
    reason = FACTORS["disk.bus"].needs(FakeHost(libvirt=(0, 0, 0)), "nvme")
    assert reason == "needs libvirt 11.5, here is none"


def test_a_file_system_of_the_host_needs_root_and_its_program() -> None:
    needs = FACTORS["disk.host-filesystem"].needs
    assert needs(FakeHost(root=False), "tmpfs") == "only root may mount a file system"
    assert needs(FakeHost(), "btrfs-raid1") == "mkfs.btrfs is not installed; apt install btrfs-progs"
    assert needs(FakeHost(programs=("mkfs.ext4",)), "ext4-nojournal") is None
    assert needs(FakeHost(programs=("mkfs.ext4",)), "ext4-on-tmpfs") is None
    assert (
        needs(FakeHost(programs=("mkfs.ext4",)), "ext4-on-xfs")
        == "mkfs.xfs is not installed; apt install xfsprogs"
    )


def test_a_loop_file_of_any_file_system_lies_on_any_other() -> None:
    levels = FACTORS["disk.host-filesystem"].levels
    for level in ("btrfs-raid5-on-ext2", "ext4-nojournal-on-tmpfs", "xfs-on-xfs", "tmpfs"):
        assert levels.read(level) == level
        assert re.match(str(levels.schema["pattern"]), level)
    for wrong in ("tmpfs-on-xfs", "xfs-on-tmpf", "xfs-on-xfs-on-xfs"):
        assert not re.match(str(levels.schema["pattern"]), wrong)
        with pytest.raises(LevelError, match="a loop file of one on another: ext2-on-tmpfs"):
            levels.read(wrong)
    with pytest.raises(LevelError) as raised:
        levels.read("xfs-on-tmpf")
    assert raised.value.nearest == "xfs-on-tmpfs"


@pytest.mark.parametrize(("release", "refusals"), [("6.1.0-13-amd64", 1), ("6.6.1", 0), ("7.0", 0)])
def test_an_old_tmpfs_takes_no_direct_access(release: str, refusals: int) -> None:
    host = FakeHost({"/proc/sys/kernel/osrelease": release})
    assert len(refused(settings_of("disk.host-filesystem=tmpfs"), host)) == refusals
    assert refused(settings_of("disk.host-filesystem=tmpfs disk.cache=writeback"), host) == ()
