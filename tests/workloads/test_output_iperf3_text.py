"""Every figure of iperf3's normal text; any other line is refused."""

from __future__ import annotations

import pytest

from assay.model.metric import Direction
from assay.workloads import OutputError
from assay.workloads.saved_outputs import read_output
from tests.workloads.outputs import CAPTURES, capture, figure, read, refused, why_not

WHOLE = sorted(
    file.name for file in CAPTURES.glob("iperf3-3.*-text*.txt") if not file.name.endswith("-refused.txt")
)
ONE = "iperf3-3.12-text.txt"


def test_what_is_sent_and_what_is_received_are_separate_metrics_in_the_units_printed() -> None:
    output = read("iperf3", ONE)
    sent, received = (
        figure(output, f"{side}_bits_per_second", stream="5") for side in ("sender", "receiver")
    )
    assert (sent.value, sent.unit, sent.direction) == (8.47, "Gbit/s", Direction.HIGHER)
    assert (received.value, received.unit) == (8.42, "Gbit/s")
    assert (figure(output, "receiver_bytes").value, figure(output, "receiver_bytes").unit) == (1004, "MiB")
    assert figure(output, "sender_retransmits").value == 12
    window = figure(output, "interval_snd_cwnd", stream="5", interval="0-1")
    assert (window.value, window.unit) == (1023, "KiB")
    assert output.version is None


@pytest.mark.parametrize("name", WHOLE)
def test_every_line_of_figures_of_every_mode_is_read(name: str) -> None:
    output = read("iperf3", name)
    rows = [line for line in capture(name).decode().splitlines() if "/sec" in line]
    rates = [one for one in output.measurements if "_per_second" in one.metric]
    assert len(rates) == len(rows) > 0
    keys = [(one.metric, *sorted(one.labels.items())) for one in output.measurements]
    assert len(set(keys)) == len(keys)
    assert not any("repeat" in one.labels for one in output.measurements)


@pytest.mark.parametrize(
    ("name", "version", "sent", "unit", "figures"),
    [
        ("3.1.7-text-verbose", "3.1.7", 24.5, "Gbit/s", 51),
        ("3.6-or-later-text", None, 45.2, "Mbit/s", 45),
        ("3.21-text-verbose", "3.21", 11.3, "Gbit/s", 71),
    ],
)
def test_real_texts_of_other_versions_are_read(
    name: str, version: str | None, sent: float, unit: str, figures: int
) -> None:
    output = read("iperf3", f"iperf3-{name}.txt")
    assert (output.version, len(output.measurements), output.refused) == (version, figures, ())
    rate = figure(output, "sender_bits_per_second")
    assert (rate.value, rate.unit) == (sent, unit)
    assert all(one.comparable for one in output.measurements)


def test_what_a_verbose_text_tells_beside_the_rates_is_read_in_old_and_new_versions() -> None:
    old, new = (read("iperf3", f"iperf3-{version}-text-verbose.txt") for version in ("3.1.7", "3.21"))
    assert figure(old, "interval_retransmits", interval="3-4").value == 20
    assert (figure(old, "interval_snd_cwnd", interval="9-10").value, figure(old, "receiver_bytes").value) == (
        472, 28.6,
    )  # fmt: skip
    assert figure(new, "interval_retransmits", interval="0-1.01").value == 1448
    assert figure(new, "sender_retransmits").value == 1719


def test_streams_sums_and_intervals_are_told_apart() -> None:
    output = read("iperf3", "iperf3-3.12-text-streams.txt")
    assert figure(output, "sum_sent_bits_per_second").value == 3.25
    assert figure(output, "sum_received_bytes").value == 780
    assert figure(output, "sender_retransmits", stream="7").value == 1
    assert figure(output, "interval_sum_bits_per_second", interval="1.01-2.02").value == 1.33
    omitted = read("iperf3", "iperf3-3.12-text-omit.txt")
    assert figure(omitted, "interval_bytes", omitted="true").value == 1.75
    assert len([one for one in omitted.measurements if "omitted" in one.labels]) == 4


def test_ways_back_of_a_bidirectional_test_have_names_of_their_own() -> None:
    output = read("iperf3", "iperf3-3.12-text-bidir-streams.txt")
    assert figure(output, "sum_sent_bits_per_second").value == 1.06
    assert figure(output, "sum_sent_bidir_reverse_bits_per_second").value == 188
    assert figure(output, "sum_received_bidir_reverse_bits_per_second").value == 124
    assert figure(output, "sum_sent_bidir_reverse_retransmits", role="RX-C").value == 35
    assert figure(output, "receiver_bits_per_second", stream="12", role="RX-C").value == 61.5


def test_of_udp_the_senders_zeros_are_marked_and_lost_datagrams_counted() -> None:
    output = read("iperf3", "iperf3-3.12-text-udp-reverse.txt")
    assert figure(output, "sum_received_jitter_ms").value == 1.301
    assert figure(output, "receiver_packets", stream="7").value == 191
    assert why_not(output, "sum_sent_lost_percent") == "the sender cannot know it: iperf3 prints 0"
    assert why_not(output, "sum_received_lost_percent") is None
    assert figure(read("iperf3", "iperf3-3.12-text-udp.txt"), "interval_packets").value == 191
    lost = capture("iperf3-3.12-text-udp.txt").replace(b"0.120 ms  0/191 (0%)", b"0.120 ms  191/191 (1e+02%)")
    assert figure(read_output("iperf3", lost), "receiver_lost_percent").value == 100
    none = capture("iperf3-3.12-text-udp.txt").replace(b"0.120 ms  0/191 (0%)", b"0.000 ms  0/0 (-nan%)")
    assert "nan" in refused(read_output("iperf3", none))["receiver_lost_percent"]


def test_until_3_1_one_line_of_udp_mixes_what_both_ends_count() -> None:
    output = read("iperf3", "iperf3-3.1-text-udp.txt")
    rate = figure(output, "udp_bits_per_second")
    assert (rate.value, rate.unit, rate.labels) == (1.02, "Mbit/s", {"stream": "4", "counted_by": "sender"})
    assert figure(output, "udp_lost_percent", counted_by="receiver").value == 3.2
    assert figure(output, "udp_sent_packets", stream="4").value == 31
    assert figure(read("iperf3", "iperf3-3.1-text-tcp.txt"), "sender_retransmits").value == 12


def test_what_verbose_title_bytes_and_the_servers_own_output_add_is_known() -> None:
    verbose = read("iperf3", "iperf3-3.12-text-verbose.txt")
    assert verbose.version == "3.12"
    assert figure(verbose, "cpu_utilization_percent_host_system").value == 4.9
    assert figure(verbose, "cpu_utilization_percent_remote_user").value == 1.2
    assert figure(read("iperf3", "iperf3-3.12-text-title.txt"), "sender_bits_per_second").value == 3.31
    slow = figure(read("iperf3", "iperf3-3.12-text-bytes.txt"), "receiver_bytes_per_second")
    assert (slow.value, slow.unit) == (137082, "KiB/s")
    asked = read("iperf3", "iperf3-3.12-text-server-output.txt")
    assert figure(asked, "receiver_bits_per_second", reported_by="server").value == 3.7


def test_iperf3s_own_notice_of_its_options_changes_no_figure() -> None:
    output = read("iperf3", "iperf3-3.12-text-udp-warning.txt")
    assert figure(output, "receiver_lost_packets").value == 251
    assert figure(output, "receiver_bits_per_second").value == 868
    head = b"warning: UDP block size 65507"
    strange = read_output(
        "iperf3", capture("iperf3-3.12-text-udp-warning.txt").replace(head, b"warning: strange")
    )
    assert strange.measurements == output.measurements
    assert [remark.partition(": ")[2][:17] for remark in strange.remarks] == ["'warning: strange"]


def test_the_servers_log_has_a_run_for_each_test() -> None:
    output = read("iperf3", "iperf3-3.12-text-server.txt")
    assert {one.labels["run"] for one in output.measurements} == {str(number) for number in range(1, 13)}
    assert figure(output, "sum_received_bits_per_second", run="1").value == 3.24
    assert figure(output, "sum_sent_bidir_reverse_bits_per_second", run="4").value == 188


def test_nothing_received_is_no_measurement_of_zero() -> None:
    text = capture(ONE).replace(
        b"1004 MBytes  8.42 Gbits/sec                  rec", b"0.00 Bytes  0.00 bits/sec  rec"
    )
    assert "not reported" in str(why_not(read_output("iperf3", text), "receiver_bits_per_second"))


@pytest.mark.parametrize(
    ("output", "line", "words"),
    [
        (capture("iperf3-3.12-text-refused.txt"), 1, "iperf3 says 'error - unable to connect to server"),
        (capture(ONE).replace(b"iperf Done.", b"iperf3: interrupt - the client has terminated"), 10,
        "interrupt"),
        (capture(ONE).replace(b"8.47 Gbits", b"-8.47 Gbits", 1), 4, "normal text, got '"),
        (capture(ONE).replace(b"1004 MBytes", b"nan MBytes"), 8, "normal text, got '"),
        (capture(ONE).replace(b"receiver", b"somebody"), 8, "normal text, got '"),
        (capture(ONE).replace(b"Retr  Cwnd", b"Retr  Cows"), 3, "got '. ID"),
        (capture(ONE).replace(b"iperf Done.", b""), 10, "expected 'iperf Done.'"),
        (capture("iperf3-3.12-text-streams.txt").replace(b"[SUM]   0.00-2.02", b"[  9]   0.00-2.02"), 21,
        "every stream"),
        (capture(ONE).replace(b"[  5] local", b"[  5] nowhere"), 2, "got '.  5. nowhere"),
    ],
)  # fmt: skip
def test_errors_and_lines_that_are_not_known_are_refused(output: bytes, line: int, words: str) -> None:
    with pytest.raises(OutputError, match=words) as caught:
        read_output("iperf3", output)
    assert caught.value.line == line


@pytest.mark.parametrize("name", [name for name in WHOLE if "server" not in name])
def test_a_text_that_is_cut_off_anywhere_yields_nothing_but_an_error(name: str) -> None:
    text = capture(name).rstrip()
    for end in range(30, len(text), max(1, len(text) // 40)):
        with pytest.raises(OutputError):
            read_output("iperf3", text[:end])
