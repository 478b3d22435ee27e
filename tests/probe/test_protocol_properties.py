"""What holds between us and a probe: whatever it answers is a value or refused, and whatever it is asked it
goes on.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given

from assay.machines.local import LocalDoor
from assay.model.errors import AssayError
from assay.model.files.native import PROBE
from assay.probe import LostJobError, Probe, Spec, parse_result
from assay.probe.conversation import Conversation
from assay.probe.folded import count_samples, merge_folded
from assay.probe.series import parse_cells, parse_phase_events, parse_series
from tests.mutations import SEEDS, VALUES, check_refusal, check_values, damaged, damaged_json, seeded

QUESTIONS: dict[str, Callable[[Probe], object]] = {
    "version": Probe.version,
    "facts": Probe.fingerprint,
    "clock": Probe.clock,
    "status": lambda probe: probe.status("nowhere"),
    "wait": lambda probe: probe.wait("nowhere", limit_s=0),
    "space": lambda probe: probe.space("/tmp"),
    "digest": lambda probe: probe.digest("/bin/true"),
    "find": lambda probe: probe.find("true"),
    "cache": lambda probe: probe.cache("residency", ["/bin/true"]),
}


class Recorder:
    """A channel that keeps what is answered."""

    def __init__(self, channel: Any) -> None:
        self._channel, self.last = channel, b""

    def send(self, line: bytes) -> None:
        self._channel.send(line)

    def receive(self, timeout_s: float) -> bytes:
        self.last = self._channel.receive(timeout_s)
        return self.last

    def hears(self, timeout_s: float) -> bool:
        heard: bool = self._channel.hears(timeout_s)
        return heard

    def close(self) -> None:
        self._channel.close()


class Liar:
    """A channel with one answer, damaged; afterwards there is nothing."""

    def __init__(self, answer: bytes) -> None:
        self._answers = [*answer.split(b"\n")]

    def send(self, line: bytes) -> None:
        """Take the question."""

    def receive(self, timeout_s: float) -> bytes:
        return self._answers.pop(0) if self._answers else b""

    def hears(self, timeout_s: float) -> bool:
        return True

    def close(self) -> None:
        """Nothing to end."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def door(home: Path) -> Iterator[LocalDoor]:
    made = LocalDoor("far", home / "far")
    yield made
    made.close()


@pytest.fixture(scope="module")
def answers(door: LocalDoor) -> dict[str, bytes]:
    """Return what a real probe answers to each question, as the first one that it is asked."""
    attached = Probe.attach(door)
    found = {}
    for op, ask in QUESTIONS.items():
        channel = Recorder(door.open([attached.path, "serve", "--home", door.folder]))
        with suppress(LostJobError):  # there is no job to wait for
            ask(Probe(door, attached.path, Conversation(channel, "far")))
        found[op] = channel.last
        channel.close()
    attached.close()
    return found


@pytest.fixture(scope="module")
def result(door: LocalDoor, home: Path) -> bytes:
    """Return the result of a job that a real probe ran."""
    probe = Probe.attach(door)
    into = f"{door.folder}/job"
    probe.start(Spec(command=("true",), directory=f"{door.folder}/scratch"), into)
    probe.wait(into, limit_s=60)
    probe.fetch(into, home / "fetched")
    probe.close()
    return (home / "fetched" / "probe.json").read_bytes()


@seeded
@given(seed=SEEDS)
def test_any_answer_is_a_value_or_refused(door: LocalDoor, answers: dict[str, bytes], seed: int) -> None:
    op = sorted(answers)[seed % len(answers)]
    probe = Probe(door, "probe", Conversation(Liar(damaged_json(answers[op], seed)), "far"))
    try:
        check_values(QUESTIONS[op](probe))
    except AssayError as error:
        check_refusal(error)


@seeded
@given(seed=SEEDS)
def test_any_result_is_a_value_or_refused(result: bytes, seed: int) -> None:
    try:
        check_values(parse_result(damaged_json(result, seed), origin="there"))
    except AssayError as error:
        check_refusal(error)


SERIES = b"mono_ns,real_ns,copy,phase,events,job_user_s\n" + b"".join(
    b"%d,%d,0,%s,%d,%d.5\n" % (at * 10**9, at, b"loop" if at % 2 else b"", at, at) for at in range(12)
)
FOLDED = b"main;loop;sin 12\nmain;loop;cos 3\nmain;[unknown] 1\n"


@seeded
@given(seed=SEEDS)
def test_any_series_and_any_stacks_are_numbers(seed: int) -> None:
    data = damaged(SERIES, seed)
    for column in parse_series(data).values():
        assert not any(abs(value) == float("inf") for value in column)
    check_values([reported.__dict__ for reported in parse_phase_events(data)])
    assert all(row for row in parse_cells(data))
    assert count_samples(merge_folded([damaged(FOLDED, seed), FOLDED])) >= 0


class Asked:
    """A real probe that is asked anything."""

    def __init__(self, home: Path) -> None:
        argv = [str(PROBE.path()), "serve", "--home", str(home)]
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=home)
        self._last = 0

    def ask(self, question: bytes) -> list[dict[str, Any]]:
        """Ask something, and something that is always answered; return all answers but that one."""
        self._last += 1
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        sure = json.dumps({"id": f"sure-{self._last}", "op": "clock"}).encode()
        self.process.stdin.write(question + b"\n" + sure + b"\n")
        self.process.stdin.flush()
        found = []
        while True:
            line = self.process.stdout.readline()
            assert line, "the probe has ended"
            answer = json.loads(line)
            if answer["id"] == f"sure-{self._last}":
                assert answer["ok"] is True
                return found
            found.append(answer)

    def end(self) -> None:
        self.process.communicate(timeout=60)


@pytest.fixture(scope="module")
def asked(home: Path) -> Iterator[Asked]:
    (home / "asked").mkdir()
    made = Asked(home / "asked")
    yield made
    made.end()


LOOKS = tuple(
    json.dumps({"id": 7, **question}).encode()
    for question in (
        {"op": "version"},
        {"op": "clock"},
        {"op": "facts"},
        {"op": "status", "into": "nowhere"},
        {"op": "wait", "into": "nowhere", "limit_s": 0},
        {"op": "stop", "into": "nowhere"},
        {"op": "space", "path": "."},
        {"op": "digest", "program": "nowhere"},
        {"op": "find", "program": "nowhere"},
        {"op": "cache", "act": "residency", "paths": ["nowhere", "."]},
        {"op": "nothing"},
    )
)
"""What changes nothing, however it is damaged: no path in it leads out of the probe's own folder."""
SPEC = Spec(command=("true",), directory="scratch").as_json()
HARMLESS = tuple(
    value for value in VALUES if not (isinstance(value, str) and ("/" in value or "\ud800" in value))
)


def job(seed: int) -> bytes:
    """Return a question for a job in a folder that is there already, so that it is never started."""
    random = Random(seed)
    spec = json.loads(json.dumps(SPEC))
    for _ in range(random.choice((1, 1, 2, 3))):
        name = random.choice(sorted(spec))
        if name not in {"command", "directory"}:
            spec[name] = random.choice(HARMLESS)
    return json.dumps({"id": 7, "op": "run", "into": ".", "spec": spec}).encode()


@seeded
@given(seed=SEEDS)
def test_whatever_a_probe_is_asked_it_refuses_or_answers_and_goes_on(asked: Asked, seed: int) -> None:
    question = job(seed) if seed % 3 == 0 else damaged(LOOKS[seed % len(LOOKS)], seed)
    began = time.process_time()
    for answer in asked.ask(question):
        assert answer["ok"] is True or answer["error"]
    assert time.process_time() - began < 30
    assert sorted(path.name for path in (Path(asked.process.args[3])).iterdir()) == []  # type: ignore[index]


def test_a_line_of_a_series_without_its_moment_is_left_out() -> None:
    found = parse_series(b"mono_ns,job_user_s\n1,0.5\n,0.6\n1e999,0.7\n3,\n")
    assert list(found["mono_ns"]) == [1, 3]
    assert found["job_user_s"][0] == 0.5
