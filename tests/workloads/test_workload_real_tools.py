"""Every command of the library, run for real, yields every metric that it promises."""

import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import assay
from assay.model.units import BYTES
from assay.model.workload import Workload
from assay.workloads import PARSERS, Parameters, Sizes, fill, kernels, with_parameters

SIZES = Sizes(cache_bytes=None, memory_bytes=256 * BYTES["MiB"], cpus=1)
SHORT = Parameters(runtime_s=1, size_bytes=16 * BYTES["MiB"])
PROBE = Path(assay.__file__).parent / "probe" / "bin" / "assay-probe"


def run(workload: Workload, directory: Path, *, server: str | None = None) -> dict[str, float | None]:
    command = fill(workload.command, probe=str(PROBE), directory=str(directory), server=server)
    done = subprocess.run(command, cwd=directory, capture_output=True, check=True, timeout=120)
    found = PARSERS[workload.parser](done.stdout)
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


def _wait_until_listening(address: str) -> None:
    # Asking /proc rather than connecting: a connection would be served as a test.
    local = f"{int.from_bytes(socket.inet_aton(address), 'little'):08X}:{5201:04X}"
    wanted = f"{local} 00000000:0000 0A"  # 0A is LISTEN
    for _ in range(100):
        if wanted in Path("/proc/net/tcp").read_text():
            return
        time.sleep(0.1)
    pytest.fail("iperf3 does not listen")


@pytest.mark.live
@pytest.mark.parametrize("name", ["sysbench-cpu", "fio"])
def test_a_real_tool_yields_every_metric_above_zero(name: str, tmp_path: Path) -> None:
    found = run(with_parameters(name, SHORT, sizes=SIZES), tmp_path)
    assert all(value is not None and value > 0 for value in found.values())


@pytest.mark.live
@pytest.mark.parametrize("name", ["flops", "stream", *kernels.METRICS])
def test_a_kernel_of_the_probe_yields_every_metric_above_zero(name: str, tmp_path: Path) -> None:
    found = run(with_parameters(name, SHORT, sizes=SIZES), tmp_path)
    assert all(value is not None and value > 0 for value in found.values())


@pytest.mark.live
@pytest.mark.parametrize("name", ["iperf3", "iperf3-reverse"])
def test_iperf3_yields_what_was_received(name: str, tmp_path: Path, peer: str) -> None:
    found = run(with_parameters(name, SHORT, sizes=SIZES), tmp_path, server=peer)
    assert found["received"] is not None
    assert found["received"] > 0
