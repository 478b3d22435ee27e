"""What has to be free for a plan is told in parts, and where it cannot fit, what to change."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from assay.activities.data.scratch import scratch_room
from assay.activities.plan.disk_room import ALLOWANCE_BYTES, check_disk, disk_room, require_free
from assay.activities.plan.kinds.guest_disk import GUEST_BYTES
from assay.model.errors import MissingError
from assay.model.machines.machine import Machine, Reach
from assay.model.platforms.container import PlannedContainer, Runtime
from assay.model.platforms.existing import DomainSpec
from assay.model.units import BYTES
from assay.platforms.images.recipe import DISK_BYTES
from tests.activities.plan.test_disk_room import GIB, HOST, MIB, beyond, files_of, guest, only, plan
from tests.platforms.images.test_image_stored import make

ON_XFS = replace(HOST, label="on xfs", data=(("scratch.filesystem", "xfs"),))
SCRATCH = "scratch.filesystem (fewer levels, copies, events)"
BOX = replace(HOST, label="runc", container=PlannedContainer(Runtime.RUNC))


def test_the_parts_of_what_is_needed_are_told_apart(tmp_path: Path) -> None:
    asked = plan(files_of("fio", 2 * GIB), treatment=guest(), data=only(GIB), more=(ON_XFS,))
    assert disk_room(asked, tmp_path).parts == (
        ("records and small files", ALLOWANCE_BYTES),
        ("the copies of the inputs (inputs)", 0),
        ("the data (data: size)", GIB),
        (SCRATCH, 4 * GIB),
        ("what is made for the workloads (size, events)", 0),
        ("what is written on guest (size, copies, guests)", 3 * GIB + GUEST_BYTES),
    )
    assert BYTES["GiB"] == ALLOWANCE_BYTES


def test_the_largest_of_all_visits_counts(tmp_path: Path) -> None:
    small, large = files_of("fio", GIB, copies=2), guest(label="large", guests=2)
    for asked in (
        plan(small, baseline=large),
        plan(small, treatment=large),
        plan(small, more=(HOST, large)),
    ):
        named, count = disk_room(asked, tmp_path).parts[-1]
        assert named == "what is written on large (size, copies, guests)"
        assert count == 2 * (GIB + GUEST_BYTES)


def test_a_container_has_a_copy_of_the_data_beside_its_files(tmp_path: Path) -> None:
    fio = files_of("fio", 2 * GIB)
    assert beyond(plan(fio, treatment=BOX), tmp_path) == 2 * GIB
    assert beyond(plan(fio, treatment=BOX, data=only(GIB)), tmp_path) == (2 + 1 + 1) * GIB
    assert beyond(plan(fio, data=only(GIB)), tmp_path) == (2 + 1) * GIB


def test_what_is_written_elsewhere_takes_nothing_here(tmp_path: Path) -> None:
    fio = files_of("fio", GIB)
    for arm in (
        replace(HOST, machine=Machine("far", Reach.SSH)),
        replace(HOST, domain=DomainSpec("web")),
    ):
        assert beyond(plan(fio, baseline=arm, treatment=arm), tmp_path) == 0


def test_data_of_a_repository_alone_are_not_laid_out(tmp_path: Path) -> None:
    cvmfs = replace(HOST, data=(("data.access", "cvmfs"),))
    asked = plan(baseline=cvmfs, treatment=cvmfs, data=only(GIB))
    assert beyond(asked, tmp_path) == 0
    assert beyond(replace(asked, more=(HOST,)), tmp_path) == GIB


def sparse(home: Path, *, held: int, size: int = GIB, name: str | None = None) -> None:
    """Make an image of a size of which so much is allocated."""
    disk = make(home, "0123", name=name) / "disk.raw"
    with disk.open("wb") as file:
        if held:
            os.posix_fallocate(file.fileno(), 0, held)
        file.truncate(size)


def test_a_guest_s_disk_has_the_room_that_its_image_leaves(tmp_path: Path) -> None:
    sparse(tmp_path, held=16 * MIB, size=64 * MIB)
    fits, beyond_it = files_of("iozone-by-fio", 47 * MIB), files_of("iozone-by-fio", 49 * MIB)
    check_disk(plan(fits, treatment=guest()), tmp_path)
    with pytest.raises(MissingError) as refused:
        check_disk(plan(beyond_it, treatment=guest()), tmp_path)
    assert refused.value.message.endswith("the guest's disk has room for 48 MiB")
    assert refused.value.hint == "a smaller size or fewer copies, or a larger disk.size"
    many = plan(files_of("iozone-by-fio", 2 * GIB), baseline=guest(), treatment=guest())
    assert beyond(many, tmp_path) == 64 * MIB


def test_of_an_image_that_is_not_there_yet_the_usual_half_gibibyte_is_taken(tmp_path: Path) -> None:
    fits, beyond_it = files_of("iozone-by-fio", 3584 * MIB), files_of("iozone-by-fio", 3585 * MIB)
    check_disk(plan(fits, treatment=guest()), tmp_path)
    check_disk(plan(beyond_it, treatment=guest(("disk.size", "8 GiB"))), tmp_path)
    with pytest.raises(MissingError, match=r"the guest's disk has room for 3\.5 GiB"):
        check_disk(plan(beyond_it, treatment=guest()), tmp_path)
    with pytest.raises(MissingError, match="the guest's disk has room for 0"):
        check_disk(plan(fits, treatment=guest(("disk.size", "256 MiB"))), tmp_path)


def test_of_a_user_s_disk_and_of_one_without_holes_nothing_is_known_to_be_taken(tmp_path: Path) -> None:
    whole = files_of("iozone-by-fio", 16 * MIB)
    for number, (held, name) in enumerate(((8 * MIB, "golden"), (15 * MIB, None))):
        home = tmp_path / str(number)
        sparse(home, held=held, size=16 * MIB, name=name)
        check_disk(plan(whole, treatment=guest()), home)


def test_guests_run_their_part_of_the_copies_on_disks_of_their_own(tmp_path: Path) -> None:
    both = files_of("iozone-by-fio", 3 * GIB, copies=2)
    check_disk(plan(both, treatment=guest(guests=2)), tmp_path)
    with pytest.raises(MissingError, match=r"its files take 6 GiB, the guest's disk has room for 3\.5 GiB"):
        check_disk(plan(both, treatment=guest()), tmp_path)
    full = guest(("disk.preallocation", "full"), guests=3)
    assert beyond(plan(treatment=full), tmp_path) == 3 * DISK_BYTES


def test_a_file_system_of_the_jobs_is_as_large_as_they_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = plan(files_of("fio", 5 * GIB), files_of("fio", GIB), baseline=ON_XFS)
    assert scratch_room(asked) == 6 * GIB
    assert dict(disk_room(asked, tmp_path).parts)[SCRATCH] == 6 * GIB
    made = plan(files_of("sysbench-fileio", 3 * GIB), files_of("fio", 2 * GIB), baseline=ON_XFS)
    assert scratch_room(made) == 7 * GIB, "what is made stays beside what is written"
    check_disk(asked, tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(1, 0, 6 * GIB))
    with pytest.raises(MissingError, match=r"6 GiB free, at least 1[0-9.]+ GiB are needed"):
        check_disk(asked, tmp_path)


def test_exactly_what_is_needed_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(1, 0, GIB))
    require_free(tmp_path / "not/yet", GIB)
    with pytest.raises(MissingError) as refused:
        require_free(tmp_path, GIB + MIB)
    assert str(refused.value.hint) == "free some space, or set ASSAY_HOME to a larger file system"


def test_free_space_is_looked_for_where_the_home_will_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Path] = []

    def usage(place: Path) -> object:
        asked.append(place)
        return shutil._ntuple_diskusage(1, 0, GIB)

    monkeypatch.setattr(shutil, "disk_usage", usage)
    for home in (tmp_path, tmp_path / "not/yet"):
        require_free(home, 1)
    monkeypatch.chdir(tmp_path)
    require_free(Path("not/yet"), 1)
    assert asked == [tmp_path] * 3
