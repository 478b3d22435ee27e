"""How each arm comes by the data: where it finds them, what was run for it, and what is told of the way."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.activities.data import seen as data_seen
from assay.activities.data import ways
from assay.activities.data.sharing import PLACE
from assay.activities.data.ways import DataWays
from assay.activities.visits.visit import Visit
from assay.machines.errors import CommandError
from assay.machines.local import LocalDoor
from assay.model.activity import PlannedArm, PlannedGuest
from assay.model.errors import MissingError
from assay.model.machines.machine import Limits, Machine, Reach
from assay.model.platforms.container import PlannedContainer, Runtime
from assay.model.platforms.data import DataFile, DataPlace, DataSet, Levels
from assay.model.platforms.existing import DomainSpec
from assay.model.platforms.platform import SeenFactor
from assay.platforms.bench_network import daemons
from assay.platforms.bench_network.bench_links import bench_names
from assay.platforms.bench_network.daemons import Site
from assay.platforms.data_servers.files import lay_data
from assay.platforms.errors import PlatformError
from assay.platforms.filesystems.data_disks import Laid
from assay.platforms.mounts import Mount
from assay.platforms.process import this_process
from tests.activities.doubles import Door, Probe, visit_at

DATA = DataSet((DataFile("f0", 5), DataFile("sub/f1", 7)), seed=1)
SIZES = "5\n7\n"
HOST = PlannedArm("host", Machine("local"), Limits((1, 2)))
WANTED = PlannedGuest(1, 1 << 30, "none", "0123")
GUEST = replace(HOST, label="guest", guest=WANTED)
NETWORK = bench_names("assay-x")
SPEC = SimpleNamespace(address="198.18.0.15/24")
INSIDE = ("/usr/bin/nsenter", "--net=/run/netns/assay-x-client", "--")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return an activity's folder of data, whose files are laid out."""
    made = tmp_path / "data/0123abcd"
    lay_data(DATA, made / "files")
    return made


@pytest.fixture(autouse=True)
def programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daemons, "program", lambda name: f"/usr/bin/{name}")


def by(arm: PlannedArm, *levels: tuple[str, str]) -> PlannedArm:
    return replace(arm, data=levels)


def at(root: str) -> tuple[str, ...]:
    return (f"{root}/f0", f"{root}/sub/f1")


def seen(root: str) -> str:
    return f"2 files of 12 bytes at {root}"


def below(folder: Path) -> tuple[str, ...]:
    return at(f"{folder}/files")


def guest_at(door: Door, **changes: Any) -> Visit:
    known = Probe(programs=("glusterfs", "mount", "xrdcp", "cvmfs_config"))
    return visit_at(door, known, **({"guest": SimpleNamespace(shared=lambda: (), spec=SPEC)} | changes))


def served(folder: Path) -> DataWays:
    return DataWays(folder, Site(folder, NETWORK, (3,)))


def test_this_machine_reads_the_files_where_they_lie(folder: Path, tmp_path: Path) -> None:
    visit, root = visit_at(LocalDoor("local", tmp_path / "work")), f"{folder}/files"
    found = DataWays(folder).bring(visit, HOST, DATA)
    how = (SeenFactor("data.access", "local", seen(root)),)
    assert found == DataPlace(root, at(root), seen=how, disks=(root,))
    assert not Path(visit.directory).exists()


@pytest.mark.parametrize(
    "arm",
    [
        GUEST,
        replace(HOST, domain=DomainSpec("web")),
        replace(HOST, machine=Machine("far", Reach.SSH)),
        replace(HOST, container=PlannedContainer(Runtime.RUNC)),
        by(GUEST, ("data.filesystem", "ext4")),
    ],
)
def test_what_is_not_this_machine_itself_gets_a_copy_of_its_own(
    folder: Path, tmp_path: Path, arm: PlannedArm
) -> None:
    visit = visit_at(LocalDoor("there", tmp_path / "work"), Probe())
    found = DataWays(folder).bring(visit, arm, DATA)
    root = f"{visit.directory}/data"
    assert found == DataPlace(root, at(root), seen=(SeenFactor("data.access", "local", seen(root)),))
    for path, original in zip(found.files, below(folder), strict=True):
        assert Path(path).read_bytes() == Path(original).read_bytes()


def test_files_of_another_size_are_refused_with_both_figures(folder: Path, tmp_path: Path) -> None:
    (folder / "files/sub/f1").write_bytes(b"1")
    visit = visit_at(LocalDoor("local", tmp_path / "work"))
    with pytest.raises(PlatformError) as refused:
        DataWays(folder).bring(visit, HOST, DATA)
    assert refused.value.message == (
        f"cannot measure with the data at {folder}/files: sub/f1 has 1 bytes, expected 7"
    )
    assert refused.value.hint == "assay platform clean"


def test_a_level_of_its_own_is_read_from_file_systems_made_for_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Path, str, DataSet]] = []

    def laid(where: Path, level: str, data: DataSet) -> Laid:
        asked.append((where, level, data))
        files = tuple(where / "files" / file.name for file in data.files)
        return Laid(where / "files", files, "looked at", ("/dev/loop7",))

    monkeypatch.setattr(ways, "lay_on_disks", laid)
    found = DataWays(folder).bring(visit_at(Door()), by(HOST, ("data.filesystem", "ext4")), DATA)
    assert asked == [(folder, "ext4", DATA)]
    root = f"{folder}/files"
    assert (found.root, found.files, found.disks) == (root, at(root), ("/dev/loop7",))
    assert (found.local, found.below) == (True, ())
    assert found.seen == (
        SeenFactor("data.access", "local", seen(root)),
        SeenFactor("data.filesystem", "ext4", "looked at"),
    )


def test_a_guest_reads_the_shared_folder_and_is_told_to_from_both_sides(folder: Path) -> None:
    mounts = f"assay-data {PLACE} 9p ro,trans=virtio,msize=131072 0 0\n"
    outside = (SeenFactor("data.access", "9p", "QEMU's command line"),)
    door = Door({"cat /proc/mounts": mounts, "stat": SIZES})
    visit = guest_at(door, guest=SimpleNamespace(shared=lambda: outside, spec=SPEC))
    arm = by(GUEST, ("data.access", "9p"), ("data.9p-msize", "128 KiB"))
    found = DataWays(folder).bring(visit, arm, DATA)
    assert (found.root, found.files, found.below) == (PLACE, at(PLACE), below(folder))
    assert (found.local, found.disks) == (True, ())
    inside = "/proc/mounts of the guest"
    assert found.seen == (
        SeenFactor("data.access", "9p", f"QEMU's command line; {inside}; {seen(PLACE)}"),
        SeenFactor("data.9p-msize", "128 KiB", inside),
    )


def test_urls_are_read_from_the_server_and_listed_first(folder: Path) -> None:
    listed = "".join(
        f"-r-- o g {size} 2026-01-01 00:00:00 /files/{name}\n" for name, size in (("f0", 5), ("sub/f1", 7))
    )
    url = "root://198.18.0.2:1094//files"
    for arm, visit in (
        (GUEST, guest_at(door := Door({"xrdfs": listed}))),
        (HOST, guest_at(far := Door({"/usr/bin/nsenter": listed}), guest=None)),
    ):
        found = served(folder).bring(visit, by(arm, ("data.access", "xrootd")), DATA)
        how = (SeenFactor("data.access", "xrootd", seen(url)),)
        assert found == DataPlace(url, at(url), local=False, below=below(folder), seen=how)
    assert door.ran == [("xrdfs", "198.18.0.2:1094", "ls", "-l", "-R", "/files")]
    assert far.ran == [(*INSIDE, "/usr/bin/xrdfs", *door.ran[0][1:])]


def test_a_file_that_the_server_does_not_list_is_not_there(folder: Path) -> None:
    door = Door({"xrdfs": "-r-- o g 5 2026-01-01 00:00:00 /files/f0\n"})
    with pytest.raises(PlatformError, match="sub/f1 is not there, expected 7"):
        served(folder).bring(guest_at(door), by(GUEST, ("data.access", "xrootd")), DATA)


NO_TEXT = b"\xff\n"
"""The kernel escapes little: names of files may be no UTF-8."""


def nfs(point: str, options: str = "ro,nconnect=4") -> bytes:
    lines = f"/dev/vda / ext4 rw 0 0\n198.18.0.2:/data {point} nfs4 {options} 0 0\n"
    return lines.encode() + NO_TEXT


def mounted_by_nfs(address: str, point: str) -> tuple[str, ...]:
    options = f"ro,vers=4.2,soft,timeo=100,addr=198.18.0.2,clientaddr={address},nconnect=4"
    return ("mount", "-i", "-t", "nfs4", "-o", options, "198.18.0.2:/data", point)


NFS: Levels = (("data.nfs-nconnect", "4"), ("data.access", "nfs"))


def test_a_guest_mounts_what_is_served_and_is_asked_what_it_has(folder: Path) -> None:
    point = "/far/0123abcd/data"
    door = Door({"cat /proc/mounts": nfs(point), "stat": SIZES})
    visit = guest_at(door)
    found = served(folder).bring(visit, by(GUEST, *NFS), DATA)
    assert door.ran[:3] == [
        ("mkdir", "-p", point),
        mounted_by_nfs("198.18.0.15", point),
        ("cat", "/proc/mounts"),
    ]
    assert cast("Any", visit.probe).made == ["/far/0123abcd"], "with its marker, before anything lies in it"
    how = "/proc/mounts of far: nfs4 from 198.18.0.2:/data"
    first, second = found.seen
    assert first == SeenFactor("data.access", "nfs", f"{how}; {seen(point)}")
    assert second == SeenFactor("data.nfs-nconnect", "4", how)
    assert (found.root, found.files, found.local) == (point, at(point), True)
    assert (found.below, found.disks) == (below(folder), ())
    assert visit.clients == ()


def test_a_machine_mounts_in_its_client_s_namespace_on_the_measured_processors(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = f"{folder}/mount"
    monkeypatch.setattr(ways, "carrier_of", {point: this_process()}.get)
    door = Door({"cat /proc/mounts": nfs(point), "stat": SIZES})
    visit = guest_at(door, guest=None)
    found = served(folder).bring(visit, by(HOST, *NFS), DATA)
    pinned = ("/usr/bin/taskset", "--cpu-list", "1,2", "/usr/bin/mount")
    assert door.ran[:2] == [
        ("mkdir", "-p", point),
        (*INSIDE, *pinned, *mounted_by_nfs("198.18.0.1", point)[1:]),
    ]
    assert found.root == point
    assert visit.clients == (this_process(),)


def test_glusterfs_has_its_module_loaded_in_a_guest_and_the_server_s_word(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_seen, "volume_state", lambda site: f"volume of {site.folder.name} is started")
    guest_point, own_point = "/far/0123abcd/data", f"{folder}/mount"
    for arm, point, stage_guest in (
        (GUEST, guest_point, SimpleNamespace(spec=SPEC)),
        (HOST, own_point, None),
    ):
        mounts = f"198.18.0.2:data {point} fuse.glusterfs ro 0 0\n"
        door = Door({"cat /proc/mounts": mounts, "stat": SIZES})
        found = served(folder).bring(
            guest_at(door, guest=stage_guest), by(arm, ("data.access", "glusterfs")), DATA
        )
        assert (("modprobe", "fuse") in door.ran) is (arm is GUEST)
        (command,) = [words for words in door.ran if "--read-only" in words]
        assert command[-3:] == (f"--pid-file={point}.pid", f"--log-file={point}.log", point)
        how = "/proc/mounts of far: fuse.glusterfs from 198.18.0.2:data, volume of 0123abcd is started"
        assert found.seen == (SeenFactor("data.access", "glusterfs", f"{how}; {seen(point)}"),)


@pytest.mark.parametrize(
    ("mounts", "why"),
    [
        (NO_TEXT, r"cannot measure with data\.access=nfs: nothing is mounted at /far/0123abcd/data of far"),
        (nfs("/far/0123abcd/data", "ro"), r"cannot measure with data\.nfs-nconnect=4: it is 1, by /proc"),
    ],
)
def test_a_mount_that_is_not_as_asked_for_is_refused(folder: Path, mounts: bytes, why: str) -> None:
    door = Door({"cat /proc/mounts": mounts, "stat": SIZES})
    with pytest.raises(PlatformError, match=why) as refused:
        served(folder).bring(guest_at(door), by(GUEST, *NFS), DATA)
    assert str(refused.value.hint).startswith("assay factors show data.")


@pytest.mark.parametrize(
    ("way", "program", "package"),
    [
        ("nfs", "mount", "mount"),
        ("xrootd", "xrdcp", "xrootd-client"),
        ("glusterfs", "glusterfs", "glusterfs-client"),
    ],
)
def test_an_arm_without_the_client_is_refused_with_where_to_get_it(
    folder: Path, way: str, program: str, package: str
) -> None:
    door = Door()
    for arm, guest, hint in (
        (GUEST, SimpleNamespace(), f"assay platform image build --package {package}"),
        (HOST, None, f"apt install {package}"),
    ):
        with pytest.raises(MissingError) as refused:
            served(folder).bring(visit_at(door, Probe(), guest=guest), by(arm, ("data.access", way)), DATA)
        assert refused.value.message == f"cannot use data.access={way} on far: it has no {program}"
        assert refused.value.hint == hint
    assert door.ran == []


def test_a_machine_that_has_dnf_is_told_its_name_of_the_client(folder: Path) -> None:
    visit = visit_at(Door(), Probe(programs=("dnf",)))
    with pytest.raises(MissingError) as refused:
        served(folder).bring(visit, by(HOST, ("data.access", "glusterfs")), DATA)
    assert refused.value.hint == "dnf install glusterfs-fuse"


def test_served_data_without_a_network_is_a_mistake_of_ours(folder: Path) -> None:
    with pytest.raises(ValueError, match="BUG: data are to be served, and there is no network"):
        DataWays(folder).bring(guest_at(Door()), by(GUEST, *NFS), DATA)


def test_what_a_machine_has_mounted_goes_and_file_systems_of_the_data_stay(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone: list[Path] = []
    points = [folder / "mount", folder / "disks-ext4/disk0", folder / "mount/inner", Path("/elsewhere")]
    monkeypatch.setattr(ways, "read_mounts", lambda: tuple(Mount(point, "nfs4", "s") for point in points))
    monkeypatch.setattr(ways, "unmount", gone.append)
    DataWays(folder).take_away(GUEST)
    assert gone == []
    DataWays(folder).take_away(HOST)
    assert gone == [folder / "mount/inner", folder / "mount"]
    gone.clear()
    door = Door({"cat /proc/mounts": nfs(f"{folder}/mount"), "stat": SIZES})
    served(folder).bring(guest_at(door, guest=None), by(HOST, *NFS), DATA)
    assert gone == [folder / "mount/inner", folder / "mount"], "what a process left that was cut off"


CVMFS = replace(DATA, path="/cvmfs/alice.cern.ch/x")
STAT = "Cache Usage: 1000k / 4000k\n"


def cvmfs(door: Door, data: DataSet = CVMFS) -> DataPlace:
    return DataWays(Path("/d")).bring(guest_at(door), by(GUEST, ("data.access", "cvmfs")), data)


def test_a_repository_is_read_by_the_arm_s_own_client_and_its_cache_is_noted() -> None:
    probe, stat = "cvmfs_config probe alice.cern.ch", "cvmfs_config stat -v alice.cern.ch"
    door = Door({probe: "Probing /cvmfs/alice.cern.ch... OK\n", stat: STAT, "stat": SIZES})
    found = cvmfs(door)
    how = "cvmfs_config probe and stat of alice.cern.ch: cache 1 of 4 MB"
    root = "/cvmfs/alice.cern.ch/x"
    assert found == DataPlace(
        root, at(root), seen=(SeenFactor("data.access", "cvmfs", f"{how}; {seen(root)}"),)
    )
    assert [" ".join(words) for words in door.ran[:2]] == [probe, stat]


@pytest.mark.parametrize(
    ("answers", "path", "named"),
    [
        (
            {"cvmfs_config probe": "Probing /cvmfs/alice.cern.ch... Failed!\n"},
            "/cvmfs/alice.cern.ch/x",
            "alice.cern.ch",
        ),
        (
            {"cvmfs_config": CommandError("far", ["cvmfs_config"], exit_code=1, stderr="no")},
            "/cvmfs/alice.cern.ch/x",
            "alice.cern.ch",
        ),
        ({"cvmfs_config probe": "Probing /cvmfs/a... OK\n"}, "/srv/x", "/srv/x"),
    ],
)
def test_a_repository_that_the_client_does_not_reach_is_refused(
    answers: dict[str, Any], path: str, named: str
) -> None:
    with pytest.raises(MissingError) as refused:
        cvmfs(Door(answers), replace(CVMFS, path=path))
    assert refused.value.message == f"cannot use data.access=cvmfs on far: its client does not reach {named}"
    assert refused.value.hint == "cvmfs_config probe; data: /cvmfs/REPOSITORY/…"


def scratch_mounts(point: str, options: str = "rw") -> bytes:
    return f"198.18.0.2:/scratch {point} nfs4 {options} 0 0\n".encode()


def test_jobs_of_a_guest_write_in_a_folder_of_their_own_on_what_is_served(folder: Path) -> None:
    point = "/far/0123abcd/scratch"
    door = Door({"cat /proc/mounts": scratch_mounts(point)})
    visit = guest_at(door, guest=SimpleNamespace(shared=lambda: (), spec=SPEC, name="assay-web"))
    arm = by(GUEST, ("scratch.access", "nfs"))
    served(folder).let_write(visit, arm)
    options = "rw,vers=4.2,hard,addr=198.18.0.2,clientaddr=198.18.0.15"
    assert door.ran == [
        ("mkdir", "-p", point),
        ("mount", "-i", "-t", "nfs4", "-o", options, "198.18.0.2:/scratch", point),
        ("cat", "/proc/mounts"),
        ("mkdir", "-p", f"{point}/assay-web"),
    ]
    how = "/proc/mounts of far: nfs4 from 198.18.0.2:/scratch"
    assert visit.scratch == (SeenFactor("scratch.access", "nfs", how),)
    assert visit.jobs == f"{point}/assay-web"
    served(folder).end_writing(visit, arm)
    assert (visit.jobs, visit.scratch) == (None, ())


@pytest.mark.parametrize(
    ("mounts", "shown"),
    [
        (b"", "nothing is mounted"),
        (scratch_mounts("/far/0123abcd/scratch", "ro"), "what is mounted cannot be written to"),
    ],
)
def test_what_cannot_be_written_to_is_refused(folder: Path, mounts: bytes, shown: str) -> None:
    visit = guest_at(Door({"cat /proc/mounts": mounts}))
    visit.guest.name = "assay-web"  # type: ignore[union-attr]
    with pytest.raises(PlatformError) as refused:
        served(folder).let_write(visit, by(GUEST, ("scratch.access", "nfs")))
    assert refused.value.message == (
        f"cannot measure with scratch.access=nfs: {shown} at /far/0123abcd/scratch of far"
    )


def test_where_jobs_write_is_no_level_of_the_mount_that_they_read(folder: Path) -> None:
    door = Door({"cat /proc/mounts": nfs("/far/0123abcd/data"), "stat": SIZES})
    arm = by(GUEST, *NFS, ("scratch.access", "glusterfs"))
    found = served(folder).bring(guest_at(door), arm, DATA)
    assert [one.name for one in found.seen] == ["data.access", "data.nfs-nconnect"]


def test_an_arm_that_writes_on_its_own_disk_mounts_nothing(folder: Path) -> None:
    visit = guest_at(door := Door())
    served(folder).let_write(visit, GUEST)
    served(folder).end_writing(visit, GUEST)
    assert (door.ran, visit.jobs) == ([], None)
