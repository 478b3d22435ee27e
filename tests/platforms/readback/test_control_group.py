"""The control group of a guest in the first and the second version, with an init system and without."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.platforms.readback.control_group import group_folder, read_group
from assay.platforms.readback.cpu import node_cpus

V1 = (
    "tmpfs /sys/fs/cgroup tmpfs rw 0 0\ncgroup /sys/fs/cgroup/cpu,cpuacct cgroup "
    "rw,relatime,cpu,cpuacct 0 0\n"
)
HYBRID = f"{V1}cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0\n"
V2 = "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n"
NAME = "/machine/qemu-1-trial.libvirt-qemu"
SCOPE = r"/machine.slice/machine-qemu\x2d1\x2dtrial.scope"


@pytest.mark.parametrize(
    ("cgroup", "mounts", "folder"),
    [
        (f"3:cpuset:{NAME}/emulator\n1:cpu,cpuacct:{NAME}/emulator\n0::{NAME}/emulator\n", HYBRID,
         f"/sys/fs/cgroup/cpu,cpuacct{NAME}"),
        (f"4:cpu:{SCOPE}/libvirt/emulator\n", "cgroup /cg/cpu cgroup rw,cpu 0 0\n", f"/cg/cpu{SCOPE}"),
        (f"0::{SCOPE}/libvirt/emulator\n", V2, f"/sys/fs/cgroup{SCOPE}"),
        (f"2:memory:{NAME}\n0::{NAME}/emulator\n", HYBRID, f"/sys/fs/cgroup/unified{NAME}"),
        ("1:cpu:/\n", "cgroup /cg/cpu cgroup rw,cpu 0 0\n", None),
        (f"1:cpu:{NAME}\n", V2, None),
        ("", "", None),
    ],
)  # fmt: skip
def test_the_group_is_found_above_that_of_the_main_thread(
    cgroup: str, mounts: str, folder: str | None
) -> None:
    assert group_folder(cgroup, mounts, "cpu") == (None if folder is None else Path(folder))


def test_a_file_is_read_below_the_guests_group_or_libvirts_own(tmp_path: Path) -> None:
    (tmp_path / "libvirt" / "vcpu0").mkdir(parents=True)
    (tmp_path / "cpu.weight").write_text("200\n")
    (tmp_path / "libvirt" / "vcpu0" / "cpu.max").write_text("50000 100000\n")
    assert read_group(tmp_path, "", "cpu.weight") == "200"
    assert read_group(tmp_path, "vcpu0", "cpu.max") == "50000 100000"
    assert read_group(tmp_path, "vcpu1", "cpu.max") is None


def test_processors_of_memory_nodes_are_told_by_node(tmp_path: Path) -> None:
    for node, cpus in ((0, "0-1"), (10, "2,5"), (2, "")):
        (tmp_path / f"node{node}").mkdir()
        (tmp_path / f"node{node}" / "cpulist").write_text(f"{cpus}\n")
    (tmp_path / "online").write_text("0,2,10\n")
    assert list(node_cpus(tmp_path).items()) == [(0, (0, 1)), (2, ()), (10, (2, 5))]
    assert node_cpus(tmp_path / "none") == {}
