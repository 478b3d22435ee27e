"""fio's JSON of versions 2 and 3, and what must not pass for a measurement."""

import json
from pathlib import Path

import pytest

from assay.workloads import OutputError
from assay.workloads.tools.fio.definition import METRICS, parse

CAPTURES = Path(__file__).parent / "captures"


def values(output: bytes) -> dict[str, float | None]:
    return {measurement.metric.name: measurement.value for measurement in parse(output)}


def capture(name: str) -> bytes:
    return (CAPTURES / name).read_bytes()


def changed(*path: str | int, value: object) -> bytes:
    document = json.loads(capture("fio-3.33.json"))
    here = document
    for step in path[:-1]:
        here = here[step]
    here[path[-1]] = value
    return json.dumps(document).encode()


def test_version_3_yields_megabytes_of_a_million_bytes_and_iops() -> None:
    expected = {"seq_write": 1934.225848, "seq_read": 1433.245244, "rand_read_4k": 88685.657171}
    assert values(capture("fio-3.33.json")) == expected
    assert [(metric.name, metric.unit) for metric in METRICS] == [
        ("seq_write", "MB/s"),
        ("seq_read", "MB/s"),
        ("rand_read_4k", "IOPS"),
    ]


def test_version_2_without_bw_bytes_is_read_in_kibibytes_behind_its_warning() -> None:
    expected = {"seq_write": 512.0, "seq_read": 1024.0, "rand_read_4k": 10000.25}
    assert values(capture("fio-2.2.10.txt")) == expected


def test_a_report_behind_the_normal_output_is_found() -> None:
    assert set(values(capture("fio-3.33-normal-and-json.txt"))) == {metric.name for metric in METRICS}


def test_jobs_of_one_name_are_summed_behind_notes_on_the_queue_depth() -> None:
    output = capture("fio-3.33-two-writers.txt")
    jobs = json.loads(output[output.index(b"{\n") :])["jobs"]
    written = [job["write"]["bw_bytes"] for job in jobs if job["jobname"] == "seq_write"]
    assert len(written) == 2
    assert values(output)["seq_write"] == pytest.approx(sum(written) / 1e6)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("fio-3.33-no-space.txt", r"line 2: job 'seq_write' ended with error 28 \(No space left on device\)"),
        ("fio-3.33-io-error.txt", r"error 22 \(Invalid argument\)"),
        ("fio-3.33-other-job.json", "expected a job 'seq_write', got seqwrite"),
        ("fio-3.33-stopped.txt", "terminating on signal"),
        ("fio-3.33-status-interval.txt", "line [0-9]+: expected one JSON object, got a second one"),
        ("fio-2.6-client.json", "client_stats"),
    ],
)
def test_what_is_no_complete_report_of_the_three_jobs_is_refused(name: str, words: str) -> None:
    with pytest.raises(OutputError, match=words):
        parse(capture(name))


@pytest.mark.parametrize("value", [None, "12", True, -1, float("nan"), float("inf"), 1e400, [], {}])
def test_a_figure_that_is_no_number_is_refused(value: object) -> None:
    with pytest.raises(OutputError):
        parse(changed("jobs", 2, "read", "iops", value=value))


@pytest.mark.parametrize("value", [None, "0", 5])
def test_a_job_whose_error_is_unknown_or_not_zero_is_refused(value: object) -> None:
    with pytest.raises(OutputError):
        parse(changed("jobs", 1, "error", value=value))


def test_a_job_that_moved_nothing_is_not_a_measurement_of_zero() -> None:
    with pytest.raises(OutputError, match="moved nothing"):
        parse(changed("jobs", 0, "write", "runtime", value=0))


@pytest.mark.parametrize("jobs", [None, {}, [], [None], [[]], ["seq_write"]])
def test_a_report_without_a_list_of_jobs_is_refused(jobs: object) -> None:
    with pytest.raises(OutputError):
        parse(changed("jobs", value=jobs))


def test_a_mixed_report_has_no_direction_to_read() -> None:
    document = json.loads(capture("fio-3.33.json"))
    for job in document["jobs"]:
        job["mixed"] = job.pop("read")
        del job["write"]
    with pytest.raises(OutputError, match="expected a number at jobs"):
        parse(json.dumps(document).encode())


@pytest.mark.parametrize("end", [10, 300, 5000, -3])
def test_a_report_cut_off_anywhere_is_refused(end: int) -> None:
    with pytest.raises(OutputError):
        parse(capture("fio-3.33.json")[:end])


@pytest.mark.parametrize("output", [b"", b"fio: file not found\n", b"[]", b"{", b"{}", b"{" * 100000])
def test_what_is_no_report_at_all_is_refused(output: bytes) -> None:
    with pytest.raises(OutputError):
        parse(output)
