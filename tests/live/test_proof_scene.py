"""Knee and bottleneck of a scaling curve, planted: a disk that a control group limits, and no disk that is
one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.platforms.mounts import loops_below, mounts_below, read_mounts
from tests.live.parts import Done, activities, fits, quiet, run, undisturbed

pytestmark = [pytest.mark.live, pytest.mark.long]

LIMIT = 20_000_000
PACKET, PACKETS = 256 * 1024, 24
COMPUTES_S = 0.05
READER = f"""\
import os, sys, time
file = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
import mmap
buffer = mmap.mmap(-1, {PACKET})
print("loop", flush=True)
for packet in range({PACKETS}):
    os.preadv(file, [buffer], packet * {PACKET})
    time.sleep({COMPUTES_S})  # another processor would compute here
    print("event", packet + 1, flush=True)
print("end", flush=True)
"""
SCENE = """\
scene: planted
title: Workers that read a little more than 5 MB/s each, from a disk of 20 MB/s
baseline: {machine: local, factors: {data.filesystem: ext4}}
treatment: {machine: local, factors: {data.filesystem: ext4, disk.read-limit: 20 MB/s}}
data: {size: 48 MiB, files: 8}
workloads:
  - name: reader
    command: python3 reader.py {data}/f000{copy}
    inputs: [./reader.py]
    placement: {copies: [1, 2, 8]}
    phases: {marks: {event-loop: ^loop, end: ^end}, events: '^event (\\d+)'}
watch: [disks]
interval: 100 ms
design: {blocks: 3, seed: 7}
"""


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, list[dict[str, Any]], Path]:
    """Evaluate workers with a known share of time at the disk; return what was said, the records and the
    home.
    """
    folder = tmp_path_factory.mktemp("planted")
    (folder / "planted.yaml").write_text(SCENE)
    (folder / "reader.py").write_text(READER)
    done = run("evaluate", str(folder / "planted.yaml"), "--json", home=folder / "home")
    assert done.code == 0, done.err
    (activity,) = activities(folder / "home")
    return done, activity.records, folder / "home"


def steady(records: list[dict[str, Any]]) -> bool:
    """Tell whether nobody else kept workers from their processors, or from the disk where none is limited."""
    free = [
        one["usage"]["wall_s"] for one in records if one["planned"]["workload"] in {"reader-c1", "reader-c2"}
    ]
    return quiet(records) and undisturbed(left_alone=max(free, default=0.0) < 1.5 * PACKETS * COMPUTES_S)


def curve(done: Done, arm: str) -> dict[str, Any]:
    (scaling,) = done.page["scalings"]
    (found,) = (curve for curve in scaling["curves"] if curve["arm"] == arm)
    return found


def rates(done: Done, arm: str) -> dict[int, float]:
    """Return bytes a second by workers."""
    return {point["workers"]: point["rate"] * PACKET for point in curve(done, arm)["points"]}


def test_the_rate_is_bounded_by_the_limit_and_the_knee_is_where_it_says(
    planted: tuple[Done, list[dict[str, Any]], Path],
) -> None:
    done, records, _ = planted
    if not steady(records):
        return
    found, read = curve(done, "treatment"), rates(done, "treatment")
    assert read[8] == pytest.approx(LIMIT, rel=0.1)
    assert found["knee"] == pytest.approx(LIMIT / read[1], rel=0.15)
    assert rates(done, "baseline")[8] > 1.5 * LIMIT


def test_the_disk_is_named_as_the_bottleneck_with_its_limit_and_of_the_free_disk_it_is_not(
    planted: tuple[Done, list[dict[str, Any]], Path],
) -> None:
    done, records, _ = planted
    if not steady(records):
        return
    found = curve(done, "treatment")
    assert found["resource"] == "disk throughput"
    assert "of the 20 MB/s to which a control group limits it" in found["sentence"]
    assert curve(done, "baseline")["resource"] != "disk throughput"


def test_the_limit_holds_for_the_disk_of_the_data_and_nothing_is_left(
    planted: tuple[Done, list[dict[str, Any]], Path],
) -> None:
    for record in planted[1]:
        fits(record, "record")
        limits, treated = record["limits"], record["planned"]["arm"] == "treatment"
        assert limits["read_bytes_per_s"] == (LIMIT if treated else None)
        assert [name.rstrip("0123456789") for name in limits["disks"]] == (["loop"] if treated else [])
    assert not mounts_below(planted[2], read_mounts())
    assert not loops_below(planted[2])


def test_the_scene_finds_its_planted_disk(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert run("workload", "pack", "root", home=home).code == 0
    done = run("evaluate", "proof", "--scale", "minutes", "--seed", "1", "--json", home=home)
    assert done.code == 0, done.err
    (activity,) = activities(home)
    for record in activity.records:
        if record["planned"]["arm"] == "treatment":
            usage = record["usage"]
            assert usage["read_bytes"] > 12e6
            assert usage["read_bytes"] < 5e6 * (usage["wall_s"] + 0.2), "0.1 s is let through in advance"
    if quiet(activity.records) and steady(activity.records):
        found = curve(done, "treatment")
        assert found["resource"] == "disk throughput"
        assert "of the 5 MB/s to which a control group limits it" in found["sentence"]
        assert found["knee"] == pytest.approx(1, abs=0.2), "one worker alone reads at the limit"
