"""Files of accounting are recognised by their content, and what is none is refused."""

from __future__ import annotations

import gzip
import random
import re
from pathlib import Path

import pytest

from assay.exchange.errors import TableError
from assay.exchange.jobs import read
from assay.exchange.jobs.job import Damaged, Job, LeftOut
from assay.exchange.jobs.nodes import NodeLine, read_nodes
from assay.exchange.jobs.read import open_jobs
from tests.exchange.jobs.told import CAPTURES, HEADING, line, told, told_of

PRMON = Path(__file__).parents[2] / "workloads" / "captures"


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        (CAPTURES / "condor_history.json", "condor_history"),
        (CAPTURES / "jobcomp.txt", "jobcomp"),
        (PRMON / "prmon-3.3.0.txt", "prmon"),
        (PRMON / "prmon-3.3.0.json", "prmon"),
        (PRMON / "prmon-assay-probe.txt", "prmon"),
        (PRMON / "prmon-assay-probe.json", "prmon"),
    ],
)
def test_real_files_are_recognised(file: Path, kind: str, tmp_path: Path) -> None:
    with open_jobs(file, None) as (found, of):
        assert found == kind
        plain = [*of]
    packed = tmp_path / file.parent.name / f"{file.name}.gz"
    packed.parent.mkdir()
    packed.write_bytes(gzip.compress(file.read_bytes()))
    assert told(packed) == plain


@pytest.mark.parametrize(
    ("content", "got"),
    [(b"", "nothing"), (b"a,b\n1,2\n", "'a,b'"), (b"7|reco|wn01\n", "'7|reco|wn01'"), (b"\x00\x01", "")],
)
def test_what_is_no_accounting_is_refused(content: bytes, got: str, tmp_path: Path) -> None:
    with pytest.raises(TableError, match="expected accounting of jobs") as error:
        told_of(tmp_path, content)
    assert got in error.value.actual
    assert "sacct --parsable2" in (error.value.hint or "")


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    packed = gzip.compress((HEADING + line() * 1000).encode())
    for content in (packed[:-20], packed[:20] + b"\0\0\0\0" + packed[24:]):
        with pytest.raises(TableError, match="expected a file that can be read"):
            told_of(tmp_path, content)
    for place, got in (
        (tmp_path / "no", "no such file"),
        (tmp_path, "a directory"),
        (Path("/dev/zero"), "a device"),
    ):
        with pytest.raises(TableError, match=got):
            told(place)


def test_a_line_without_end_is_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "LONGEST", 200)
    found = told_of(tmp_path, HEADING + "x" * 1000 + "\n" + line())
    assert isinstance(found[-1], Job)
    assert {type(one) for one in found[:-1]} == {Damaged}


@pytest.mark.parametrize("name", ["sacct", "condor_history.json", "jobcomp.txt", "prmon.txt", "prmon.json"])
def test_no_damage_is_a_crash_and_no_figure_of_a_job_is_out_of_range(name: str, tmp_path: Path) -> None:
    sources = {
        "sacct": (HEADING + line() * 3).encode(),
        "prmon.txt": (PRMON / "prmon-3.3.0.txt").read_bytes(),
        "prmon.json": (PRMON / "prmon-assay-probe.json").read_bytes(),
    }
    good, rng = sources.get(name) or (CAPTURES / name).read_bytes()[:9000], random.Random(name)
    for _ in range(150):
        at, many = rng.randrange(len(good)), rng.randrange(1, 40)
        other = rng.choice([b"", rng.randbytes(many), good[at : at + many] * 2, b"-9e999", b"\xff"])
        try:
            found = told_of(tmp_path, good[:at] + other + good[at + rng.choice([0, many]) :], "Comment")
        except TableError:
            continue
        jobs = [one for one in found if isinstance(one, Job)]
        assert all(0 < job.wall_s < 1e18 and (job.cpu_s is None or 0 < job.cpu_s < 1e18) for job in jobs)


def series(folder: Path, cpu: list[int], *, step: int = 30) -> Job | LeftOut | Damaged:
    """Return the job of a table of prmon's with these CPU seconds, a sample each ``step`` seconds."""
    rows = "".join(f"{1000 + at * step}\t{at * step}\t{used}\t0\t4\n" for at, used in enumerate(cpu, 1))
    folder.mkdir(exist_ok=True)
    (one,) = told_of(folder, f"Time\twtime\tutime\tstime\tnprocs\n{rows}", 100.0, "4711.prmon.txt")
    return one


def test_initialization_lasts_until_a_job_works_as_it_does_later(tmp_path: Path) -> None:
    job = series(tmp_path / "wn01", [30, 60, 90, *range(330, 3000, 240)])
    assert isinstance(job, Job)
    assert (job.name, job.node, job.wall_s, job.init_s) == ("4711", "wn01", 450.0, 90.0)
    assert (job.cores, job.cpu_s, job.events, job.from_prmon) == (None, 2970.0, 100.0, True)
    assert (job.start_s, job.number) == (1000.0, "4711")


def test_what_was_read_and_waited_for_is_that_at_the_end_of_initialization(tmp_path: Path) -> None:
    heading = "Time\twtime\tutime\tstime\tread_bytes\tmachine_iowait_ms\n"
    cpu = [3, 6, 9, *range(33, 400, 30)]
    rows = [f"{30 * at}\t{30 * at}\t{used}\t0\t{7 * at}\t{2500 * at}\n" for at, used in enumerate(cpu, 1)]
    (job,) = told_of(tmp_path, heading + "".join(rows), name="4711.txt")
    assert isinstance(job, Job)
    assert (job.init_s, job.init_bytes, job.init_iowait_s) == (90.0, 21.0, 7.5)


def test_an_initialization_that_is_not_seen_is_not_none_of_it(tmp_path: Path) -> None:
    for cpu in ([*range(30, 900, 30)], [30, 60, 300], [0] * 20):
        job = series(tmp_path / "wn01", cpu)
        assert isinstance(job, Job)
        assert job.init_s is None


def test_jobs_that_prmon_saw_fail_or_in_part_are_left_out(tmp_path: Path) -> None:
    text = (PRMON / "prmon-assay-probe.json").read_text()
    partial = text.replace('"partial": false', '"partial": true')
    stopped = partial.replace('"ended_by": null', '"ended_by": "SIGTERM"')
    failed = text.replace('"code": 0', '"code": 3')
    assert len({text, partial, stopped, failed}) == 4
    for broken, why in ((partial, "not ended"), (stopped, "failed"), (failed, "failed")):
        assert told_of(tmp_path, broken) == [LeftOut(why)]
    assert told_of(tmp_path, '{"Max": {"wtime": 0, "utime": 0, "stime": 0}, "Avg": {}}') == [
        LeftOut("without wall time")
    ]
    (damaged,) = told_of(tmp_path, '{"Max": {"wtime": "long"}, "Avg": {}}')
    assert isinstance(damaged, Damaged)


def test_a_series_ends_as_the_summary_beside_it_says(tmp_path: Path) -> None:
    text = (PRMON / "prmon-assay-probe.txt").read_bytes()
    summary = (PRMON / "prmon-assay-probe.json").read_text()
    beside = tmp_path / "4711.0@submit.example.org.json"
    for content, job in ((summary, True), (summary.replace('"code": 0', '"code": 3'), False), ("{", True)):
        beside.write_text(content)
        (found,) = told_of(tmp_path, text, name="4711.0@submit.example.org.txt")
        assert isinstance(found, Job) if job else found == LeftOut("failed")


def test_a_file_of_prmon_that_has_no_end_is_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.exchange import given

    monkeypatch.setattr(given, "LARGEST_BYTES", 100)
    (damaged,) = told_of(tmp_path, "Time\twtime\n" + "1\t1\n" * 100)
    assert isinstance(damaged, Damaged)


def test_lines_of_nodes_have_host_lists_and_classes(tmp_path: Path) -> None:
    file = tmp_path / "nodes.csv"
    file.write_text('\ufeffNode, Kind,Class\nwn[01-50],wn60,physical,EPYC 7763\n\n"vm[1,3]",virtual,"A, B"\n')
    assert [*read_nodes(file)] == [
        NodeLine(f"{file}:2", "wn[01-50],wn60", virtual=False, of_class="EPYC 7763"),
        NodeLine(f"{file}:4", "vm[1,3]", virtual=True, of_class="A, B"),
    ]


def test_lines_of_nodes_may_tell_cores_and_what_carries_them(tmp_path: Path) -> None:
    file = tmp_path / "nodes.csv"
    file.write_text("node,kind,class,cores,on\nvm[1-3],vm9,virtual,A,4,wn1\nwn1,physical,A,,\n")
    assert [*read_nodes(file)] == [
        NodeLine(f"{file}:2", "vm[1-3],vm9", virtual=True, of_class="A", cores=4, on="wn1"),
        NodeLine(f"{file}:3", "wn1", virtual=False, of_class="A"),
    ]
    file.write_text("node,kind,class,cores\nvm1,virtual,A,4\n")
    assert [*read_nodes(file)] == [NodeLine(f"{file}:2", "vm1", virtual=True, of_class="A", cores=4)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("node,kind,class,on\n", "nodes.csv:1: expected node,kind,class[,cores[,on]], got"),
        (
            "node,kind,class,cores,on\nvm1,virtual,A\n",
            "nodes.csv:2: expected a node, physical or virtual, a class",
        ),
        ("node,kind,class,cores\nvm1,virtual,A,two\n", "nodes.csv:2: expected a number of cores, or nothing"),
        ("node,kind,class,cores\nvm1,virtual,A,0\n", "nodes.csv:2: expected a number of cores, or nothing"),
        ("node,kind,class,cores,on\nw,physical,A,8,x\n", "nodes.csv:2: expected a carrier of virtual nodes"),
        ("", "nodes.csv:1: expected node,kind,class[,cores[,on]], got nothing"),
        ("node;kind;class\n", "nodes.csv:1: expected node,kind,class[,cores[,on]], got 'node;kind;class'"),
        ("node,kind,class\nwn01,real,A\n", "nodes.csv:2: expected a node, physical or virtual, and a class"),
        ("node,kind,class\nwn01,physical\n", "nodes.csv:2: expected a node"),
        ("node,kind,class\n,physical,A\n", "nodes.csv:2: expected a node"),
        (b"\xff\xfe", "expected a CSV file of nodes"),
    ],
)
def test_a_wrong_line_of_nodes_is_named(text: str | bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(TableError, match=re.escape(message)):
        [*read_nodes(tmp_path / "nodes.csv")]


def test_a_file_of_nodes_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="no such file"):
        [*read_nodes(tmp_path / "nodes.csv")]
