"""A guest that reads by NFS, GlusterFS, XRootD and 9p from real servers, each seen in it with its options."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.live.conftest import Make
from tests.live.parts import activities, fits, newest, run

pytestmark = [pytest.mark.live, pytest.mark.long]

SCENE = """\
scene: ways
title: Three ways to the data in a guest
baseline: {machine: local, factors: {data.access: local}}
treatment: {platform: guest, factors: {cpu.vcpus: 1, memory.size: 1 GiB, data.access: [nfs, glusterfs, xrootd]}}
data: {size: 4 MiB, files: 2}
workloads: [data-read]
design: {blocks: 3}
"""  # noqa: E501
WRITES = """\
scene: writes
title: Two ways for a guest's jobs to write
baseline: {machine: local}
treatment: {platform: guest, factors: {cpu.vcpus: 1, memory.size: 1 GiB, scratch.access: [nfs, glusterfs]}}
workloads: [{name: write, command: dd if=/dev/zero of=out bs=1M count=4 conv=fsync}]
design: {blocks: 3}
"""
FULL_KERNEL = """\
scene: full-kernel
title: A way to the data by devices that only the full kernel drives
baseline: {{machine: local, factors: {{data.access: local}}}}
treatment:
  platform: guest
  packages: [linux-image-amd64]
  factors: {{cpu.vcpus: 1, memory.size: 1 GiB, {factors}}}
data: {{size: 4 MiB, files: 2}}
workloads: [data-read]
design: {{blocks: 3}}
"""


def test_a_guest_reads_by_three_ways_each_seen_in_it(make_home: Make, tmp_path: Path) -> None:
    home = make_home("data", images=False)
    packages = ("--package", "glusterfs-client", "--package", "xrootd-client")
    built = run("platform", "image", "build", *packages, home=home)
    assert built.code == 0, built.err
    file = tmp_path / "ways.yaml"
    file.write_text(SCENE)
    done = run("evaluate", str(file), "--json", home=home)
    assert done.code == 0, done.err
    activity = newest(home)
    assert activity is not None
    seen = {}
    for record in activity.records:
        fits(record, "record")
        assert record["state"] == "ended"
        reported = {one["name"]: (one["level"], one["how"]) for one in record["data"]}
        seen[reported["data.access"][0]] = reported["data.access"][1]
    assert set(seen) == {"local", "nfs", "glusterfs", "xrootd"}
    assert "nfs4 from 198.18.0.2:/data" in seen["nfs"]
    assert "gluster volume info: Started" in seen["glusterfs"]
    assert "root://198.18.0.2:1094" in seen["xrootd"]
    assert not list((home / "data").glob("*"))
    file.write_text(WRITES)
    done = run("evaluate", str(file), "--json", home=home)
    assert done.code == 0, done.err
    (wrote,) = (one for one in activities(home) if one.id != activity.id)
    written = {}
    for record in wrote.records:
        assert record["state"] == "ended"
        written |= {one["level"]: one["how"] for one in record["data"]}
    assert "nfs4 from 198.18.0.2:/scratch" in written["nfs"]
    assert "fuse.glusterfs from 198.18.0.2" in written["glusterfs"]
    assert not list((home / "data").glob("*"))


@pytest.mark.parametrize(
    "factors",
    [
        {"data.access": "9p", "data.9p-msize": "512000 B", "disk.bus": "sata"},
        {
            "data.access": "nfs",
            "data.nfs-nconnect": "4",
            "data.nfs-rsize": "64 KiB",
            "disk.bus": "usb",
            "net.model": "e1000e",
        },
    ],
    ids=["9p", "nfs"],
)
def test_options_of_a_way_and_devices_of_the_full_kernel_are_seen_in_force(
    factors: dict[str, str], make_home: Make, tmp_path: Path
) -> None:
    home = make_home("full", images=False)
    file = tmp_path / "full.yaml"
    file.write_text(
        FULL_KERNEL.format(factors=", ".join(f"{name}: {level}" for name, level in factors.items()))
    )
    done = run("evaluate", str(file), "--json", home=home)
    assert done.code == 0, done.err
    activity = newest(home)
    assert activity is not None
    guests = [record for record in activity.records if record["platform"]]
    assert len(guests) == 3
    for record in activity.records:
        fits(record, "record")
        assert record["state"] == "ended"
    for record in guests:
        seen = [*record["data"], *record["platform"]["factors"]]
        assert factors.items() <= {one["name"]: one["level"] for one in seen}.items()
    assert not list((home / "data").glob("*"))
