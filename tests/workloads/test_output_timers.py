"""Every figure of hyperfine's exports and of GNU time."""

from __future__ import annotations

import json

import pytest

from assay.model.metric import Direction
from assay.workloads import OutputError
from assay.workloads.saved_outputs import read_output
from tests.workloads.outputs import capture, figure, read, refused, values, why_not


def test_the_json_of_a_scan_has_each_run_and_each_parameter() -> None:
    output = read("hyperfine", "hyperfine-1.15-scan.json")
    results = json.loads(capture("hyperfine-1.15-scan.json"))["results"]
    assert (output.tool, output.version) == ("hyperfine", None)
    mean = figure(output, "mean", parameter_n="2")
    assert (mean.value, mean.unit, mean.direction) == (results[1]["mean"], "s", Direction.LOWER)
    assert figure(output, "times", parameter_n="1", run="3").value == results[0]["times"][2]


def test_reports_that_were_put_together_are_told_apart() -> None:
    both = capture("hyperfine-1.15-one-run.json") + capture("hyperfine-1.15-scan.json")
    output = read_output("hyperfine", both)
    alone = read("hyperfine", "hyperfine-1.15-scan.json").measurements
    second = [one for one in output.measurements if one.labels["report"] == "2"]
    assert [(one.metric, one.value) for one in second] == [(one.metric, one.value) for one in alone]


def test_csv_says_the_same_as_json() -> None:
    of_json, of_csv = (read("hyperfine", f"hyperfine-1.15-scan.{form}") for form in ("json", "csv"))
    labels = {"command": "sleep 0.02", "parameter_n": "2"}
    assert values(of_csv, **labels) == pytest.approx(values(of_json, **labels))


def test_one_run_has_no_spread() -> None:
    output = read("hyperfine", "hyperfine-1.15-one-run.json")
    assert "one run" in refused(output)["stddev"]
    assert "stddev" not in values(output, command="sleep 0.01")
    output = read("hyperfine", "hyperfine-1.15-one-run.csv")
    assert "one run" in str(why_not(output, "stddev", command="sleep 0.01"))


def test_a_command_that_failed_is_marked_as_not_comparable() -> None:
    output = read("hyperfine", "hyperfine-1.15-failed.json")
    assert figure(output, "mean").labels["not_comparable"] == "run 1 ended with exit code 3"


def test_a_wall_time_of_zero_is_marked_for_no_command_takes_none() -> None:
    output = read("hyperfine", "hyperfine-1.15-one-run.json")
    assert "start of the shell" in figure(output, "mean", command="true").labels["not_comparable"]
    assert figure(output, "mean", command="sleep 0.01").comparable
    assert figure(output, "user", command="true").comparable


def test_memory_signals_and_equal_commands_of_newer_versions_are_read() -> None:
    one = {"command": "a", "mean": 1.0, "memory_usage_byte": [4096], "exit_codes": [None]}
    output = read_output("hyperfine", json.dumps({"results": [one, one]}).encode())
    memory = figure(output, "memory_usage_byte", index="1", run="1")
    assert (memory.value, memory.unit) == (4096, "B")
    assert refused(output)["exit_codes"] == "ended by a signal"
    assert memory.labels["not_comparable"] == "run 1 was ended by a signal"


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (capture("hyperfine-1.15-text.txt"), "--export-json"),
        (capture("hyperfine-1.15-scan.json")[:-9], "whole JSON"),
        (b'{"results": []}', "a list 'results'"),
        (b'{"results": [{"mean": 1}]}', "a 'command'"),
        (b'{"results": [{"command": "a", "mean": "fast"}]}', "expected a number at results"),
        (b"command,mean\n", "expected results below"),
        (b"command,mean\na\n", "expected 2 cells, got 1"),
        (b"command,mean\na,quick\n", "expected a number for mean, got 'quick'"),
        (b"command,surprise\na,1\n", "got 'surprise'"),
        (b"", "--export-json"),
    ],
)
def test_what_hyperfine_did_not_export_is_refused(output: bytes, words: str) -> None:
    with pytest.raises(OutputError, match=words):
        read_output("hyperfine", output)


def test_all_lines_of_time_v_are_figures() -> None:
    output = read("time", "time-1.9-verbose.txt")
    assert (output.tool, output.version, len(output.measurements)) == ("time", None, 22)
    peak = figure(output, "maximum_resident_set_size")
    assert (peak.value, peak.unit, peak.direction) == (976, "KiB", Direction.LOWER)
    assert "getrusage" in figure(output, "swaps").labels["not_comparable"]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        (b"0:00.30", 0.3),
        (b"12:03.45", 723.45),
        (b"1:02:03", 3723),
        (b"26:00:00", 93600),
        (b"1h 2m 03s", 3723),
    ],
)
def test_the_elapsed_time_is_in_seconds(text: bytes, seconds: float) -> None:
    line = b"Elapsed (wall clock) time (h:mm:ss or m:ss): "
    output = read_output("time", capture("time-1.9-verbose.txt").replace(line + b"0:00.00", line + text))
    assert figure(output, "elapsed_time").value == seconds


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("time-1.9-failed.txt", "the command exited with non-zero status 3"),
        ("time-1.9-killed.txt", "the command terminated by signal 9"),
    ],
)
def test_the_figures_of_a_failed_command_are_not_comparable(name: str, reason: str) -> None:
    output = read("time", name)
    assert {one.labels["not_comparable"] for one in output.measurements} == {reason}


def test_two_runs_in_one_file_are_told_apart_and_the_failed_one_is_marked() -> None:
    output = read("time", "time-1.9-two-runs.txt")
    assert figure(output, "elapsed", run="1").comparable
    assert not figure(output, "elapsed", run="2").comparable


@pytest.mark.parametrize("name", ["time-1.9-posix.txt", "time-bash.txt"])
def test_the_posix_lines_are_read_in_seconds(name: str) -> None:
    assert set(values(read("time", name))) == {"real", "user", "sys"}
    assert values(read_output("time", b"real\t1m2.500s\nuser\t0m1.000s\nsys\t0m0.250s\n"))["real"] == 62.5


def test_a_percentage_that_could_not_be_had_is_refused() -> None:
    output = read_output("time", capture("time-1.9-verbose.txt").replace(b"got: 0%", b"got: ?%"))
    assert "too short" in refused(output)["percent_of_cpu"]


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (capture("time-1.9-verbose.txt")[:-20], "cut off"),
        (capture("time-1.9-verbose.txt").replace(b"Swaps", b"Swops"), "got 'Swops: 0'"),
        (capture("time-1.9-verbose.txt").replace(b"Swaps: 0", b"Swaps: few"), "expected a number"),
        (b"real 0.10\nuser 0.00\n", "expected a whole report, got real, user alone"),
        (b"hello\n", "Command being timed"),
        (b"", "Command being timed"),
    ],
)
def test_what_time_did_not_write_is_refused(output: bytes, words: str) -> None:
    with pytest.raises(OutputError, match=words):
        read_output("time", output)


@pytest.mark.parametrize("tool", ["sysbench", "time", "hyperfine"])
def test_a_number_beyond_all_doubles_is_no_number(tool: str) -> None:
    name = {
        "sysbench": "sysbench-0.5.txt",
        "time": "time-1.9-verbose.txt",
        "hyperfine": "hyperfine-1.15-scan.csv",
    }
    old = {"sysbench": b"12.5000s", "time": b"4096", "hyperfine": b"0.02097874286"}
    with pytest.raises(OutputError, match="expected a number"):
        read_output(tool, capture(name[tool]).replace(old[tool], b"9" * 400))
