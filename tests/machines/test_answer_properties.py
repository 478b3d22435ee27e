"""What holds for every answer of a machine by SSH: it is understood or refused, whatever its
programs print.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import given

from assay.machines.errors import CommandError
from assay.machines.host.counters import below_base, parse_cpu_ticks, parse_swap_pages, sum_throttles
from assay.machines.ssh.door import SshDoor
from assay.machines.ssh.stream import SshChannel, _Lines
from assay.model.errors import AssayError, MissingError
from assay.platforms.remote.claims import live_there
from assay.platforms.remote.files import copy_process, parse_texts, read_texts
from assay.platforms.remote.host import RemoteHost
from assay.platforms.remote.host_view import RemoteHostView
from assay.platforms.remote.port import pick_port_there
from assay.probe import Probe
from assay.probe.conversation import Conversation
from tests.machines.test_host_reading import STAT
from tests.mutations import SEEDS, check_refusal, check_values, damaged, damaged_json, seeded

DIGEST = hashlib.sha256(b"").hexdigest()
PROCESS = b"7 (qemu (x)) S 1 7 7 0 -1 4194560 1 0 0 0 10 20 0 0 20 0 1 0 55 1000 10"
SAID: dict[str, bytes] = {
    "cat": b"0-3\n",
    "/proc/cpuinfo": b"processor\t: 0\nflags\t\t: fpu vmx svm\n",
    "/proc/meminfo": b"MemTotal:        2048 kB\nMemFree: 1 kB\n",
    "/proc/net/tcp": b"  sl  local_address rem_address\n   0: 0100007F:5208 00000000:0000 0A\n",
    "id": b"0\n",
    "virtqemud": b"virtqemud (libvirt) 9.0.0\n",
    "libvirtd": b"libvirtd (libvirt) 9.0.0\n",
    "/usr/bin/qemu-system-x86_64": b"QEMU emulator version 7.2.9 (Debian 1:7.2)\n",
    "/usr/libexec/qemu-kvm": b"QEMU emulator version 8.2.0 (qemu-kvm-8.2.0-11.el9)\n",
    "test": b"",
    "sha256sum": DIGEST.encode() + b"  probe\n",
    "stat": b"8 512\n",
    "filefrag": b"   0:        0..    4095:      10..      20:   4096:             last,unwritten,eof\n",
    "qemu-img info": b'{"virtual-size": 4096, "format": "qcow2", "actual-size": 4096}',
    "qemu-img map": b'[{"start": 0, "length": 4096, "zero": false}]',
    "claims": b'/home/run/a1.pid\0{"pid": 7, "start_ticks": 55}\n',
    "stats": b"/proc/7/stat\0" + PROCESS + b"\n/sys/devices/system/node/node0/cpulist\x000-3\n",
    "process": b"".join(
        name + b"\0" + text + b"\n"
        for name, text in (
            *(
                (b"stat", PROCESS),
                (b"status", b"Tgid:\t7"),
                (b"task/7/stat", PROCESS),
                (b"fd/3", b"/x (deleted)"),
            ),
            *((b"cgroup", b"0::/machine.slice"), (b"fdinfo/3", b"flags: 0100002"), (b"../x", b"no")),
        )
    ),
}
"""What programs of a machine print that is as it should be."""


class Machine:
    """A door whose machine gives damaged answers; programs that fail or are not there among them."""

    name, folder = "far", "/var/tmp/assay-x"

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def run(self, argv: Sequence[str], *, timeout_s: float) -> bytes:
        del timeout_s
        act = self._random.random()
        if act < 0.05:
            raise CommandError(self.name, argv, exit_code=1, stderr="\x1b[2J no")
        if act < 0.1:
            msg = f"cannot run '{argv[0]}' on far: no such program"
            raise MissingError(msg)
        said = _said(argv)
        return said if act < 0.4 else damaged(said, self._random.getrandbits(40))


def _said(argv: Sequence[str]) -> bytes:
    if argv[0] == "sh":
        kind = "claims" if "*.pid" in argv[2] else "process" if "cd " in argv[2] else "stats"
        return SAID[kind]
    named = next((word for word in argv if word in SAID and word != argv[0]), argv[0])
    return SAID[f"qemu-img {argv[1]}" if argv[0] == "qemu-img" else named]


def ask_host(machine: Machine, _: Path) -> object:
    host = RemoteHost(machine)  # type: ignore[arg-type]
    about = (host.accelerator, host.root, host.cpus, host.nodes, host.node_cpus, host.memory_bytes)
    return (*about, host.libvirt, host.qemu, host.writable("/x"), host.has("x"))


def ask_disk(machine: Machine, _: Path) -> object:
    seen = RemoteHostView(None, host=None, disk=Path("/d"), proc=Path("/nowhere"), pid=7, door=machine)  # type: ignore[arg-type]
    seen._direct = lambda: None  # type: ignore[method-assign, assignment, return-value]
    return seen.disk


def ask_process(machine: Machine, folder: Path) -> object:
    place = folder / "proc"
    return copy_process(machine, 7, place, whole=True).name  # type: ignore[arg-type]


def ask_digest(machine: Machine, _: Path) -> object:
    door = object.__new__(SshDoor)
    door.name, door.folder = machine.name, machine.folder
    door.run = machine.run  # type: ignore[method-assign]
    door._files, door._claimed = object(), True  # type: ignore[assignment]

    def wait(what: str, work: object, *, timeout_s: float = 0) -> object:
        work.close()  # type: ignore[attr-defined]
        return True if timeout_s == 0 else DIGEST

    door._wait = wait  # type: ignore[method-assign, assignment]
    found = door.digest("probe")
    assert found is not None
    assert len(found) == len(DIGEST)
    return found


ASKED: tuple[Callable[[Machine, Path], object], ...] = (
    ask_host,
    ask_disk,
    ask_process,
    ask_digest,
    lambda machine, _: live_there(machine, Path("/home")),  # type: ignore[arg-type]
    lambda machine, _: read_texts(machine, "/x"),  # type: ignore[arg-type]
    lambda machine, _: pick_port_there(machine),  # type: ignore[arg-type]
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("answers")


@seeded
@given(seed=SEEDS)
def test_any_answer_of_a_machine_is_understood_or_refused(folder: Path, seed: int) -> None:
    import shutil

    place = folder / "one"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    try:
        check_values(ASKED[seed % len(ASKED)](Machine(seed), place))
    except AssayError as error:
        check_refusal(error)
    assert sorted(path.name for path in folder.iterdir()) == ["one"]
    assert all(path.name == "proc" for path in place.iterdir())


@seeded
@given(seed=SEEDS)
def test_any_packets_are_lines_whose_answers_are_values_or_refused(seed: int) -> None:
    random, session = Random(seed), _Lines()
    answer = b'{"id":1,"ok":true,"result":{"mono_ns":5,"real_ns":6}}\n'
    data = damaged_json(answer, seed) + b"\n" + damaged(answer, seed)
    while data:
        size = random.choice((1, 7, 100, 10_000))
        session.data_received(data[:size], None)
        data = data[size:]
    session.connection_lost(None)
    probe = Probe(None, "probe", Conversation(SshChannel("far", "probe", session), "far"))  # type: ignore[arg-type]
    probe._door = Machine(seed)  # type: ignore[assignment]
    try:
        check_values(probe.clock())
    except AssayError as error:
        check_refusal(error)


@seeded
@given(seed=SEEDS)
def test_any_counters_of_a_kernel_are_numbers_or_not_told(seed: int) -> None:
    text = damaged(STAT.encode(), seed).decode("utf-8", "replace")
    word = damaged(b"2400000\n", seed).decode("utf-8", "replace")
    check_values([parse_cpu_ticks(text, (0, 1)), parse_swap_pages(f"pswpin {word}\npswpout 1\n")])
    check_values([sum_throttles({"a": word}), below_base([word], ["1"])])
    check_values(parse_texts(damaged(SAID["process"], seed)))
