"""The probe's protocol as read here: results, answers, clocks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.machines import open_door
from assay.machines.local import LocalDoor
from assay.model.clock import ClockReading
from assay.model.machine import Limits, Machine
from assay.model.trial import State
from assay.probe import (
    Probe,
    ProbeError,
    ResultError,
    RunResult,
    Spec,
    check_clock,
    parse_result,
    probe_binary,
    probe_sha256,
)
from assay.probe.clock import Exchange, read_clock
from assay.probe.conversation import Conversation


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
        limits=Limits(cpus=(0,), memory_bytes=1 << 28, cpu_quota=0.5),
        interval_s=0.5,
        time_limit_s=30.0,
        grace_s=1.0,
    )
    probe = Probe.attach(door)
    probe.start(spec, f"{door.folder}/job")
    probe.wait(f"{door.folder}/job", limit_s=60)
    assert probe.fetch(f"{door.folder}/job", tmp_path / "record").spec == spec


def test_an_answer_that_came_too_late_is_not_taken_for_the_next(door: LocalDoor) -> None:
    script = 'read a; read b; echo \'{"id":1,"ok":true,"result":"late"}\'; echo \'{"id":2,"ok":true,"result":"right"}\'; read c'
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
    assert len(probe_sha256()) == 64
    assert probe_binary().name == "assay-probe"


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
