"""The file system on a guest's root disk: told by its superblock, made where the host has the program."""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.factors.catalogue import FACTORS
from assay.model.errors import MissingError
from assay.platforms.daemon.daemon import libvirt_connection
from assay.platforms.errors import PlatformError
from assay.platforms.filesystems.superblock import parse_dump, parse_superblock, root_filesystem
from assay.platforms.guests import guest_filesystem
from assay.platforms.guests.guest_filesystem import make_root, root_kind
from assay.platforms.host.this_host import ThisHost
from assay.platforms.host_command import ENVIRONMENT
from assay.platforms.images.stored import Image
from assay.platforms.libvirt.rehearsal import try_settings
from tests.platforms.guest_parts import PROBE, fresh_home


def superblock(compatible: int, incompatible: int) -> bytes:
    return bytes(1024 + 56) + struct.pack("<H34xLL", 0xEF53, compatible, incompatible) + bytes(100)


@pytest.mark.parametrize(
    ("start", "kind"),
    [
        (superblock(0, 0), "ext2"),
        (superblock(4, 0), "ext3"),
        (superblock(4, 0x40), "ext4"),
        (superblock(0, 0x40), "ext4-nojournal"),
        (b"XFSB" + bytes(2000), "xfs"),
        (bytes(0x10040) + b"_BHRfS_M", "btrfs"),
        (bytes(68 * 1024), None),
        (b"", None),
    ],
)
def test_a_file_system_is_told_by_its_superblock(start: bytes, kind: str | None) -> None:
    assert parse_superblock(start) == kind


def test_what_qemu_io_prints_is_read_as_bytes() -> None:
    text = (
        "00000000:  58 46 53 42 00 00 10 00 00 00 00 00 00 00 40 00  XFSB..........@.\n"
        "read 16/16 bytes at offset 0\n"
    )
    assert parse_dump(text) == b"XFSB\0\0\x10\0\0\0\0\0\0\0@\0"


def test_a_disk_is_read_through_its_format(tmp_path: Path) -> None:
    raw, packed = tmp_path / "raw", tmp_path / "packed"
    with raw.open("wb") as file:
        file.truncate(4 << 20)
    assert root_filesystem(raw, "raw") is None
    mkfs = shutil.which("mkfs.ext4", path="/usr/sbin:/sbin")
    subprocess.run([str(mkfs), "-q", "-F", str(raw)], check=True)
    subprocess.run(["qemu-img", "convert", "-O", "qcow2", str(raw), str(packed)], check=True)
    assert (root_filesystem(raw, "raw"), root_filesystem(packed, "qcow2")) == ("ext4", "ext4")
    with pytest.raises(PlatformError, match=r"/gone: qemu-io says: .*No such file"):
        root_filesystem(tmp_path / "gone", "raw")


def test_a_disk_that_nothing_can_read_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENVIRONMENT, "PATH", str(tmp_path))
    with pytest.raises(MissingError, match="qemu-io is not installed"):
        root_filesystem(tmp_path / "disk", "raw")


def test_the_guests_kernel_is_told_of_another_file_system() -> None:
    assert root_kind(None) == ()
    assert root_kind("ext4-nojournal") == ("rootfstype=ext4",)
    assert root_kind("xfs") == ("rootfstype=xfs",)


def test_a_guests_root_is_open_to_root_alone_and_gives_nobody_rights_on_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[list[str]] = []
    modes: list[int] = []

    def look(command: list[str], _what: str) -> str:
        called.append(command)
        modes.extend(at.stat().st_mode & 0o777 for at in tmp_path.glob("roots"))
        return ""

    monkeypatch.setattr(guest_filesystem, "run", look)
    monkeypatch.setattr(
        guest_filesystem, "unmount_whole", lambda point: called.append(["umount", str(point)])
    )
    monkeypatch.setattr(guest_filesystem, "make_initrd", lambda *_, **__: b"")
    file = tmp_path / "image.raw"
    file.write_bytes(bytes(4096))
    image = Image("0" * 16, tmp_path, file, None, None, (), "", 0, 0.0)
    make_root(tmp_path, "xfs", image, size_bytes=4096)
    mounts = [command for command in called if command[0] == "mount"]
    assert [set(command[4].split(",")) for command in mounts] == [
        {"loop", "ro", "noload", "nosuid", "nodev"},
        {"loop", "nosuid", "nodev"},
    ]
    assert set(modes) == {0o700}
    assert [command[0] for command in called[-2:]] == ["umount", "umount"]
    assert not (tmp_path / "roots").exists()


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with fresh_home() as folder, libvirt_connection(folder, subreaper=PROBE):
        yield folder


@pytest.mark.live
@pytest.mark.parametrize("level", FACTORS["disk.guest-filesystem"].levels.choices)
def test_a_file_system_for_a_guest_takes_or_says_what_is_missing(level: str, home: Path) -> None:
    host = ThisHost()
    reason = FACTORS["disk.guest-filesystem"].needs(host, level)
    if reason is None:
        (found,) = try_settings({"disk.guest-filesystem": level}, home=home, host=host, subreaper=PROBE)
        assert (found.actual, found.ok) == (level, True)
    else:
        assert reason.startswith("mkfs.")
