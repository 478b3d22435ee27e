"""A file system of a guest's own on its host: told apart, made, seen by QEMU, and gone with the guest."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn
from xml.etree.ElementTree import Element

import pytest

from assay.factors.base.draft import Draft
from assay.factors.catalogue import FACTORS
from assay.model.files.marker import make_marked
from assay.platforms.daemon.daemon import libvirt_connection
from assay.platforms.errors import PlatformError
from assay.platforms.filesystems import host_filesystem
from assay.platforms.filesystems.host_filesystem import (
    disk_folder,
    make_filesystem,
    remove_folder,
    run,
    unmount,
    unmount_whole,
)
from assay.platforms.filesystems.superblock import root_filesystem
from assay.platforms.guests.disk import copy_disk, make_empty_disk
from assay.platforms.host.this_host import ThisHost
from assay.platforms.leftovers.clean import clean, leftovers
from assay.platforms.libvirt.rehearsal import try_settings
from assay.platforms.mounts import filesystem_of, loops_below, mounts_below, parse_mounts, read_mounts
from tests.in_gate import in_gate
from tests.platforms.guest_parts import PROBE, fresh_home

MOUNTS = parse_mounts(
    "27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard\n"
    "40 27 7:0 / /home/guests/a\\040b/disk rw - ext4 /dev/loop0 rw\n"
    "41 27 0:50 / /t rw - tmpfs tmpfs rw\n"
    "42 41 0:51 / /t rw - btrfs /dev/loop1 rw\n"
)
DISK = Path("/home/guests/a b/disk/disk.img")


def test_mounts_are_read_with_blanks_in_their_names() -> None:
    assert [mount.kind for mount in MOUNTS] == ["ext4", "ext4", "tmpfs", "btrfs"]
    assert [mount.point for mount in mounts_below(Path("/home/guests"), MOUNTS)] == [DISK.parent]
    assert mounts_below(Path("/home/guest"), MOUNTS) == ()


@pytest.mark.parametrize(("task", "kind"), [("512", "ext4"), ("<none>", "ext4-nojournal")])
def test_ext4_without_a_journal_is_told_by_its_journals_thread(task: str, kind: str, tmp_path: Path) -> None:
    file = tmp_path / "fs/ext4/loop0/journal_task"
    file.parent.mkdir(parents=True)
    file.write_text(f"{task}\n")
    assert filesystem_of(DISK, MOUNTS, sys=tmp_path) == kind


def test_the_mount_on_top_counts_and_btrfs_tells_its_profile(tmp_path: Path) -> None:
    (tmp_path / "fs/btrfs/8c0f/devices/loop1").mkdir(parents=True)
    profile = tmp_path / "fs/btrfs/8c0f/allocation/data/single"
    profile.mkdir(parents=True)
    assert filesystem_of(Path("/t/disk.img"), MOUNTS, sys=tmp_path) == "btrfs"
    profile.rename(profile.with_name("raid1"))
    assert filesystem_of(Path("/t/disk.img"), MOUNTS, sys=tmp_path) == "btrfs-raid1"
    assert filesystem_of(Path("/t/disk.img"), ()) is None


def test_what_the_kernel_does_not_tell_is_no_level(tmp_path: Path) -> None:
    assert filesystem_of(DISK, MOUNTS, sys=tmp_path) == "ext4, whether with a journal is not told"
    assert filesystem_of(Path("/t/d"), MOUNTS, sys=tmp_path) == "btrfs, its profile is not told"


def test_a_device_is_looked_for_by_the_kernels_name_for_it(tmp_path: Path) -> None:
    link, file = tmp_path / "mapper-name", tmp_path / "fs/ext4/dm-0/journal_task"
    link.symlink_to("dm-0")
    file.parent.mkdir(parents=True)
    file.write_text("512")
    mounts = parse_mounts(f"40 27 253:0 / / rw - ext4 {link} rw\n")
    assert filesystem_of(DISK, mounts, sys=tmp_path) == "ext4"


def test_a_mount_with_a_name_that_is_no_utf8_is_kept_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "mountinfo").write_bytes(b"41 27 0:50 / /t\xff rw - tmpfs tmpfs rw\n")
    assert [os.fsencode(mount.point) for mount in read_mounts(tmp_path / "mountinfo")] == [b"/t\xff"]


def test_loop_devices_belong_to_the_folder_that_their_file_lies_in(tmp_path: Path) -> None:
    for number, backing in enumerate(("/g/a/loop.0.img", "/g/ab/loop.0.img", "/g/a/loop.1.img (deleted)")):
        file = tmp_path / f"block/loop{number}/loop/backing_file"
        file.parent.mkdir(parents=True)
        file.write_text(f"{backing}\n")
    (tmp_path / "block/loop1/loop/backing_file").unlink()
    (tmp_path / "block/loop1/loop/backing_file").mkdir()  # one that is gone cannot be read either
    assert loops_below(Path("/g/a"), sys=tmp_path) == ("/dev/loop0", "/dev/loop2")


def test_a_link_to_a_folder_stays_with_what_it_leads_to(tmp_path: Path) -> None:
    others, link = tmp_path / "others", tmp_path / "guests" / "link"
    others.mkdir()
    link.parent.mkdir()
    (others / "file").touch()
    link.symlink_to(others)
    remove_folder(link)
    assert link.is_symlink()
    assert (others / "file").exists()


def test_a_folder_below_a_link_is_removed(tmp_path: Path) -> None:
    make_marked(tmp_path / "state/guest")
    (tmp_path / "state/guest/disk").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "state")
    remove_folder(tmp_path / "link/guest")
    remove_folder(tmp_path / "link/guest")
    assert list((tmp_path / "state").iterdir()) == []


@pytest.fixture
def stuck(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Have every program take longer than it may; return what is called."""
    called = []

    def never(command: list[str], **options: Any) -> NoReturn:
        called.append(command)
        raise subprocess.TimeoutExpired(command, options["timeout"])

    monkeypatch.setattr(subprocess, "run", never)
    monkeypatch.setattr(host_filesystem, "_GOING_S", -1.0)
    return called


def test_an_unmount_that_does_not_end_becomes_a_lazy_one(stuck: list[list[str]]) -> None:
    unmount(Path("/p"))
    assert stuck == [["umount", "/p"], ["umount", "--lazy", "/p"]]


def test_what_is_read_from_its_file_next_is_never_unmounted_lazily(stuck: list[list[str]]) -> None:
    with pytest.raises(PlatformError, match="cannot unmount /p: it stays busy"):
        unmount_whole(Path("/p"))
    assert stuck == [["umount", "/p"]]


@pytest.mark.usefixtures("stuck")
def test_a_program_that_does_not_end_is_an_error_of_the_platform(tmp_path: Path) -> None:
    with pytest.raises(PlatformError, match=r"cannot make x=y: mkfs\.xfs has not ended after 3600 s"):
        run(["mkfs.xfs"], "x=y")
    with pytest.raises(PlatformError, match="qemu-io has not ended"):
        root_filesystem(tmp_path / "disk.img", "raw")
    with pytest.raises(PlatformError, match="qemu-img has not ended"):
        make_empty_disk(Draft(Element("domain"), "tcg", 1, 1 << 30, (0,)), tmp_path / "d", size_bytes=0)
    with pytest.raises(PlatformError, match="cp has not ended"):
        copy_disk(tmp_path / "disk.img", tmp_path / "copy.img")


def test_what_lies_on_a_file_system_for_a_guest_gives_nobody_rights_on_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[list[str]] = []
    monkeypatch.setattr(host_filesystem, "run", lambda command, _: called.append(command) or "/dev/loop9\n")
    for level in ("tmpfs", "xfs"):
        (tmp_path / level).mkdir()
        make_filesystem(tmp_path / level, level, size_bytes=1 << 20)
    mounts = [command for command in called if command[0] == "mount"]
    assert len(mounts) == 2
    assert all("nosuid,nodev" in command[command.index("-o") + 1] for command in mounts)


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with fresh_home() as folder, libvirt_connection(folder, subreaper=PROBE):
        yield folder


def held(folder: Path) -> tuple[object, ...]:
    return (*mounts_below(folder, read_mounts()), *loops_below(folder))


@pytest.mark.live
@pytest.mark.parametrize(
    "level", in_gate([*FACTORS["disk.host-filesystem"].levels.choices, "btrfs-raid5-on-btrfs-raid0"], 4)
)
def test_a_file_system_of_the_host_takes_or_says_what_is_missing(level: str, home: Path) -> None:
    host = ThisHost()
    reason = FACTORS["disk.host-filesystem"].needs(host, level)
    if reason is None:
        settings = {"disk.host-filesystem": level, "disk.cache": "none"}
        found = try_settings(settings, home=home, host=host, subreaper=PROBE)
        assert {one.name: one.actual for one in found} == settings
    else:
        assert reason.startswith("mkfs.")
    assert held(home) == ()


@pytest.mark.live
def test_what_a_killed_process_left_mounted_is_cleaned_by_its_path(home: Path) -> None:
    folder = home / "guests" / "assay-killed-b0"
    code = (
        "import os, sys; from pathlib import Path; from "
        "assay.platforms.filesystems.host_filesystem import make_filesystem\n"
        "from assay.model.files.marker import make_marked; folder = Path(sys.argv[1]); make_marked(folder)\n"
        "make_filesystem(folder, 'ext4', size_bytes=1 << 26)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(folder)], check=False)
    assert done.returncode == -9
    assert len(held(home)) == 2
    left = [one.name for one in leftovers(home, subreaper=PROBE) if one.kind != "group"]
    assert left == [str(folder)]
    clean(home, subreaper=PROBE)
    assert held(home) == ()
    assert not folder.exists()


@pytest.mark.live
def test_a_loop_device_that_was_not_mounted_yet_goes_too(home: Path) -> None:
    folder = home / "guests" / "assay-half-b0"
    make_marked(folder)
    (folder / "loop.0.img").write_bytes(bytes(1 << 20))
    subprocess.run(["losetup", "--find", str(folder / "loop.0.img")], check=True)
    assert len(held(home)) == 1
    remove_folder(folder)
    assert held(home) == ()


@pytest.mark.live
def test_a_file_system_that_cannot_be_made_says_why(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_filesystem, "_ROOM_BYTES", 4096)
    folder = home / "guests" / "assay-twice-b0"
    make_marked(folder)
    try:
        with pytest.raises(PlatformError, match=r"disk\.host-filesystem=ext4: mkfs\.ext4 says: "):
            make_filesystem(folder, "ext4", size_bytes=0)
    finally:
        remove_folder(folder)
    assert not disk_folder(folder, None).exists()
    assert held(home) == ()
