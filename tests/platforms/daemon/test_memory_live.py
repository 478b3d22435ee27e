"""Settings of memory tried on paused guests: what takes, what does not, and what waits for the
administrator.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from assay.platforms.daemon.daemon import libvirt_connection
from tests.in_gate import in_gate
from tests.live.parts import Done, run
from tests.passing import Hardware, lack, pass_by
from tests.platforms.guest_parts import PROBE, fresh_home

pytestmark = pytest.mark.live
POOLS = Path("/sys/kernel/mm/hugepages")
SMALL, LARGE = POOLS / "hugepages-2048kB", POOLS / "hugepages-1048576kB"
FRESH_DAEMON = """
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/lock /run/hugepages-2M /run/hugepages-1G
mount -t hugetlbfs -o pagesize=2M hugetlbfs /run/hugepages-2M
mount -t hugetlbfs -o pagesize=1G hugetlbfs /run/hugepages-1G
exec "$@"
"""
"""Mounts that nobody else sees, and a libvirtd started after them, whatever daemon runs outside."""


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with fresh_home() as folder, libvirt_connection(folder, subreaper=PROBE):
        yield folder


def compact(file: Path, wanted: int) -> None:
    """Ask for so many pages, after the kernel has put what is free together: a page of 1 GiB is
    of one piece.
    """
    Path("/proc/sys/vm/compact_memory").write_text("1")
    file.write_text(str(wanted))


@contextmanager
def pool(folder: Path, count: int) -> Iterator[None]:
    """Add pages to a pool, and give them back."""
    file = folder / "nr_hugepages"
    before = file.read_text()
    wanted = int(before) + count
    try:
        compact(file, wanted)
        if int(file.read_text()) < wanted:
            Path("/proc/sys/vm/drop_caches").write_text("3")  # cached files lie between what is free
            compact(file, wanted)
        if int(file.read_text()) < wanted and folder.name == "hugepages-1048576kB":
            lack(Hardware.GIBIBYTE, f"{file} stays at {before.strip()}")
        if int(file.read_text()) < wanted:
            pass_by(f"this machine's memory is in too small pieces for {count} pages of {folder.name}")
        yield
    finally:
        file.write_text(before)


def with_mounts(words: Sequence[str]) -> Sequence[str]:
    return ["unshare", "--mount", "--propagation", "private", "sh", "-ec", FRESH_DAEMON, "sh", *words]


def read(settings: str) -> dict[str, str]:
    """Return the levels of ``a.b=level, c.d=level``."""
    return dict(setting.split("=") for setting in settings.split(", "))


def attempt(
    wanted: dict[str, str], *, home: Path, wrap: Callable[[Sequence[str]], Sequence[str]] = list
) -> Done:
    words = [f"{name}={level}" for name, level in wanted.items()]
    return run("platform", "try", *words, "--json", home=home, wrap=wrap)


def levels(done: Done) -> dict[str, str]:
    """Return what was found of each factor; all must be what was wanted."""
    assert done.code == 0, done.out + done.err
    return {row["name"]: row["found"] for row in json.loads(done.out)["factors"]}


@pytest.mark.parametrize(
    "settings",
    in_gate(
        [
            (
                "memory.hugepages=none, memory.source=anonymous, memory.access=private, "
                "memory.allocation=ondemand"
            ),
            (
                "memory.nosharepages=off, memory.memballoon=none, memory.locked=off, "
                "numa.memory=none, numa.cell=none"
            ),
            "memory.nosharepages=on, memory.allocation=immediate, memory.size=512 MiB",
            "memory.memballoon=virtio, memory.autodeflate=on, memory.freePageReporting=on",
            "memory.memballoon=virtio, memory.autodeflate=off, memory.freePageReporting=off",
            "memory.source=memfd, memory.access=private, numa.memory=strict:0",
            (
                "memory.source=memfd, memory.access=shared, memory.allocation=immediate, "
                "numa.memory=interleave:0"
            ),
            "memory.source=file, memory.access=shared, numa.memory=preferred:0",
            "memory.source=file, memory.access=private, numa.memory=restrictive:0",
            "numa.cell=2, numa.distances=21, cpu.vcpus=4, memory.allocation=immediate, numa.memory=strict:0",
            "numa.cell=0-1:192 MiB/2:128 MiB, cpu.vcpus=3, memory.size=320 MiB, memory.nosharepages=on",
            "numa.cell=1, memory.source=memfd, memory.access=shared",
        ],
        4,
    ),
)
def test_settings_of_memory_take(settings: str, home: Path) -> None:
    wanted = read(settings)
    done = attempt(wanted, home=home)
    assert levels(done) == wanted
    assert list((home / "guests").iterdir()) == []


def test_memory_that_no_driver_gives_back_is_not_in_effect(home: Path) -> None:
    done = attempt({"memory.currentMemory": "128 MiB", "memory.memballoon": "virtio"}, home=home)
    assert done.code == 4
    kept, balloon = json.loads(done.out)["factors"]
    assert (kept["wanted"], kept["found"], kept["ok"]) == ("128 MiB", "256 MiB", False)
    assert balloon["ok"]


@pytest.mark.parametrize("settings", ["memory.locked=on", "memory.hard_limit=4 GiB, memory.size=512 MiB"])
def test_a_bound_takes_or_the_missing_capability_is_named(settings: str, home: Path) -> None:
    done = attempt(read(settings), home=home)
    page = json.loads(done.out)
    assert all(row["ok"] for row in page["factors"])
    assert all("CAP_SYS_RESOURCE" in refused["reason"] for refused in page["refused"])
    assert page["factors"] or page["refused"]


def test_huge_pages_wait_for_a_pool_with_what_to_type(home: Path) -> None:
    if (SMALL / "free_hugepages").read_text().strip() != "0":
        pass_by("this machine has a pool of huge pages")
    done = attempt({"memory.hugepages": "2 MiB"}, home=home)
    assert done.code == 4
    assert f"echo 512 > {SMALL}/nr_hugepages" in json.loads(done.out)["refused"][0]["reason"]


def test_huge_pages_of_memfd_need_a_pool_and_no_mount(home: Path) -> None:
    wanted = read(
        "memory.hugepages=2 MiB, memory.source=memfd, memory.access=shared, memory.allocation=immediate"
    )
    with pool(SMALL, 136):
        done = attempt(wanted, home=home)
        unmounted = attempt({"memory.hugepages": "2 MiB"}, home=home)
    assert levels(done) == wanted
    if "pagesize=2M" not in Path("/proc/mounts").read_text():
        (refused,) = json.loads(unmounted.out)["refused"]
        assert refused["reason"].endswith("mount -t hugetlbfs -o pagesize=2M hugetlbfs /dev/hugepages")


@pytest.mark.parametrize(
    ("folder", "count", "settings"),
    in_gate(
        [
            (SMALL, 136, "memory.hugepages=2 MiB, numa.cell=2, cpu.vcpus=2, memory.nosharepages=on"),
            (SMALL, 136, "memory.hugepages=2 MiB, memory.access=private, numa.memory=strict:0"),
            (LARGE, 1, "memory.hugepages=1 GiB, memory.size=1 GiB, memory.access=shared"),
        ],
        1,
    ),
)
def test_huge_pages_of_a_mount_take_and_all_is_put_back(
    folder: Path, count: int, settings: str, home: Path
) -> None:
    before = (folder / "nr_hugepages").read_text()
    wanted = read(settings)
    with pool(folder, count):
        done = attempt(wanted, home=home, wrap=with_mounts)
    assert levels(done) == wanted
    assert (folder / "nr_hugepages").read_text() == before
    assert "/run/hugepages-" not in Path("/proc/mounts").read_text()
