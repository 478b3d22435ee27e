"""Levels of a scene against a host, and which of them are the guest's."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from assay.activities.plan.kinds.labels import against
from assay.activities.visits.settings import (
    check_disk,
    check_drivers,
    check_guest,
    check_levels,
    check_pool,
    difference,
    disk_needs,
    of_data,
    of_guest,
    of_host,
    seen_in_force,
    shortened,
)
from assay.factors.base.levels import spell_bytes
from assay.factors.catalogue import LevelCheck
from assay.model.activity import PlannedGuest
from assay.model.errors import MissingError
from assay.model.platforms.layout import Layout
from assay.model.platforms.platform import SeenFactor
from assay.platforms.errors import PlatformError
from assay.platforms.filesystems.room import DiskNeeds
from assay.platforms.guests.spec import HOST_FILESYSTEM
from assay.platforms.images.recipe import DISK_BYTES
from assay.scenes import Guest
from tests.builders import plan_of
from tests.factors.parts import FakeHost

THP = {"/sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never"}
LEVELS = (("disk.cache", "none"), ("host.thp", "never"))


def test_levels_are_shared_out_between_a_guest_and_its_host() -> None:
    assert of_guest(LEVELS) == (("disk.cache", "none"),)
    assert of_host(LEVELS) == (("host.thp", "never"),)


def test_two_guests_differ_in_the_levels_that_one_lacks() -> None:
    assert difference(LEVELS, LEVELS[:1]) == "host.thp never"
    assert not difference(LEVELS, LEVELS)


def test_a_factor_that_only_the_other_guest_sets_is_named_as_not_there() -> None:
    assert difference(LEVELS[:1], LEVELS) == "without host.thp never"
    assert difference((("disk.cache", "unsafe"),), LEVELS) == "disk.cache unsafe, without host.thp never"


def test_a_guest_against_one_with_more_settings_is_called_by_what_it_is_without() -> None:
    plain = replace(plan_of(()).treatment, guest=PlannedGuest(1, 1 << 30, "none", "0123"))
    scsi = replace(plain, guest=PlannedGuest(1, 1 << 30, "none", "0123", (("disk.bus", "scsi"),)))
    assert against(scsi, plain).label == "guest, without disk.bus scsi"
    assert against(plain, scsi).label == "guest, disk.bus scsi"
    assert against(plain, plain).label == "other again"


def test_a_level_that_a_host_cannot_have_is_refused_before_anything_runs() -> None:
    wanted = Guest(settings=(("host.thp", "never"),))
    check_guest(wanted, 1, on=FakeHost(THP))
    with pytest.raises(MissingError) as error:
        check_guest(wanted, 1, on=FakeHost())
    assert error.value.message == "cannot use host.thp=never: this kernel has no transparent huge pages"
    assert error.value.hint == "assay factors show host.thp"


def test_a_disk_that_there_is_no_room_for_is_refused_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(1, 0, 1 << 30))
    check_disk(Guest(settings=(("disk.preallocation", "metadata"),)), home=tmp_path)
    with pytest.raises(MissingError) as error:
        check_disk(Guest(settings=(("disk.preallocation", "full"),)), home=tmp_path / "none")
    assert error.value.message.endswith("4294967296 bytes needed (4 GiB), 1073741824 free (1 GiB)")
    twice = (("disk.preallocation", "full"), ("disk.host-filesystem", "btrfs-raid1"))
    with pytest.raises(MissingError, match="8589934592 bytes needed"):
        check_disk(Guest(settings=twice), home=tmp_path)


def test_a_disk_that_a_guest_cannot_boot_from_is_refused_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(PlatformError, match="cannot give a guest disk"):
        check_disk(Guest(settings=(("disk.bus", "usb"),)), home=tmp_path)


def test_a_guest_of_any_size_is_read_and_not_only_of_a_tuner_s_steps() -> None:
    check_guest(Guest(memory_bytes=2_000_000_000), 1, on=FakeHost())
    with pytest.raises(MissingError, match=r"cannot use memory\.size="):
        check_guest(Guest(memory_bytes=64_000_000_001), 1, on=FakeHost())


def test_a_pool_that_does_not_hold_all_guests_is_refused_before_anything_runs() -> None:
    pool = "/sys/kernel/mm/hugepages/hugepages-2048kB"
    host = FakeHost({f"{pool}/free_hugepages": "512", f"{pool}/nr_hugepages": "600"})
    four = Guest(memory_bytes=1 << 30, settings=(("memory.hugepages", "2 MiB"),), layout=Layout(guests=4))
    check_pool(four, on=host)
    check_pool(replace(four, memory_bytes=4 << 30, settings=()), on=host)
    with pytest.raises(MissingError) as error:
        check_pool(replace(four, memory_bytes=2 << 30), on=host)
    assert error.value.message == (
        "cannot use memory.hugepages=2 MiB for 4 guests together: 1024 free pages of 2 MiB are needed, "
        f"there are 512: echo 1112 > {pool}/nr_hugepages"
    )


def test_pins_beyond_the_arm_s_processors_are_refused_before_anything_runs() -> None:
    pinned = Guest(settings=(("cpu.vcpupin", "0/2"),))
    with pytest.raises(MissingError) as error:
        check_guest(pinned, 2, on=FakeHost(cpus=(0, 1, 2, 3)), cpus=(1, 2, 3))
    assert error.value.message == (
        "cannot use cpu.vcpupin=0/2: processor 0 is none of the guest's, which has 1-3"
    )
    check_guest(Guest(settings=(("cpu.vcpupin", "1/2"),)), 2, on=FakeHost(cpus=(0, 1, 2, 3)), cpus=(1, 2))
    check_guest(Guest(settings=(("cpu.vcpupin", "1:1"),)), 2, on=FakeHost(cpus=(0, 1, 2, 3)), cpus=(1, 2))


def test_long_lists_are_cut_in_labels() -> None:
    assert shortened(["guest, cpu.feature a=disable,b=disable,c=disable,d=disable, host.thp never"]) == [
        "guest, cpu.feature a=disable,b=disable and 2 more, host.thp never"
    ]
    assert shortened(["cpu.vcpupin 1,2,3, disk.cache none"]) == ["cpu.vcpupin 1,2,3, disk.cache none"]


def test_lists_that_would_be_the_same_when_cut_stay_whole() -> None:
    same = ["cpu.feature a,b,c,d", "cpu.feature a,b,c,e"]
    assert shortened(same) == same
    assert shortened(["cpu.feature a,b,c,d", "cpu.feature a,b,c,d"]) == ["cpu.feature a,b and 2 more"] * 2


def test_the_first_of_several_levels_that_cannot_be_had_is_named_and_the_rest_counted() -> None:
    both = {"host.thp": "never", "memory.size": spell_bytes(64_000_000_001)}
    with pytest.raises(MissingError) as error:
        check_levels(both, on=FakeHost())
    assert error.value.message == (
        "cannot use host.thp=never: this kernel has no transparent huge pages (and 1 more)"
    )
    check_levels({}, on=FakeHost())


def test_levels_that_are_in_force_are_told_as_they_were_seen_and_one_that_is_not_is_refused() -> None:
    good = LevelCheck("host.thp", "never", "never", "a file")
    assert seen_in_force([good]) == (SeenFactor("host.thp", "never", "a file"),)
    assert seen_in_force([]) == ()
    with pytest.raises(PlatformError) as error:
        seen_in_force([good, LevelCheck("cpu.smt", "off", "on", "sysfs")])
    assert error.value.message == "cannot measure with cpu.smt=off: it is on, by sysfs"
    assert error.value.hint == "assay factors show cpu.smt"


def test_levels_of_the_data_are_neither_the_guest_s_nor_its_host_s() -> None:
    levels = (*LEVELS, ("data.access", "nfs"))
    assert of_data(levels) == (("data.access", "nfs"),)
    assert (of_guest(levels), of_host(levels)) == (LEVELS[:1], LEVELS[1:])


def test_what_a_disk_needs_follows_from_its_levels_and_the_memory_of_its_guest() -> None:
    assert disk_needs(Guest(memory_bytes=1 << 30)) == DiskNeeds("off", DISK_BYTES, memory_bytes=1 << 30)
    settings = (
        ("disk.preallocation", "full"),
        ("disk.backing", "2"),
        (HOST_FILESYSTEM, "xfs"),
        ("memory.hugepages", "2M"),
    )
    assert disk_needs(Guest(memory_bytes=1 << 30, settings=settings), 5) == DiskNeeds(
        "full", 5, depth=2, host_filesystem="xfs", memory_bytes=0
    )


def test_drivers_are_asked_of_our_own_kernel_and_not_of_a_user_s_image() -> None:
    check_drivers(Guest())
    usb, card = (("disk.bus", "usb"),), (("net.model", "e1000e"),)
    for settings in (usb, card):
        with pytest.raises(PlatformError):
            check_drivers(Guest(settings=settings))
        check_drivers(Guest(settings=settings, image="golden"))


def test_words_of_a_list_are_cut_from_the_fourth_on() -> None:
    assert shortened(["a,b,c"]) == ["a,b,c"]
    assert shortened(["a,b,c,d,e"]) == ["a,b and 3 more"]
