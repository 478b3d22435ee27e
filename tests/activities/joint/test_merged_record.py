"""The record of two guests from what their probes wrote: every field by a known answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.activities.joint import merged
from assay.activities.joint.merged import Joint, Part, make_joint_record
from assay.activities.trials.inflight import Inflight
from assay.activities.trials.page_cache import Prepared
from assay.activities.trials.record import Figures
from assay.activities.visits.visit import Visit
from assay.design import plan_trials
from assay.model.doubt import Doubt
from assay.model.machines.clock import ClockCheck, ClockReading, Instant
from assay.model.machines.machine import Fingerprint, Limits
from assay.model.platforms.platform import GuestWeight, HypervisorCpu, SeenFactor
from assay.model.trial import CauseKind, CopyUsage, State, Trial, Usage
from assay.model.work.disturbance import Cause, HostOver
from assay.model.work.observation import ProbeCost
from assay.model.work.page_cache import CacheOrder, CacheState, Residency
from assay.model.work.phase import PhaseTime
from assay.model.work.workload import File, Program
from assay.probe import RunResult, parse_result
from assay.probe.result import CacheResidency
from assay.workloads import command_workload, with_accounting
from assay.workloads.accounting import ACCOUNTED
from tests.builders import FACTS

S = 10**9
RESULT = parse_result((Path(__file__).parents[2] / "probe/records/1.0.json").read_bytes(), origin="here")
(PLANNED, *_) = plan_trials(("job",), blocks=1, seed=1)
JOB = command_workload("job", ["job"])
PAIR = replace(JOB, placement=replace(JOB.placement, copies=4))
PROGRAM = Program(File("job", "/bin/job", "0"))
NOTE = Inflight(0, "/d", "b", None, 0, None, None)
COPY = CopyUsage(0, (0,), (), Instant(10 * S, 0), Instant(12 * S, 0), 0, None, 2.0, 1.0, 0.5, 10)
PHASE = PhaseTime(0, "init", Instant(10 * S, 0), Instant(11 * S, 0), 1.0, 0.5, 0.5, 3)
STARTED, ENDED = Instant(10 * S, 0), Instant(12 * S, 0)


def result(**changes: Any) -> RunResult:
    reported = {
        "usage": Usage(2.0, 1.0, 0.5, 100, 10, 20),
        "cost": ProbeCost(0.25, 100, 5, 1.0),
        "copies": (COPY, replace(COPY, copy=1)),
        "phases": (PHASE, replace(PHASE, copy=1)),
        "started": STARTED,
        "ended": ENDED,
    }
    return replace(RESULT, **(reported | changes))


def part(number: int, tmp_path: Path, **changes: Any) -> Part:
    """Return what a guest brought home whose CPUs are 2 n and 2 n + 1."""
    platform = cast("Any", SimpleNamespace(cpus=(2 * number, 2 * number + 1), memory_bytes=1 << 30))
    visit = Visit(
        f"guest {number}", cast("Any", None), cast("Any", None), Fingerprint(FACTS, {}, 5), Limits(),
        f"boot-{number}", "/d", own_clock=True, platform=platform,
    )  # fmt: skip
    folder = tmp_path / f"guest-{number}"
    folder.mkdir(exist_ok=True)
    for name in ("stdout", "stdout.1", "stderr"):
        (folder / name).write_bytes(b"last words\n" if name == "stderr" else b"")
    reported = {
        "visit": visit, "note": NOTE, "asked_s": 0.0, "result": result(), "clock": None,
        "cpu": HypervisorCpu(1.0 + number, 0.5), "program": PROGRAM, "folder": folder,
        "weight": GuestWeight(100, 50, 5, 1, 9.0),
    }  # fmt: skip
    return Part(number, **(reported | changes))


def record(*parts: Part, host: HostOver | None = None) -> Trial:
    joint = Joint("0123abcd", PLANNED, PAIR, parts, 10 * S)
    return make_joint_record(joint, parts[0].visit, started_ns=77, host=host)


def figures(trial: Trial) -> dict[str, float | None]:
    return {figure.metric.name: figure.value for figure in trial.measurements}


def test_what_both_ran_at_once_took_from_the_first_release_to_the_last_end(tmp_path: Path) -> None:
    late = result(started=Instant(11 * S, 0), ended=Instant(15 * S, 0))
    found = record(part(0, tmp_path), part(1, tmp_path, result=late))
    assert found.usage == Usage(5.0, 2.0, 1.0, 100, 20, 40)
    assert figures(found) == {"wall_time": 5.0, "cpu_time": 3.0}
    assert [(one.asked_s, one.started_s, one.ended_s) for one in found.members] == [
        (0.0, 0.0, 2.0),
        (0.0, 1.0, 5.0),
    ]


def test_the_record_holds_both_guests_and_what_they_used_together(tmp_path: Path) -> None:
    found = record(part(0, tmp_path), part(1, tmp_path))
    assert (found.state, found.cause, found.cause_kind, found.exit_code) == (State.ENDED, None, None, 0)
    assert (found.activity, found.planned, found.machine, found.boot) == (
        "0123abcd",
        PLANNED,
        "guest 0",
        "boot-0",
    )
    assert (found.started_ns, found.clock, found.limits) == (77, None, Limits((0, 1, 2, 3)))
    assert found.ended_ns > 10**18
    assert found.probe == ProbeCost(0.5, 100, 10, 1.0)
    assert found.hypervisor_cpu == HypervisorCpu(3.0, 1.0)
    assert found.weight == GuestWeight(200, 100, 10, 2, 9.0)
    assert found.program == PROGRAM
    assert [copy.copy for copy in found.copies] == [0, 1, 2, 3]
    assert [phase.copy for phase in found.phases] == [0, 1, 2, 3]
    said = [(one.name, one.guest, one.boot, one.cpus, one.memory_bytes, one.copies) for one in found.members]
    assert said == [
        ("guest-0", "guest 0", "boot-0", (0, 1), 1 << 30, 2),
        ("guest-1", "guest 1", "boot-1", (2, 3), 1 << 30, 2),
    ]
    assert [(one.usage, one.hypervisor_cpu, one.weight) for one in found.members] == [
        (result().usage, HypervisorCpu(1.0 + number, 0.5), GuestWeight(100, 50, 5, 1, 9.0))
        for number in (0, 1)
    ]


def test_it_says_by_which_way_the_jobs_of_the_guests_wrote(tmp_path: Path) -> None:
    first = part(0, tmp_path)
    first.visit.scratch = (SeenFactor("scratch.access", "nfs", "mounted"),)
    assert record(first, part(1, tmp_path)).data == first.visit.scratch


def test_times_of_a_guest_whose_clock_is_known_to_run_fast_are_the_controller_s(tmp_path: Path) -> None:
    before = ClockReading(10 * S, 10 * S, 0.0, 0.0001)
    clock = ClockCheck(before, before, 1.005, 0.0001)
    found = record(part(0, tmp_path), part(1, tmp_path, clock=clock))
    assert found.usage is not None
    assert found.usage.user_s == pytest.approx(1.0 + 1.0 / 1.005)
    assert found.copies[3].wall_s == pytest.approx(2.0 / 1.005)
    assert [doubt.code for doubt in found.doubts] == ["clock-corrected"]
    assert found.doubts[0].sentence.startswith("In guest-1: ")


def test_a_clock_that_bars_figures_still_places_the_moments_as_well_as_is_known(tmp_path: Path) -> None:
    before = ClockReading(10 * S, 10 * S, 0.0, 0.0001)
    bad = part(0, tmp_path, clock=ClockCheck(before, before, 2.0, 0.0001))
    assert (bad.timing.rate, bad.rate) == (None, 2.0)
    assert (part(0, tmp_path).rate, part(0, tmp_path).timing.rate) == (1.0, 1.0)
    found = record(bad, part(1, tmp_path))
    assert found.members[0].ended_s == pytest.approx(1.0)
    assert figures(found)["wall_time"] is None


def test_a_guest_that_failed_fails_the_trial_with_its_exit_code_and_name(tmp_path: Path) -> None:
    failed = result(
        state=State.FAILED,
        cause="it broke",
        exit_code=3,
        cause_kind=CauseKind.EXIT,
        copies=(replace(COPY, exit_code=3),),
    )
    found = record(part(0, tmp_path), part(1, tmp_path, result=failed))
    assert (found.state, found.exit_code, found.cause_kind) == (State.FAILED, 3, CauseKind.EXIT)
    assert found.cause == "guest-1: it broke; it said: last words"
    assert (found.measurements, found.result_digest) == ((), None)


def test_a_guest_that_was_never_released_leaves_no_totals(tmp_path: Path) -> None:
    never = result(state=State.FAILED, cause="it never ran", usage=None, copies=())
    found = record(part(0, tmp_path), part(1, tmp_path, result=never))
    assert [(one.started_s, one.ended_s) for one in found.members] == [(0.0, 2.0), (None, None)]
    assert (found.usage, found.state) == (None, State.FAILED)


def test_files_that_are_missing_in_one_guest_fail_the_trial(tmp_path: Path) -> None:
    found = record(part(0, tmp_path), part(1, tmp_path, faults=("no file",)))
    assert found.cause == "guest-1: the job did not succeed: no file"
    assert found.cause_kind is None


def test_what_disturbed_the_host_is_said_of_the_trial(tmp_path: Path) -> None:
    host = HostOver(4.0, (1,), 2.0, 0.0, None, None, 0, 0.0)
    found = record(part(0, tmp_path), part(1, tmp_path), host=host)
    assert (found.host, found.disturbed_by) == (host, (Cause.FOREIGN_CPU,))
    assert [doubt.code for doubt in found.doubts] == ["disturbed"]


def test_doubts_of_a_guest_are_said_with_its_name_and_those_of_all_once(tmp_path: Path) -> None:
    own = Doubt("own", "It was slow.")
    one = record(part(0, tmp_path, result=result(doubts=(own,))), part(1, tmp_path))
    assert [doubt.sentence for doubt in one.doubts] == ["In guest-0: It was slow."]
    both = record(*(part(number, tmp_path, result=result(doubts=(own,))) for number in (0, 1)))
    assert both.doubts == (own,)


def test_steal_is_a_doubt_by_the_processors_of_its_guest(tmp_path: Path) -> None:
    """Of two processors over 2 s, 1 % is 0.04 s."""
    machine = replace(RESULT.machine, steal_s=0.041)
    found = record(part(0, tmp_path, result=result(machine=machine)), part(1, tmp_path))
    assert [doubt.code for doubt in found.doubts] == ["steal"]
    less = replace(machine, steal_s=0.039)
    assert record(part(0, tmp_path, result=result(machine=less)), part(1, tmp_path)).doubts == ()


def test_page_caches_of_all_guests_are_one_in_the_record_and_each_its_own(tmp_path: Path) -> None:
    order = CacheOrder(CacheState.WARM, ("/a",))
    note = replace(NOTE, cache=Prepared(order, host=Residency(1, 50, 5)))
    seen = result(cache=CacheResidency(1, 100, 99, CacheState.WARM, drop_all=False))
    found = record(*(part(number, tmp_path, note=note, result=seen) for number in (0, 1)))
    assert found.cache is not None
    assert (found.cache.machine, found.cache.host) == (Residency(2, 200, 198), Residency(2, 100, 10))
    assert [one.cache and one.cache.machine for one in found.members] == [Residency(1, 100, 99)] * 2


def test_a_guest_of_ours_has_the_name_of_its_domain(tmp_path: Path) -> None:
    own = part(0, tmp_path)
    own.visit.guest = cast("Any", SimpleNamespace(name="assay-b0-0"))
    found = record(own, part(1, tmp_path))
    assert [one.guest for one in found.members] == ["assay-b0-0", "guest 1"]


def test_without_a_platform_that_was_read_back_the_guest_s_own_facts_count(tmp_path: Path) -> None:
    bare = part(0, tmp_path)
    bare.visit.platform = None
    found = record(bare, part(1, tmp_path))
    assert (found.members[0].cpus, found.members[0].memory_bytes) == ((), FACTS.memory_bytes)
    assert found.limits == Limits((2, 3))


def test_figures_of_the_accounting_are_those_of_all_guests_on_all_of_their_processors(tmp_path: Path) -> None:
    asked = with_accounting(PAIR, ACCOUNTED)
    late = result(
        usage=Usage(4.0, 1.0, 3.5, 200, 10, 80), started=Instant(10 * S, 0), ended=Instant(14 * S, 0)
    )
    parts = (part(0, tmp_path), part(1, tmp_path, result=late))
    joint = Joint("0123abcd", PLANNED, asked, parts, 10 * S)
    found = figures(make_joint_record(joint, parts[0].visit, started_ns=0, host=None))
    assert found["job_efficiency"] == pytest.approx(100 * 6.0 / (4.0 * 4))
    assert found["system_share"] == pytest.approx(100 * 4.0 / 6.0)
    assert found["resident_memory"] == pytest.approx(200 / 1e6)
    assert found["write_rate"] == pytest.approx(100 / 1e6 / 4.0)


def test_rates_of_staggered_guests_count_by_the_time_in_which_each_ran(tmp_path: Path) -> None:
    from assay.model.metric import Direction, Metric
    from assay.model.work.reading import Reading

    rate = Metric("rate", "events/s", Direction.HIGHER)
    own = replace(PAIR, metrics=(rate,), readings=(Reading(rate, pointer="/rate", file="out.json"),))
    second = result(started=Instant(12 * S, 0), ended=Instant(18 * S, 0))
    parts = [part(0, tmp_path), part(1, tmp_path, result=second, asked_s=2.0)]
    for one in parts:
        for copy in (0, 1):
            place = one.folder / "files" / f"copy-{copy}"
            place.mkdir(parents=True)
            (place / "out.json").write_text('{"rate": 10}')

    def rate_of(*given: Part) -> float | None:
        joint = Joint("0123abcd", PLANNED, own, given, 10 * S)
        return figures(make_joint_record(joint, given[0].visit, started_ns=0, host=None))["rate"]

    assert rate_of(*parts) == pytest.approx(20 * 2 / 8 + 20 * 6 / 8)
    assert rate_of(parts[0], replace(parts[1], asked_s=0.0)) == pytest.approx(40)


@pytest.mark.parametrize(("reported", "size"), [((7, 7), 7), ((7, 9), None), ((7, None), None)])
def test_the_size_of_its_files_is_that_of_all_guests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reported: tuple[int | None, ...], size: int | None
) -> None:
    each = iter([Figures(State.ENDED, None, (), (), one) for one in reported])
    monkeypatch.setattr(merged, "held_figures", lambda *_, **__: next(each))
    assert record(part(0, tmp_path), part(1, tmp_path)).file_bytes == size
