"""An analysis of ROOT files for real: the pack by pip, files made by it, two workers on file systems of their
own.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.platforms.mounts import loops_below, mounts_below, read_mounts
from tests.live.parts import fits, newest, run

pytestmark = [pytest.mark.live, pytest.mark.long]

SCENE = """\
scene: layouts
title: ROOT files on single disks and on RAID 5, cold and preloaded
baseline: {machine: local, factors: {data.filesystem: ext4-spread}}
treatment: {machine: local, factors: {data.filesystem: btrfs-raid5, page-cache: [cold, warm]}}
data: {size: 8 MiB, files: 3, content: root}
workloads: [{use: root-analysis-quarter, placement: {copies: 2}}]
design: {blocks: 3, seed: 7}
"""


def test_workers_read_root_files_cold_and_warm_and_every_trial_tells_bytes_asked_for_and_from_the_device(
    tmp_path: Path,
) -> None:
    home, file = tmp_path / "home", tmp_path / "layouts.yaml"
    file.write_text(SCENE)
    missing = run("evaluate", str(file), home=home)
    assert (missing.code, "hint: assay workload pack root" in missing.err) == (4, True)
    made = run("workload", "pack", "root", home=home)
    assert made.code == 0, made.err
    done = run("evaluate", str(file), "--json", home=home)
    assert done.code == 0, done.err
    activity = newest(home)
    assert activity is not None
    assert len(activity.records) == 12
    for record in activity.records:
        fits(record, "record")
        figures = {one["metric"]["name"]: one["value"] for one in record["measurements"]}
        assert figures["events_per_s"] > 0
        assert figures["asked_rate"] > 0
        assert figures["event_loop_time"] > 0
        assert figures["device_read"] * 1e6 == record["usage"]["read_bytes"]
        found, warm = record["cache"]["machine"], record["cache"]["state"] == "warm"
        assert found["files"] == 3
        assert abs(found["resident_bytes"] - warm * found["bytes"]) <= 0.01 * found["bytes"]
        assert warm == bool(record["planned"]["level"])
        baseline = record["planned"]["arm"] == "baseline"
        level = "ext4-spread" if baseline else "btrfs-raid5"
        assert {one["name"]: one["level"] for one in record["data"]}["data.filesystem"] == level
    assert not mounts_below(home, read_mounts())
    assert not loops_below(home)


BY_XROOTD = """\
scene: by-xrootd
title: ROOT files from an XRootD server of this machine, cold and preloaded
baseline: {machine: local, factors: {data.access: local}}
treatment: {machine: local, factors: {data.access: xrootd, page-cache: [cold, warm]}}
data: {size: 8 MiB, files: 2, content: root}
workloads: [{use: root-analysis-few, placement: {copies: 2}}]
design: {blocks: 3, seed: 7}
"""


def test_workers_read_by_xrootd_what_the_server_has_on_disk_or_in_memory(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "by-xrootd.yaml"
    file.write_text(BY_XROOTD)
    assert run("workload", "pack", "root", home=home).code == 0
    done = run("evaluate", str(file), home=home)
    assert done.code == 0, done.err
    activity = newest(home)
    assert activity is not None
    for record in activity.records:
        fits(record, "record")
        assert record["state"] == "ended"
        if record["planned"]["arm"] == "baseline":
            continue
        below, warm = record["cache"]["host"], bool(record["planned"]["level"])
        assert below["files"] == 2
        assert abs(below["resident_bytes"] - warm * below["bytes"]) <= 0.01 * below["bytes"]
        assert "xrootd" in {one["level"] for one in record["data"]}


AHEAD = """\
scene: ahead
title: ROOT files that are read ahead while two workers run
baseline: {machine: local, factors: {data.filesystem: ext4}}
treatment:
  machine: local
  factors: {data.filesystem: ext4, disk.read-limit: 20 MB/s, page-cache: read-ahead}
data: {size: 8 MiB, files: 2, content: root}
workloads: [{use: root-analysis-few, placement: {copies: 2}}]
design: {blocks: 3, seed: 7}
"""


def test_files_are_read_ahead_under_the_limit_of_the_job(tmp_path: Path) -> None:
    home, file = tmp_path / "home", tmp_path / "ahead.yaml"
    file.write_text(AHEAD)
    assert run("workload", "pack", "root", home=home).code == 0
    done = run("evaluate", str(file), home=home)
    assert done.code == 0, done.err
    activity = newest(home)
    assert activity is not None
    for record in activity.records:
        fits(record, "record")
        cache = record["cache"]
        assert cache["machine"]["resident_bytes"] <= 0.01 * cache["machine"]["bytes"]
        if record["planned"]["arm"] == "baseline":
            assert cache["ahead"] is None
            continue
        ahead, usage = cache["ahead"], record["usage"]
        assert 0 < ahead["read_bytes"] <= usage["read_bytes"]
        assert ahead["cpu_s"] <= usage["user_s"] + usage["system_s"]
