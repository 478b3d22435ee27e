"""Every figure of fio's JSON and terse output, and what is no figure."""

from __future__ import annotations

import json

import pytest

from assay.model.metric import Direction
from assay.workloads import WORKLOADS, OutputError
from assay.workloads.saved_outputs import read_output
from tests.workloads.outputs import capture, figure, read, values, why_not


def changed(*path: str | int, value: object) -> bytes:
    document = json.loads(capture("fio-3.33.json"))
    here = document
    for step in path[:-1]:
        here = here[step]
    here[path[-1]] = value
    return json.dumps(document).encode()


def test_every_number_of_a_job_is_a_figure_with_the_units_of_fio() -> None:
    output = read("fio", "fio-3.33.json")
    assert (output.tool, output.version) == ("fio", "3.33")
    written = {"job": "seq_write", "operation": "write"}
    rate = figure(output, "bw_bytes", **written)
    assert (rate.value, rate.unit, rate.direction) == (1934225848, "B/s", Direction.HIGHER)
    assert figure(output, "bw", **written).unit == "KiB/s"
    assert figure(output, "iops", **written).value == 1844.621514
    latency = figure(output, "clat_ns_percentile", **written, percentile="99.5")
    assert (latency.unit, latency.direction) == ("ns", Direction.LOWER)
    assert figure(output, "usr_cpu", job="seq_write").unit == "%"
    assert figure(output, "util", disk="vda").unit == "%"
    assert figure(output, "latency_us", job="seq_read", bucket="1000").direction is None


def test_every_number_that_json_has_is_in_the_figures_or_stands_for_an_operation_not_done() -> None:
    document = json.loads(capture("fio-3.33.json"))
    output = read("fio", "fio-3.33.json")
    job = document["jobs"][0]
    write = job["write"]
    said = values(output, job="seq_write", operation="write")
    assert {said[name] for name in write if isinstance(write[name], int | float)} == {
        write[name] for name in write if isinstance(write[name], int | float)
    }
    for part in ("slat_ns", "clat_ns", "lat_ns"):
        for word in ("min", "max", "mean", "stddev", "N"):
            assert said[f"{part}_{word.lower()}"] == write[part][word]
    of_job = values(output, job="seq_write")
    assert {"usr_cpu", "sys_cpu", "ctx", "majf", "minf", "elapsed", "job_runtime"} <= set(of_job)


def test_the_zeros_of_an_operation_that_a_job_did_not_do_are_marked() -> None:
    output = read("fio", "fio-3.33.json")
    assert why_not(output, "bw_bytes", job="seq_write", operation="read") == "the job did no read"
    assert why_not(output, "clat_ns_mean", job="seq_write", operation="trim") == "the job did no trim"
    assert not [
        one for one in output.measurements if one.comparable and one.labels.get("operation") == "trim"
    ]
    assert output.refused == ()


def test_a_real_report_of_version_2_has_five_jobs_whose_percentiles_end_with_one_name_three_times() -> None:
    output = read("fio", "fio-2.1.4-five-jobs.json")
    assert (output.version, len(output.measurements), output.refused) == ("2.1.4", 748, ())
    written = {"job": "sequential_write", "operation": "write"}
    assert [(figure(output, name, **written).value, figure(output, name, **written).unit) for name in
            ("io_bytes", "bw", "iops", "runtime", "lat_mean", "bw_dev")] == [
        (361984, "KiB"), (68118, "KiB/s"), (133, "IOPS"), (5314, "ms"), (478737.47, "us"),
        (20346.28, "KiB/s"),
    ]  # fmt: skip
    last = {"job": "random_read_test_parallel", "operation": "read"}
    assert figure(output, "clat_percentile", **last, percentile="99.99").value == 399360
    assert figure(output, "latency_ms", job="random_read_test_parallel", bucket="250").value == 98.36
    percentiles = {one.labels.get("percentile") for one in output.measurements if one.comparable}
    assert (len(percentiles - {None}), "0" in percentiles) == (17, False)
    assert why_not(output, "bw", job="sequential_write", operation="read") == "the job did no read"
    assert (figure(output, "util", disk="sdb").value, figure(output, "in_queue", disk="sdb").value) == (
        97.54, 2813788,
    )  # fmt: skip


def test_the_zeros_of_a_latency_without_a_sample_are_marked() -> None:
    output = read("fio", "fio-3.33-json-plus.json")
    assert why_not(output, "slat_ns_mean", job="mix", operation="read") == "fio took no sample of it"
    assert why_not(output, "bw_dev", job="mix", operation="read") == "fio took no sample of it"
    assert why_not(output, "clat_ns_mean", job="mix", operation="read") is None


def test_bins_sync_and_mixed_reports_of_json_plus_are_read() -> None:
    output = read("fio", "fio-3.33-json-plus.json")
    document = json.loads(capture("fio-3.33-json-plus.json"))
    bins = document["jobs"][0]["read"]["clat_ns"]["bins"]
    said = {one.labels["bin"]: one.value for one in output.measurements if one.metric == "clat_ns_bins"}
    assert set(bins) <= set(said)
    assert figure(output, "total_ios", job="mix", operation="sync").value > 0
    assert figure(output, "lat_ns_mean", job="mix", operation="sync").unit == "ns"
    assert figure(output, "bw_bytes", job="tr", operation="mixed").value > 0


def test_version_2_counts_io_bytes_in_kib_and_latencies_in_microseconds() -> None:
    output = read("fio", "fio-2.2.10.txt")
    moved = figure(output, "io_bytes", job="seq_write", operation="write")
    assert (moved.value, moved.unit) == (1000000, "KiB")
    text = capture("fio-2.2.10.txt").decode().replace(
        '"total_ios" : 976}',
        '"total_ios" : 976, "clat" : {"min" : 9, "max" : 11, "mean" : 10.5, "stddev" : 0.2, '
        '"percentile" : {"99.000000" : 11, "0.00" : 0}}}'
    )  # fmt: skip
    output = read_output("fio", text.encode())
    assert figure(output, "clat_mean", job="seq_write").unit == "us"
    assert [one.labels["percentile"] for one in output.measurements if one.metric == "clat_percentile"] == [
        "99"
    ]


def test_a_job_of_version_2_that_took_less_than_a_millisecond_has_latencies_and_no_rate() -> None:
    took_none = {"io_bytes": 128, "bw": 0, "iops": 0, "runtime": 0, "clat": {"min": 0, "max": 9, "mean": 1.5}}
    jobs = [{"jobname": "a", "error": 0, "read": took_none}]
    output = read_output("fio", json.dumps({"fio version": "fio-2.1.4", "jobs": jobs}).encode())
    assert figure(output, "io_bytes").unit == "KiB"
    assert figure(output, "clat_mean").value == 1.5
    assert "its runtime is 0 ms" in str(why_not(output, "iops"))


def test_jobs_of_one_name_are_told_apart_and_clients_have_their_host() -> None:
    output = read("fio", "fio-3.33-two-writers.txt")
    assert [
        figure(output, "bw_bytes", job="seq_write", operation="write", index=index).value
        for index in ("0", "1")
    ]
    clients = json.loads(capture("fio-2.6-client.json"))
    clients["client_stats"][0] |= {"hostname": "node1", "port": 8765}
    output = read_output("fio", json.dumps(clients).encode())
    assert figure(output, "iops", host="node1").value == 488.28


def test_a_number_of_a_newer_version_keeps_its_value_and_says_that_it_is_not_known() -> None:
    output = read_output("fio", changed("jobs", 0, "write", "quux_level", value=7))
    found = figure(output, "quux_level")
    assert (found.value, found.unit, found.comparable) == (7, "unknown", False)


def test_several_reports_in_a_file_are_told_apart_and_a_trial_refuses_them() -> None:
    both = capture("fio-3.33.json") + b"\n" + capture("fio-3.33-json-plus.json")
    output = read_output("fio", both)
    alone = read("fio", "fio-3.33-json-plus.json").measurements
    second = [one for one in output.measurements if one.labels["run"] == "2"]
    assert [(one.metric, one.value) for one in second] == [(one.metric, one.value) for one in alone]
    with pytest.raises(OutputError, match="a second one"):
        WORKLOADS["fio"].parse(both)
    with pytest.raises(OutputError, match="whole JSON"):
        read_output("fio", both[:-30])


@pytest.mark.parametrize(("name", "version"), [("fio-3.33-terse-3.txt", 3), ("fio-3.33-terse-5.txt", 5)])
def test_terse_lines_say_what_json_says_by_position(name: str, version: int) -> None:
    output = read("fio", name)
    fields = capture(name).decode().splitlines()[0].split(";")
    first = {"job": "mix", "index": "0", "operation": "read"}
    assert output.version == "3.33"
    assert figure(output, "io_kbytes", **first).value == float(fields[5])
    assert figure(output, "bw", **first).value == float(fields[6])
    assert figure(output, "clat_mean", **first).value == float(fields[15])
    assert figure(output, "clat_percentile", **first, percentile="99.95").unit == "us"
    assert figure(output, "usr_cpu", job="mix", index="1").unit == "%"
    assert figure(output, "latency_ms", job="mix", index="0", bucket=">=2000").value == 0
    assert figure(output, "util", index="0", disk="vda").unit == "%"
    assert why_not(output, "slat_max", **first) == "fio took no sample of it"
    trims = [
        one.labels["not_comparable"] for one in output.measurements if one.labels.get("operation") == "trim"
    ]
    assert set(trims) == ({"the job did no trim"} if version == 5 else set())


def test_a_terse_line_of_mixed_reporting_has_one_operation_and_its_errors_and_description() -> None:
    output = read("fio", "fio-3.33-terse-mixed.txt")
    assert {one.labels.get("operation") for one in output.measurements} == {"mixed", None}
    assert figure(output, "total_err", job="mix").value == 0


def test_terse_lines_of_fio_2_and_several_disks_are_read() -> None:
    line = capture("fio-3.33-terse-3.txt").decode().splitlines()[0].replace("fio-3.33", "fio-2.1.11")
    output = read_output("fio", f"{line};sda;1;2;3;4;5;6;7;80.50%\n".encode())
    assert output.version == "2.1.11"
    assert figure(output, "util", disk="sda").value == 80.5


@pytest.mark.parametrize(
    ("output", "line", "words"),
    [
        (capture("fio-3.33-stopped.txt"), 2, "terminating on signal"),
        (capture("fio-3.33-no-space.txt"), 2, "ended with error 28"),
        (capture("fio-3.33-terse-3.txt").replace(b";mix;0;0;", b";mix;0;5;"), 1, "ended with error 5"),
        (capture("fio-3.33-terse-3.txt")[:600], 1, "expected the fields of terse version 3"),
        (capture("fio-3.33-terse-3.txt").replace(b";1984;", b";nan;"), 1, "io_kbytes in field 6, got 'nan'"),
        (b"2" + capture("fio-3.33-terse-3.txt")[1:], 1, "terse version 3, 4 or 5, got version 2"),
        (capture("fio-3.33.json")[:-3], None, "whole JSON"),
        (changed("jobs", value=[]), 1, "expected jobs"),
        (changed("jobs", 0, "jobname", value=7), 1, "jobname"),
        (changed("jobs", 0, "write", "iops", value="12"), 1, "expected a number at jobs"),
        (changed("jobs", 0, "write", "iops", value=10**400), 1, "expected a number"),
        (b'{"jobs": [' + b"1" * 5000 + b"]}", 1, "expected numbers"),
        (b"", 1, "got nothing"),
    ],
)  # fmt: skip
def test_what_is_no_whole_report_is_refused_with_its_line(
    output: bytes, line: int | None, words: str
) -> None:
    with pytest.raises(OutputError, match=words) as caught:
        read_output("fio", output)
    assert line is None or caught.value.line == line


@pytest.mark.parametrize("name", ["fio-3.33.json", "fio-3.33-terse-5.txt", "fio-2.2.10.txt"])
def test_an_output_that_is_cut_off_anywhere_yields_nothing_but_an_error(name: str) -> None:
    whole = capture(name).rstrip().splitlines()[0] if "terse" in name else capture(name).rstrip()
    for end in range(10, len(whole) - 130, max(1, len(whole) // 40)):
        with pytest.raises(OutputError):
            read_output("fio", whole[:end])
