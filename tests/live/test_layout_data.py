"""Guests of a layout that read software by NFS from this machine, pinned, and explained guest by guest; two
containers in their place.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.platforms.filesystems.placed import require_place
from tests.live.conftest import Make
from tests.live.parts import fits, newest, run

pytestmark = [pytest.mark.live, pytest.mark.long]

JOB = (
    """sh -c 'cat "$@" | wc -c; echo event loop begins; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; """
    """echo event 1' job {data-files}"""
)
SCENE = """\
scene: software
title: One guest of two vCPUs beside two of one that read their software by NFS
baseline: {{machine: local, factors: {{data.access: local}}}}
treatment: {treatment}
data: {{size: 8 MiB, files: 100}}
workloads:
  - name: job
    command: {job}
    phases: {{marks: {{event-loop: ^event loop begins}}, events: '^event (\\d+)'}}
    placement: {{copies: 2}}
    cache: cold
processors: all-cores
controller: shared
design: {{blocks: 3}}
"""
GUESTS = (
    "{platform: guest, layout: {guests: [1, 2]}, factors: {memory.size: 1536 MiB, data.access: nfs, "
    'cpu.vcpupin: "1:1", numa.memory: "strict:own"}}'
)


def scene_of(treatment: str, folder: Path) -> str:
    file = folder / "software.yaml"
    file.write_text(SCENE.format(treatment=treatment, job=json.dumps(JOB)))
    return str(file)


def test_guests_of_a_layout_read_by_nfs_pinned_and_are_explained_each(
    make_home: Make, tmp_path: Path
) -> None:
    home = make_home("layout", images=False)
    done = run("evaluate", scene_of(GUESTS, tmp_path), "--seed", "1", "--json", home=home)
    assert done.code == 0, done.err
    activity = newest(home)
    assert activity is not None
    several = [record for record in activity.records if record["members"]]
    assert len(several) == 3
    for record in activity.records:
        fits(record, "record")
        assert record["state"] == "ended"
    for record in several:
        assert [member["name"] for member in record["members"]] == ["guest-0", "guest-1"]
        assert {len(member["cpus"]) for member in record["members"]} == {1}
        assert {one["name"]: one["level"] for one in record["data"]}["data.access"] == "nfs"
        assert "nfs4 from 198.18.0.2:/data" in record["data"][0]["how"]
    explained = run("explain", activity.id, "--json", home=home)
    assert explained.code == 0, explained.err
    budgets = {one["treatment"]: one for one in json.loads(explained.out)["budgets"]}
    two = budgets["2 guests"]
    assert [one["phase"] for one in two["by_phase"]] == ["init", "event-loop", "rest"]
    shares = sum(one["contribution"] for one in two["by_phase"])
    whole = sum(one["treatment_s"] for one in two["by_phase"])
    base = sum(one["baseline_s"] for one in two["by_phase"])
    assert shares == pytest.approx((whole - base) / whole, abs=0.1)
    assert not list((home / "data").glob("*"))


@pytest.fixture
def places(tmp_path: Path) -> Iterator[str]:
    """Yield a mount point and an empty block device of a site, as a level."""
    point, file = tmp_path / "data1", tmp_path / "disk"
    point.mkdir()
    file.touch()
    call("mount", "-t", "tmpfs", "-o", "size=3g", "site", str(point))
    call("truncate", "-s", "3G", str(file))
    device = call("losetup", "--find", "--show", str(file)).strip()
    yield f"{point} {device}"
    call("losetup", "-d", device)
    call("umount", str(point))


def call(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def test_disks_of_guests_lie_on_the_places_of_a_site_which_are_left_as_they_were(
    make_home: Make, tmp_path: Path, places: str
) -> None:
    home = make_home("places", images=False)
    factors = f"memory.size: 1 GiB, disk.cache: writeback, disk.place: {places}"
    scene = scene_of(f"{{platform: guest, layout: {{guests: 2}}, factors: {{{factors}}}}}", tmp_path)
    done = run("evaluate", scene, "--seed", "1", "--json", home=home)
    assert done.code == 0, done.err
    activity = newest(home)
    assert activity is not None
    point, device = places.split()
    several = [record for record in activity.records if record["members"]]
    assert len(several) == 3
    for record in several:
        assert record["state"] == "ended"
        assert {one["name"]: one["level"] for one in record["platform"]["factors"]}["disk.place"] == point
    assert list(Path(point).iterdir()) == []
    if any(begin_of(device)):  # a process of another test took a copy of all mounts with it
        deadline = time.monotonic() + 600
        while held(device):
            assert time.monotonic() < deadline, f"{device} is mounted still"
            time.sleep(1)
        require_place(device)
    assert not any(begin_of(device))


def begin_of(device: str) -> bytes:
    with Path(device).open("rb") as file:
        return file.read(1 << 20)


def held(device: str) -> bool:
    """Tell whether the mounts of any process have a device, those of containers and namespaces too."""
    return any(f" {device} " in mounts for mounts in map(read_now, Path("/proc").glob("[0-9]*/mountinfo")))


def read_now(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""  # it ended


def test_two_containers_share_the_processors_as_guests_do(make_home: Make, tmp_path: Path) -> None:
    home = make_home("boxes", images=False)
    scene = scene_of("{platform: runc, layout: {guests: [1, 2]}, factors: {memory.limit: 512 MiB}}", tmp_path)
    done = run("evaluate", scene, "--seed", "1", "--json", home=home)
    assert done.code == 0, done.err
    activity = newest(home)
    assert activity is not None
    several = [record for record in activity.records if record["members"]]
    assert len(several) == 3
    for record in several:
        fits(record, "record")
        assert [member["name"] for member in record["members"]] == ["container-0", "container-1"]
        assert {tuple(member["cpus"]) for member in record["members"]} == {(0,), (1,)}
        assert record["container"]["memory_bytes"] == 512 << 20
        assert record["container"]["cpu_s"] > 0
    shown = run("result", "show", activity.id, home=home)
    assert "2 containers, runc" in shown.out
