"""Real settings of this machine: held for a while, put back whatever happens."""

from __future__ import annotations

import json
import mmap
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.factors.catalogue import FACTORS, refused
from assay.factors.host_acts import planned_acts, verify_host
from assay.platforms.errors import ClaimedError, PlatformError
from assay.platforms.filesystems.disk_under import disk_under, mount_source, scheduling_disk
from assay.platforms.host.journal import journal_file, read_changes
from assay.platforms.host.settings import host_settings
from assay.platforms.host.this_host import ThisHost
from assay.platforms.host.undo import say
from tests.live.parts import run

THP = "/sys/kernel/mm/transparent_hugepage/enabled"
MIN_FREE = "/proc/sys/vm/min_free_kbytes"
KSM = "/sys/kernel/mm/ksm/run"
SWAPPINESS = "/proc/sys/vm/swappiness"
ACTIVITY = f"test-host-{os.getpid()}"
HOST = ThisHost(Path("/var/tmp"))

HERE = sorted(name for name, factor in FACTORS.items() if factor.acts and factor.needs(HOST, None) is None)
"""Settings that this machine has."""
OTHERS_WOULD_FEEL = {"host.scheduler", "host.read_ahead_kb", "host.overcommit_memory", "host.min_free_kbytes"}

KILLED = """
import os, signal, sys
from pathlib import Path
from assay.platforms.host import settings as host_settings, undo as host_undo
def cut(act, *, write=host_undo.write_file):
    write(act)
    if act.value == sys.argv[3]:
        os.kill(os.getpid(), signal.SIGKILL)
host_settings.write_file = host_undo.write_file = cut
wanted = dict(word.split("=") for word in sys.argv[4:])
with host_settings.host_settings(wanted, home=Path(sys.argv[1]), activity=sys.argv[2]):
    if sys.argv[3] == "held":
        os.kill(os.getpid(), signal.SIGKILL)
"""


def another(path: str, *levels: str) -> str:
    """Return a level that a file does not hold."""
    return next(level for level in levels if level != say(path))


@pytest.fixture
def home() -> Iterator[Path]:
    """Return a home that QEMU's user can enter; whatever a test does, the machine is as before at the end."""
    watched = sorted({THP, MIN_FREE, *(act.path for name in HERE for act in FACTORS[name].acts(HOST, "1"))})
    before = {path: say(path) for path in watched}
    with tempfile.TemporaryDirectory(prefix="assay-test-", dir="/var/tmp") as made:
        home = Path(made)
        home.chmod(0o755)
        yield home
        after = {path: say(path) for path in watched}
        for path, value in before.items():
            if say(path) != value:
                Path(path).write_text(value)
        assert after == before
        assert [change for change in read_changes(home) if change.activity == ACTIVITY] == []


def crash(home: Path, when: str, *settings: str) -> None:
    """Let another process hold settings and die: while it holds them, or right after a value was written."""
    done = subprocess.run([sys.executable, "-c", KILLED, str(home), ACTIVITY, when, *settings], check=False)
    assert done.returncode == -signal.SIGKILL


@pytest.mark.live
@pytest.mark.parametrize("name", [name for name in HERE if name not in OTHERS_WOULD_FEEL])
def test_every_setting_that_this_machine_has_is_written_seen_and_put_back(home: Path, name: str) -> None:
    factor = FACTORS[name]
    now = {act.path: say(act.path) for act in factor.acts(HOST, factor.levels.choices[0])}
    for level in factor.levels.choices:
        if refused({name: level}, HOST):
            continue
        with host_settings({name: level}, home=home, activity=ACTIVITY) as held:
            (found,) = verify_host({name: level}, HOST)
            assert (found.actual, found.ok) == (level, True)
            assert {change.path for change in held.changes} == now.keys()
            assert held.drifted == ()
        assert {one.change.path: one.now for one in held.undone} == now


@pytest.mark.live
def test_a_disk_s_read_ahead_is_put_back_also_where_the_kernel_rounds_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = max(place.name for place in Path("/sys/block").glob("loop*"))  # nobody uses it
    host, path = ThisHost(home), f"/sys/block/{disk}/queue/read_ahead_kb"
    monkeypatch.setattr(ThisHost, "disk", disk)
    before = say(path)
    try:
        with host_settings({"host.read_ahead_kb": "512"}, home=home, activity=ACTIVITY, host=host):
            assert say(path) == "512"
        assert say(path) == before
        assert refused({"host.read_ahead_kb": "5"}, host)
        monkeypatch.setattr("assay.platforms.host.settings.refused", lambda *_: ())
        with (
            pytest.raises(PlatformError, match="expected 5: '5' was written and the file says '4'"),
            host_settings({"host.read_ahead_kb": "5"}, home=home, activity=ACTIVITY, host=host),
        ):
            pass
        assert say(path) == before
    finally:
        Path(path).write_text(before)


@pytest.mark.live
def test_the_reserve_that_moves_with_huge_pages_is_put_back_too(home: Path) -> None:
    reserve = say(MIN_FREE)
    with host_settings({"host.thp": "never"}, home=home, activity=ACTIVITY):
        assert say(THP) == "never"
    assert say(MIN_FREE) == reserve


@pytest.mark.live
def test_pages_that_were_merged_meanwhile_are_taken_apart(home: Path) -> None:
    if say(KSM) != "0":
        pytest.fail(f"this machine merges pages already: {KSM}")
    with mmap.mmap(-1, 512 * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as pages:
        pages.madvise(mmap.MADV_NOHUGEPAGE)
        pages.madvise(mmap.MADV_MERGEABLE)
        quick = {"host.ksm": "1", "host.ksm-pages_to_scan": "10000"}
        with host_settings(quick, home=home, activity=ACTIVITY):
            pages[:] = (b"a" * mmap.PAGESIZE) * 512
            until = time.monotonic() + 30
            while say("/sys/kernel/mm/ksm/pages_sharing") == "0" and time.monotonic() < until:
                time.sleep(0.05)
            assert int(say("/sys/kernel/mm/ksm/pages_sharing")) > 0
        assert (say(KSM), say("/sys/kernel/mm/ksm/pages_sharing")) == ("0", "0")


@pytest.mark.live
def test_what_is_in_force_already_is_held_and_not_written(home: Path) -> None:
    with host_settings({"host.thp": say(THP), "disk.cache": "none"}, home=home, activity=ACTIVITY) as held:
        assert [(change.before, change.ours) for change in held.changes] == [(say(THP), say(THP))]
    assert [str(one.undone) for one in held.undone] == ["as before"]


@pytest.mark.live
@pytest.mark.parametrize("when", ["held", "11"])
def test_what_a_killed_process_left_is_put_back(home: Path, when: str) -> None:
    thp, swappiness = say(THP), say(SWAPPINESS)
    crash(home, when, f"host.thp={another(THP, 'never', 'always')}", "host.swappiness=11")
    assert (say(THP), say(SWAPPINESS)) != (thp, swappiness)
    listed = run("machine", "restore", "--dry-run", "--json", home=home)
    rows = {row["factor"]: row for row in listed.page["settings"]}
    assert {row["outcome"] for row in rows.values()} == {"changed"}
    assert (rows["host.thp"]["alive"], rows["host.thp"]["activity"]) == (False, ACTIVITY)
    assert rows["host.thp"]["undo"][0] == f"echo {thp} > {THP}"
    assert say(SWAPPINESS) == "11"
    done = run("machine", "restore", home=home)
    assert done.code == 0, done.err
    assert "put back" in done.out
    assert (say(THP), say(SWAPPINESS)) == (thp, swappiness)
    assert run("machine", "restore", "--json", home=home).page["settings"] == []


@pytest.mark.live
def test_a_process_killed_between_two_writes_leaves_nothing_after_the_next_activity(home: Path) -> None:
    thp = say(THP)
    crash(home, wanted := another(THP, "never", "always"), f"host.thp={wanted}", "host.swappiness=11")
    with host_settings({}, home=home, activity=ACTIVITY) as held:
        assert say(THP) == thp
    assert [str(one.undone) for one in held.restored] == ["as before", "put back"]


@pytest.mark.live
def test_a_process_killed_in_the_middle_of_its_undo_leaves_nothing(home: Path) -> None:
    crash(home, "2", "host.ksm=1")
    assert say(KSM) == "2"
    assert run("platform", "clean", home=home).code == 0
    assert say(KSM) == "0"


@pytest.mark.live
def test_two_holders_of_one_file_are_refused(home: Path) -> None:
    wanted = {"host.swappiness": "11"}
    with host_settings(wanted, home=home, activity=ACTIVITY):
        with (
            pytest.raises(ClaimedError, match=f"is held at 11 by activity {ACTIVITY}, process {os.getpid()}"),
            host_settings({"host.swappiness": "12"}, home=home / "other", activity="b"),
        ):
            pass
        assert say(SWAPPINESS) == "11"
        (row,) = run("machine", "restore", "--json", home=home).page["settings"]
        assert (row["outcome"], row["alive"], row["pid"]) == ("held", True, os.getpid())
        assert say(SWAPPINESS) == "11"


@pytest.mark.live
def test_what_somebody_else_has_written_meanwhile_is_told_and_left(home: Path) -> None:
    before = say(SWAPPINESS)
    try:
        with host_settings({"host.swappiness": "11"}, home=home, activity=ACTIVITY) as held:
            Path(SWAPPINESS).write_text("33")
            assert held.drifted == (f"host.swappiness: {SWAPPINESS} says '33', not '11'",)
        assert [(str(one.undone), one.now) for one in held.undone] == [("rewritten", "33")]
        assert say(SWAPPINESS) == "33"
        assert read_changes(home) == ()
    finally:
        Path(SWAPPINESS).write_text(before)


@pytest.mark.live
def test_a_level_that_the_kernel_refuses_leaves_nothing_written(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.platforms.host.settings.refused", lambda *_: ())
    wanted = {"host.thp": another(THP, "never", "always"), "host.swappiness": "999"}
    with (
        pytest.raises(PlatformError, match=r"cannot set host.swappiness: .*Invalid argument"),
        host_settings(wanted, home=home, activity=ACTIVITY),
    ):
        pass


@pytest.mark.live
def test_what_cannot_be_had_is_refused_before_anything_is_written(home: Path) -> None:
    wanted = {"host.swappiness": "11", "host.dirty_ratio": "10", "host.dirty_background_ratio": "40"}
    with (
        pytest.raises(PlatformError, match="the kernel takes half of that instead"),
        host_settings(wanted, home=home, activity=ACTIVITY),
    ):
        pass


@pytest.mark.live
def test_a_limit_in_bytes_that_a_ratio_replaced_is_put_back(home: Path) -> None:
    count, ratio = Path("/proc/sys/vm/dirty_bytes"), Path("/proc/sys/vm/dirty_ratio")
    before = say(str(ratio))
    try:
        count.write_text("1073741824")
        with host_settings({"host.dirty_ratio": "35"}, home=home, activity=ACTIVITY):
            assert (say(str(ratio)), say(str(count))) == ("35", "0")
        assert (say(str(ratio)), say(str(count))) == ("0", "1073741824")
    finally:
        ratio.write_text(before)
    assert say(str(count)) == "0"


@pytest.mark.live
def test_an_error_inside_is_not_hidden_by_the_undo(home: Path) -> None:
    before = say(SWAPPINESS)
    with (
        pytest.raises(KeyboardInterrupt),
        host_settings({"host.swappiness": "11"}, home=home, activity=ACTIVITY),
    ):
        raise KeyboardInterrupt
    assert say(SWAPPINESS) == before


@pytest.mark.live
def test_the_acts_and_their_undo_are_told_without_writing(home: Path) -> None:
    before = say(SWAPPINESS)
    (act,) = planned_acts({"host.swappiness": "11", "disk.cache": "none"}, HOST)
    assert (act.act.typed, [one.typed for one in act.undo]) == (
        f"echo 11 > {SWAPPINESS}",
        [f"echo {before} > {SWAPPINESS}"],
    )
    assert not act.in_force
    assert say(SWAPPINESS) == before


def test_nothing_to_set_touches_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.platforms.daemon.state.MACHINE", tmp_path / "run")
    with host_settings({"disk.cache": "none"}, home=tmp_path, activity=ACTIVITY) as held:
        assert held.changes == ()
    assert not journal_file(tmp_path).parent.exists()


def test_the_source_of_a_mount_is_that_of_the_nearest_and_latest() -> None:
    text = "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"
    text += "31 27 0:40 / /srv rw - btrfs /dev/vdb rw\n"
    text += "32 27 0:41 / /srv/two\\040words rw shared:1 - btrfs /dev/vdc rw\n"
    text += "33 27 0:42 / /tmp rw - tmpfs tmpfs rw\n34 27 0:43 / /tmp rw - btrfs /dev/vdd rw\n"
    text += "35 27 0:44 / /mem rw - tmpfs tmpfs rw\n"
    found = {
        folder: mount_source(text, Path(folder))
        for folder in ("/srv/x", "/srv/two words/x", "/srvx", "/tmp", "/mem")
    }
    assert found == {
        "/srv/x": "/dev/vdb",
        "/srv/two words/x": "/dev/vdc",
        "/srvx": "/dev/vda",
        "/tmp": "/dev/vdd",
        "/mem": None,
    }


def test_a_folder_that_may_not_be_looked_into_is_on_no_disk_that_we_know(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_path: Path) -> bool:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "exists", refuse)
    assert disk_under(Path("/root/locked/assay")) is None


def test_a_folder_in_memory_is_on_no_disk() -> None:
    assert disk_under(Path("/proc/self")) is None


@pytest.fixture
def block(tmp_path: Path) -> Path:
    """A ``/sys/block`` of two disks, two paths of an NVMe disk and what is laid over them."""
    block, devices = tmp_path / "block", tmp_path / "devices"
    block.mkdir()
    schedulers = {"sda": "none [mq-deadline] bfq", "sdb": "[none] mq-deadline", "nvme0c3n1": "none [kyber]"}
    above = ("dm-0", "dm-1", "dm-2", "dm-3", "dm-4", "dm-5", "md0", "md1", "nvme0n1", "pmem0")
    for name in (*schedulers, *above):
        (devices / name / "slaves").mkdir(parents=True)
        (devices / name / "queue").mkdir()
        (devices / name / "queue/scheduler").write_text(schedulers.get(name, "none") + "\n")
        (block / name).symlink_to(devices / name)
    for disk, partition in (("sda", "sda1"), ("sda", "sda2"), ("sdb", "sdb1")):
        (devices / disk / partition).mkdir()
        (devices / disk / partition / "partition").write_text("1\n")
    slaves = {
        "dm-0": ("sda/sda2",),
        "dm-1": ("dm-0",),
        "md0": ("sda/sda1", "sdb/sdb1"),
        "md1": ("sda/sda1", "sda/sda2"),
        "dm-2": ("md0",),
        "dm-3": ("nvme0n1",),
        "dm-4": ("sda", "sdb"),
        "dm-5": ("sdb",),
    }
    for name, below in slaves.items():
        for one in below:
            (devices / name / "slaves" / Path(one).name).symlink_to(devices / one)
    (devices / "dm-4/queue/scheduler").write_text("[mq-deadline] none\n")
    (devices / "dm-5/queue/scheduler").unlink()
    return block


@pytest.mark.parametrize(
    ("disk", "found"),
    [
        pytest.param("sda", "sda", id="a disk"),
        pytest.param("dm-0", "sda", id="a logical volume on a partition"),
        pytest.param("dm-1", "sda", id="encrypted, on a logical volume"),
        pytest.param("dm-5", "sdb", id="on a kernel that shows no file"),
        pytest.param("md1", "sda", id="two partitions of one disk"),
        pytest.param("md0", None, id="two disks"),
        pytest.param("dm-2", None, id="a logical volume on two disks"),
        pytest.param("dm-4", "dm-4", id="paths by requests, with a scheduler of its own"),
        pytest.param("dm-3", "nvme0c3n1", id="NVMe by the kernel's own paths"),
        pytest.param("pmem0", "pmem0", id="without a scheduler, nothing below"),
    ],
)
def test_the_disk_that_schedules_is_the_one_below(block: Path, disk: str, found: str | None) -> None:
    assert scheduling_disk(disk, block=block) == found


@pytest.mark.live
def test_the_disk_under_a_folder_to_be_made_is_that_of_the_one_above(tmp_path: Path) -> None:
    disk = disk_under(tmp_path / "not" / "yet")
    assert disk is not None
    assert (Path("/sys/block") / disk / "queue").is_dir()


@pytest.mark.live
def test_a_listing_of_restore_is_a_document_with_its_schema(home: Path) -> None:
    page = json.loads(run("machine", "restore", "--dry-run", "--json", home=home).out)
    assert (page["schema"], page["dry_run"]) == ("assay.machine-restore", True)


@pytest.mark.live
def test_a_guest_is_tried_under_a_setting_that_is_held(home: Path) -> None:
    wanted = another(THP, "never", "always")
    refused_first = run("platform", "try", f"host.thp={wanted}", "--json", home=home)
    assert (refused_first.code, refused_first.page["factors"]) == (4, [])
    with host_settings({"host.thp": wanted}, home=home, activity=ACTIVITY):
        done = run("platform", "try", f"host.thp={wanted}", "disk.cache=none", "--json", home=home)
    assert done.code == 0, done.err
    assert {row["name"]: row["found"] for row in done.page["factors"]} == {
        "host.thp": wanted,
        "disk.cache": "none",
    }
