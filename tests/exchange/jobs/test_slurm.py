"""What sacct and jobcomp tell of jobs."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.exchange.errors import TableError
from assay.exchange.jobs.job import Damaged, Job, LeftOut
from tests.exchange.jobs.told import CAPTURES, HEADING, line, told, told_of

MAY_1 = 1777636800.0
"""2026-05-01T12:00:00 in UTC."""


def test_a_job_of_sacct_is_read_by_the_names_of_the_columns(tmp_path: Path) -> None:
    expected = Job("reco-1", "wn01", 8, 1000.0, 7200.0, 500.0, MAY_1)
    assert told_of(tmp_path, HEADING + line(), "comment") == [expected]
    names = "nodelist|State|JobID|Elapsed|\nwn01|COMPLETED|1|1-00:00:01|\n"
    assert told_of(tmp_path, names) == [Job("", "wn01", None, 86401.0, None, None, None)]


def test_a_marked_file_with_windows_line_ends_and_a_second_heading_is_read(tmp_path: Path) -> None:
    text = (HEADING + line() + "\n" + HEADING + line()).replace("\n", "\r\n")
    assert len(told_of(tmp_path, "\ufeff" + text)) == 2


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("00:01.500", 1.5), ("59:59", 3599.0), ("01:00:00", 3600.0), ("2-03:04:05.250", 183845.25)],
)
def test_cpu_time_has_days_and_decimals(written: str, seconds: float, tmp_path: Path) -> None:
    (job,) = told_of(tmp_path, HEADING + line(TotalCPU=written))
    assert isinstance(job, Job)
    assert job.cpu_s == seconds


def test_cpu_time_is_what_was_used_and_never_what_was_allocated(tmp_path: Path) -> None:
    (job,) = told_of(tmp_path, HEADING + line(TotalCPU="00:00:00"))  # no jobacct_gather: nothing was told
    assert isinstance(job, Job)
    assert job.cpu_s is None
    text = "JobID|NodeList|ElapsedRaw|State|UserCPU|SystemCPU\n1|n|5|COMPLETED|00:03|00:01\n"
    (job,) = told_of(tmp_path, text)
    assert isinstance(job, Job)
    assert job.cpu_s == 4.0


def test_steps_are_no_jobs(tmp_path: Path) -> None:
    steps = "".join(line(JobID=f"7.{step}", NodeList="wn01") for step in ("batch", "extern", "0"))
    assert len(told_of(tmp_path, HEADING + line() + steps)) == 1


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        ({"State": "FAILED", "ExitCode": "1:0"}, "failed"),
        ({"ExitCode": "0:9"}, "failed"),
        ({"State": "CANCELLED by 1001"}, "cancelled"),
        ({"State": "CANCELLED+"}, "cancelled"),
        ({"State": "TIMEOUT"}, "timed out"),
        ({"State": "OUT_OF_MEMORY"}, "out of memory"),
        ({"State": "NODE_FAIL"}, "lost with its node"),
        ({"State": "RUNNING", "ElapsedRaw": "x"}, "not ended"),
        ({"NodeList": "wn[01-02]"}, "on several nodes"),
        ({"NodeList": "wn01,wn02"}, "on several nodes"),
        ({"NodeList": "None assigned"}, "without a node"),
        ({"ElapsedRaw": 0}, "without wall time"),
    ],
)
def test_a_job_that_did_not_end_well_is_left_out_and_says_why(
    cells: dict[str, object], why: str, tmp_path: Path
) -> None:
    assert told_of(tmp_path, HEADING + line(**cells)) == [LeftOut(why)]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ({"ElapsedRaw": "-5"}, "seconds in ElapsedRaw"),
        ({"ElapsedRaw": "nan"}, "seconds in ElapsedRaw"),
        ({"ElapsedRaw": "1e9"}, "seconds in ElapsedRaw"),
        ({"ElapsedRaw": "", "Elapsed": "soon"}, "in Elapsed"),
        ({"TotalCPU": "1:2:3:4"}, "in TotalCPU"),
        ({"TotalCPU": "٣:٣٣"}, "in TotalCPU"),
        ({"AllocCPUS": "eight"}, "a number in AllocCPUS"),
        ({"Start": "yesterday"}, "in Start"),
        ({"Comment": "many"}, "a number of events in Comment"),
        ({"State": "DONE"}, "a state of Slurm's"),
        ({"JobName": "a|b"}, "12 cells"),
    ],
)
def test_a_damaged_line_is_named_and_costs_no_other(
    cells: dict[str, object], expected: str, tmp_path: Path
) -> None:
    damaged, job = told_of(tmp_path, HEADING + line(**cells) + line(), "Comment")
    assert isinstance(job, Job)
    assert isinstance(damaged, Damaged)
    assert damaged.place == f"{tmp_path / 'a.txt'}:2"
    assert expected in damaged.expected


def test_what_is_not_told_is_none(tmp_path: Path) -> None:
    (job,) = told_of(
        tmp_path, HEADING + line(AllocCPUS="", Start="Unknown", Comment="", TotalCPU=""), "Comment"
    )
    assert job == Job("reco-1", "wn01", None, 1000.0, None, None, None)
    (job,) = told_of(tmp_path, HEADING + line(Start="1777636800"), 250.0)
    assert isinstance(job, Job)
    assert (job.start_s, job.events) == (MAY_1, 250.0)


@pytest.mark.parametrize(
    ("heading", "lacking"),
    [("JobID|State|NodeList", "ElapsedRaw"), ("JobID|Elapsed", "State, NodeList"), (HEADING.strip(), "evts")],
)
def test_a_column_that_is_not_there_is_named(heading: str, lacking: str, tmp_path: Path) -> None:
    with pytest.raises(TableError, match=f"expected the columns .*{lacking}") as error:
        told_of(tmp_path, heading + "\n", "evts")
    assert "docs/jobs.md" in (error.value.hint or "")


def test_the_real_jobcomp_file_has_a_cancelled_job_and_one_that_ended() -> None:
    cancelled, job = told(CAPTURES / "jobcomp.txt")
    assert cancelled == LeftOut("cancelled")
    assert isinstance(job, Job)
    assert (job.name, job.node, job.cores, job.wall_s, job.cpu_s) == ("wrap", "wn0", 2, 3.0, None)


def test_damaged_lines_of_jobcomp_are_named(tmp_path: Path) -> None:
    good = (CAPTURES / "jobcomp.txt").read_text().splitlines()[1]
    lines = (
        good, "nothing of Slurm's", good.replace("03:29:28", "noon"), good.replace("03:29:31", "03:29:28"),
        good.replace("ProcCnt=2", "ProcCnt=two"), good + " Events=40",
    )  # fmt: skip
    first, *bad, last = told_of(tmp_path, "\n".join(lines), "events")
    assert [type(one) for one in bad] == [Damaged, Damaged, LeftOut, Damaged]
    assert isinstance(first, Job)
    assert first.events is None
    assert isinstance(last, Job)
    assert last.events == 40.0
