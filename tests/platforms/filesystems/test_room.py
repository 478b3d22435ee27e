"""Room for a guest's disk: asked of what its bytes will lie on, before anything is made."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import pytest

from assay.factors.base.draft import Draft
from assay.model.errors import MissingError
from assay.platforms.filesystems.room import DiskNeeds, free_memory_taken, require_room
from assay.platforms.guests.guest_disk import lay_disk, lay_empty_disk
from tests.platforms.guests.test_domain import IMAGE, TCG

MIB = 1 << 20
COPY = DiskNeeds("off", 8 * MIB, held_bytes=2 * MIB)
WHOLE = replace(COPY, preallocation="full")


def draft(**changes: Any) -> Draft:
    return Draft(Element("domain"), "tcg", 1, 1 << 30, (0,), **changes)


def free(there: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(there, 0, there))


@pytest.mark.parametrize(
    ("needs", "needed"),
    [
        (COPY, 2 * MIB),
        (replace(COPY, depth=1), 0),
        (replace(COPY, preallocation="metadata"), 2 * MIB),
        (replace(COPY, preallocation="falloc"), 8 * MIB),
        (replace(WHOLE, depth=2), 16 * MIB),
        (replace(COPY, root_bytes=2 * MIB), 4 * MIB),
        (replace(COPY, host_filesystem="xfs"), 2 * MIB),
        (replace(COPY, host_filesystem="btrfs-raid0"), 2 * MIB),
        (replace(COPY, host_filesystem="btrfs-raid1"), 4 * MIB),
        (replace(WHOLE, host_filesystem="btrfs-raid5"), 12 * MIB),
        (replace(COPY, host_filesystem="btrfs-raid1", root_bytes=2 * MIB), 6 * MIB),
        (replace(WHOLE, host_filesystem="tmpfs", root_bytes=2 * MIB), 2 * MIB),
    ],
)
def test_the_guests_folder_gives_what_its_files_take(
    needs: DiskNeeds, needed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free(needed, monkeypatch)
    require_room(needs, tmp_path / "not/yet")
    free(needed - 1, monkeypatch)
    with pytest.raises(MissingError, match=f": {tmp_path}, {needed} bytes needed .*, {needed - 1} free"):
        require_room(needs, tmp_path / "not/yet")


def test_a_disk_in_memory_has_to_fit_beside_the_guests_own(tmp_path: Path) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text(f"MemTotal: 99999999 kB\nMemAvailable:   {72 * 1024} kB\n")
    needs = replace(WHOLE, host_filesystem="tmpfs", memory_bytes=64 * MIB)
    require_room(needs, tmp_path, meminfo=meminfo)
    with pytest.raises(MissingError) as error:
        require_room(replace(needs, memory_bytes=65 * MIB), tmp_path, meminfo=meminfo)
    assert error.value.message == (
        "cannot make the guest's disk with disk.preallocation=full and disk.host-filesystem=tmpfs: "
        "memory beside the guest's own 65 MiB, 8388608 bytes needed (8 MiB), 7340032 free (7 MiB)"
    )
    twice = replace(needs, host_filesystem="btrfs-raid1-on-tmpfs")
    with pytest.raises(MissingError, match=r"16777216 bytes needed \(16 MiB\), 8388608 free"):
        require_room(twice, tmp_path, meminfo=meminfo)
    meminfo.write_text("MemTotal: 1 kB\n")
    require_room(needs, tmp_path, meminfo=meminfo)


def test_pages_of_a_pool_are_no_free_memory() -> None:
    assert free_memory_taken(MIB, {}) == MIB
    assert free_memory_taken(MIB, {"memory.hugepages": "none"}) == MIB
    assert free_memory_taken(MIB, {"memory.hugepages": "2 MiB"}) == 0


@pytest.mark.parametrize("place", [None, "btrfs-raid1", "xfs"])
def test_no_room_is_said_before_anything_is_made(
    place: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, folder = tmp_path / "image.raw", tmp_path / "guest"
    file.write_bytes(bytes(2 * MIB))
    folder.mkdir()
    settings = (("disk.guest-filesystem", "xfs"), *((("disk.host-filesystem", place),) if place else ()))
    spec = replace(TCG, image=replace(IMAGE, disk=file), folder=folder, settings=settings)
    free(3 * MIB, monkeypatch)
    with pytest.raises(MissingError, match=r"disk\.preallocation=off"):
        lay_disk(draft(disk_depth=0), spec)
    made = draft(disk_depth=0, disk_options={"preallocation": "full"})
    with pytest.raises(MissingError, match=r"disk\.preallocation=full"):
        lay_empty_disk(made, folder / "disk.img", folder, host_filesystem=place, guest_filesystem=None)
    assert list(folder.iterdir()) == []
