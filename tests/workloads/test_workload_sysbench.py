"""sysbench's reports of several versions, and what must not pass for one."""

from pathlib import Path

import pytest

from assay.workloads import OutputError
from assay.workloads.tools.sysbench.definition import EVENTS, parse

CAPTURES = Path(__file__).parent / "captures"


def rate(name: str) -> float | None:
    (measurement,) = parse((CAPTURES / name).read_bytes())
    assert measurement.metric == EVENTS
    return measurement.value


@pytest.mark.parametrize(
    ("capture", "events_per_s"),
    [
        ("sysbench-1.0.20.txt", 1958.40),
        ("sysbench-1.0.20-slow.txt", 1220.86),
        ("sysbench-1.1.0.txt", 1893.27),
        ("sysbench-0.5.txt", 800.0),
        ("sysbench-0.4.12.txt", 10000 / 5.8730),
    ],
)
def test_every_version_yields_its_events_per_second(capture: str, events_per_s: float) -> None:
    assert rate(capture) == pytest.approx(events_per_s, rel=1e-12)


def test_lines_of_a_report_interval_are_not_taken_for_the_result() -> None:
    text = (CAPTURES / "sysbench-1.0.20-intervals.txt").read_text()
    assert "eps:" in text
    assert rate("sysbench-1.0.20-intervals.txt") == pytest.approx(
        float(text.split("events per second:")[1].split()[0])
    )


def test_the_rate_of_a_report_without_the_cpu_line_is_the_printed_throughput() -> None:
    text = (CAPTURES / "sysbench-1.1.0.txt").read_text()
    (measurement,) = parse(text.replace("    events per second:  1893.27\n", "").encode())
    assert measurement.value == 1893.2711


@pytest.mark.parametrize(
    ("capture", "line", "words"),
    [
        ("sysbench-1.0.20-fatal.txt", 1, "Invalid value for --threads: 0"),
        ("sysbench-1.0.20-memory.txt", None, "expected a report of 'sysbench cpu'"),
        ("sysbench-1.0.20-fileio.txt", None, "expected a report of 'sysbench cpu'"),
        ("sysbench-1.0.20-checkpoints.txt", 35, "got a second"),
    ],
)
def test_what_is_no_single_cpu_report_is_refused_with_its_line(capture: str, line: int, words: str) -> None:
    with pytest.raises(OutputError, match=words) as caught:
        rate(capture)
    assert caught.value.tool == "sysbench"
    assert line is None or caught.value.line == line


@pytest.mark.parametrize("figure", ["nan", "-nan", "-3.5", "inf", "1,220.86", "1e3", ""])
def test_what_is_not_a_plain_number_is_refused(figure: str) -> None:
    text = (CAPTURES / "sysbench-1.0.20.txt").read_text()
    with pytest.raises(OutputError):
        parse(text.replace("1958.40", figure).encode())


def test_no_event_in_the_time_is_a_measurement_of_zero() -> None:
    text = (CAPTURES / "sysbench-1.0.20.txt").read_text()
    (measurement,) = parse(text.replace("1958.40", "0.00").encode())
    assert measurement.value == 0.0


def test_a_report_cut_off_before_the_figures_is_refused() -> None:
    whole = (CAPTURES / "sysbench-1.0.20.txt").read_bytes()
    with pytest.raises(OutputError, match="got neither"):
        parse(whole[: whole.index(b"CPU speed:")])


def test_a_total_time_of_zero_is_refused_rather_than_divided_by() -> None:
    text = (CAPTURES / "sysbench-0.5.txt").read_text().replace("12.5000s", "0.0000s")
    with pytest.raises(OutputError, match="above 0 s"):
        parse(text.encode())


@pytest.mark.parametrize("output", [b"", b"\x00\xff\xfe", b"sysbench: command not found\n"])
def test_what_is_no_report_at_all_is_refused(output: bytes) -> None:
    with pytest.raises(OutputError):
        parse(output)
