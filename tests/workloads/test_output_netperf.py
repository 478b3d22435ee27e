"""netperf's outputs, read in full: classic tables, and the omni tests in three forms."""

from pathlib import Path

import pytest

from assay.model.work.tool_output import NOT_COMPARABLE
from assay.workloads import WORKLOADS, OutputError
from assay.workloads.saved_outputs import read_output
from assay.workloads.tools.netperf import reader as netperf

CAPTURES = Path(__file__).parent / "captures"


def captured(name: str) -> bytes:
    return (CAPTURES / f"netperf-{name}.txt").read_bytes()


def values(name: str) -> dict[str, tuple[float, str]]:
    return {f.metric: (f.value, f.unit) for f in read_output("netperf", captured(name)).measurements}


def test_a_stream_has_its_throughput_and_what_it_cost_both_ends() -> None:
    assert values("2.7.0-streamcC") == {
        "elapsed_time": (1.0, "s"),
        "throughput": (13181.61, "10^6bits/s"),
        "local_cpu_util": (95.41, "%"),
        "remote_cpu_util": (95.45, "%"),
        "local_service_demand": (1.186, "us/KB"),
        "remote_service_demand": (1.186, "us/KB"),
    }
    first = read_output("netperf", captured("2.7.0-streamcC")).measurements[0]
    assert (first.labels["test"], first.labels["send_message_bytes"]) == ("TCP_STREAM", "16384")


def test_what_was_sent_and_what_was_received_are_two_figures() -> None:
    found = values("2.7.0-udp")
    assert found["sent_throughput"] == (58640.82, "10^6bits/s")
    assert found["received_throughput"] == (28156.54, "10^6bits/s")
    assert (found["messages_sent"][0], found["messages_received"][0]) == (111929, 53743)
    assert values("2.7.0-udpcC")["remote_cpu_util"] == (100.0, "%")


@pytest.mark.parametrize(
    ("name", "test", "rate"),
    [
        ("2.7.0-rr", "TCP_RR", 62473.51),
        ("2.7.0-crr", "TCP_CRR", 15654.95),
        ("2.7.0-udprr", "UDP_RR", 74546.85),
        ("2.7.1-rrcC", "TCP_RR", 1699.52),
        ("2.7.1-b", "TCP_RR", 34280.78),
    ],
)
def test_transactions_are_counted_by_the_second(name: str, test: str, rate: float) -> None:
    said = read_output("netperf", captured(name))
    found = next(figure for figure in said.measurements if figure.metric == "transaction_rate")
    assert (found.value, found.unit, found.labels["test"]) == (rate, "Trans/s", test)


def test_transactions_counted_in_bits_are_another_figure() -> None:
    found = values("2.7.0-rrfmcC")
    assert found["throughput"][1] == "10^6bits/s"
    assert found["local_service_demand"][1] == "us/KB"
    assert "transaction_rate" not in found


def test_minus_one_is_not_measured() -> None:
    refused = read_output("netperf", captured("2.7.0-maerts")).refused
    assert [entry.metric for entry in refused] == ["remote_cpu_util", "remote_service_demand"]


def test_a_share_above_all_processors_cannot_be_compared() -> None:
    found = {f.metric: f for f in read_output("netperf", captured("2.7.1-crrcC")).measurements}
    assert found["remote_cpu_util"].value == 261.14
    assert "at most 100 %" in found["remote_cpu_util"].labels[NOT_COMPARABLE]


@pytest.mark.parametrize("name", ["2.7.1-conf"])
def test_an_unreached_confidence_is_a_figure_and_makes_the_others_not_comparable(name: str) -> None:
    found = {f.metric: f for f in read_output("netperf", captured(name)).measurements}
    assert found["throughput_confidence_interval"].value == 99.68
    assert "interval is 99.68 % wide" in found["received_throughput"].labels[NOT_COMPARABLE]
    assert found["received_throughput"].labels["confidence"] == "+/-0.500% @ 95% conf."


def test_a_reached_confidence_is_a_label() -> None:
    found = read_output("netperf", captured("2.7.1-confok")).measurements
    assert all(figure.comparable for figure in found)
    assert found[0].labels["confidence"] == "+/-40.000% @ 95% conf."


def test_interim_results_and_details_are_figures_too() -> None:
    assert values("2.7.0-D")["interim_result"] == (15725.29, "10^6bits/s")
    found = values("2.7.0-v2")
    assert found["bytes_transferred"] == (1999192064, "B")
    assert found["maximum_segment_size"] == (65483, "B")


def test_interim_results_stand_among_keys_too() -> None:
    found = read_output("netperf", captured("2.7.0-Dk")).measurements
    assert [f.value for f in found if f.metric == "interim_result"] == [59886.6, 48291.99, 42803.36]
    assert found[-1].value == 52764.22


def test_the_three_forms_of_omni_have_the_same_words() -> None:
    keys, commas, table = values("2.7.1-kall"), values("2.7.1-oall"), values("2.7.1-Oall")
    assert keys["throughput"] == (6953.98, "Trans/s")
    assert keys["p99_latency"] == (2766, "us")
    assert keys["local_sd"] == (161.379, "us/Tran")
    assert commas["throughput"] == (12758.64, "10^6bits/s")
    assert commas["remote_recv_throughput"] == (12758.64, "10^6bits/s")
    assert commas["p99_latency"] == (53, "us")
    assert table == {
        "throughput": (10922.77, "Trans/s"),
        "p99_latency": (1760, "us"),
        "mean_latency": (91.46, "us"),
    }
    refused = {entry.metric: entry.reason for entry in read_output("netperf", captured("2.7.1-oall")).refused}
    assert refused["remote_cpu_swintr"] == "netperf printed -nan"


def test_a_throughput_without_its_unit_cannot_be_compared() -> None:
    found = {f.metric: f for f in read_output("netperf", captured("2.7.0-j")).measurements}
    assert "does not tell the unit" in found["throughput"].labels[NOT_COMPARABLE]
    headless = b"THROUGHPUT=14.6\nTHROUGHPUT_UNITS=10^9bits/s\n"
    assert netperf.read(headless).measurements[0].unit == "10^9bits/s"
    with pytest.raises(OutputError, match="expected THROUGHPUT_UNITS or the head of a test"):
        netperf.read(b"THROUGHPUT=14.6\n")


def test_several_tests_are_told_apart() -> None:
    found = netperf.read(captured("2.7.0-rr") + captured("2.7.0-streamcC")).measurements
    assert [(f.labels["run"], f.labels["test"]) for f in (found[0], found[-1])] == [
        ("1", "TCP_RR"),
        ("2", "TCP_STREAM"),
    ]


@pytest.mark.parametrize(
    "before",
    [
        b"# netperf -H 10.100.4.174 -t TCP_RR -l 6\n",
        b"user@node0:~$ for i in 1; do netperf -t UDP_RR; done\n",
        b"====== netperf TCP_RR begin ======\n",
    ],
)
def test_what_a_shell_or_a_script_says_around_tests_is_passed_over(before: bytes) -> None:
    alone = captured("2.7.0-rr")
    assert netperf.read(before + alone) == netperf.read(alone)


def test_what_somebody_says_before_a_test_is_a_doubt_and_what_has_figures_an_error() -> None:
    alone = captured("2.7.0-rr")
    found = read_output("netperf", b"Now the transactions.\n\n" + alone)
    assert found.measurements == netperf.read(alone).measurements
    assert found.remarks == ("line 1: 'Now the transactions.'",)
    with pytest.raises(
        OutputError, match="expected the head of a test, got 'MIGRATED TCP STREAM TEXT 131072'"
    ):
        read_output("netperf", b"MIGRATED TCP STREAM TEXT 131072\n" + alone)


def test_marks_of_a_script_between_tests_are_passed_over() -> None:
    begin, end = b"====== netperf TCP_RR begin ======\n", b"====== netperf TCP_RR end: success ======\n"
    marked = b"".join(begin + captured(name) + end for name in ("2.7.0-rr", "2.7.0-streamcC", "2.7.0-udp"))
    plain = b"".join(captured(name) for name in ("2.7.0-rr", "2.7.0-streamcC", "2.7.0-udp"))
    assert netperf.read(marked) == netperf.read(plain)


@pytest.mark.parametrize(
    ("output", "problem"),
    [
        (captured("2.7.0-bad"), "are you sure there is a netserver listening"),
        (captured("2.7.0-P0"), "expected the head of a test, got '131072"),
        (captured("2.7.0-P0") + captured("2.7.0-rr"), "expected the head of a test, got '131072"),
        (captured("2.7.0-bad") + captured("2.7.0-rr"), "are you sure there is a netserver listening"),
        (captured("2.7.0-rr")[:-15], "expected a second line"),
        (captured("2.7.0-streamcC").replace(b"95.45", b"95,45"), "expected 5 or 9 numbers"),
        (captured("2.7.0-udp").replace(b"28156.54", b""), "expected 4 or 6 numbers"),
        (captured("2.7.0-rr").replace(b"Trans.", b"Moves."), "expected a unit of throughput"),
        (b"", "got 'nothing'"),
    ],
)
def test_errors_and_what_does_not_fit_are_refused(output: bytes, problem: str) -> None:
    with pytest.raises(OutputError, match="cannot read the output of netperf: ") as caught:
        netperf.read(output)
    assert problem in caught.value.problem
    assert caught.value.line is not None


def test_trials_take_their_figures_from_their_own_test() -> None:
    found = WORKLOADS["netperf-udp-stream"].parse(captured("2.7.0-udp"))
    assert [(m.metric.name, m.value) for m in found] == [("sent", 58640.82), ("received", 28156.54)]
    assert WORKLOADS["netperf-tcp-rr"].parse(captured("2.7.0-rr"))[0].value == 62473.51
    assert WORKLOADS["netperf-udp-rr"].parse(captured("2.7.0-udprr"))[0].value == 74546.85
    with pytest.raises(OutputError, match="expected 'transaction_rate' of TCP_CRR, got none"):
        WORKLOADS["netperf-tcp-crr"].parse(captured("2.7.0-rr"))


DEMO = b"TCP REQUEST/RESPONSE TEST from 0.0.0.0 port 0 AF_INET to 127.0.0.1 port 0 AF_INET : demo\n"
FIRST = (
    b"NETPERF_INTERIM_RESULT[0]=5.5\nNETPERF_UNITS[0]=Trans/s\nNETPERF_INTERVAL[0]=0.4\n"
    b"NETPERF_ENDING[0]=1.0\n"
)


@pytest.mark.parametrize("lost", ["INTERIM_RESULT", "UNITS", "INTERVAL"])
def test_an_interim_result_takes_nothing_from_the_one_before(lost: str) -> None:
    second = [line.replace(b"[0]", b"[1]") for line in FIRST.splitlines() if lost.encode() not in line]
    with pytest.raises(OutputError, match=f"NETPERF_{lost} before, got none"):
        read_output("netperf", b"\n".join([DEMO + FIRST, *second, b"THROUGHPUT=6.5\n"]))
