"""Every factor of a disk that this hypervisor takes, tried on a paused guest and seen from outside."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.factors.catalogue import FACTORS, read_setting, refused
from assay.platforms.daemon.daemon import libvirt_connection
from assay.platforms.host.this_host import ThisHost
from assay.platforms.libvirt.rehearsal import LevelsRefusedError, try_settings
from tests.in_gate import in_gate
from tests.platforms.guest_parts import PROBE, fresh_home

pytestmark = pytest.mark.live

TAKEN = (
    "disk.format=raw disk.preallocation=off disk.cache=none disk.bus=ide",
    "disk.format=raw disk.preallocation=falloc disk.io=native disk.cache=directsync",
    "disk.format=raw disk.preallocation=full disk.bus=sata disk.io=native",
    "disk.format=qcow2 disk.backing=3 disk.copy_on_read=on disk.cache=none",
    "disk.cluster_size=2MiB disk.metadata_cache=1MiB disk.preallocation=falloc disk.bus=usb",
    (
        "disk.cluster_size=128KiB disk.extended_l2=on disk.backing=1 disk.preallocation=metadata "
        "disk.cache=unsafe"
    ),
    (
        "disk.extended_l2=off disk.lazy_refcounts=off disk.copy_on_read=off disk.backing=0 "
        "disk.io=threads disk.iothread=off"
    ),
    "disk.lazy_refcounts=on disk.cache=writethrough disk.preallocation=full disk.detect_zeroes=off",
    "disk.io=io_uring disk.iothread=on disk.cache=writeback disk.discard=ignore disk.detect_zeroes=on",
    "disk.bus=virtio disk.queue_size=1024 disk.packed=on disk.event_idx=off disk.ioeventfd=on",
    "disk.bus=scsi disk.iothread=on disk.packed=on disk.queues=2 cpu.vcpus=2",
    (
        "disk.bus=scsi disk.ioeventfd=off disk.packed=off disk.discard=unmap "
        "disk.detect_zeroes=unmap disk.preallocation=off"
    ),
    "disk.queues=2 cpu.vcpus=4 disk.ioeventfd=off disk.packed=off disk.event_idx=on",
)
"""As many levels on one disk as go together; each stands in one of them."""


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with fresh_home() as folder, libvirt_connection(folder, subreaper=PROBE):
        yield folder


def settings_of(words: str) -> dict[str, str]:
    return dict(read_setting(word) for word in words.split())


@pytest.mark.parametrize("words", in_gate(TAKEN, 4))
def test_levels_of_a_disk_take_and_are_seen_from_outside(words: str, home: Path) -> None:
    settings, host = settings_of(words), ThisHost()
    assert refused(settings, host) == ()
    found = try_settings(settings, home=home, host=host, subreaper=PROBE)
    assert {one.name: one.actual for one in found} == settings


def test_each_level_of_a_disk_that_can_be_counted_is_tried() -> None:
    tried = {pair for words in TAKEN for pair in settings_of(words).items()}
    counted = {
        (name, level)
        for name, factor in FACTORS.items()
        if name.startswith("disk.")
        and not name.endswith("filesystem")
        and factor.levels.words == ", ".join(factor.levels.choices)
        for level in factor.levels.choices
    }
    assert counted - tried == {("disk.bus", "nvme")}


def test_more_queues_than_processors_are_not_in_effect(home: Path) -> None:
    (found,) = try_settings({"disk.queues": "2"}, home=home, host=ThisHost(), subreaper=PROBE)
    assert (found.actual, found.ok) == ("2, of which 1 vCPUs use 1", False)


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"disk.io": "native", "disk.cache": "writeback"}, "needs either no disk cache or directsync"),
        ({"disk.iothread": "on", "disk.bus": "sata"}, "IOThreads not available for bus sata"),
        ({"disk.queue_size": "100"}, "must be a power of 2"),
        ({"disk.iothread": "on", "disk.ioeventfd": "off"}, "ioeventfd is required for iothread"),
        ({"disk.metadata_cache": "8 MiB", "disk.format": "raw"}, "qcow2"),
        ({"disk.bus": "nvme"}, "nvme"),
    ],
)
def test_what_our_rules_refuse_the_hypervisor_refuses_too(
    settings: dict[str, str], word: str, home: Path
) -> None:
    assert refused(settings, ThisHost()) != ()
    with pytest.raises(LevelsRefusedError, match=word):
        try_settings(settings, home=home, host=ThisHost(), subreaper=PROBE)
