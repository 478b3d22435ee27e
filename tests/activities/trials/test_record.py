"""The record of a trial from what it brought home: every field by a known answer, and why a job
has failed.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.activities.trials.inflight import Inflight
from assay.activities.trials.page_cache import Prepared
from assay.activities.trials.record import Figures, Finished, held_figures, make_record
from assay.activities.visits.host_watch import Watched
from assay.activities.visits.visit import Visit
from assay.design import plan_trials
from assay.model.doubt import Doubt
from assay.model.machines.clock import ClockCheck, ClockReading, Instant
from assay.model.machines.machine import Fingerprint
from assay.model.metric import Direction, Metric
from assay.model.platforms.container import Container, Runtime
from assay.model.platforms.data import DataPlace
from assay.model.platforms.platform import GuestWeight, HypervisorCpu, SeenFactor
from assay.model.trial import CauseKind, CopyUsage, JobScope, State, Trial, Usage
from assay.model.work.disturbance import Cause, HostOver
from assay.model.work.host_watch import HostWatch
from assay.model.work.observation import Count, ProfileTaken, Series
from assay.model.work.page_cache import CacheCheck, CacheOrder, CacheState, Residency
from assay.model.work.phase import PhaseTime
from assay.model.work.placement import PlacementSpec
from assay.model.work.reading import Reading, Success
from assay.model.work.workload import File, Program, Workload
from assay.probe import RunResult
from assay.probe.result import CacheResidency
from assay.workloads import command_workload
from tests.activities.jobs import RESULT, Jobs, visit_of
from tests.builders import FACTS
from tests.workloads.outputs import capture

(PLANNED, *_) = plan_trials(("job",), blocks=1, seed=1)
JOB = command_workload("job", ["job"])
PROGRAM = Program(File("job", "/bin/job", "0"))
NOTE = Inflight(PLANNED.index, "/d/t", "the boot", None, 77, None, None)
COPY = CopyUsage(0, (1,), (), None, None, 0, None, 2.0, 1.0, 0.5, 10)
PHASE = PhaseTime(0, "init", Instant(1, 1), Instant(2, 2), 1.0, 0.5, 0.5, 3)
HOST = HostOver(4.0, (1,), 2.0, 0.0, None, None, 0, 0.0)
READING = ClockReading(0, 0, 0.0, 0.0001)
CONTAINER = Container(Runtime.RUNC, "1", "host", None, (), (0,), None, None, None, (), cpu_s=0.1)


def result(**changes: Any) -> RunResult:
    reported = {"usage": Usage(2.0, 1.0, 0.5, 100, 10, 20), "copies": (COPY,), "scope": JobScope.CGROUP_V2}
    return replace(RESULT, **(reported | changes))


def finished(tmp_path: Path, found: RunResult | None = None, **changes: Any) -> Finished:
    for name in ("stdout", "stderr"):
        (tmp_path / name).touch()
    base = Finished(
        result=found or result(), clock=None, cpu=None, program=PROGRAM, folder=tmp_path, late=False,
        host=None, weight=None
    )  # fmt: skip
    return replace(base, **changes)


def record(
    done: Finished, visit: Visit | None = None, *, note: Inflight = NOTE, job: Workload = JOB
) -> Trial:
    return make_record(
        "0123abcd", visit or visit_of(Jobs()), job, planned=PLANNED, started=note, finished=done
    )


def codes(done: Finished, visit: Visit | None = None, *, note: Inflight = NOTE) -> list[str]:
    return [doubt.code for doubt in record(done, visit, note=note).doubts]


def figures(trial: Trial) -> dict[str, float | None]:
    return {figure.metric.name: figure.value for figure in trial.measurements}


def test_a_record_holds_what_the_probe_told(tmp_path: Path) -> None:
    reported = result(
        phases=(PHASE,),
        series=(Series("disks", "disks.csv", 3, None),),
        counters=(Count("cycles", 5),),
        profile=ProfileTaken("profile.folded", None, 99),
    )
    before_ns = time.time_ns()
    made = record(finished(tmp_path, reported))
    assert before_ns <= made.ended_ns <= time.time_ns()
    assert made == Trial(
        activity="0123abcd", planned=PLANNED, machine="local", state=State.ENDED, cause=None, exit_code=0,
        started_ns=77, ended_ns=made.ended_ns, command=RESULT.command, boot="the boot",
        measurements=made.measurements, usage=reported.usage, probe=RESULT.cost, clock=None, doubts=(),
        facts=FACTS, limits=RESULT.limits, program=PROGRAM, platform=None, hypervisor_cpu=None,
        cause_kind=None, scope=JobScope.CGROUP_V2, copies=(COPY,), phases=(PHASE,), series=reported.series,
        counts=reported.counters,
        profile=reported.profile,
    )  # fmt: skip
    assert figures(made) == {"wall_time": 2.0, "cpu_time": 1.5}


def test_a_record_holds_what_was_seen_of_its_place_and_of_its_host(tmp_path: Path) -> None:
    platform, seen = cast("Any", SimpleNamespace()), SeenFactor("data.access", "nfs", "mounted")
    visit = visit_of(
        Jobs(),
        platform=platform,
        host_settings=(SeenFactor("host.thp", "never", "a file"),),
        data=DataPlace("/data", ("/data/f",), seen=(seen,)),
        scratch=(SeenFactor("scratch", "ext4", "mounted"),),
        fingerprint=Fingerprint(FACTS, {"virtualisation": {"hypervisor": "vmware"}}, 5),
        held_facts=replace(FACTS, kernel="6.2"),
    )
    watch = HostWatch(1.0, 4711, (1,), (), None)
    made = record(
        finished(
            tmp_path, cpu=HypervisorCpu(3.0, 1.0), host=HOST, weight=GuestWeight(1, 2, 3, 4, 5.0),
            container=CONTAINER, watched=Watched(watch),
        ),
        visit,
    )  # fmt: skip
    assert (made.platform, made.host_settings, made.below) == (platform, visit.host_settings, "vmware")
    assert [one.name for one in made.data] == ["data.access", "scratch"]
    assert made.facts.kernel == "6.2"
    assert (made.hypervisor_cpu, made.weight) == (HypervisorCpu(3.0, 1.0), GuestWeight(1, 2, 3, 4, 5.0))
    assert (made.host, made.disturbed_by) == (HOST, (Cause.FOREIGN_CPU,))
    assert (made.container, made.host_watch) == (CONTAINER, watch)


def test_the_page_cache_is_in_the_record_as_ordered_and_as_found(tmp_path: Path) -> None:
    note = replace(NOTE, cache=Prepared(CacheOrder(CacheState.COLD, ("/a",)), ("/b",), Residency(1, 50, 5)))
    found = result(cache=CacheResidency(1, 100, 2, CacheState.COLD, drop_all=False))
    made = record(finished(tmp_path, found), note=note)
    assert made.cache == CacheCheck(
        CacheState.COLD, False, Residency(1, 100, 2), Residency(1, 50, 5), ("/b",)  # noqa: FBT003
    )  # fmt: skip


def test_times_are_on_the_controller_s_clock_and_totals_as_they_were_told(tmp_path: Path) -> None:
    fast = ClockCheck(READING, READING, 1.005, 0.0001)
    made = record(finished(tmp_path, clock=fast))
    assert figures(made) == {"wall_time": pytest.approx(2.0 / 1.005), "cpu_time": pytest.approx(1.5 / 1.005)}
    assert (made.clock, made.usage) == (fast, result().usage)
    assert [doubt.code for doubt in made.doubts] == ["clock-corrected"]


def test_every_doubt_is_said_in_the_order_of_its_source(tmp_path: Path) -> None:
    note = replace(NOTE, cache=Prepared(CacheOrder(CacheState.WARM, ())))
    reported = result(
        doubts=(Doubt("own", "It was slow."),),
        series=(Series("energy", None, 0, "no meter"),),
        cache=CacheResidency(0, 0, 0, CacheState.WARM, drop_all=False),
        machine=replace(RESULT.machine, steal_s=0.5),
    )
    made = finished(
        tmp_path, reported, late=True, clock=ClockCheck(READING, READING, 1.005, 0.0001), host=HOST,
        container=CONTAINER, watched=Watched(None, (Doubt("host-not-watched", "It was not."),)),
    )  # fmt: skip
    assert codes(made, note=note) == [
        "collected-late", "clock-corrected", "own", "series-absent", "cache-no-files", "disturbed",
        "container-cpu-count", "host-not-watched", "steal",
    ]  # fmt: skip
    assert record(made).doubts[0] == Doubt(
        "collected-late",
        "Its controller was cut off while it ran: the clock was compared over a longer time than "
        "the trial's.",
    )


def test_data_of_a_server_are_in_no_file_of_the_job_s_own(tmp_path: Path) -> None:
    note = replace(NOTE, cache=Prepared(CacheOrder(CacheState.WARM, ())))
    done = finished(tmp_path, result(cache=CacheResidency(0, 0, 0, CacheState.WARM, drop_all=False)))
    served = DataPlace("root://server", ("root://server/f",), local=False)
    here = DataPlace("/data", ("/data/f",))
    found = [codes(done, visit_of(Jobs(), data=data), note=note) for data in (None, here, served)]
    assert found == [["cache-no-files"], ["cache-no-files"], []]


def test_steal_is_a_doubt_by_the_processors_and_the_wall_time_of_the_job(tmp_path: Path) -> None:
    """Of two processors over 2 s, 1 % is 0.04 s."""
    for steal_s, expected in ((0.041, ["steal"]), (0.039, []), (None, [])):
        reported = result(machine=replace(RESULT.machine, steal_s=steal_s))
        assert codes(finished(tmp_path, reported)) == expected
    never = result(
        usage=None, state=State.FAILED, cause="no", machine=replace(RESULT.machine, steal_s=5.0), copies=()
    )
    assert codes(finished(tmp_path, never)) == []


def test_a_job_that_failed_has_a_cause_of_a_kind_and_no_figures(tmp_path: Path) -> None:
    failed = result(
        state=State.FAILED,
        cause="it was killed",
        cause_kind=CauseKind.OOM_KILL,
        exit_code=137,
        copies=(replace(COPY, exit_code=137),),
    )
    made = record(finished(tmp_path, failed))
    assert (made.state, made.cause, made.exit_code) == (State.FAILED, "it was killed", 137)
    assert (made.cause_kind, made.measurements) == (CauseKind.OOM_KILL, ())
    assert made.usage == failed.usage


def test_faults_of_the_files_fail_the_trial(tmp_path: Path) -> None:
    made = record(finished(tmp_path, faults=("expected the file 'a', got none",)))
    assert made.cause == "the job did not succeed: expected the file 'a', got none"


def test_a_setting_of_the_host_that_did_not_hold_fails_the_trial_with_the_first(tmp_path: Path) -> None:
    held = SimpleNamespace(drifted=("host.thp: a", "host.smt: b"))
    made = record(finished(tmp_path), visit_of(Jobs(), held=held))
    assert (made.state, made.measurements) == (State.FAILED, ())
    assert made.cause == "a setting of the host did not hold: host.thp: a"
    assert record(finished(tmp_path), visit_of(Jobs(), held=SimpleNamespace(drifted=()))).cause is None


def held(found: RunResult, folder: Path, job: Workload = JOB, *faults: str) -> Figures:
    return held_figures(visit_of(Jobs()), found, job, folder, faults=faults)


FAILED = result(
    state=State.FAILED,
    cause="'job' exited with 3",
    cause_kind=CauseKind.EXIT,
    exit_code=3,
    copies=(COPY, replace(COPY, copy=1, exit_code=3)),
)


def test_the_last_words_are_those_of_the_copy_that_failed(tmp_path: Path) -> None:
    (tmp_path / "stderr").write_text("mine\n")
    assert held(FAILED, tmp_path).cause == "'job' exited with 3", "it has said nothing"
    (tmp_path / "stderr.1").write_bytes(b"first\n  last \xff \n\n")
    assert held(FAILED, tmp_path).cause == "'job' exited with 3; it said: last \ufffd"
    (tmp_path / "stderr.1").write_text("\n \n")
    assert held(FAILED, tmp_path).cause == "'job' exited with 3"
    bare = replace(FAILED, cause=None, copies=())
    assert held(bare, tmp_path).cause == "the job failed; it said: mine"
    assert held(bare, tmp_path / "none").cause == "the job failed"


def test_a_job_that_wrote_too_much_is_told_how_to_write_more(tmp_path: Path) -> None:
    (tmp_path / "stderr").write_text("words\n")
    found = result(state=State.FAILED, cause="it wrote", cause_kind=CauseKind.OUTPUT_LIMIT, exit_code=143)
    assert held(found, tmp_path).cause == "it wrote ('output-limit' of the workload lets it write more)"
    ready = replace(JOB, parser="flops")
    assert held(found, tmp_path, ready).cause == "it wrote; it said: words"


def test_of_a_line_without_end_the_last_two_thousand_bytes_are_told(tmp_path: Path) -> None:
    (tmp_path / "stderr.1").write_text("a" + "b" * 2000)
    assert held(FAILED, tmp_path).cause == f"'job' exited with 3; it said: {'b' * 2000}"


def test_a_job_that_was_never_started_has_no_figures(tmp_path: Path) -> None:
    never = result(usage=None, state=State.ENDED)
    found = held(never, finished(tmp_path).folder)
    assert (found.state, found.cause) == (State.FAILED, "the job failed")


def two(*exits: int | None, kind: CauseKind | None = CauseKind.EXIT) -> RunResult:
    copies = tuple(replace(COPY, copy=at, exit_code=code) for at, code in enumerate(exits))
    code = max((one for one in exits if one is not None), default=0)
    state = State.ENDED if set(exits) == {0} else State.FAILED
    return result(state=state, cause="it exited", cause_kind=kind, exit_code=code, copies=copies)


@pytest.mark.parametrize(
    ("found", "good", "cause"),
    [
        (two(3, 3), (3,), None),
        (two(0, 3), (0, 3), None),
        (two(0, 3), (3,), "the job did not succeed: expected the exit code 3, got 0"),
        (two(4, 3), (0, 3), "it exited"),
        (two(3, 3, kind=CauseKind.SIGNAL), (3,), "it exited"),
        (two(3, 3, kind=None), (3,), "it exited"),
        (two(None, 3), (3,), "it exited"),
        (replace(two(3), copies=()), (3,), None),
        (replace(two(3), copies=()), (4,), "it exited"),
        (two(0, 0), (3, 4), "the job did not succeed: expected the exit code 3 or 4, got 0"),
    ],
)
def test_every_copy_has_an_exit_code_that_is_good(
    tmp_path: Path, found: RunResult, good: tuple[int, ...], cause: str | None
) -> None:
    for name in ("stdout", "stdout.1", "stderr", "stderr.1"):
        (tmp_path / name).touch()
    job = replace(JOB, success=Success(exit=good), placement=PlacementSpec(copies=max(1, len(found.copies))))
    made = held(found, tmp_path, job)
    assert (made.cause, made.state is State.ENDED) == (cause, cause is None)
    assert bool(made.measurements) is (cause is None)


def test_the_first_of_several_faults_is_told(tmp_path: Path) -> None:
    job = replace(JOB, success=Success(pattern="done"))
    folder = finished(tmp_path).folder
    assert held(result(), folder, job, "one", "two").cause == "the job did not succeed: one"
    assert "'done'" in (held(result(), folder, job).cause or "")


def test_what_a_tool_says_against_its_own_figures_is_a_doubt_of_the_trial(tmp_path: Path) -> None:
    """stress-ng writes its figures to standard output, and its doubts to standard error."""
    rate = Reading(
        Metric("rate", "bogo ops/s", Direction.HIGHER),
        figure="bogo_ops_per_second_real_time",
        labels=(("stressor", "stream"),),
    )
    job = replace(command_workload("job", ["stress-ng"]), readings=(rate,), reader="stress-ng")
    done = finished(tmp_path)
    (tmp_path / "stdout").write_text(
        "metrics:\n    - stressor: stream\n      bogo-ops: 5\n"
        "      bogo-ops-per-second-usr-sys-time: 6.0\n      bogo-ops-per-second-real-time: 7.0\n"
    )
    (tmp_path / "stderr").write_text("stress-ng: info:  [9] stream: run duration too short to tell\n")
    made = record(done, job=job)
    assert made.cause is None
    assert figures(made)["rate"] == 7.0
    assert any("too short" in doubt.sentence for doubt in made.doubts)


RATE = Reading(Metric("rate", "Trans/s", Direction.HIGHER), figure="transaction_rate")
OPEN = replace(
    command_workload("job", ["job"]), readings=(RATE,), reader="netperf", success=Success(exit=(0, 3))
)
"""Its output ends with figures: nothing closes it."""


def netperf(tmp_path: Path, text: bytes, **changes: Any) -> Trial:
    done = finished(tmp_path, result(**changes))
    (tmp_path / "stdout").write_bytes(text)
    return record(done, job=OPEN)


def test_an_output_whose_end_nothing_marks_is_taken_from_a_job_that_exited_with_0_alone(
    tmp_path: Path,
) -> None:
    text = capture("netperf-2.7.0-rr.txt")
    assert figures(netperf(tmp_path, text))["rate"] == 62473.51
    ended = {"state": State.FAILED, "cause_kind": CauseKind.EXIT, "copies": (replace(COPY, exit_code=3),)}
    made = netperf(tmp_path, text, **ended)
    assert (made.state, made.measurements) == (State.FAILED, ())
    assert made.cause == (
        "standard output may be cut off, for nothing marks its end: expected the exit code 0, got 3"
    )


def test_an_output_whose_end_nothing_marks_is_not_taken_from_a_job_that_left_processes(
    tmp_path: Path,
) -> None:
    made = netperf(tmp_path, capture("netperf-2.7.0-rr.txt"), leftover_processes=2)
    assert made.state is State.FAILED
    assert made.cause is not None
    assert made.cause.endswith("expected its streams closed, got 2 processes that outlived it")


def test_a_number_on_a_last_line_without_its_end_is_taken_from_a_job_that_exited_with_0_alone(
    tmp_path: Path,
) -> None:
    own = replace(OPEN, readings=(replace(RATE, figure=None, pattern=r"rate ([\d.]+)"),), reader=None)
    ended = {"state": State.FAILED, "cause_kind": CauseKind.EXIT, "copies": (replace(COPY, exit_code=3),)}
    done = finished(tmp_path, result(**ended))
    for text, state in ((b"rate 5.25\n", State.ENDED), (b"rate 5.2", State.FAILED)):
        (tmp_path / "stdout").write_bytes(text)
        assert record(done, job=own).state is state
    (tmp_path / "stdout").write_bytes(b"rate 5.2")
    assert figures(record(finished(tmp_path), job=own))["rate"] == 5.2


def test_a_line_that_a_reader_does_not_know_is_a_doubt_of_the_trial(tmp_path: Path) -> None:
    lines = capture("netperf-2.7.0-rr.txt").splitlines(keepends=True)
    made = netperf(tmp_path, b"".join([lines[0], b"warning: busy\n", *lines[1:]]))
    assert figures(made)["rate"] == 62473.51
    assert [doubt.sentence for doubt in made.doubts if doubt.code == "unknown-line"] == [
        "netperf printed a line that is not known: line 2: 'warning: busy'."
    ]
