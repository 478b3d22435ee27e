"""What a job wrote is brought home from its folder; what is missing, too large or not its own is said in
words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from assay.activities.interrupts import Interrupts
from assay.activities.trials import kept
from assay.activities.trials.record import held_figures
from assay.activities.trials.trial import TrialContext, run_trial
from assay.activities.trials.written import MOST_BYTES, bring_written, wrote
from assay.activities.visits.visit import Visit, attached, machine_visit
from assay.design import plan_trials
from assay.machines.local import LocalDoor
from assay.model.machines.machine import Fingerprint, Limits
from assay.model.metric import Direction, Metric
from assay.model.trial import CauseKind, CopyUsage, State, Trial
from assay.model.work.placement import PlacementSpec
from assay.model.work.reading import Reading, Success
from assay.model.work.workload import Workload
from assay.probe import RunResult, parse_result
from assay.workloads import Parameters, Sizes, command_workload, streams_read, with_parameters
from tests.builders import FACTS, plan_of

RESULT = parse_result((Path(__file__).parents[2] / "probe/records/1.0.json").read_bytes(), origin="here")
TRIALS = plan_trials(("job",), blocks=1, seed=1)
RATE = Metric("rate", "events/s", Direction.HIGHER)
JSON = Reading(RATE, pointer="/rate", file="out/report.json")


@pytest.fixture
def visit(tmp_path: Path) -> Iterator[Visit]:
    """Yield this machine with a real probe behind its door."""
    door = LocalDoor("local", tmp_path / "there")
    nothing = cast("Any", None)
    with attached(door) as probe:
        place = Visit(
            "local", probe, nothing, Fingerprint(FACTS, {}, 5), Limits(), "b", "/d", own_clock=False
        )
        yield place


def job(*, copies: int = 1, success: Success | None = None) -> Workload:
    made = replace(command_workload("job", ["job"]), readings=(JSON,), success=success)
    return replace(made, placement=PlacementSpec(copies=copies))


def work(tmp_path: Path, copy: int | None = None) -> Path:
    """Return the folder in which a copy has worked."""
    folder = tmp_path / "there" / "0001.work"
    return folder if copy is None else folder / f"copy-{copy}"


def bring(visit: Visit, workload: Workload, tmp_path: Path) -> tuple[str, ...]:
    into = str(tmp_path / "there" / "0001")
    return bring_written(visit, workload, into=into, folder=tmp_path / "record")


def write(folder: Path, **files: str) -> None:
    (folder / "out").mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / "out" / f"{name}.json").write_text(text)


def test_the_file_of_each_copy_is_in_the_record(visit: Visit, tmp_path: Path) -> None:
    for copy, rate in enumerate((3, 5)):
        write(work(tmp_path, copy), report=f'{{"rate": {rate}}}')
    assert bring(visit, job(copies=2), tmp_path) == ()
    kept = [(tmp_path / f"record/files/copy-{copy}/out/report.json").read_text() for copy in (0, 1)]
    assert kept == ['{"rate": 3}', '{"rate": 5}']


def test_a_file_that_is_not_there_is_named_with_its_copy(visit: Visit, tmp_path: Path) -> None:
    write(work(tmp_path, 0), report="{}")
    assert bring(visit, job(copies=2), tmp_path) == (
        "copy 1: expected the file 'out/report.json' in the scratch folder, got none",
    )


def test_a_file_that_is_too_large_is_left_there(visit: Visit, tmp_path: Path) -> None:
    write(work(tmp_path), report="x")
    with (work(tmp_path) / "out/report.json").open("r+b") as file:
        file.truncate(MOST_BYTES + 1)
    assert bring(visit, job(), tmp_path) == (
        "expected the file 'out/report.json' of at most 16 MiB, got 16777217 B",
    )
    assert not (tmp_path / "record").exists()


def test_a_link_to_a_file_elsewhere_is_not_followed(visit: Visit, tmp_path: Path) -> None:
    write(work(tmp_path))
    (tmp_path / "secret").write_text('{"rate": 1}')
    (work(tmp_path) / "out/report.json").symlink_to(tmp_path / "secret")
    assert "got a link to another" in bring(visit, job(), tmp_path)[0]
    assert not (tmp_path / "record").exists()


def test_files_that_must_be_there_are_looked_for_and_stay(visit: Visit, tmp_path: Path) -> None:
    write(work(tmp_path), report="{}", hits="", geometry="g")
    files = ("out/hits.json", "out/tracks.json", "out/geometry.json")
    assert bring(visit, job(success=Success(files=files)), tmp_path) == (
        "expected the file 'out/hits.json' with something in it, got an empty one",
        "expected the file 'out/tracks.json' with something in it, got none",
    )
    assert not (tmp_path / "record/files/copy-0/out/geometry.json").exists()


def test_a_trial_keeps_its_files_and_its_figures(tmp_path: Path) -> None:
    says = replace(
        command_workload("job", ["sh", "-c", "mkdir out; echo '{\"rate\": 8}' > out/report.json; exit 3"]),
        readings=(JSON,),
        success=Success(exit=(3,)),
    )
    context = TrialContext(plan_of(TRIALS), tmp_path / "activity", Interrupts(), lambda: None)
    (tmp_path / "activity" / "trials").mkdir(parents=True)
    with machine_visit(context.plan.baseline, "place", home=tmp_path) as here:
        trial = run_trial(context, here, TRIALS[0], says)
    assert (trial.cause, trial.cause_kind, trial.exit_code) == (None, None, 3)
    assert [(one.metric.name, one.value) for one in trial.measurements][2:] == [("rate", 8.0)]
    kept = tmp_path / "activity" / "trials" / TRIALS[0].name / "files/copy-0/out/report.json"
    assert kept.read_text() == '{"rate": 8}\n'


TOO_SHORT = "stress-ng says 'run duration too short to determine memory rate'"
STREAM = (
    *("stress-ng", "--stream", "1", "--stream-l3-size", "4M", "--timeout", "1s"),
    *("--metrics", "--yaml", "/dev/stdout"),
)
"""Too short by stress-ng's own words, which stand on its standard error."""


def run_of(tmp_path: Path, workload: Workload) -> Trial:
    context = TrialContext(plan_of(TRIALS), tmp_path / "activity", Interrupts(), lambda: None)
    (tmp_path / "activity" / "trials").mkdir(parents=True)
    with machine_visit(context.plan.baseline, "place", home=tmp_path) as here:
        return run_trial(context, here, TRIALS[0], workload)


@pytest.mark.live
def test_a_users_own_stress_ng_that_was_too_short_has_the_doubt(tmp_path: Path) -> None:
    rate = Reading(
        Metric("rate", "bogo ops/s", Direction.HIGHER),
        figure="bogo_ops_per_second_real_time",
        labels=(("stressor", "stream"),),
    )
    own = replace(command_workload("job", STREAM), readings=(rate,), reader="stress-ng")
    made = run_of(tmp_path, own)
    assert [one.metric.name for one in made.measurements][2:] == ["rate"]
    assert f"rate is not to be compared: {TOO_SHORT}." in {doubt.sentence for doubt in made.doubts}


@pytest.mark.live
def test_sysbenchs_file_is_made_before_the_clock_starts(tmp_path: Path) -> None:
    sizes = Sizes(cache_bytes=None, memory_bytes=2**30, cpus=1)
    ready = with_parameters("sysbench-fileio", Parameters(runtime_s=1, size_bytes=2**24), sizes=sizes)
    made = run_of(tmp_path, ready)
    assert made.cause is None
    assert [(one.metric.name, bool(one.value)) for one in made.measurements] == [
        ("seq_write", True),
        ("seq_read", True),
        ("rand_read", True),
    ]


def record(tmp_path: Path, *, output: str = "", errors: str = "", report: str = '{"rate": 4}') -> Path:
    folder = tmp_path / "record"
    (folder / "files/copy-0/out").mkdir(parents=True)
    (folder / "files/copy-0/out/report.json").write_text(report)
    (folder / "stdout").write_text(output)
    (folder / "stderr").write_text(errors)
    return folder


def exited(code: int, kind: CauseKind | None = CauseKind.EXIT) -> RunResult:
    copy = CopyUsage(0, (0,), (), None, None, code, None, 1.0, 0.5, 0.5, 1)
    failed = {"state": State.FAILED, "cause": f"'job' exited with {code}", "cause_kind": kind} if code else {}
    return replace(RESULT, copies=(copy,), exit_code=code, **cast("Any", failed))


def test_the_figures_of_a_job_that_succeeded_stand_beside_its_times(visit: Visit, tmp_path: Path) -> None:
    made = held_figures(visit, exited(0), job(), record(tmp_path))
    assert (made.state, made.cause) == (State.ENDED, None)
    values = {one.metric.name: one.value for one in made.measurements}
    assert values == {"wall_time": 1.025708227, "cpu_time": 0.997779808, "rate": 4.0}
    assert wrote(job(), tmp_path / "record")[0].files == {"out/report.json": b'{"rate": 4}'}


@pytest.mark.parametrize(
    ("changes", "read"),
    [
        ({}, (False, False)),
        ({"readings": (JSON,)}, (False, False)),
        ({"readings": (replace(JSON, file=None),)}, (True, False)),
        ({"success": Success((3,), files=("a",))}, (False, False)),
        ({"success": Success(pattern="a", log="b")}, (False, False)),
        ({"success": Success(pattern="a")}, (True, True)),
        ({"success": Success(absent="a")}, (True, True)),
        ({"reader": "stress-ng", "readings": (replace(JSON, file=None),)}, (True, True)),
        ({"parser": "flops"}, (True, False)),
        ({"parser": "root-analysis"}, (True, False)),
    ],
)
def test_a_stream_is_read_where_figures_or_success_are_read_from_it(
    changes: dict[str, Any], read: tuple[bool, bool], tmp_path: Path
) -> None:
    workload = replace(command_workload("job", ["job"]), **changes)
    assert streams_read(workload) == read
    (found,) = wrote(workload, record(tmp_path, output="out", errors="err"))
    assert (found.output, found.errors) == (b"out" if read[0] else b"", b"err" if read[1] else b"")


def test_a_stream_longer_than_is_read_fails_the_trial_only_where_it_is_read(
    visit: Visit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "MOST_BYTES", 2048)
    folder = record(tmp_path, output="x" * 2049)
    assert held_figures(visit, exited(0), job(), folder).state is State.ENDED
    made = held_figures(visit, exited(0), job(success=Success(pattern="x")), folder)
    assert (made.state, made.measurements) == (State.FAILED, ())
    assert made.cause == "cannot read figures from stdout: it holds 2.001 KiB, at most 2 KiB are read"
    (folder / "stdout").write_text("x" * 2048)
    assert held_figures(visit, exited(0), job(success=Success(pattern="x")), folder).state is State.ENDED


def test_a_figure_that_cannot_be_read_fails_the_trial(visit: Visit, tmp_path: Path) -> None:
    made = held_figures(visit, exited(0), job(), record(tmp_path, report='{"rate": "fast"}'))
    assert (made.state, made.measurements) == (State.FAILED, ())
    assert made.cause == "cannot read 'rate' from 'out/report.json': expected a number at '/rate', got 'fast'"


def test_a_fault_of_its_files_fails_the_trial(visit: Visit, tmp_path: Path) -> None:
    made = held_figures(visit, exited(0), job(), record(tmp_path), faults=["expected the file 'a', got none"])
    assert (made.state, made.measurements) == (State.FAILED, ())
    assert made.cause == "the job did not succeed: expected the file 'a', got none"


def test_a_line_that_must_not_appear_fails_the_trial(visit: Visit, tmp_path: Path) -> None:
    made = held_figures(
        visit, exited(0), job(success=Success(absent="ERROR")), record(tmp_path, errors="a\nERROR: b\n")
    )
    assert (made.state, made.measurements) == (State.FAILED, ())
    assert made.cause == (
        "the job did not succeed: expected no line that matches 'ERROR', got line 2 of standard "
        "error: 'ERROR: b'"
    )


def test_another_exit_code_that_is_good_is_no_failure(visit: Visit, tmp_path: Path) -> None:
    folder = record(tmp_path)
    assert held_figures(visit, exited(3), job(success=Success((0, 3))), folder).state is State.ENDED
    bad = held_figures(visit, exited(4), job(success=Success((0, 3))), folder)
    assert (bad.state, bad.cause) == (State.FAILED, "'job' exited with 4")


def test_a_0_is_a_failure_where_another_code_was_asked_for(visit: Visit, tmp_path: Path) -> None:
    made = held_figures(visit, exited(0), job(success=Success((3,))), record(tmp_path))
    assert (made.state, made.cause) == (
        State.FAILED,
        "the job did not succeed: expected the exit code 3, got 0",
    )


@pytest.mark.parametrize(
    "kind", [CauseKind.TIME_LIMIT, CauseKind.SIGNAL, CauseKind.OOM_KILL, CauseKind.STOPPED]
)
def test_no_exit_code_excuses_a_job_that_was_ended(kind: CauseKind, visit: Visit, tmp_path: Path) -> None:
    made = held_figures(visit, exited(137, kind), job(success=Success((0, 137))), record(tmp_path))
    assert made.state is State.FAILED
