"""Both sides of each threshold at which a figure of a tool is doubted, refused or read otherwise."""

from __future__ import annotations

import json

import pytest

from assay.model.work.tool_output import NOT_COMPARABLE
from assay.workloads import OutputError
from assay.workloads.saved_outputs import read_output
from tests.workloads.outputs import capture, figure, why_not


@pytest.mark.parametrize(("memory_kib", "cached"), [(4095, False), (4096, True), (4097, True)])
def test_a_file_of_iozone_is_past_the_cache_where_it_is_larger_than_the_memory(
    memory_kib: int, cached: bool
) -> None:
    output = read_output("iozone", capture("iozone-3.510-auto.txt"), memory_bytes=memory_kib * 1024)
    small = figure(output, "read", file_size_kib="4096", record_size_kib="64")
    assert (NOT_COMPARABLE in small.labels) is cached


@pytest.mark.parametrize(
    ("version", "wrong"),
    [("2.2.2", False), ("3.0.0", True), ("3.2.9", True), ("3.3.0", True), ("3.3.1", False), ("v3.1.0", True)],
)
def test_prmons_averages_are_hundredfold_in_the_versions_that_did_so(version: str, wrong: bool) -> None:
    report = json.loads(capture("prmon-3.3.0.json"))
    report["prmon"]["Version"] = version
    output = read_output("prmon", json.dumps(report).encode())
    assert (why_not(output, "rchar", statistic="avg") is not None) is wrong
    assert why_not(output, "rss", statistic="avg") is None
    assert why_not(output, "rchar", statistic="max") is None


@pytest.mark.parametrize(("share", "doubted"), [(b"100.00", False), (b"100.01", True)])
def test_a_share_of_all_processors_is_at_most_the_whole(share: bytes, doubted: bool) -> None:
    text = capture("netperf-2.7.1-crrcC.txt").replace(b"261.14", share)
    assert (why_not(read_output("netperf", text), "remote_cpu_util") is not None) is doubted


def test_what_netperf_did_not_measure_is_no_figure() -> None:
    output = read_output("netperf", capture("netperf-2.7.1-crrcC.txt").replace(b"261.14", b"-1    "))
    assert [one.metric for one in output.refused] == ["remote_cpu_util"]


@pytest.mark.parametrize(("rate", "known"), [(b"99.99", False), (b"100.00", True)])
def test_a_pair_without_a_title_is_a_bandwidth_from_a_hundred_on(rate: bytes, known: bool) -> None:
    text = b"1.05 " + rate + b"\n"
    if known:
        assert figure(read_output("lmbench", text), "bandwidth").value == 100.0
    else:
        with pytest.raises(OutputError, match="expected a line of lmbench"):
            read_output("lmbench", text)


@pytest.mark.parametrize(("value", "read"), [("0", True), ("1e-9", True), ("-0.001", False), ("inf", False)])
def test_a_time_of_hyperfine_is_zero_or_more(value: str, read: bool) -> None:
    text = f"command,mean,stddev,median,user,system,min,max\nx,1,1,1,{value},1,1,1\n".encode()
    if read:
        assert figure(read_output("hyperfine", text), "user").value == float(value)
    else:
        with pytest.raises(OutputError, match="expected a number for user"):
            read_output("hyperfine", text)


@pytest.mark.parametrize(("moved", "unit"), [(31 * 1000, "KiB"), (32 * 1000, "B"), (1024 * 1000, "B")])
def test_old_fios_bytes_are_kib_where_its_own_rate_says_so(moved: int, unit: str) -> None:
    report = json.loads(capture("fio-2.1.4-five-jobs.json"))
    job = report["jobs"][0]
    way = next(name for name in ("read", "write") if job[name]["io_bytes"])
    job[way] |= {"bw": 1000, "runtime": 1000, "io_bytes": moved}
    job[way].pop("io_kbytes", None)
    report["jobs"] = [job]
    found = figure(read_output("fio", json.dumps(report).encode()), "io_bytes", operation=way)
    assert (found.value, found.unit) == (moved, unit)


@pytest.mark.parametrize(("cells", "problem"), [(2, "got 1"), (3, None), (4, "expected a snapshot")])
def test_a_row_of_nmon_has_just_the_cells_of_its_heading(cells: int, problem: str | None) -> None:
    row = ",".join(["1.0"] * (cells - 1))
    text = f"ZZZZ,T0001,10:00:00,22-NOV-2026\nCPU_ALL,CPU Total vm,User%,Sys%\nCPU_ALL,T0001,{row}\n".encode()
    if problem is None:
        assert len(read_output("nmon", text).measurements) == 2
    else:
        with pytest.raises(OutputError, match=problem):
            read_output("nmon", text)


@pytest.mark.parametrize(("commas", "line"), [(26, True), (25, False)])
def test_a_line_of_bonnie_1_03_has_its_27_fields(commas: int, line: bool) -> None:
    text = b"host,256M" + b"," * (commas - 6) + b"1,2,3,4,5,6"[: 2 * 6 - 1] + b"\n"
    assert text.count(b",") == commas
    if line:
        assert read_output("bonnie++", text).measurements
    else:
        with pytest.raises(OutputError, match="expected 27 fields"):
            read_output("bonnie++", text)
