"""Containers as they are asked for, and as a kernel's files show them; nothing is started here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay.model.errors import MissingError
from assay.model.files.marker import make_marked
from assay.model.platforms.container import Runtime
from assay.platforms.claims import claim, release
from assay.platforms.containers import available, podman, uml
from assay.platforms.containers.available import require_runtime
from assay.platforms.containers.bundle import make_bundle, oci_config, top_folders
from assay.platforms.containers.kernel_view import KernelView, parse_cpus, remove_groups
from assay.platforms.containers.leftover import end_containers, left_containers
from assay.platforms.containers.spec import ContainerSpec, read_note, write_note
from assay.platforms.leftovers.clean import clean, leftovers
from tests.platforms.guest_parts import PROBE


def spec_of(home: Path, runtime: Runtime = Runtime.RUNC, activity: str = "0123abcd") -> ContainerSpec:
    name = f"assay-{activity}-b0"
    return ContainerSpec(
        name, activity, runtime, (1, 2), home / "work", home / "containers" / name, 1 << 30, 0.5
    )


def test_a_bundle_has_the_machines_files_read_only_and_one_folder_to_write_to(tmp_path: Path) -> None:
    config = oci_config(spec_of(tmp_path), ("/bin/true",), folders=("etc", "usr"), read_only="rro")
    binds = {m["destination"]: m["options"] for m in config["mounts"] if m["type"] == "bind"}
    assert binds == {
        "/etc": ["rbind", "rro"],
        "/usr": ["rbind", "rro"],
        str(tmp_path / "work"): ["rbind", "rw"],
    }
    assert config["mounts"][-1]["destination"] == str(tmp_path / "work")  # over what lies above it
    assert config["root"]["readonly"] is True


def test_a_bundle_asks_for_the_processors_the_quota_of_all_of_them_and_the_memory(tmp_path: Path) -> None:
    linux = oci_config(spec_of(tmp_path), ("/bin/true",), folders=(), read_only="ro")["linux"]
    assert linux["resources"] == {
        "cpu": {"cpus": "1,2", "period": 100_000, "quota": 100_000},
        "memory": {"limit": 1 << 30},
    }
    assert linux["cgroupsPath"] == "/assay-0123abcd-b0"
    assert {one["type"] for one in linux["namespaces"]} == {"pid", "ipc", "uts", "mount"}


def test_folders_at_the_top_are_seen_and_links_made_but_not_what_a_container_has_itself(
    tmp_path: Path,
) -> None:
    for name in ("usr", "proc", "tmp", "srv"):
        (tmp_path / name).mkdir()
    (tmp_path / "bin").symlink_to("usr/bin")
    (tmp_path / "file").write_text("")
    assert top_folders(tmp_path) == (("srv", "usr"), {"bin": "usr/bin"})
    bundle = make_bundle(spec_of(tmp_path / "home"), {}, {"bin": "usr/bin"})
    assert os.readlink(bundle / "root/bin") == "usr/bin"


def test_podman_is_told_to_copy_nothing_up_and_to_keep_its_storage_in_the_containers_folder(
    tmp_path: Path,
) -> None:
    spec = spec_of(tmp_path, Runtime.PODMAN)
    argv = podman.enclose(spec, ("/bin/true",))
    assert argv[argv.index("--root") + 1] == str(spec.folder / "storage")
    assert "--read-only-tmpfs=false" in argv
    options = [argv[at + 1] for at, word in enumerate(argv) if word == "--security-opt"]
    assert options == ["no-new-privileges", "label=disable"]
    assert all("notmpcopyup" in argv[at + 1] for at, word in enumerate(argv) if word == "--tmpfs")
    assert argv[-1] == "/bin/true"


def test_podman_binds_each_file_system_for_itself() -> None:
    lines = (
        "1 0 8:1 / / rw - ext4 /dev/vda rw",
        "2 1 8:2 / /var/lib/big rw shared:1 - xfs /dev/vdb rw",
        "3 1 0:5 / /var/run rw - tmpfs tmpfs rw",
        "4 1 8:3 / /sys/odd rw - ext4 /dev/vdc rw",
    )
    seen = podman.seen_places("\n".join(lines), ("usr", "var"), look=len)
    assert seen == ("/usr", "/var", "/var/lib/big")


def test_podman_binds_what_is_mounted_and_not_what_waits_for_it() -> None:
    lines = (
        "1 0 8:1 / / rw - ext4 /dev/vda rw",
        "2 1 0:40 / /cvmfs rw - autofs systemd-1 rw",
        "3 2 0:41 / /cvmfs/one.site.org ro - fuse cvmfs2 ro",
        "4 1 0:42 / /home/a rw - autofs systemd-1 rw",
        "5 1 0:43 / /home/b rw - autofs systemd-1 rw",
        "6 1 0:44 / /home/b rw - nfs4 server:/b rw",
    )
    seen = podman.seen_places("\n".join(lines), ("cvmfs", "home"), look=len)
    assert seen == ("/home", "/cvmfs/one.site.org", "/home/b")


def test_podman_binds_nothing_that_cannot_be_looked_at(tmp_path: Path) -> None:
    lines = (
        "1 0 8:1 / / rw - ext4 /dev/vda rw",
        f"2 1 8:2 / {tmp_path} rw - xfs /dev/vdb rw",
        f"3 1 0:50 / {tmp_path}/gone rw - overlay overlay rw",
    )
    top = tmp_path.parts[1]
    assert podman.seen_places("\n".join(lines), (top, "no-such")) == (f"/{top}", str(tmp_path))


MOUNT_THEIRS = """
import json, os, subprocess, sys
from pathlib import Path
from assay.platforms.containers import podman

place = sys.argv[1]
file = os.open("/dev/fuse", os.O_RDWR)
options = f"fd={file},rootmode=40000,user_id=65534,group_id=65534"
subprocess.run(["mount", "-i", "-t", "fuse", "none", place, "-o", options], check=True, pass_fds=(file,))
text = Path("/proc/self/mountinfo").read_text()
seen = podman.seen_places(text, (Path(place).parts[1],))
print(json.dumps({"mounted": f" {place} " in text, "seen": place in seen}))
"""


@pytest.mark.live
def test_a_file_system_of_another_users_programs_is_left_out_as_root_may_not_look_at_it(
    tmp_path: Path,
) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    # in a mount namespace of its own, so that nothing else meets it
    argv = ("unshare", "--mount", sys.executable, "-c", MOUNT_THEIRS, str(theirs))
    told = json.loads(subprocess.run(argv, check=True, capture_output=True, text=True).stdout)
    assert told == {"mounted": True, "seen": False}


def test_a_kernel_in_a_process_greets_before_it_hears_and_words_with_spaces_stay_one(tmp_path: Path) -> None:
    lines = uml.init_script(spec_of(tmp_path, Runtime.UML), ("/a b/probe", "serve")).splitlines()
    greeting = next(at for at, line in enumerate(lines) if "assay: ready" in line)
    assert lines[greeting - 1] == "stty raw -echo <&3"
    assert lines[greeting + 1] == "'/a b/probe' serve <&3 >&3"


def kernel(root: Path, *, group: str = "/assay-0123abcd-b0") -> KernelView:
    """Write the files of one contained process 7 and of ourselves, with groups of version 1."""
    for pid, number in (("self", 1), ("7", 2)):
        for kind in ("mnt", "pid", "pid_for_children", "net"):
            link = root / "proc" / pid / "ns" / kind
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(f"{kind}:[{1 if kind == 'net' else number}]")
    seven = root / "proc/7"
    (seven / "cgroup").write_text(f"3:cpuset:{group}\n2:cpu:{group}\n1:memory:{group}\n0::/elsewhere\n")
    (seven / "task/7").mkdir(parents=True)
    (seven / "task/7/status").write_text("TracerPid:\t0\nCpus_allowed_list:\t1-2\n")
    (seven / "mountinfo").write_text(
        "1 0 8:1 / / ro,relatime - ext4 /dev/vda rw\n"
        "2 1 0:3 / /tmp rw,nosuid - tmpfs tmpfs rw\n"
        "3 1 8:1 /work /var/work rw,relatime shared:1 - ext4 /dev/vda rw\n"
    )
    files = {
        "cpuset/cgroup.procs": "7\n",
        "memory/memory.limit_in_bytes": "9223372036854771712\n",
        "cpu/cpu.cfs_quota_us": "100000\n",
        "cpu/cpu.cfs_period_us": "100000\n",
    }
    for name, text in files.items():
        hierarchy, _, file = name.partition("/")
        folder = root / "groups" / hierarchy / group.lstrip("/")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text)
    return KernelView(root / "proc", root / "groups")


def test_namespaces_of_its_own_are_those_that_differ_from_ours(tmp_path: Path) -> None:
    assert kernel(tmp_path).namespaces(7) == ("mnt", "pid")


def test_limits_and_processors_are_those_that_the_kernel_shows(tmp_path: Path) -> None:
    view = kernel(tmp_path)
    group = view.group(7, "cpuset")
    assert group is not None
    assert view.processes(group) == (7,)
    assert view.cpus((7,)) == (1, 2)
    assert view.cpu_quota(7, 2) == 0.5
    assert view.memory_limit(7) is None
    assert not view.traced((7,))


def test_only_folders_on_storage_count_as_writable(tmp_path: Path) -> None:
    assert kernel(tmp_path).writable(7) == ("/var/work",)


def test_in_a_unified_hierarchy_all_is_read_from_one_group(tmp_path: Path) -> None:
    group = tmp_path / "groups/box"
    group.mkdir(parents=True)
    (tmp_path / "proc/7").mkdir(parents=True)
    (tmp_path / "proc/7/cgroup").write_text("0::/box\n")
    for name, text in {
        "cpu.max": "50000 100000\n",
        "memory.max": "1048576\n",
        "cpu.stat": "usage_usec 2500000\n",
    }.items():
        (group / name).write_text(text)
    view = KernelView(tmp_path / "proc", tmp_path / "groups")
    assert (view.cpu_quota(7, 1), view.memory_limit(7), view.cpu_s(group)) == (0.5, 1 << 20, 2.5)


@pytest.mark.parametrize(("text", "cpus"), [("0-2,5\n", (0, 1, 2, 5)), ("3", (3,)), ("\n", ())])
def test_lists_of_processors_are_read(text: str, cpus: tuple[int, ...]) -> None:
    assert parse_cpus(text) == cpus


def test_control_groups_of_a_container_are_removed_with_those_below(tmp_path: Path) -> None:
    (tmp_path / "cpu/assay-1-b0/conmon").mkdir(parents=True)
    (tmp_path / "memory/other").mkdir(parents=True)
    remove_groups(tmp_path, "assay-1-b0")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["cpu", "memory", "other"]


@pytest.mark.parametrize(
    ("runtime", "hint"),
    [
        (Runtime.RUNC, "apt install runc"),
        (Runtime.PODMAN, "apt install podman runc"),
        (Runtime.RUNSC, "apt install runsc"),
        (Runtime.UML, "apt install user-mode-linux util-linux"),
    ],
)
def test_a_platform_that_is_not_installed_names_its_package(
    runtime: Runtime, hint: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(available, "PATH", str(tmp_path))
    with pytest.raises(MissingError, match=f"cannot use platform {runtime}: not installed") as refusal:
        require_runtime(runtime)
    assert refusal.value.hint == hint


def test_a_plain_user_is_told_that_containers_need_root(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "runc").touch(mode=0o755)
    monkeypatch.setattr(available, "PATH", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(MissingError, match="need root"):
        require_runtime(Runtime.RUNC)


def left(home: Path, activity: str) -> ContainerSpec:
    spec = spec_of(home, activity=activity)
    make_marked(spec.folder)
    write_note(spec)
    return spec


def test_a_container_is_a_leftover_only_while_nobody_holds_its_activity(tmp_path: Path) -> None:
    spec = left(tmp_path, "aa")
    assert read_note(spec.folder) is not None
    claim(tmp_path, "aa")
    assert left_containers(tmp_path) == ()
    end_containers(tmp_path, "another")
    assert spec.folder.exists()
    release(tmp_path, "aa")
    assert [folder for folder, _ in left_containers(tmp_path)] == [spec.folder]


def test_a_container_of_an_activity_on_another_machine_is_left_alone(tmp_path: Path) -> None:
    spec = left(tmp_path, "aa")
    make_marked(tmp_path / "containers/half")
    (tmp_path / "run").mkdir()
    elsewhere = {"pid": 1, "start_ticks": -1, "node": "node01", "boot": "another"}
    (tmp_path / "run/aa.pid").write_text(json.dumps(elsewhere))
    end_containers(tmp_path, "another")
    assert left_containers(tmp_path) == ()
    assert len(list((tmp_path / "containers").iterdir())) == 2
    (tmp_path / "run/aa.pid").unlink()
    assert {folder.name for folder, _ in left_containers(tmp_path)} == {spec.name, "half"}


def test_cleaning_lists_a_container_by_name_and_takes_its_folder_away(tmp_path: Path) -> None:
    spec = left(tmp_path, "bb")
    make_marked(tmp_path / "containers/half")  # cut off before its note was whole
    found = [item for item in leftovers(tmp_path, subreaper=PROBE) if item.kind == "container"]
    assert [(item.name, item.why) for item in found] == [
        (spec.name, "left by activity bb"),
        ("half", "was never started"),
    ]
    clean(tmp_path, subreaper=PROBE)
    assert list((tmp_path / "containers").iterdir()) == []
