"""Known answers where the captures of tools have none, and both sides of each threshold of their readers."""

from __future__ import annotations

import pytest

from assay.model.metric import Direction
from assay.model.work.tool_output import NOT_COMPARABLE
from assay.workloads import Sizes
from assay.workloads.saved_outputs import read_output
from assay.workloads.sizes import bonnie_file_bytes, stream_array_bytes
from tests.workloads.outputs import capture, figure, why_not

MIB, GIB = 1024**2, 1024**3
LOWER, HIGHER = Direction.LOWER, Direction.HIGHER

LONG = {
    "User time (seconds): 1.01": ("user_time", 1.01, "s", LOWER),
    "System time (seconds): 2.02": ("system_time", 2.02, "s", LOWER),
    "Percent of CPU this job got: 3%": ("percent_of_cpu", 3, "%", None),
    "Elapsed (wall clock) time (h:mm:ss or m:ss): 1:02:04": ("elapsed_time", 3724, "s", LOWER),
    "Average shared text size (kbytes): 5": ("average_shared_text_size", 5, "KiB", LOWER),
    "Average unshared data size (kbytes): 6": ("average_unshared_data_size", 6, "KiB", LOWER),
    "Average stack size (kbytes): 7": ("average_stack_size", 7, "KiB", LOWER),
    "Average total size (kbytes): 8": ("average_total_size", 8, "KiB", LOWER),
    "Maximum resident set size (kbytes): 9": ("maximum_resident_set_size", 9, "KiB", LOWER),
    "Average resident set size (kbytes): 10": ("average_resident_set_size", 10, "KiB", LOWER),
    "Major (requiring I/O) page faults: 11": ("major_page_faults", 11, "1", LOWER),
    "Minor (reclaiming a frame) page faults: 12": ("minor_page_faults", 12, "1", LOWER),
    "Voluntary context switches: 13": ("voluntary_context_switches", 13, "1", LOWER),
    "Involuntary context switches: 14": ("involuntary_context_switches", 14, "1", LOWER),
    "Swaps: 15": ("swaps", 15, "1", LOWER),
    "File system inputs: 16": ("file_system_inputs", 16, "blocks", LOWER),
    "File system outputs: 17": ("file_system_outputs", 17, "blocks", LOWER),
    "Socket messages sent: 18": ("socket_messages_sent", 18, "1", None),
    "Socket messages received: 19": ("socket_messages_received", 19, "1", None),
    "Signals delivered: 20": ("signals_delivered", 20, "1", None),
    "Page size (bytes): 4096": ("page_size", 4096, "B", None),
    "Exit status: 0": ("exit_status", 0, "1", None),
}


def test_each_line_of_gnu_time_is_the_figure_that_it_names() -> None:
    text = "\n".join(['\tCommand being timed: "true"', *(f"\t{line}" for line in LONG), ""])
    output = read_output("time", text.encode())
    assert [(one.metric, one.value, one.unit, one.direction) for one in output.measurements] == [
        *LONG.values()
    ]


def test_each_place_of_gnu_times_two_lines_is_its_own_figure() -> None:
    text = (
        b"1.01user 2.02system 0:03.03elapsed 4%CPU (5avgtext+6avgdata 7maxresident)k\n"
        b"8inputs+9outputs (10major+11minor)pagefaults 12swaps\n"
    )
    reported = {one.metric: (one.value, one.unit) for one in read_output("time", text).measurements}
    assert reported == {
        "user": (1.01, "s"),
        "system": (2.02, "s"),
        "elapsed": (3.03, "s"),
        "percent_of_cpu": (4.0, "%"),
        "average_text": (5.0, "KiB"),
        "average_data": (6.0, "KiB"),
        "max_resident": (7.0, "KiB"),
        "inputs": (8.0, "blocks"),
        "outputs": (9.0, "blocks"),
        "major_page_faults": (10.0, "1"),
        "minor_page_faults": (11.0, "1"),
        "swaps": (12.0, "1"),
    }


@pytest.mark.parametrize(
    ("clock", "seconds"),
    [("1.5", 1.5), ("2m3.4s", 123.4), ("1h 2m 3s", 3723.0), ("1:02.5", 62.5), ("1:02:03.5", 3723.5)],
)
def test_a_clock_is_read_in_each_of_its_forms(clock: str, seconds: float) -> None:
    lines = [line.replace("1:02:04", clock) for line in LONG]
    text = "\n".join(['\tCommand being timed: "true"', *lines, ""])
    assert figure(read_output("time", text.encode()), "elapsed_time").value == seconds


@pytest.mark.parametrize(("ticks", "coarse"), [(19, True), (20, False), (21, False)])
def test_stream_is_comparable_from_twenty_ticks_of_its_clock(ticks: int, coarse: bool) -> None:
    text = capture("stream-5.10.txt").replace(b"(= 14834 clock", f"(= {ticks} clock".encode())
    assert (why_not(read_output("stream", text), "rate", kernel="triad") is not None) is coarse


@pytest.mark.parametrize(("version", "wrong"), [("1.97", False), ("1.98", True), ("2.00a", True)])
def test_the_files_table_of_bonnie_is_wrong_from_1_98_on(version: str, wrong: bool) -> None:
    text = capture("bonnie++-2.00a-files-only-table.txt").replace(b"2.00a", f"{version:5}".encode())
    assert (why_not(read_output("bonnie++", text), "seq_create") is not None) is wrong


@pytest.mark.parametrize(
    ("scale", "unit"), [(b"k", "KiB/s"), (b"m", "MiB/s"), (b"g", "GiB/s"), (b" ", "KiB/s")]
)
def test_the_letter_behind_a_rate_of_bonnie_is_its_unit(scale: bytes, unit: str) -> None:
    text = capture("bonnie++-2.00a-fast-table.txt").replace(b" 307m ", b" 307" + scale + b" ")
    assert (figure(read_output("bonnie++", text), "put_block").unit) == unit


@pytest.mark.parametrize(("memory", "cached"), [(256 * MIB, False), (256 * MIB + 1, True)])
def test_a_file_of_twice_the_memory_is_past_the_page_cache(memory: int, cached: bool) -> None:
    output = read_output("bonnie++", capture("bonnie++-2.00a-fast-table.txt"), memory_bytes=memory)
    assert (NOT_COMPARABLE in figure(output, "put_block").labels) is cached


def omni(name: str, *pairs: str) -> bytes:
    return "\n".join(
        [f"{name} TEST from 0.0.0.0 port 0 AF_INET to 127.0.0.1 port 0 : demo", *pairs, ""]
    ).encode()


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("TCP REQUEST/RESPONSE", "Trans/s"),
        ("UDP REQUEST/RESPONSE", "Trans/s"),
        ("TCP Connect/Request/Response", "Trans/s"),
        ("TCP Connect/Close", "Trans/s"),
        ("TCP STREAM", "10^6bits/s"),
        ("TCP MAERTS", "10^6bits/s"),
        ("UDP UNIDIRECTIONAL SEND", "10^6bits/s"),
    ],
)
def test_a_test_of_netperf_counts_transactions_or_bits(name: str, unit: str) -> None:
    output = read_output("netperf", omni(name, "THROUGHPUT=5.5", "LOCAL_SD=1.5"))
    assert (figure(output, "throughput").unit, figure(output, "throughput").direction) == (unit, HIGHER)
    assert figure(output, "local_sd").unit == ("us/Tran" if unit == "Trans/s" else "us/KB")


@pytest.mark.parametrize(
    ("key", "metric", "unit", "direction"),
    [
        ("LOCAL_CPU_UTIL", "local_cpu_util", "%", LOWER),
        ("LOCAL_CPU_PEAK_UTIL", "local_cpu_peak_util", "%", LOWER),
        ("LOCAL_CPU_PERCENT_USER", "local_cpu_percent_user", "%", LOWER),
        ("THROUGHPUT_CONFID", "throughput_confid", "%", LOWER),
        ("CONFIDENCE_LEVEL", "confidence_level", "%", None),
        ("P99_LATENCY", "p99_latency", "us", LOWER),
        ("BURST_USECS", "burst_usecs", "us", None),
        ("LOCAL_CPU_FREQUENCY", "local_cpu_frequency", "MHz", None),
        ("ELAPSED_TIME", "elapsed_time", "s", None),
        ("TRANSACTION_RATE", "transaction_rate", "Trans/s", HIGHER),
        ("LOCAL_TRANSPORT_RETRANS", "local_transport_retrans", "1", LOWER),
        ("LSS_SIZE_END", "lss_size_end", "B", None),
        ("TRANSPORT_MSS", "transport_mss", "B", None),
        ("LOCAL_SEND_CALLS", "local_send_calls", "1", None),
    ],
)
def test_each_kind_of_netperfs_keys_has_its_unit_and_direction(
    key: str, metric: str, unit: str, direction: Direction | None
) -> None:
    found = figure(read_output("netperf", omni("TCP STREAM", f"{key}=7.5", "THROUGHPUT=5.5")), metric)
    assert (found.value, found.unit, found.direction) == (7.5, unit, direction)


@pytest.mark.parametrize(("running", "doubted"), [("49.99", True), ("50.00", False), ("99.99", False)])
def test_a_counter_of_perf_is_comparable_from_half_of_its_time(running: str, doubted: bool) -> None:
    output = read_output("perf", f"120,,cycles,600,{running},,\n".encode())
    cycles = figure(output, "cycles", running=f"{running} %")
    assert (NOT_COMPARABLE in cycles.labels) is doubted


@pytest.mark.parametrize(("seconds", "short"), [(b"0.49", True), (b"0.50", False)])
def test_a_stressor_is_comparable_from_half_a_second(seconds: bytes, short: bool) -> None:
    text = capture("stress-ng-0.15.06-short.txt").replace(b"1070      3.01", b"1070      " + seconds)
    assert (why_not(read_output("stress-ng", text), "bogo_ops", stressor="cpu") is not None) is short


def test_arrays_that_just_fit_and_files_of_just_twice_the_memory_keep_their_rules() -> None:
    fits = 5 * 4 * 64 * MIB  # three arrays of 4 * 64 MiB are 60 % of it
    assert stream_array_bytes(Sizes(64 * MIB, fits, 1)).rule_met
    assert not stream_array_bytes(Sizes(64 * MIB, fits - MIB, 1)).rule_met
    assert "at least" in stream_array_bytes(Sizes(8 * MIB, GIB, 1)).note
    assert "at least" not in stream_array_bytes(Sizes(8 * MIB + 1, GIB, 1)).note
    assert bonnie_file_bytes(Sizes(None, GIB, 1), 2 * GIB).rule_met
    assert not bonnie_file_bytes(Sizes(None, GIB, 1), 2 * GIB - MIB).rule_met
    assert bonnie_file_bytes(Sizes(None, 3 * GIB // 2, 1), None).rule_met
    assert not bonnie_file_bytes(Sizes(None, 3 * GIB // 2 + MIB, 1), None).rule_met
