"""A question that is answered late: what is done meanwhile, and a job that is waited for by one."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.machines import TimedOutError, UnreachableError
from assay.machines.local import LocalDoor
from assay.probe import JobState, LostJobError, OverdueError, Probe, ProbeError, Spec, conversation, session
from assay.probe.conversation import Conversation

SOON_S = 20.0
"""Less than ``HELD_S``, after which a probe that nothing wakes answers."""


class Enough(Exception):
    """A tick wants no more."""


def good(number: int, result: str = "right") -> bytes:
    return json.dumps({"id": number, "ok": True, "result": result}).encode()


class Paced:
    """A channel with an answer at each of these times, of a clock that only waiting for them moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *answers: tuple[float, bytes]) -> None:
        self.answers, self.asked, self.now = list(answers), list[dict[str, Any]](), 0.0
        monkeypatch.setattr(conversation.time, "monotonic", lambda: self.now)

    def send(self, line: bytes) -> None:
        self.asked.append(json.loads(line))

    def hears(self, timeout_s: float) -> bool:
        assert timeout_s >= 0
        due = self.answers[0][0] if self.answers else float("inf")
        heard = due <= self.now + timeout_s
        self.now = max(self.now, due) if heard else self.now + timeout_s
        return heard

    def receive(self, timeout_s: float) -> bytes:
        if not self.hears(timeout_s):
            msg = "no answer"
            raise TimedOutError(msg, machine="far")
        return self.answers.pop(0)[1]

    def close(self) -> None:
        """Nothing to end."""


class Ticks:
    """Notes when it was called by a channel's clock; the call of that number raises."""

    def __init__(self, channel: Paced, last: int = 0) -> None:
        self.channel, self.last, self.at = channel, last, list[float]()

    def __call__(self) -> None:
        self.at.append(round(self.channel.now, 6))
        if len(self.at) == self.last:
            raise Enough


def ask(channel: Paced, ticks: Ticks, talk: Conversation | None = None, timeout_s: float = 60.0) -> Any:
    talk = talk or Conversation(channel, "far")
    return talk.ask_patiently("wait", tick=ticks, tick_s=0.5, timeout_s=timeout_s, into="/job", limit_s=3)


@pytest.mark.parametrize(
    ("answered_s", "ticks_at"), [(0.0, [0.0]), (0.4, [0.0]), (1.2, [0.0, 0.5, 1.0]), (1.7, [0, 0.5, 1, 1.5])]
)
def test_it_ticks_at_once_and_then_in_step_until_the_answer(
    monkeypatch: pytest.MonkeyPatch, answered_s: float, ticks_at: list[float]
) -> None:
    channel = Paced(monkeypatch, (answered_s, good(1)))
    ticks = Ticks(channel)
    assert ask(channel, ticks) == "right"
    assert (ticks.at, channel.now) == (ticks_at, answered_s)
    assert channel.asked == [{"id": 1, "op": "wait", "into": "/job", "limit_s": 3}]


@pytest.mark.parametrize("last", [1, 3])
def test_what_a_tick_raises_leaves_the_answer_unheard_and_the_next_question_has_its_own(
    monkeypatch: pytest.MonkeyPatch, last: int
) -> None:
    channel = Paced(monkeypatch, (1.2, good(1, "late")), (1.3, good(2)))
    talk, ticks = Conversation(channel, "far"), Ticks(channel, last)
    with pytest.raises(Enough):
        ask(channel, ticks, talk)
    assert (len(ticks.at), len(channel.answers)) == (last, 2)
    assert talk.ask("stop") == "right"
    assert [(one["id"], one["op"]) for one in channel.asked] == [(1, "wait"), (2, "stop")]


def test_it_goes_on_ticking_after_the_answer_to_an_earlier_question(monkeypatch: pytest.MonkeyPatch) -> None:
    channel = Paced(monkeypatch, (0.1, good(1, "late")), (0.3, good(2, "late")), (1.6, good(3)))
    talk, ticks = Conversation(channel, "far"), Ticks(channel)
    for _ in range(2):
        with pytest.raises(Enough):
            ask(channel, Ticks(channel, 1), talk)
    assert ask(channel, ticks, talk) == "right"
    assert ticks.at == [0.0, 0.8, 1.3]


def test_it_is_given_up_at_its_deadline_whenever_an_old_answer_came(monkeypatch: pytest.MonkeyPatch) -> None:
    for old in ((), ((2.0, good(0)),)):
        channel = Paced(monkeypatch, *old, (2.3, good(1)))
        ticks = Ticks(channel)
        with pytest.raises(TimedOutError):
            ask(channel, ticks, timeout_s=2.2)
        assert channel.now == pytest.approx(2.2)
        assert ticks.at[:4] == [0.0, 0.5, 1.0, 1.5]
        assert channel.answers == [(2.3, good(1))]


def test_a_refusal_is_told_as_of_any_question(monkeypatch: pytest.MonkeyPatch) -> None:
    refusal = {"id": 1, "ok": False, "error": "cannot wait", "missing": False}
    channel = Paced(monkeypatch, (0.7, json.dumps(refusal).encode()))
    with pytest.raises(ProbeError, match=r"^cannot wait \(on far\)$"):
        ask(channel, Ticks(channel))


@pytest.fixture
def door(tmp_path: Path) -> Iterator[LocalDoor]:
    made = LocalDoor("local", tmp_path / "home")
    yield made
    made.close()


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long the machine was asked to keep its answer back, each time."""
    limits: list[float] = []
    ask_patiently = Conversation.ask_patiently

    def noted(self: Conversation, op: str, **fields: Any) -> Any:
        assert op == "wait"
        limits.append(fields["limit_s"])
        return ask_patiently(self, op, **fields)

    monkeypatch.setattr(Conversation, "ask_patiently", noted)
    return limits


class Job:
    """A job on this machine, ended with the test."""

    def __init__(self, door: LocalDoor, seconds: float) -> None:
        self.probe, self.into = Probe.attach(door), f"{door.folder}/job"
        spec = Spec(command=("sleep", str(seconds)), directory=f"{door.folder}/scratch", grace_s=1.0)
        self.probe.start(spec, self.into)

    def wait(self, limit_s: float = 60.0, **more: Any) -> None:
        self.probe.wait(self.into, limit_s=limit_s, **more)

    @property
    def state(self) -> JobState:
        return self.probe.status(self.into).state

    def end(self) -> None:
        self.probe.stop(self.into)
        if self.state is JobState.RUNNING:
            self.wait()
        self.probe.close()


@pytest.fixture
def job(door: LocalDoor) -> Iterator[Callable[[float], Job]]:
    made: list[Job] = []

    def start(seconds: float) -> Job:
        made.append(Job(door, seconds))
        return made[-1]

    yield start
    for one in made:
        one.end()


class Tick:
    """A tick that does something the time of that number."""

    def __init__(self, number: int, act: Callable[[], object]) -> None:
        self.number, self.act, self.count = number, act, 0

    def __call__(self) -> None:
        self.count += 1
        if self.count == self.number:
            self.act()


def enough() -> None:
    raise Enough


def test_a_job_that_ends_is_asked_after_once(job: Callable[[float], Job], held: list[float]) -> None:
    tick, short, before = Tick(0, enough), job(0.3), time.monotonic()
    short.wait(on_tick=tick, tick_s=0.05)
    assert time.monotonic() - before < SOON_S
    assert held == [session.HELD_S]
    assert tick.count >= 1
    assert short.state is JobState.ENDED
    short.wait(limit_s=0.0)


def test_what_a_tick_raises_leaves_a_probe_that_does_at_once_what_it_is_told(
    job: Callable[[float], Job], tmp_path: Path
) -> None:
    long, before = job(60), time.monotonic()
    with pytest.raises(Enough):
        long.wait(on_tick=Tick(2, enough), tick_s=0.05)
    long.probe.stop(long.into)
    assert time.monotonic() - before < SOON_S
    long.wait()
    assert time.monotonic() - before < SOON_S
    assert long.probe.fetch(long.into, tmp_path / "record").signal == 15


def test_a_job_that_outlives_a_sign_of_life_is_asked_after_again(
    job: Callable[[float], Job], held: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "HELD_S", 0.1)
    long, before = job(60), time.monotonic()
    pid = long.probe.status(long.into).pid
    assert pid
    long.wait(on_tick=Tick(3, lambda: os.kill(pid, signal.SIGTERM)))
    assert time.monotonic() - before < SOON_S
    assert len(held) >= 2
    assert set(held) == {0.1}
    assert long.state is JobState.ENDED


def test_a_machine_never_keeps_its_answer_beyond_the_end_of_patience(
    job: Callable[[float], Job], held: list[float]
) -> None:
    long, before = job(60), time.monotonic()
    with pytest.raises(OverdueError, match=r"still runs after 0\.4 s"):
        long.wait(limit_s=0.4)
    assert 0.4 <= time.monotonic() - before < SOON_S
    assert held
    assert all(0 <= limit_s <= 0.4 for limit_s in held)


def test_a_supervisor_that_is_killed_meanwhile_is_told_at_once(job: Callable[[float], Job]) -> None:
    long, before = job(60), time.monotonic()
    pid = long.probe.status(long.into).pid
    assert pid
    with pytest.raises(LostJobError, match="the job is lost"):
        long.wait(on_tick=Tick(2, lambda: os.kill(pid, 9)), tick_s=0.05)
    assert time.monotonic() - before < SOON_S
    long.probe.stop(long.into)  # takes away its control group, which nobody else would


def test_a_probe_that_is_killed_meanwhile_is_told_at_once(
    door: LocalDoor, job: Callable[[float], Job]
) -> None:
    long, before = job(60), time.monotonic()
    channel: Any = long.probe._conversation._channel
    with pytest.raises(UnreachableError, match="it has ended"):
        long.wait(on_tick=Tick(2, channel._process.kill), tick_s=0.05)
    assert time.monotonic() - before < SOON_S
    long.probe.close()
    long.probe = Probe.attach(door)
    assert long.state is JobState.RUNNING
