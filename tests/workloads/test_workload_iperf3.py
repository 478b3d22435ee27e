"""iperf3's JSON of several modes and versions: it is always what the receiver got."""

import json
from pathlib import Path

import pytest

from assay.workloads import OutputError
from assay.workloads.tools.iperf3.definition import parse

CAPTURES = Path(__file__).parent / "captures"


def capture(name: str) -> bytes:
    return (CAPTURES / name).read_bytes()


def values(output: bytes) -> dict[str, float | None]:
    return {measurement.metric.name: measurement.value for measurement in parse(output)}


@pytest.mark.parametrize(
    ("name", "mbit_per_s"),
    [
        ("iperf3-3.12.json", 37021.68298927452),
        ("iperf3-3.12-reverse.json", 39405.45826758426),
        ("iperf3-3.12-three-streams.json", 40372.748701254546),
        ("iperf3-3.12-udp.json", 499.741054902992),
    ],
)
def test_what_the_receiver_got_is_the_result(name: str, mbit_per_s: float) -> None:
    assert values(capture(name)) == {"received": pytest.approx(mbit_per_s, rel=1e-12)}


def test_a_bidirectional_test_yields_both_ways() -> None:
    expected = {"received": 15356.11560074338, "received_back": 21604.722662057266}
    assert values(capture("iperf3-3.12-bidir.json")) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("iperf3-3.12-refused.json", "iperf3 says 'unable to connect to server: Connection refused'"),
        ("iperf3-3.12-interrupted.json", "iperf3 says 'interrupt - the client has terminated'"),
        ("iperf3-3.12-server-gone.json", "iperf3 says 'the server has terminated'"),
        ("iperf3-3.7-bidir.json", "which direction is which"),
        ("iperf3-3.1-udp.json", "expected end.sum_received, got none"),
    ],
)
def test_errors_and_what_does_not_say_what_was_received_are_refused(name: str, words: str) -> None:
    with pytest.raises(OutputError, match=words):
        parse(capture(name))


def test_zero_received_bytes_mean_that_the_receiver_did_not_report() -> None:
    document = json.loads(capture("iperf3-3.12.json"))
    document["end"]["sum_received"] |= {"bytes": 0, "bits_per_second": 0}
    with pytest.raises(OutputError, match="got 0"):
        parse(json.dumps(document).encode())


def test_a_stream_of_events_is_not_one_report() -> None:
    events = b'{"event":"start","data":{}}\n{"event":"end","data":{"sum_received":{}}}\n'
    with pytest.raises(OutputError, match="second one"):
        parse(events)


@pytest.mark.parametrize("word", ["nan", "-nan", "null", '"fast"', "-1"])
def test_a_rate_that_is_no_number_is_refused(word: str) -> None:
    text = json.dumps(json.loads(capture("iperf3-3.12.json"))["end"]["sum_received"]["bits_per_second"])
    document = json.dumps(json.loads(capture("iperf3-3.12.json"))).replace(text, word)
    with pytest.raises(OutputError):
        parse(document.encode())


@pytest.mark.parametrize("output", [b"", b"iperf3: error - unable to connect\n", b"{}", b'{"end": {}}'])
def test_what_is_no_report_at_all_is_refused(output: bytes) -> None:
    with pytest.raises(OutputError):
        parse(output)
