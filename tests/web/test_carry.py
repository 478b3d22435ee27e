"""Requests that are carried out: written down before they begin, and only so many at a time."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from assay.model.errors import AssayError, MissingError, UnknownNameError
from assay.model.files.home import mark_home
from assay.web.access.audit import Audit
from assay.web.access.person import Person, Role
from assay.web.acts import carry
from assay.web.acts.carry import AT_ONCE, Commands, Done, FailedError
from assay.web.acts.requests import Act, CheckMachine, EvaluateScene, PlanScene, RemoveMachine, TuneScene
from assay.web.statuses import status_of

ADA = Person("Ada", Role.ADMIN, key="ada")
CHECK, REMOVE = CheckMachine(name="n1"), RemoveMachine(name="no-such")


class Slow(Commands):
    """Commands that end when they are let."""

    def __init__(self, home: Path) -> None:
        super().__init__(home, Audit(home / "serve"))
        self.begun, self.end = threading.Semaphore(0), threading.Event()

    def _run(self, act: Act, *_: object) -> Done:
        self.begun.release()
        assert self.end.wait(60)
        return Done(0, "done", {})


@pytest.fixture
def slow(tmp_path: Path) -> Iterator[Slow]:
    made = Slow(tmp_path)
    yield made
    made.end.set()


def _written(home: Path) -> list[tuple[str, str, str | None]]:
    log = Audit(home / "serve").newest(ADA, 100)[::-1]
    return [(line.what, dict(line.fields).get("name", ""), line.outcome) for line in log]


def test_only_so_many_commands_run_for_pages_at_a_time(slow: Slow, tmp_path: Path) -> None:
    with ThreadPoolExecutor(AT_ONCE) as threads:
        running = [threads.submit(slow.carry_out, CHECK, ADA) for _ in range(AT_ONCE)]
        assert all(slow.begun.acquire(timeout=60) for _ in running)
        with pytest.raises(MissingError, match="8 commands run") as refused:
            slow.carry_out(CHECK, ADA)
        assert status_of(refused.value) == 409
        assert _written(tmp_path)[-1][2] == "refused: cannot do that now: 8 commands run"
        slow.end.set()
        assert {one.result(60).code for one in running} == {0}
    assert slow.carry_out(CHECK, ADA).code == 0, "and then others"


def test_a_command_is_written_down_before_it_begins(slow: Slow, tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(slow.carry_out, CHECK, ADA)
        assert slow.begun.acquire(timeout=60)
        assert _written(tmp_path) == [("machine-check", "n1", "begun")]
        slow.end.set()
        running.result(60)
    assert _written(tmp_path) == [("machine-check", "n1", "begun"), ("machine-check", "n1", "done")]


def test_a_command_that_cannot_be_written_down_is_not_run(slow: Slow, tmp_path: Path) -> None:
    (tmp_path / "serve").write_text("no folder")
    for _ in range(AT_ONCE + 1):
        with pytest.raises(OSError, match="serve"):
            slow.carry_out(CHECK, ADA)
    assert not slow.begun.acquire(blocking=False)


def test_a_real_command_is_written_down_with_its_exit_code(tmp_path: Path) -> None:
    mark_home(tmp_path)
    commands = Commands(tmp_path, Audit(tmp_path / "serve"))
    with pytest.raises(FailedError):
        commands.carry_out(REMOVE, ADA)
    assert _written(tmp_path) == [
        ("machine-remove", "no-such", "begun"),
        ("machine-remove", "no-such", "exit code 3"),
    ]


def test_one_that_goes_on_is_written_down_once_more_where_it_ends_at_once(tmp_path: Path) -> None:
    act = TuneScene(scene="quick", factors="no-such", budget="1h")
    with closing(Commands(tmp_path, Audit(tmp_path / "serve"))) as commands, pytest.raises(AssayError):
        commands.carry_out(act, ADA)
    begun, ended = (outcome for _, _, outcome in _written(tmp_path))
    assert (begun, str(ended)[:10]) == ("begun", "exit code ")


@pytest.mark.parametrize("scene", ["no-such", "x.yaml", "./x"])
def test_a_scene_that_is_not_listed_is_no_scene(tmp_path: Path, scene: str) -> None:
    act = EvaluateScene(scene="quick").model_copy(update={"scene": scene})
    with pytest.raises(UnknownNameError):
        Slow(tmp_path).carry_out(act, ADA)
    assert [what for what, _, _ in _written(tmp_path)] == ["evaluate"]


class _Partly(Commands):
    def _planned(self, words: list[str]) -> Done:
        return Done(5, "cannot reach n2", {"lanes": []} if "--dry-run" in words else None)


def test_a_plan_of_several_machines_is_told_where_one_of_them_cannot_be_measured(tmp_path: Path) -> None:
    commands = _Partly(tmp_path, Audit(tmp_path / "serve"))
    assert commands.carry_out(PlanScene(scene="quick", on="n[1-2]"), ADA).answer == {"lanes": []}
    with pytest.raises(FailedError):
        commands.carry_out(EvaluateScene(scene="quick", on="n[1-2]"), ADA)


class _Long(TuneScene):
    """Goes on for longer than it takes to begin."""

    def words(self) -> list[str]:
        return ["no-such-command"]

    def trial_words(self) -> None:
        return None


def test_one_that_goes_on_is_written_down_once_more_when_it_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(carry, "BEGIN_S", 0.0)
    act = _Long(scene="quick", factors="disk", budget="1h")
    done = Commands(tmp_path, Audit(tmp_path / "serve")).carry_out(act, ADA)
    assert (done.code, done.said) == (None, "begun")
    until = time.monotonic() + 60
    while len(_written(tmp_path)) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    assert [outcome for _, _, outcome in _written(tmp_path)] == ["begun", "exit code 2"]


class _NoMachine:
    def check(self, act: Act, person: Person) -> None:
        raise UnknownNameError("machine", "n1", [])


def test_whatever_is_refused_is_written_down(tmp_path: Path) -> None:
    commands = Commands(tmp_path, Audit(tmp_path / "serve"), machines=_NoMachine())
    with pytest.raises(UnknownNameError):
        commands.carry_out(CHECK, ADA)
    (line,) = [json.loads(one) for one in (tmp_path / "serve" / "audit.jsonl").read_text().splitlines()]
    assert line["refused"].startswith("unknown machine 'n1'")
