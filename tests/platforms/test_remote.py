"""What is asked of another machine through its door, asked here of this one: the door is real, the machine is
ours.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import libvirt
import pytest

from assay.machines.local import LocalDoor
from assay.model.errors import MissingError
from assay.model.files.packages import install_command
from assay.model.machines.machine import Machine, Reach
from assay.platforms.errors import ClaimedError, PlatformError
from assay.platforms.guests.mark import Mark
from assay.platforms.guests.specfile import spec_facts, spec_of
from assay.platforms.host.this_host import ThisHost
from assay.platforms.hypervisor import EMULATOR, EMULATORS
from assay.platforms.images.stored import Image
from assay.platforms.node import this_node
from assay.platforms.process import this_process
from assay.platforms.readback.cpu import hypervisor_cpu, parse_status, threads_cpus
from assay.platforms.remote import claims, guest, hypervisor
from assay.platforms.remote.claims import live_there, remote_claim
from assay.platforms.remote.connect import remote_connection
from assay.platforms.remote.files import copy_process, parse_texts, read_text, read_texts
from assay.platforms.remote.host import RemoteHost
from assay.platforms.remote.host_view import parse_unwritten
from assay.platforms.remote.login import hypervisor_uri, ssh_config, write_login
from assay.platforms.remote.port import parse_ports
from assay.platforms.remote.refused import why_not_there
from tests.platforms.guest_parts import spec_of as spec_of_guest

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFbxbNga36zk"
GIVEN = Machine("node01", Reach.SSH, "node01.site", "root", 2222)
LOGIN = replace(GIVEN, host="192.0.2.7", host_key=KEY)


class Door(LocalDoor):
    """This machine's door, with what only a door by SSH knows."""

    def greets(self, port: int, patience_s: float) -> bool:
        msg = f"no guest of these tests is waited for by SSH (port {port}, {patience_s} s)"
        raise AssertionError(msg)

    def login(self) -> Machine:
        return LOGIN


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    made = Door("here", tmp_path / "work")
    yield made
    made.close()


def test_a_process_that_was_copied_reads_as_itself(door: Door, tmp_path: Path) -> None:
    waits = threading.Event()
    thread = threading.Thread(target=waits.wait)
    thread.start()
    try:
        proc = copy_process(door, os.getpid(), tmp_path / "proc", whole=True)
        assert threads_cpus(os.getpid(), proc=proc) == threads_cpus(os.getpid())
    finally:
        waits.set()
        thread.join()
    own = proc / str(os.getpid())
    assert (own / "cmdline").read_bytes().rstrip(b"\n") == Path("/proc/self/cmdline").read_bytes()
    assert (own / "fd" / "0").readlink() == Path("/proc/self/fd/0").readlink()
    assert parse_status((own / "status").read_text())["Tgid"] == str(os.getpid())
    assert "Rss" in (own / "smaps").read_text()
    assert "flags" in (own / "fdinfo" / "0").read_text()


def test_the_times_of_a_process_are_copied_alone(door: Door, tmp_path: Path) -> None:
    proc = copy_process(door, os.getpid(), tmp_path / "proc", whole=False)
    assert {path.name for path in (proc / str(os.getpid())).iterdir()} == {"stat", "status", "task"}
    used = hypervisor_cpu(os.getpid(), frozenset({os.getpid()}), proc=proc)
    assert used.vcpu_s > 0
    assert (used.vcpu_migrations is not None) == Path("/proc/thread-self/sched").exists()


def test_a_process_that_is_gone_leaves_an_empty_folder(door: Door, tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    assert list(copy_process(door, 2**22, tmp_path / "proc", whole=True).iterdir()) == []


def test_texts_come_apart_at_the_name_of_their_file() -> None:
    said = b"a/status\0Name:\tx\na/status\0Pid:\t1\ncmdline\0one\0two\n"
    assert parse_texts(said) == {"a/status": "Name:\tx\nPid:\t1\n", "cmdline": "one\0two\n"}


def test_files_that_are_not_there_are_no_texts(door: Door, tmp_path: Path) -> None:
    (tmp_path / "two words; and more").write_text("yes\n")
    place = str(tmp_path / "two words; and more")
    assert read_texts(door, place, "/nowhere") == {place: "yes\n"}
    assert read_text(door, "/nowhere") is None


def test_a_host_is_the_same_through_a_door(door: Door) -> None:
    far, near = RemoteHost(door), ThisHost()
    assert (far.cpus, far.nodes, far.memory_bytes, far.root) == (
        near.cpus,
        near.nodes,
        near.memory_bytes,
        near.root,
    )
    assert far.qemu == near.qemu
    assert far.libvirt[:2] == near.libvirt[:2]
    assert far.accelerator == near.accelerator
    assert (far.has("cat"), far.has("no-such-program")) == (True, False)
    assert far.read("/proc/sys/kernel/osrelease") == near.read("/proc/sys/kernel/osrelease")


class DoorBelow(Door):
    """A door to a machine whose ``/sys`` is a folder here: commands see it under that folder's path."""

    def __init__(self, folder: Path) -> None:
        super().__init__("far", folder / "door")
        self.root = folder / "machine"

    def run(self, argv: Sequence[str], *, timeout_s: float) -> bytes:
        moved = [f"{self.root}{word}" if word.startswith("/sys/") else word for word in argv]
        return super().run(moved, timeout_s=timeout_s)


class EnterpriseLinux(Door):
    """A machine whose QEMU is where Enterprise Linux has it."""

    def run(self, argv: Sequence[str], *, timeout_s: float) -> bytes:
        moved = {EMULATORS[0]: "/no/such/qemu", EMULATORS[1]: EMULATOR}
        return super().run([moved.get(word, word) for word in argv], timeout_s=timeout_s)


def test_qemu_is_found_where_enterprise_linux_has_it(tmp_path: Path) -> None:
    host = RemoteHost(EnterpriseLinux("far", tmp_path / "work"))
    assert (host.emulator, host.qemu) == ("/usr/libexec/qemu-kvm", ThisHost().qemu)
    assert host.devices == ThisHost().devices
    assert "virtio-blk-pci" in host.devices


def test_a_node_without_memory_is_no_memory_node_over_there_and_has_its_processors(tmp_path: Path) -> None:
    nodes = tmp_path / "machine/sys/devices/system/node"
    for node, cpus in ((0, "0-1"), (1, "2-3")):
        (nodes / f"node{node}").mkdir(parents=True)
        (nodes / f"node{node}/cpulist").write_text(f"{cpus}\n")
    (nodes / "online").write_text("0-1\n")
    assert RemoteHost(DoorBelow(tmp_path)).nodes == (0, 1)
    (nodes / "has_memory").write_text("1\n")
    host = RemoteHost(DoorBelow(tmp_path))
    assert (host.nodes, host.node_cpus) == ((1,), {0: (0, 1), 1: (2, 3)})


def test_a_claim_holds_as_long_as_the_door_is_open(door: Door, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    with remote_claim(door, tmp_path, "aaaa"):
        assert live_there(door, tmp_path) == ("aaaa",)
        with pytest.raises(ClaimedError, match="activity aaaa works with guests on here"):
            remote_claim(door, tmp_path, "bbbb").__enter__()
    assert live_there(door, tmp_path) == ()


def test_a_claim_of_a_further_machine_keeps_its_own_and_hinders_nobody(door: Door, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    other = {"pid": 1, "start_ticks": -1, "node": "node02", "boot": "another"}
    (tmp_path / "run/cccc.pid").write_text(json.dumps(other))
    with remote_claim(door, tmp_path, "aaaa"):
        assert live_there(door, tmp_path) == ("aaaa", "cccc")
        assert live_there(door, tmp_path, shared=False) == ("aaaa",)
        written = json.loads((tmp_path / "run/aaaa.pid").read_text())
        assert (written["node"], written["boot"]) == (this_node().name, this_node().boot)
    before = other | {"pid": os.getpid(), "start_ticks": this_process().start_ticks, "node": this_node().name}
    (tmp_path / "run/dddd.pid").write_text(json.dumps(before))
    assert live_there(door, tmp_path) == ("cccc",)


@pytest.mark.parametrize("text", ["{}", "{", "[1]", '{"pid": "x", "start_ticks": 1}', "[" * 200_000])
def test_a_damaged_claim_over_there_is_named(door: Door, tmp_path: Path, text: str) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run/aaaa.pid").write_text(text)
    with pytest.raises(PlatformError, match=r"cannot read the claim .*/run/aaaa\.pid on here: expected pid"):
        live_there(door, tmp_path)


def test_a_shell_over_there_that_says_no_process_is_no_claim(
    door: Door, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "_HOLD", "echo hello; echo you; exec cat >/dev/null")
    with pytest.raises(PlatformError, match="expected the number of a process, got b'hello'"):
        remote_claim(door, tmp_path, "aaaa").__enter__()


def test_of_two_that_claim_at_once_none_takes_the_other_s_place(
    door: Door, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "run").mkdir()
    answers = iter([(), ("aaaa", "bbbb")])
    with monkeypatch.context() as raced:
        raced.setattr(claims, "live_there", lambda *_, **__: next(answers))
        with pytest.raises(ClaimedError, match="activity aaaa works with guests on here"):
            remote_claim(door, tmp_path, "bbbb").__enter__()
    assert not list((tmp_path / "run").iterdir())


def test_a_guest_of_an_activity_that_lives_there_is_not_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    class Domain:
        def name(self) -> str:
            return "assay-0123abcd-b0"

        def isActive(self) -> bool:
            return True

    home, ended = Path("/h"), list[str]()
    on = SimpleNamespace(connection=None, door=None, home=home, name="node01", remove_folder=lambda _: None)
    monkeypatch.setattr(hypervisor, "marked_domains", lambda _: [(Domain(), Mark("0123abcd", home))])
    monkeypatch.setattr(hypervisor, "remove_domain", lambda domain: ended.append(domain.name()))
    monkeypatch.setattr(hypervisor, "live_there", lambda *_: ("0123abcd", "89abcdef"))
    with pytest.raises(ClaimedError, match="guest assay-0123abcd-b0 of activity 0123abcd runs on node01"):
        hypervisor.end_guests(on, "89abcdef")  # type: ignore[arg-type]
    assert not ended
    hypervisor.end_guests(on, "0123abcd")  # type: ignore[arg-type]
    assert ended == ["assay-0123abcd-b0"]


def test_a_claim_of_a_process_that_is_gone_holds_nothing(door: Door, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "dead.pid").write_text('{"pid": 1, "start_ticks": -1}')
    assert live_there(door, tmp_path) == ()


def test_ssh_accepts_the_one_key_that_the_door_has_proved(tmp_path: Path) -> None:
    program = write_login(LOGIN, tmp_path / "login", given=GIVEN)
    assert (tmp_path / "login" / "known_hosts").read_text() == f"assay-node01 {KEY}\n"
    assert program.stat().st_mode & 0o777 == 0o700
    lines = ssh_config(LOGIN, tmp_path, given=GIVEN).splitlines()
    before = lines[: lines.index("Host *")]  # the first word counts: the user's own come later
    assert {"StrictHostKeyChecking yes", "GlobalKnownHostsFile none", "BatchMode yes"} <= set(before)
    assert "HostName 192.0.2.7" in before


def test_a_machine_that_brings_both_keys_needs_no_configuration_of_the_user(tmp_path: Path) -> None:
    given = replace(GIVEN, host_key=KEY, identity="/keys/id")
    text = ssh_config(LOGIN, tmp_path, given=given)
    assert 'IdentityFile "/keys/id"' in text
    assert "Include" not in text


def test_a_machine_without_a_proved_key_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlatformError, match="it proved no host key"):
        write_login(replace(LOGIN, host_key=None), tmp_path, given=GIVEN)


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ("Failed to connect socket: No such file", "systemctl start libvirtd, or virtqemud.socket"),
        ("sh: virsh: not found", install_command("libvirt-daemon-system", "qemu-system-x86", "qemu-utils")),
        ("authentication failed", "virsh -c qemu:///system list --all"),
    ],
)
def test_a_libvirt_that_does_not_answer_is_told_with_what_to_do_there(
    door: Door, tmp_path: Path, said: str, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_uri: str) -> None:
        raise libvirt.libvirtError(said)

    monkeypatch.setattr(libvirt, "open", refuse)
    with pytest.raises(MissingError) as refused, remote_connection(door, GIVEN, home=tmp_path):
        pass
    assert refused.value.hint == f"there: {hint}"


@pytest.mark.parametrize(
    ("host", "spelt"), [("node01.site", "node01.site"), ("2001:db8::1", "[2001:db8::1]")]
)
def test_libvirt_finds_the_hypervisor_by_its_address(host: str, spelt: str) -> None:
    uri = hypervisor_uri(LOGIN, given=replace(GIVEN, host=host), program=Path("/home/a b/ssh"))
    assert uri == f"qemu+ssh://root@{spelt}:2222/system?no_tty=1&command=/home/a%20b/ssh"


def test_ports_in_use_are_read_from_the_kernels_table() -> None:
    table = "  sl  local_address rem_address\n   0: 0100007F:1F90 00000000:0000 0A\n"
    assert parse_ports(table) == {8080}


def test_unwritten_extents_are_counted_in_bytes() -> None:
    text = """ ext:     logical_offset:        physical_offset: length:   expected: flags:
   0:        0.. 1048575: 181346942976..181347991551: 1048576:
   1:  1048576.. 3145727: 181347991552..181350088703: 2097152:             last,unwritten,eof
"""
    assert parse_unwritten(text) == 2097152


@pytest.mark.parametrize("name", ["host.thp", "net.mtu", "disk.host-filesystem", "disk.guest-filesystem"])
def test_what_cannot_be_had_there_has_its_reason(name: str) -> None:
    found = why_not_there(["cpu.mode", name])
    assert found is not None
    assert found[0] == name


def test_what_is_of_the_domain_can_be_had_there() -> None:
    assert (
        why_not_there(["cpu.mode", "clock.hpet", "memory.locked", "disk.cache", "disk.preallocation"]) is None
    )


def test_a_guests_spec_comes_back_from_the_text_that_lies_beside_its_disk(tmp_path: Path) -> None:
    image = Image(
        digest="0123456789abcdef",
        folder=tmp_path,
        disk=tmp_path / "disk.raw",
        kernel=tmp_path / "vmlinux",
        initrd=tmp_path / "initrd",
        packages=("fio",),
        kernel_release="6.1",
        size_bytes=1,
        built_s=1.0,
    )
    spec = replace(spec_of_guest(tmp_path, image), settings=(("disk.io", "threads"),))
    facts = json.loads(json.dumps(spec_facts(spec), default=str))
    assert spec_of(facts, image, spec.folder) == spec


class Hostile(Door):
    """A machine that answers with names that nobody asked for."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def run(self, argv: Sequence[str], *, timeout_s: float) -> bytes:
        return b"".join(f"{name}\0/\n".encode() for name in self.names)


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"image": 5}', '{"image": NaN}', "[" * 100_000])
def test_a_damaged_spec_over_there_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    name, home = "assay-0123abcd-b0", tmp_path / "home"
    (home / "guests" / name).mkdir(parents=True)
    (home / "guests" / name / "spec.json").write_text(text)
    monkeypatch.setattr(guest, "find_domain", lambda *_: object())
    monkeypatch.setattr(guest, "read_mark", lambda _: Mark("0123abcd", home))
    monkeypatch.setattr(guest, "runs", lambda _: True)
    monkeypatch.setattr(guest, "read_text", lambda _door, path: Path(path).read_text())
    on: Any = SimpleNamespace(connection=None, home=home, here=tmp_path, name="node01", door=None)
    with pytest.raises(
        PlatformError, match=f"cannot take up guest {name} on node01: .*spec.json there is damaged"
    ):
        guest.find_remote_guest(on, name)


def test_files_of_another_machine_stay_in_the_folder_that_they_are_laid_into(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    names = ("../stray", "../../stray", str(outside / "stray"), "fd/3/stray", "fd/x", "task/7/../../../stray")
    hostile = ("stat", "fd/3", "fd/4\n", *names, "task/7/stat", "task/7/children", "root/etc", "", ".", "٣")
    copy_process(Hostile(*hostile), 7, tmp_path / "proc", whole=True)
    own = tmp_path / "proc/7"
    laid = {str(path.relative_to(own)) for path in own.rglob("*") if not path.is_dir() or path.is_symlink()}
    assert laid == {"stat", "fd/3", "task/7/stat"}
    assert [path.name for path in tmp_path.iterdir() if path.name != "proc"] == ["outside"]
    assert not list(outside.iterdir())
