"""Every command of the library, run for real, yields every metric that it promises."""

import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay.model.files.native import CHAIN, PROBE
from assay.model.units import BYTES
from assay.model.work.workload import Workload
from assay.workloads import WORKLOADS, Parameters, Sizes, fill, result_digest, with_parameters
from assay.workloads.tools.chain.tool import CHAIN as CHAIN_TOOL
from assay.workloads.tools.kernels import definition as kernels
from assay.workloads.tools.stress_ng.tool import STRESS_NG
from tests.in_gate import in_gate

SIZES = Sizes(cache_bytes=None, memory_bytes=256 * BYTES["MiB"], cpus=1)
SHORT = Parameters(runtime_s=1, size_bytes=16 * BYTES["MiB"])


def run(workload: Workload, directory: Path, *, server: str | None = None) -> dict[str, float | None]:
    command = fill(workload.command, probe=str(PROBE.path()), directory=str(directory), server=server)
    done = subprocess.run(command, cwd=directory, capture_output=True, check=True, timeout=120)
    found = WORKLOADS[workload.parser].parse(done.stdout)
    assert tuple(measurement.metric for measurement in found) == workload.metrics
    return {measurement.metric.name: measurement.value for measurement in found}


@pytest.fixture
def peer() -> Iterator[str]:
    """A real iperf3 server on its usual port of an address of our own."""
    address = "127.83.1.9"
    server = subprocess.Popen(["iperf3", "--server", "--bind", address], stdout=subprocess.DEVNULL)
    try:
        _wait_until_listening(address)
        yield address
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(10)


def _wait_until_listening(address: str, port: int = 5201) -> None:
    # Asking /proc rather than connecting: a connection would be served as a test.
    local = f"{int.from_bytes(socket.inet_aton(address), 'little'):08X}:{port:04X}"
    wanted = f"{local} 00000000:0000 0A"  # 0A is LISTEN
    for _ in range(100):
        if wanted in Path("/proc/net/tcp").read_text():
            return
        time.sleep(0.1)
    pytest.fail(f"nothing listens at {address}:{port}")


@pytest.mark.live
@pytest.mark.parametrize(
    "name",
    in_gate(
        [
            "sysbench-cpu",
            "fio",
            "iozone-by-fio",
            "sysbench-memory",
            "sysbench-threads",
            *(one.name for one in STRESS_NG.workloads),
        ],
        2,
    ),
)
def test_a_real_tool_yields_every_metric_above_zero(name: str, tmp_path: Path) -> None:
    found = run(with_parameters(name, SHORT, sizes=SIZES), tmp_path)
    assert all(value is not None and value > 0 for value in found.values())


@pytest.mark.live
@pytest.mark.long
def test_bonnie_yields_its_metrics_and_leaves_nothing(tmp_path: Path) -> None:
    found = run(with_parameters("bonnie++", SHORT, sizes=SIZES), tmp_path)
    assert found["putc"] is None or found["putc"] > 0  # too short a test has no rate
    assert not list(tmp_path.iterdir())


@pytest.mark.live
@pytest.mark.long
def test_bonnie_with_a_record_measures_blocks_and_seeks_alone(tmp_path: Path) -> None:
    given = replace(SHORT, record_bytes=64 * BYTES["KiB"])
    found, tests = run(with_parameters("bonnie++", given, sizes=SIZES), tmp_path), (
        "put_block", "rewrite", "get_block", "seeks",
    )  # fmt: skip
    assert list(found) == [*tests, *(f"{name}_latency" for name in tests)]
    assert all((found[f"{name}_latency"] or 0) > 0 for name in tests)


@pytest.mark.live
@pytest.mark.parametrize("name", in_gate(["flops", "stream", *kernels.METRICS], 3))
def test_a_kernel_of_the_probe_yields_every_metric_above_zero(name: str, tmp_path: Path) -> None:
    found = run(with_parameters(name, SHORT, sizes=SIZES), tmp_path)
    assert all(value is not None and value > 0 for value in found.values())


@pytest.mark.live
@pytest.mark.parametrize("name", in_gate(("tcp-rr", "tcp-crr", "udp-rr"), 1))
def test_a_byte_goes_to_the_probes_server_and_back(name: str, tmp_path: Path) -> None:
    address = "127.83.1.13"
    server = subprocess.Popen([PROBE.path(), "peer", "--bind", address])
    try:
        _wait_until_listening(address, 12866)
        found = run(with_parameters(name, SHORT, sizes=SIZES), tmp_path, server=address)
        assert found["transactions"] is not None
        assert found["transactions"] > 0
    finally:
        server.kill()
        server.wait(10)


@pytest.mark.live
@pytest.mark.long
def test_sysbench_reads_and_writes_the_file_that_was_prepared(tmp_path: Path) -> None:
    workload = with_parameters("sysbench-fileio", SHORT, sizes=SIZES)
    for command in workload.prepare:
        subprocess.run(command, cwd=tmp_path, capture_output=True, check=True, timeout=120)
    assert [path.stat().st_size for path in tmp_path.iterdir()] == [SHORT.size_bytes]
    found = run(workload, tmp_path)
    assert all(value is not None and value > 0 for value in found.values())


def run_chain(workload: Workload, directory: Path) -> bytes:
    """Run what prepares a workload of the chain and the workload itself; return what that printed."""
    directory.mkdir()
    output = b""
    for command in (*workload.prepare, workload.command):
        argv = fill(command, probe="", directory=str(directory), server=None, chain=str(CHAIN.path()))
        output = subprocess.run(argv, cwd=directory, capture_output=True, check=True, timeout=120).stdout
    return output


@pytest.mark.live
@pytest.mark.parametrize("name", in_gate([one.name for one in CHAIN_TOOL.workloads], 2))
def test_a_step_of_the_chain_yields_its_rates_and_the_same_result_again(name: str, tmp_path: Path) -> None:
    given = Parameters(events=6, size_bytes=16 * BYTES["MiB"])
    workload = with_parameters(name, given, sizes=SIZES)
    first, second = (run_chain(workload, tmp_path / again) for again in ("a", "b"))
    found = WORKLOADS[name].parse(first)
    assert all(measurement.value for measurement in found)
    assert tuple(m.metric for m in found) == workload.metrics[: len(found)]
    assert result_digest(workload, [first]) == result_digest(workload, [second])


@pytest.mark.live
@pytest.mark.parametrize("name", in_gate(["iperf3", "iperf3-reverse", "iperf3-udp"], 1))
def test_iperf3_yields_what_was_received(name: str, tmp_path: Path, peer: str) -> None:
    found = run(with_parameters(name, SHORT, sizes=SIZES), tmp_path, server=peer)
    assert found["received"] is not None
    assert found["received"] > 0
