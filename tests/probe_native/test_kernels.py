"""Each built-in kernel, run shortly: its report has the one shape, and its figures are what it lists."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.probe_native.driver import PROBE, conforms, probe, reported, wait_for

SHORT: dict[str, tuple[object, ...]] = {
    "flops": ("--seconds", 0.05),
    "integer": ("--seconds", 0.05, "--threads", 2),
    "astar": ("--seconds", 0.05, "--side", 64, "--seed", 3),
    "stream": ("--array-bytes", 1 << 16, "--repetitions", 300),
    "latency": ("--max-bytes", 1 << 16, "--loads", 1000, "--repetitions", 2),
    "syscall": ("--calls", 10, "--repetitions", 2),
    "context-switch": ("--processes", "2,4", "--bytes", "0,8192", "--rounds", 5, "--repetitions", 2),
    "fork": ("--processes", 2, "--repetitions", 2),
    "page-fault": ("--bytes", 1 << 18, "--repetitions", 2),
    "mmap": ("--bytes", "4096,65536", "--repetitions", 2),
    "pipe": ("--trips", 5, "--bytes", 1 << 17, "--repetitions", 2),
    "tcp-rr": ("--seconds", 0.05),
    "tcp-crr": ("--seconds", 0.05),
    "udp-rr": ("--seconds", 0.05),
    "files": ("--bytes", 1 << 18, "--record-bytes", 8192, "--repetitions", 1),
    "two-phase": ("--events", 3, "--event-work", 100, "--init-bytes", 1000),
}
ADDRESS = "127.83.1.12"
NOBODYS = 65533
"""A user who has no other process, as it counts them all."""


@pytest.fixture
def server() -> Iterator[tuple[str, ...]]:
    """Serve the network kernels at an address of our own; yield how a client reaches it."""
    with socket.create_server((ADDRESS, 0)) as free:
        port = str(free.getsockname()[1])
    serving = subprocess.Popen([PROBE, "peer", "--bind", ADDRESS, "--port", port])
    try:
        wait_for(lambda: f":{int(port):04X} 00000000:0000 0A" in Path("/proc/net/tcp").read_text())
        yield ("--server", ADDRESS, "--port", port)
    finally:
        serving.kill()
        serving.wait(10)


def listed() -> dict[str, dict[str, Any]]:
    found = reported("kernel", "list", part="kernel_list")
    return {kernel["name"]: kernel for kernel in found["kernels"]}


def in_folder(folder: Path, *arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [PROBE, "kernel", *map(str, arguments)]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=60, check=False, **options
    )


def test_the_list_holds_every_kernel() -> None:
    assert set(listed()) == set(SHORT)


@pytest.mark.parametrize("name", SHORT)
def test_a_kernel_yields_the_figures_that_it_lists(
    name: str, tmp_path: Path, server: tuple[str, ...]
) -> None:
    arguments = SHORT[name]
    if name in ("tcp-rr", "tcp-crr", "udp-rr"):
        arguments = (*arguments, *server)
    if name in ("page-fault", "mmap", "files", "two-phase"):
        arguments = (*arguments, "--directory", tmp_path)
    done = probe("kernel", name, *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    report = last_object(done.stdout)
    conforms(report, "kernel")
    assert (report["kernel"], report["rules"]) == (name, listed()[name]["rules"])
    shapes = {metric["name"].split("{")[0]: metric for metric in listed()[name]["metrics"]}
    for figure in report["metrics"]:
        shape = next(shape for stem, shape in shapes.items() if figure["name"].startswith(stem))
        assert (figure["unit"], figure["direction"]) == (shape["unit"], shape["direction"])
        # A switch may lie below the noise of so short a run; then it has no value.
        assert name == "context-switch" or figure["value"] > 0
    assert list(tmp_path.iterdir()) == []


def last_object(output: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(output.splitlines()[-1])
    return value


def test_memory_bandwidth_has_an_entry_for_each_number_of_threads() -> None:
    arguments = ("--array-bytes", 1 << 16, "--repetitions", 3, "--threads", "1,2,4")
    entries = reported("kernel", "stream", *arguments)["entries"]
    assert [entry["threads"] for entry in entries] == [1, 2, 4]
    for entry in entries:
        conforms(entry, "kernel_stream")


def test_a_path_is_the_same_for_the_same_seed() -> None:
    paths = [reported("kernel", "astar", "--seconds", 0.01, "--seed", seed) for seed in (5, 5, 6)]
    keys = [(path["path_cost"], path["expanded"]) for path in paths]
    assert keys[0] == keys[1] != keys[2]


def test_latencies_grow_from_the_smallest_size_to_the_largest() -> None:
    points = reported("kernel", "latency", "--max-bytes", 100_000, "--loads", 1000)["points"]
    sizes = [point["bytes"] for point in points]
    assert sizes == sorted(sizes)
    assert (sizes[0], sizes[-1]) == (1024, 100_000)


def test_latencies_of_one_size_alone() -> None:
    said = reported("kernel", "latency", "--min-bytes", 1 << 20, "--max-bytes", 1 << 20, "--loads", 1000)
    assert [point["bytes"] for point in said["points"]] == [1 << 20]
    assert [metric["name"] for metric in said["metrics"]] == ["load_largest"]


def test_the_cost_of_the_pipes_stands_beside_each_switch() -> None:
    points = reported("kernel", "context-switch", *SHORT["context-switch"])["points"]
    assert [(point["processes"], point["bytes"]) for point in points] == [
        (2, 0), (4, 0), (2, 8192), (4, 8192)
    ]  # fmt: skip
    assert all(point["hop_ns"] > 0 and point["pipe_ns"] > 0 for point in points)


def test_a_file_says_whether_the_page_cache_took_part(tmp_path: Path) -> None:
    report = reported("kernel", "files", *SHORT["files"], "--directory", tmp_path)
    assert (report["cached"], report["larger_than_memory"], report["direct"]) == (True, False, False)
    assert [operation["resident_ratio"] for operation in report["operations"]] == [1.0] * 7


def test_a_folder_that_is_not_there_is_named() -> None:
    done = probe("kernel", "files", "--directory", "/none/there")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "cannot make a file in /none/there: no such file or directory\n"


@pytest.mark.parametrize("name", ["tcp-rr", "tcp-crr"])
def test_a_server_that_is_not_there_is_one_line(name: str) -> None:
    done = probe("kernel", name, "--server", ADDRESS, "--port", 9)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"cannot reach the server at {ADDRESS}:9: connection refused\n"


def test_a_server_stays_at_its_address(server: tuple[str, ...]) -> None:
    port = int(server[-1])
    assert probe("kernel", "tcp-rr", "--seconds", 0.01, *server).returncode == 0
    elsewhere = probe("kernel", "udp-rr", "--server", "127.0.0.1", "--port", port)
    assert elsewhere.stderr == "cannot measure the network: connection refused\n"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=5)


def test_a_server_that_cannot_make_its_threads_says_so_and_ends() -> None:
    user = {"user": NOBODYS, "extra_groups": ()} if os.geteuid() == 0 else {}  # root has no such limit
    with TemporaryDirectory(dir="/var/tmp") as folder:
        Path(folder).chmod(0o755)
        copied = shutil.copy(PROBE, folder)
        limited = ["prlimit", "--nproc=20", copied, "peer", "--bind", "127.83.1.13"]
        done = subprocess.run(limited, capture_output=True, text=True, timeout=20, check=False, **user)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "cannot make a thread: resource temporarily unavailable\n"


def test_a_connection_beyond_those_that_are_served_is_one_line(server: tuple[str, ...]) -> None:
    address = (ADDRESS, int(server[-1]))
    with ExitStack() as held:
        for _ in range(64):
            stream = held.enter_context(socket.create_connection(address, timeout=5))
            stream.sendall(b"\1")
            assert stream.recv(2) == b"\2"
        done = probe("kernel", "tcp-rr", "--seconds", 0.01, *server)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "cannot measure the network: the server ended the connection (it serves 64 at once)\n"
    )


@pytest.mark.parametrize("arguments", [(), ("--bind", "0.0.0.0"), ("--bind", "::1"), ("--bind", "224.0.0.1")])
def test_a_server_without_an_address_of_its_own_is_refused(arguments: tuple[str, ...]) -> None:
    done = probe("peer", *arguments)
    got = f"'{arguments[-1]}'" if arguments else "none"
    assert done.returncode == 2
    assert done.stderr == (
        f"cannot read the arguments: --bind: expected the IPv4 address of one machine, got {got}\n"
    )


def test_the_two_phase_job_reads_what_it_made_and_says_where_it_is(tmp_path: Path) -> None:
    given = ("two-phase", "--input", "in", "--init-bytes", 100_000)
    assert "cannot read 100000 bytes of in" in in_folder(tmp_path, *given).stderr
    assert in_folder(tmp_path, *given, "--prepare").returncode == 0
    job = in_folder(tmp_path, *given, "--events", 5, "--every", 2, "--event-work", 10, "--output-bytes", 7)
    *log, _ = job.stdout.splitlines()
    assert log == ["init begins", "event loop begins", "event 2", "event 4", "event loop ends", "end"]
    assert (tmp_path / "two-phase.out").stat().st_size == 35


@pytest.mark.parametrize("announce", [True, False])
def test_phases_are_announced_only_where_asked_for(tmp_path: Path, announce: bool) -> None:
    began, (read, write) = time.monotonic_ns(), os.pipe()
    arguments = ("two-phase", "--events", 2, "--every", 1, "--event-work", 10, "--init-bytes", 0)
    environment = {"ASSAY_PHASE_FD": str(write)}
    switches = ("--announce",) if announce else ()
    in_folder(tmp_path, *arguments, *switches, env=environment, pass_fds=(write,))
    os.close(write)
    with os.fdopen(read) as heard:
        lines = [line.split() for line in heard]
    told = ["phase init", "phase event-loop", "events 1", "events 2", "phase end"]
    assert [" ".join(words[:2]) for words in lines] == (told if announce else [])
    times = [int(words[2]) for words in lines if words[0] == "phase"]
    assert times == sorted(times)
    assert all(began <= at <= time.monotonic_ns() for at in times)


def test_processes_of_a_kernel_that_is_killed_go_with_it() -> None:
    kernel = subprocess.Popen([PROBE, "kernel", "context-switch", "--rounds", "1000000000"])
    children = Path(f"/proc/{kernel.pid}/task/{kernel.pid}/children")
    pid = wait_for(lambda: children.read_text().split())[0]
    kernel.kill()
    kernel.wait(10)
    wait_for(
        lambda: not Path(f"/proc/{pid}").exists() or "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text()
    )
