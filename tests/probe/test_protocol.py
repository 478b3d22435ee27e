"""The probe's protocol as read here: results, answers, clocks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from assay.machines import open_door
from assay.machines.local import LocalDoor
from assay.model.errors import Exit, NoRoomError
from assay.model.files.native import PROBE
from assay.model.machines.clock import ClockReading
from assay.model.machines.machine import Limits, Machine
from assay.model.trial import CauseKind, JobScope, State
from assay.model.work.observation import COUNTERS, GROUPS, Profile, Scope
from assay.model.work.phase import Mark, PhaseRules
from assay.model.work.placement import Placement, Start
from assay.probe import (
    Probe,
    ProbeError,
    ResultError,
    RunResult,
    Spec,
    check_clock,
    parse_result,
    session,
)
from assay.probe.clock import Exchange, read_clock, start_time
from assay.probe.conversation import Conversation
from assay.probe.result import Output


@pytest.fixture
def door(tmp_path: Path) -> Iterator[LocalDoor]:
    made = open_door(Machine("local"), home=tmp_path / "home")
    assert isinstance(made, LocalDoor)
    yield made
    made.close()


@pytest.fixture
def written(door: LocalDoor, tmp_path: Path) -> dict[str, Any]:
    """A result as the probe really writes it."""
    probe = Probe.attach(door)
    probe.start(Spec(command=("true",), directory=f"{door.folder}/scratch"), f"{door.folder}/job")
    probe.wait(f"{door.folder}/job", limit_s=60)
    probe.fetch(f"{door.folder}/job", tmp_path / "record")
    probe.close()
    read: dict[str, Any] = json.loads((tmp_path / "record/probe.json").read_bytes())
    return read


def _parse(written: dict[str, Any], **changes: object) -> RunResult:
    return parse_result(json.dumps(written | changes).encode(), origin="here")


def test_the_fields_of_a_newer_minor_version_are_left_out(written: dict[str, Any]) -> None:
    usage = written["usage"] | {"energy_j": 3.0}
    assert _parse(written, protocol=[1, 9], usage=usage, novelty={"a": 1}).state is State.ENDED


def test_a_result_of_an_older_minor_version_is_read_without_what_it_does_not_tell() -> None:
    result = parse_result((Path(__file__).parent / "records/1.0.json").read_bytes(), origin="here")
    assert (result.protocol, result.state, result.exit_code) == ((1, 0), State.ENDED, 0)
    assert (result.copies, result.phases, result.series, result.scope, result.cause_kind) == (
        (),
        (),
        (),
        None,
        None,
    )
    assert result.usage is not None
    assert (result.usage.read_bytes, result.usage.minor_faults) == (0, None)
    assert (result.usage.throttled_s, result.usage.idle_s, result.limits.pause) == (None, None, None)
    assert (result.spec.placement, result.spec.phases) == (Placement(), None)


def test_counters_and_a_profile_are_told_of_the_job_and_its_phases(door: LocalDoor, tmp_path: Path) -> None:
    probe = Probe.attach(door)
    spec = Spec(
        ("sh", "-c", "echo phase work >&$ASSAY_PHASE_FD; true"),
        f"{door.folder}/s",
        counters=("page-faults", "cycles"),
        profile=Profile(49),
        phases=PhaseRules(announce=True),
    )
    probe.start(spec, f"{door.folder}/job")
    probe.wait(f"{door.folder}/job", limit_s=60)
    result = probe.fetch(f"{door.folder}/job", tmp_path / "record")
    assert result.spec == spec
    assert [count.name for count in result.counters] == ["page-faults", "cycles"]
    assert result.profile is not None
    assert (result.profile.file is None) == (result.profile.absent is not None)
    assert [[c.name for c in phase.counters] for phase in result.phases] == [["page-faults", "cycles"]] * 2


def test_every_field_of_a_spec_is_written_as_its_contract_says() -> None:
    schema = json.loads((Path(__file__).parents[2] / "contracts/probe-v1.schema.json").read_text())
    spec = Spec(("true",), "/tmp", profile=Profile(49, Scope.MACHINE), phases=PhaseRules((Mark("a", "b"),)))
    for one in (spec, Spec(("true",), "/tmp")):
        jsonschema.Draft202012Validator(schema).validate(json.loads(json.dumps(one.as_json())))


def test_copies_are_told_one_by_one_with_what_the_totals_are_over(door: LocalDoor, tmp_path: Path) -> None:
    probe = Probe.attach(door)
    script = "echo phase work >&$ASSAY_PHASE_FD; echo events 5 >&$ASSAY_PHASE_FD; sleep 0.1; exit $ASSAY_COPY"
    spec = Spec(
        ("sh", "-c", script),
        f"{door.folder}/s",
        placement=Placement(copies=2),
        phases=PhaseRules(announce=True),
    )
    probe.start(spec, f"{door.folder}/job")
    probe.wait(f"{door.folder}/job", limit_s=60)
    result = probe.fetch(f"{door.folder}/job", tmp_path / "record")
    assert (result.state, result.cause_kind) == (State.FAILED, CauseKind.EXIT)
    assert result.scope in set(JobScope)
    assert [copy.exit_code for copy in result.copies] == [0, 1]
    assert [(p.copy, p.phase, p.events) for p in result.phases if p.phase == "work"] == [
        (0, "work", 5),
        (1, "work", 5),
    ]
    assert result.cost is not None
    assert result.cost.wake_ups


def test_a_newer_major_version_is_refused(written: dict[str, Any]) -> None:
    with pytest.raises(ResultError, match="cannot read the probe's result here: expected protocol 1, got 2"):
        _parse(written, protocol=[2, 0])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"usage": {"wall_s": "long"}}, r"usage\.wall_s"),
        ({"exit_code": 1.5}, "exit_code"),
        ({"state": "running"}, "expected ended or failed"),
        ({"state": "odd"}, "state"),
        ({"doubts": [{"code": "x"}]}, r"doubts\.0\.sentence"),
        ({"protocol": None}, "damaged"),
        ({"protocol": "1.0"}, "damaged|expected protocol"),
    ],
)
def test_a_wrong_field_is_named(written: dict[str, Any], changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ResultError, match=said):
        _parse(written, **changes)


def test_a_missing_field_is_named(written: dict[str, Any]) -> None:
    del written["cost"]
    with pytest.raises(ResultError, match="cost"):
        _parse(written)


def test_a_damaged_result_is_refused_wherever_it_was_cut(written: dict[str, Any]) -> None:
    whole = json.dumps(written).encode()
    for length in range(0, len(whole), 7):
        with pytest.raises(ResultError, match="cannot read the probe's result here"):
            parse_result(whole[:length], origin="here")


def test_a_spec_comes_back_in_the_result_as_it_was_given(door: LocalDoor, tmp_path: Path) -> None:
    spec = Spec(
        command=("sh", "-c", "exit 0"),
        directory=f"{door.folder}/scratch",
        environment={"A": "ü 1"},
        limits=Limits((0,), 1 << 28, 0.5, 1 << 30, 1 << 30, 0.01),
        interval_s=0.5,
        time_limit_s=30.0,
        grace_s=1.0,
        output_limit_bytes=1 << 20,
        keep_free_bytes=1 << 19,
        placement=Placement(copies=2, threads=3, cpus=((0,), (0,)), memory_nodes=((0,), (0,)), nice=1),
        start=Start(at_mono_ns=1, stagger_s=0.01),
        process_io=False,
        watch=("pressure",),
        phases=PhaseRules((Mark("event-loop", "^Begin"),), events="event ([0-9]+)", log="log", announce=True),
    )
    probe = Probe.attach(door)
    probe.start(spec, f"{door.folder}/job")
    probe.wait(f"{door.folder}/job", limit_s=60)
    result = probe.fetch(f"{door.folder}/job", tmp_path / "record")
    assert (result.spec, result.output) == (spec, Output(1 << 20, ()))
    assert result.room is not None
    assert result.room.keep_free_bytes == 1 << 19


def test_a_disk_that_a_probe_says_is_full_is_a_want_of_room(door: LocalDoor) -> None:
    said = "cannot make /a: no space left on device"
    answer = json.dumps({"id": 1, "ok": False, "error": said, "missing": False})
    channel = door.open(["sh", "-c", 'read a; echo "$0"', answer])
    with pytest.raises(NoRoomError, match=rf"^{said} \(on local\)$") as error:
        Conversation(channel, "local").ask("make", timeout_s=20)
    assert error.value.exit_code is Exit.MISSING


def test_a_result_without_end_is_refused(
    door: LocalDoor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "MOST_RESULT_BYTES", 1 << 20)
    folder = Path(door.folder) / "job"
    folder.mkdir()
    (folder / "probe.json").write_bytes(b" " * (1 << 20) + b"{")
    with pytest.raises(ResultError, match="expected at most 1 MiB"):
        Probe.attach(door).fetch(str(folder), tmp_path / "record")


def test_an_answer_that_came_too_late_is_not_taken_for_the_next(door: LocalDoor) -> None:
    script = (
        'read a; read b; echo \'{"id":1,"ok":true,"result":"late"}\'; echo '
        '\'{"id":2,"ok":true,"result":"right"}\'; read c'
    )
    talk = Conversation(door.open(["sh", "-c", script]), "local")
    with pytest.raises(Exception, match="no answer within"):
        talk.ask("one", timeout_s=0.2)
    assert talk.ask("two", timeout_s=20) == "right"


@pytest.mark.parametrize("line", ["rubbish", "[]", '{"id":9,"ok":true,"result":1}', '{"id":1}'])
def test_an_answer_that_is_none_is_a_clear_error(door: LocalDoor, line: str) -> None:
    channel = door.open(["sh", "-c", 'read a; echo "$0"', line])
    with pytest.raises(ProbeError, match="cannot understand the probe on local"):
        Conversation(channel, "local").ask("facts", timeout_s=20)


def test_the_probes_digest_is_that_of_its_content() -> None:
    assert len(PROBE.sha256()) == 64
    assert PROBE.path().name == "assay-probe"


def _exchange(sent: int, received: int, there: int) -> Exchange:
    return Exchange(
        sent_ns=sent,
        received_ns=received,
        real_ns=10**18 + (sent + received) // 2,
        there_mono_ns=there,
        there_real_ns=10**18 + there + 5_000_000,
    )


def test_the_quickest_exchange_tells_the_time() -> None:
    slow = _exchange(0, 9_000_000, 8_000_000)
    quick = _exchange(20_000_000, 22_000_000, 21_500_000)
    assert read_clock([slow, quick]) == ClockReading(
        here_ns=21_000_000, there_ns=21_500_000, offset_s=0.0055, uncertainty_s=0.001
    )


def _reading(here_s: float, there_s: float, uncertainty_s: float = 0.001) -> ClockReading:
    return ClockReading(round(here_s * 1e9), round(there_s * 1e9), there_s - here_s, uncertainty_s)


def test_a_clock_that_runs_fast_has_a_rate_above_one() -> None:
    check = check_clock(_reading(100.0, 5.0), _reading(110.0, 30.0))
    assert check.rate == pytest.approx(2.5)
    assert check.rate_uncertainty == pytest.approx(0.0002)


def test_a_rate_needs_time_to_pass() -> None:
    with pytest.raises(ValueError, match="expected the second reading after the first"):
        check_clock(_reading(1.0, 1.0), _reading(1.0, 1.0))


def test_a_moment_of_ours_is_told_on_another_clock_with_what_it_is_known_to() -> None:
    at = start_time(_reading(100.0, 5.0, uncertainty_s=0.001), 103_000_000_000)
    assert at.at_mono_ns == 8_000_000_000
    assert at.uncertainty_s == pytest.approx(0.001 + 3 * 1e-3)


def test_the_groups_and_counters_of_the_probe_are_the_words_of_scenes(door: LocalDoor) -> None:
    probe = Probe.attach(door)
    known = probe.version()
    probe.close()
    assert (known.watch, known.counters) == (GROUPS, COUNTERS)
