"""Every figure of fio's normal text; any other line is refused."""

from __future__ import annotations

import pytest

from assay.model.metric import Direction
from assay.model.work.tool_output import Figure
from assay.workloads import OutputError
from assay.workloads.saved_outputs import read_output
from tests.workloads.outputs import CAPTURES, capture, figure, read, why_not

REAL = sorted(file.name for file in CAPTURES.glob("fio-3.33-text-*.txt"))
NORMAL = "fio-3.33-normal.txt"


def test_every_figure_of_an_operation_has_the_unit_of_its_line() -> None:
    output = read("fio", NORMAL)
    assert (output.tool, output.version) == ("fio", "3.33")
    reads = {"job": "mix", "operation": "read"}
    assert (figure(output, "iops", **reads).value, figure(output, "iops", **reads).unit) == (8066, "IOPS")
    rates = {one.unit: (one.value, one.labels["base"]) for one in output.measurements if one.metric == "bw"
             and one.labels["operation"] == "read"}  # fmt: skip
    assert rates == {"MiB/s": (31.5, "1024"), "MB/s": (33.0, "1000")}
    moved = figure(output, "io_bytes", **reads)
    assert (moved.value, moved.unit) == (968, "KiB")
    assert figure(output, "runtime", **reads).value == 30
    mean = figure(output, "clat_mean", **reads)
    assert (mean.value, mean.unit, mean.direction) == (83.07, "us", Direction.LOWER)
    assert figure(output, "clat_mean", job="mix", operation="write").unit == "ns"
    tail = figure(output, "clat_percentile", **reads, percentile="99.5")
    assert (tail.value, tail.unit) == (1172, "us")
    assert figure(output, "zone_resets", job="mix", operation="write").value == 0


def test_the_figures_of_a_job_its_group_and_the_disks_are_read() -> None:
    output = read("fio", NORMAL)
    assert figure(output, "latency_us", job="mix", bucket="100").value == 44.92
    assert figure(output, "sys_cpu", job="mix").value == 31.03
    assert figure(output, "ctx", job="mix").value == 246
    assert figure(output, "iodepth_level", job="mix", depth=">=64").value == 0
    assert figure(output, "total_ios", job="mix", operation="write").value == 270
    assert why_not(output, "total_ios", job="mix", operation="trim") == "the job did no trim"
    group = {"group": "0", "operation": "write", "base": "1024"}
    assert figure(output, "group_bw_max", **group).value == 35.2
    assert figure(output, "group_runtime_min", group="0", operation="read").unit == "ms"
    assert figure(output, "util", disk="vda").unit == "%"


def test_normal_text_says_what_json_of_the_same_run_says() -> None:
    both = capture("fio-3.33-normal-and-json.txt").decode()
    text = read_output("fio", both[both.index("\n}\n") + 3 :].encode())
    named = {_key(one): one for one in read_output("fio", both.encode()).measurements}
    same = [(one, named[_key(one)]) for one in text.measurements if _key(one) in named]
    assert len(same) > 30
    for said, exact in same:
        assert _plain(said) == pytest.approx(_plain(exact), rel=0.01, abs=0.06), said


def _key(one: Figure) -> tuple[object, ...]:
    return (one.metric, *sorted(one.labels.items()))


def _plain(one: Figure) -> float:
    return one.value * {"KiB": 1024, "MiB": 1024**2}.get(one.unit.removesuffix("/s"), 1)


@pytest.mark.parametrize("name", REAL)
def test_real_outputs_of_every_mode_are_read_whole(name: str) -> None:
    output = read("fio", name)
    assert (output.version, output.refused) == ("3.33", ())
    keys = [_key(one) for one in output.measurements]
    assert len(set(keys)) == len(keys) > 50
    digits = sum(line.count("=") for line in capture(name).decode().splitlines() if line.startswith(" "))
    assert len(output.measurements) > digits / 2


def test_jobs_of_one_name_several_groups_and_what_syncing_took_are_told_apart() -> None:
    output = read("fio", "fio-3.33-text-numjobs.txt")
    assert [figure(output, "iops", job="two", index=index).value for index in ("0", "1")] == [4740, 5818]
    sync = figure(output, "lat_max", job="two", index="1", operation="sync")
    assert (sync.value, sync.unit) == (3440, "us")
    assert figure(output, "total_ios", job="two", index="0", operation="sync").value == 7
    jobs = read("fio", "fio-3.33-text-jobs.txt")
    assert figure(jobs, "group_runtime_max", group="1").value == 88
    assert figure(jobs, "iops", job="rand_read").value == 23300
    assert figure(jobs, "slat_max", job="rand_read").value == 6366200
    assert figure(jobs, "slat_percentile", job="rand_read", percentile="99.99").unit == "ns"


def test_samples_errors_and_the_steady_state_are_read() -> None:
    output = read("fio", "fio-3.33-text-group.txt")
    assert figure(output, "bw_agg", operation="read", job="many").unit == "%"
    assert (figure(output, "bw_min", operation="write").value,
    figure(output, "bw_min", operation="write").unit) == (
        38500, "KiB/s",
    )  # fmt: skip
    assert figure(output, "iops_samples", operation="read").value == 3
    assert figure(output, "total_err", job="many").value == 0
    steady = read("fio", "fio-3.33-text-steady.txt")
    assert figure(steady, "steadystate_attained").value == 1
    assert figure(steady, "steadystate_bw", base="1024").comparable
    assert why_not(steady, "steadystate_bw", base="1000") == "fio 3 multiplies KiB by 1000 here"


def test_mixed_reporting_bits_and_a_kilo_of_1000_are_known_by_their_units() -> None:
    mixed = read("fio", "fio-3.33-text-mixed.txt")
    assert figure(mixed, "total_ios", operation="mixed").value == 2048
    assert why_not(mixed, "total_ios", operation="write") == "counted with mixed"
    both = read("fio", "fio-3.33-text-both.txt")
    assert "prints 0" in str(why_not(both, "iops", operation="mixed"))
    assert figure(both, "group_bw", operation="mixed", base="1024").value == 1143
    bits = read("fio", "fio-3.33-text-bits.txt")
    assert {one.unit: one.labels["base"] for one in bits.measurements if one.metric == "bw"} == {
        "Mbit/s": "1000", "Mibit/s": "1024",
    }  # fmt: skip
    assert figure(bits, "group_io_bytes", base="1024").unit == "KiB"


def test_a_job_that_only_burns_processor_time_is_read() -> None:
    output = read("fio", "fio-3.33-cpuio.txt")
    assert figure(output, "usr_cpu", job="c").value == 2.96
    assert figure(output, "ctx", job="c").value == 12


def test_reports_of_one_run_at_several_times_are_told_apart() -> None:
    output = read("fio", "fio-3.33-text-status.txt")
    assert [figure(output, "runtime", run=run).value for run in ("1", "2", "3")] == [855, 1856, 2001]


def test_version_2_counts_1024_in_what_it_calls_kb() -> None:
    output = read("fio", "fio-2.2.10-text.txt")
    assert output.version == "2.2.10"
    reads = {"job": "mix", "operation": "read"}
    assert [(figure(output, name, **reads).value, figure(output, name, **reads).unit) for name in
            ("io_bytes", "bw", "iops", "runtime", "bw_mean")] == [
        (1024, "MiB"), (42031, "KiB/s"), (10507, "IOPS"), (24947, "ms"), (21036.53, "KiB/s"),
    ]  # fmt: skip
    assert figure(output, "clat_max", job="mix", operation="write").unit == "ms"
    assert figure(output, "latency_us", bucket="1000").value == 1.2
    assert figure(output, "total_ios", operation="write").value == 87424
    assert why_not(output, "drop_ios", operation="trim") == "the job did no trim"
    assert figure(output, "group_bw_min", operation="read").unit == "KiB/s"
    assert figure(output, "aggr_read_ios", disk="dm-0").value == 131072


def test_a_real_text_of_version_2_without_latencies_is_read() -> None:
    output = read("fio", "fio-2.2.10-text-randrw.txt")
    assert (output.version, len(output.measurements), output.refused) == ("2.2.10", 64, ())
    reads = {"job": "test", "operation": "read"}
    assert [(figure(output, name, **reads).value, figure(output, name, **reads).unit) for name in
            ("io_bytes", "bw", "iops", "runtime")] == [
        (3071.7, "MiB"), (112770, "KiB/s"), (28192, "IOPS"), (27892, "ms"),
    ]  # fmt: skip
    assert figure(output, "total_ios", operation="write").value == 262229
    assert figure(output, "group_bw", operation="write").value == 37606
    assert (figure(output, "util", disk="vda").value, figure(output, "util", disk="vda").unit) == (99.1, "%")
    assert {why_not(output, one.metric, operation="trim") for one in output.measurements
            if one.labels.get("operation") == "trim"} == {"the job did no trim"}  # fmt: skip


def test_counts_of_versions_3_0_to_3_12_have_commas_between() -> None:
    text = capture(NORMAL).replace(
        b"issued rwts: total=242,270,0,0 short=0,0,0,0 dropped=0,0,0,0",
        b"issued rwt: total=242,270,0, short=0,0,0, dropped=0,3,0",
    )
    output = read_output("fio", text)
    assert figure(output, "drop_ios", operation="write").value == 3


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        (b"  cpu          :", b"  gpu          :", 26, "expected a line of fio's normal text, got 'gpu"),
        (b"IOPS=8066,", b"IOPS=nan,", 6, "got 'read: IOPS=nan"),
        (b"min=51, max=3463", b"min=-51, max=3463", 7, "got 'clat"),
        (b"fio-3.33\n", b"fio-3.33\nfio: something went wrong\n", 3, "went wrong"),
        (b"err= 0", b"err=28 (file:x.c:1, func=y, error=No space left on device)", 5, "ended with error 28"),
        (b"\n  WRITE: bw", b"\n  WRITES: bw", 35, "got 'WRITES"),
        (b"  vda: ios", b"  vda: iops", 38, "got 'vda"),
        (b"total=242,270,0,0 short=0,0,0,0", b"total=242,270 short=0,0,0,0", 30, "got 'issued rwts"),
        (
            b"Run status",
            b"  cpu          : usr=0.00%, sys=31.03%, ctx=246, majf=0, minf=12\nRun status",
            33,
            "got 'cpu",
        ),
        (b"    clat percentiles (usec):\n", b"", 9, "got '|  1.00th"),
    ],
)
def test_a_line_that_is_not_known_is_refused_with_its_number(
    old: bytes, new: bytes, line: int, words: str
) -> None:
    with pytest.raises(OutputError, match=words.replace("|", r"\|")) as caught:
        read_output("fio", capture(NORMAL).replace(old, new, 1))
    assert caught.value.line == line


@pytest.mark.parametrize(
    "name", [NORMAL, "fio-3.33-text-jobs.txt", "fio-2.2.10-text.txt", "fio-2.2.10-text-randrw.txt"]
)
def test_a_text_that_is_cut_off_anywhere_yields_nothing_but_an_error(name: str) -> None:
    whole = capture(name).rstrip()
    disks = whole.index(b"\n\nDisk stats")  # fio prints none where it knows no disk
    for end in [*range(20, disks, max(1, len(whole) // 90)), disks + 15, len(whole) - 3]:
        with pytest.raises(OutputError):
            read_output("fio", whole[:end])
