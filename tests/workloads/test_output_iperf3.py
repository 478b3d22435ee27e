"""Every figure of iperf3's JSON: what was sent and what was received are never one."""

from __future__ import annotations

import json

import pytest

from assay.model.metric import Direction
from assay.workloads import WORKLOADS, OutputError
from assay.workloads.saved_outputs import read_output
from tests.workloads.outputs import capture, figure, read, refused, values, why_not


def stream_of(name: str) -> bytes:
    """Return a report as the events that 3.17 prints with --json-stream."""
    report = json.loads(capture(name))
    events = [{"event": "start", "data": report["start"]}]
    events += [{"event": "interval", "data": one} for one in report["intervals"]]
    events += [{"event": "end", "data": report["end"]}]
    return "".join(json.dumps(event) + "\n" for event in events).encode()


def test_sent_and_received_are_separate_metrics_in_bit_per_second() -> None:
    output = read("iperf3", "iperf3-3.12.json")
    end = json.loads(capture("iperf3-3.12.json"))["end"]
    totals = values(output)
    assert (output.tool, output.version) == ("iperf3", "3.12")
    assert totals["sum_sent_bits_per_second"] == end["sum_sent"]["bits_per_second"]
    assert totals["sum_received_bits_per_second"] == end["sum_received"]["bits_per_second"]
    assert figure(output, "sum_sent_retransmits").direction is Direction.LOWER
    assert figure(output, "sum_received_bits_per_second").unit == "bit/s"
    assert totals["cpu_utilization_percent_host_total"] == end["cpu_utilization_percent"]["host_total"]


def test_every_stream_and_every_interval_has_its_labels() -> None:
    output = read("iperf3", "iperf3-3.12-three-streams.json")
    streams = {one.labels["stream"] for one in output.measurements if one.metric == "sender_bytes"}
    assert streams == {"5", "7", "9"}
    assert figure(output, "sender_mean_rtt", stream="5").unit == "us"
    intervals = [one for one in output.measurements if one.metric == "interval_sum_bits_per_second"]
    assert [one.labels["interval"].split("-")[0] for one in intervals] == ["0", "1.00033"]


def test_left_out_intervals_are_marked() -> None:
    output = read("iperf3", "iperf3-3.12-omit.json")
    sums = [one for one in output.measurements if one.metric == "interval_sum_bytes"]
    assert [one.labels.get("omitted") for one in sums] == ["true", None]


def test_a_udp_report_says_by_whom_each_figure_was_counted() -> None:
    output = read("iperf3", "iperf3-3.12-udp.json")
    assert figure(output, "sum_bits_per_second").labels == {"counted_by": "sender"}
    assert figure(output, "sum_lost_percent").labels == {"counted_by": "receiver"}
    assert figure(output, "sum_received_jitter_ms").unit == "ms"
    assert "the sender cannot know it" in str(why_not(output, "sum_sent_lost_percent"))


def test_an_old_udp_report_has_the_senders_sum_alone() -> None:
    output = read("iperf3", "iperf3-3.1-udp.json")
    assert output.version == "3.1.3"
    assert "sum_received_bits_per_second" not in values(output)
    assert figure(output, "udp_lost_packets", stream="1").value == 40


def test_what_the_sending_peer_did_not_tell_is_marked() -> None:
    output = read("iperf3", "iperf3-3.12-reverse.json")
    for metric in ("sender_max_rtt", "sender_min_rtt", "sender_mean_rtt", "sender_max_snd_cwnd"):
        assert "did not tell" in str(why_not(output, metric))


def test_both_ways_of_a_bidirectional_test_have_names_of_their_own() -> None:
    for name in ("iperf3-3.12-bidir.json", "iperf3-3.12-udp-bidir.json"):
        end = json.loads(capture(name))["end"]
        totals = values(read("iperf3", name))
        for way in ("", "_bidir_reverse"):
            received = end[f"sum_received{way}"]["bits_per_second"]
            assert totals[f"sum_received{way}_bits_per_second"] == received


def test_two_ways_under_one_name_are_refused_for_neither_can_be_told() -> None:
    output = read("iperf3", "iperf3-3.7-bidir.json")
    assert set(refused(output)) == {"sum_sent", "sum_received"}
    assert output.measurements == ()


def test_a_receiver_that_did_not_report_is_marked_and_one_that_lost_all_is_zero() -> None:
    report = json.loads(capture("iperf3-3.12.json"))
    report["end"]["sum_received"] |= {"bytes": 0, "bits_per_second": 0}
    output = read_output("iperf3", json.dumps(report).encode())
    assert "0 bytes" in str(why_not(output, "sum_received_bits_per_second"))
    report = json.loads(capture("iperf3-3.12-udp.json"))
    report["end"]["sum_received"] |= {"bytes": 0, "bits_per_second": 0, "lost_percent": 100}
    output = read_output("iperf3", json.dumps(report).encode())
    assert values(output)["sum_received_bits_per_second"] == 0


def test_a_real_receiver_that_did_not_report_is_marked() -> None:
    output = read("iperf3", "iperf3-3.9-bytes.json")
    assert (output.version, len(output.measurements), output.refused) == ("3.9", 44, ())
    assert figure(output, "sum_sent_bits_per_second").value == 1387803.2571441371
    assert {one.metric for one in output.measurements if not one.comparable} == {
        "receiver_bytes", "receiver_bits_per_second", "sum_received_bytes", "sum_received_bits_per_second",
    }  # fmt: skip


def test_a_real_report_of_3_0_with_few_digits_is_read() -> None:
    output = read("iperf3", "iperf3-3.0.11.json")
    assert (output.version, len(output.measurements), output.refused) == ("3.0.11", 73, ())
    assert figure(output, "sum_sent_bits_per_second").value == 25992500
    assert (figure(output, "sum_received_bytes").value, figure(output, "sum_sent_retransmits").value) == (
        15641924, 14,
    )  # fmt: skip
    assert figure(output, "cpu_utilization_percent_remote_total").value == 9.95959
    assert sum(one.value for one in output.measurements if one.metric == "interval_sum_bytes") == 16245572
    assert all(one.comparable for one in output.measurements)


def test_lost_packets_may_be_negative_where_some_came_twice() -> None:
    report = json.loads(capture("iperf3-3.12-udp.json"))
    report["end"]["sum_received"]["lost_packets"] = -2
    assert values(read_output("iperf3", json.dumps(report).encode()))["sum_received_lost_packets"] == -2


def test_a_report_of_the_server_has_its_own_label() -> None:
    report = json.loads(capture("iperf3-3.12.json"))
    report["server_output_json"] = json.loads(capture("iperf3-3.12-reverse.json"))
    output = read_output("iperf3", json.dumps(report).encode())
    assert figure(output, "sum_received_bits_per_second", reported_by="server").value == 39405458267.584259


def test_a_stream_of_events_says_what_the_report_says() -> None:
    assert read_output("iperf3", stream_of("iperf3-3.12.json")) == read("iperf3", "iperf3-3.12.json")


def test_several_reports_in_a_file_are_told_apart_and_a_trial_refuses_them() -> None:
    both = capture("iperf3-3.12.json") + capture("iperf3-3.12-udp.json")
    output = read_output("iperf3", both)
    assert output.version == "3.12"
    sent = figure(output, "sum_sent_bits_per_second", run="1").value
    assert sent == values(read("iperf3", "iperf3-3.12.json"))["sum_sent_bits_per_second"]
    assert figure(output, "sum_lost_percent", run="2").labels["counted_by"] == "receiver"
    with pytest.raises(OutputError, match="a second one"):
        WORKLOADS["iperf3"].parse(both)


def test_the_mark_of_utf_8_at_the_begin_is_no_text() -> None:
    for name in ("iperf3-3.12.json", "iperf3-3.12-three-streams.json"):
        assert read_output("iperf3", b"\xef\xbb\xbf" + capture(name)) == read("iperf3", name)


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (capture("iperf3-3.12-refused.json"), "iperf3 says 'unable to connect"),
        (capture("iperf3-3.12-interrupted.json"), "iperf3 says 'interrupt"),
        (capture("iperf3-3.12.json") + capture("iperf3-3.12.json")[:-40], "whole JSON"),
        (stream_of("iperf3-3.12.json") * 2, "the start of a second"),
        (capture("iperf3-3.12.json")[:-40], "whole JSON"),
        (stream_of("iperf3-3.12.json").rsplit(b"\n", 2)[0], "expected an event 'end'"),
        (stream_of("iperf3-3.12.json")[:-9], "whole JSON"),
        (stream_of("iperf3-3.12.json") + b'{"event":"error","data":"broken"}\n', "iperf3 says 'broken'"),
        (stream_of("iperf3-3.12.json") + b"{}\n", "expected an event"),
        (b'{"start": {}}', "expected 'end'"),
        (b"", "got nothing"),
    ],
)
def test_errors_and_what_is_no_whole_report_are_refused(output: bytes, words: str) -> None:
    with pytest.raises(OutputError, match=words):
        read_output("iperf3", output)
