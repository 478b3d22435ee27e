"""lmbench's outputs, read in full: single programs, and the suite's file of results."""

from pathlib import Path

import pytest

from assay.workloads import OutputError
from assay.workloads.saved_outputs import read_output
from assay.workloads.tools.lmbench import reader as lmbench

CAPTURES = Path(__file__).parent / "captures"


def captured(name: str) -> bytes:
    return (CAPTURES / f"lmbench-3.0-a9-{name}.txt").read_bytes()


@pytest.mark.parametrize(
    ("name", "metric", "value", "unit"),
    [
        ("syscall-null", "simple_syscall", 0.1749, "us"),
        ("proc-exec", "process_fork_execve", 159.7842, "us"),
        ("select2", "select_on_tcp_fds", 0.6273, "us"),
        ("tcp", "tcp_latency", 26.9212, "us"),
        ("usleep", "usleep", 181.982, "us"),
        ("mmap", "mappings", 19, "us"),
        ("bw_mem-rd", "bandwidth", 24066.72, "MB/s"),
        ("bwtcp", "bandwidth", 2976.32, "MB/s"),
        ("ops", "integer_bit", 0.18, "ns"),
        ("par_ops", "integer_bit_parallelism", 2.92, "1"),
        ("stream", "stream_copy_latency", 0.29, "ns"),
        ("mhz", "clock_rate", 3658, "MHz"),
        ("ctx", "context_switch_overhead", 2.26, "us"),
        ("mem_rd", "load_latency", 2.417, "ns"),
        ("fs", "files", 646, "1"),
        ("lmdd", "moved", 20.9715, "MB"),
    ],
)
def test_each_program_is_read(name: str, metric: str, value: float, unit: str) -> None:
    first = read_output("lmbench", captured(name)).measurements[0]
    assert (first.metric, first.value, first.unit) == (metric, value, unit)


def test_rows_of_a_section_have_its_labels() -> None:
    ring = read_output("lmbench", captured("ctx")).measurements
    assert [(f.value, dict(f.labels)) for f in ring[1:]] == [
        (3.92, {"size": "16k", "processes": "2"}),
        (7.75, {"size": "16k", "processes": "4"}),
    ]
    walk = read_output("lmbench", captured("mem_rd")).measurements
    assert dict(walk[-1].labels) == {"stride": "64", "size_mb": "1.00000"}


def test_the_file_of_results_is_read_in_full_and_what_failed_is_refused() -> None:
    said = read_output("lmbench", captured("results"))
    found = {figure.metric for figure in said.measurements}
    assert said.version == "3.0-a9"
    assert {
        "simple_read",
        "file_write_bandwidth",
        "mappings",
        "file_creations",
        "socket_bandwidth",
        "read_bandwidth",
        "mmap_read_open2close_bandwidth",
        "libc_bcopy_aligned",
        "memory_partial_read_write_bandwidth",
        "context_switch",
        "tlb_pages",
        "memory_load_parallelism",
        "stream2_daxpy_bandwidth",
        "memory_load_latency",
        "random_load_latency",
    } <= found
    reasons = " ".join(refused.reason for refused in said.refused)
    assert "mmap: Bad file descriptor" in reasons
    assert "RPC: Remote system error" in reasons
    assert "lat_http printed inf" in reasons


def test_what_was_measured_again_is_numbered() -> None:
    found = lmbench.read(2 * captured("syscall-null")).measurements
    assert [dict(figure.labels) for figure in found] == [{}, {"repeat": "2"}]


def test_a_number_beyond_all_doubles_is_refused() -> None:
    with pytest.raises(OutputError, match="beyond all doubles"):
        lmbench.read(b"Simple read: " + b"9" * 400 + b" microseconds\n")


@pytest.mark.parametrize(
    ("output", "problem"),
    [
        (captured("fcntl"), "create: No such file or directory"),
        (captured("par_mem"), "expected a line of lmbench, got '0.004096 10.17'"),
        (captured("syscall-null").replace(b"Simple syscall", b"Simple something"), "Simple something"),
        (captured("results").replace(b"Pipe latency", b"Pipe patience"), "Pipe patience"),
        (b"20000\n", "got '20000'"),
        (b"", "expected figures, got none"),
    ],
)
def test_failures_and_unknown_lines_are_refused(output: bytes, problem: str) -> None:
    with pytest.raises(OutputError, match="cannot read the output of lmbench: ") as caught:
        lmbench.read(output)
    assert problem in caught.value.problem
    assert caught.value.line is not None
