"""A guest image goes to another machine by a real SSH connection, is compared there, and is known again."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay.machines import open_door
from assay.machines.ssh.door import SshDoor
from assay.platforms.errors import PlatformError
from assay.platforms.images.stored import Image
from assay.platforms.remote.image import bring_image
from tests.hosts import SshHost

pytestmark = pytest.mark.live
MIB = 1 << 20


@pytest.fixture
def door(reached: SshHost, tmp_path: Path) -> Iterator[SshDoor]:
    made = open_door(reached.machine(), home=tmp_path / "home")
    assert isinstance(made, SshDoor)
    yield made
    made.close()


@pytest.fixture
def there(door: SshDoor) -> Iterator[Path]:
    """Our folder over there, which is on this file system."""
    place = Path(door.folder) / f"images-{os.getpid()}"
    yield place
    shutil.rmtree(place, ignore_errors=True)


@pytest.fixture
def image(tmp_path: Path) -> Image:
    """Return an image whose disk has a hole in its middle and one at its end."""
    disk, kernel, initrd = (tmp_path / name for name in ("disk.raw", "vmlinux", "initrd"))
    with disk.open("wb") as file:
        file.write(os.urandom(MIB))
        file.seek(6 * MIB)
        file.write(os.urandom(MIB))
        file.truncate(16 * MIB)
    kernel.write_bytes(os.urandom(100_000))
    initrd.write_bytes(os.urandom(50_000))
    return Image(
        digest="0123456789abcdef",
        folder=tmp_path,
        disk=disk,
        kernel=kernel,
        initrd=initrd,
        packages=("fio",),
        kernel_release="6.1.0",
        size_bytes=1,
        built_s=1.0,
    )


def bring(door: SshDoor, image: Image, there: Path) -> tuple[Image, list[str]]:
    """Bring an image; return it as it lies there, and what was copied."""
    said: list[str] = []
    brought = bring_image(door, image, there, say=said.append)
    return brought, [sentence.split()[1] for sentence in said]


def test_all_files_arrive_whole_and_are_not_copied_again(door: SshDoor, image: Image, there: Path) -> None:
    brought, copied = bring(door, image, there)
    assert copied == ["disk.raw", "vmlinux", "initrd"]
    assert brought.folder == there / "images" / image.digest
    for name in ("disk", "kernel", "initrd"):
        assert getattr(brought, name).read_bytes() == getattr(image, name).read_bytes()
    assert bring(door, image, there)[1] == []


def test_a_file_that_was_changed_there_is_brought_anew_and_the_others_are_compared(
    door: SshDoor, image: Image, there: Path
) -> None:
    brought, _ = bring(door, image, there)
    assert brought.kernel is not None
    brought.kernel.write_bytes(os.urandom(100_000))
    os.utime(brought.kernel, ns=(0, 0))
    assert bring(door, image, there)[1] == ["vmlinux"]
    assert brought.kernel.read_bytes() == (image.kernel or Path()).read_bytes()


def test_an_image_that_boots_by_itself_is_its_disk_alone(door: SshDoor, image: Image, there: Path) -> None:
    brought, copied = bring(door, replace(image, kernel=None, initrd=None), there)
    assert copied == ["disk.raw"]
    assert (brought.kernel, brought.initrd) == (None, None)


def test_what_arrives_otherwise_than_it_was_sent_is_refused(
    door: SshDoor, image: Image, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = door.put

    def torn(here: Path, place: str, *, executable: bool = False) -> None:
        put(here, place, executable=executable)
        with Path(place).open("r+b") as file:
            file.write(b"torn")

    monkeypatch.setattr(door, "put", torn)
    with pytest.raises(PlatformError, match=r"disk\.raw is not what was sent \(b2sum\)"):
        bring(door, image, there)
