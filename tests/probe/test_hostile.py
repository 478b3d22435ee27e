"""A probe that answers without end, too deeply, or what no answer is: given up within one deadline and one
size.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.machines import TimedOutError, open_door, pipe
from assay.machines.errors import TooMuchError
from assay.machines.inside import InsideDoor
from assay.machines.local import LocalDoor
from assay.model.errors import AssayError, Exit
from assay.model.files.json_text import parse_json
from assay.model.machines.machine import Machine
from assay.probe import ProbeError, ResultError, conversation, parse_result
from assay.probe.conversation import Conversation


@pytest.fixture
def door(tmp_path: Path) -> Iterator[LocalDoor]:
    made = open_door(Machine("local"), home=tmp_path / "home")
    assert isinstance(made, LocalDoor)
    yield made
    made.close()


def talk(door: LocalDoor, script: str) -> Conversation:
    return Conversation(door.open(["sh", "-c", script]), "local")


class Chatty:
    """A channel with an old answer every tenth of a second of a clock that only it moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(conversation.time, "monotonic", lambda: self.now)

    def send(self, line: bytes) -> None:
        """Take the question."""

    def receive(self, timeout_s: float) -> bytes:
        self.now += 0.1
        return b'{"id":0}'

    def hears(self, timeout_s: float) -> bool:
        return True

    def close(self) -> None:
        """Nothing to end."""


def test_old_answers_without_end_are_given_up_at_the_deadline_of_the_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    channel = Chatty(monkeypatch)
    with pytest.raises(
        ProbeError, match="cannot understand the probe on far: no answer to 'facts' within 5 s"
    ):
        Conversation(channel, "far").ask("facts", timeout_s=5)
    assert channel.now == pytest.approx(1005, abs=0.5)


def test_however_patiently_old_answers_are_given_up_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    channel, ticks = Chatty(monkeypatch), list[None]()
    with pytest.raises(ProbeError, match="no answer to 'wait' within 5 s"):
        Conversation(channel, "far").ask_patiently(
            "wait", tick=lambda: ticks.append(None), tick_s=0.5, timeout_s=5
        )
    assert channel.now == pytest.approx(1005, abs=0.5)
    assert ticks == [None]


def test_old_answers_of_a_real_program_are_given_up(door: LocalDoor) -> None:
    began = time.monotonic()
    with pytest.raises(AssayError, match="no answer"):
        talk(door, "while echo '{\"id\":0}'; do sleep 0.05; done").ask("facts", timeout_s=0.5)
    assert time.monotonic() - began < 30


def test_old_answers_are_given_up_at_the_size_of_the_question(
    door: LocalDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversation, "MOST_BYTES", 1 << 20)
    with pytest.raises(ProbeError, match="no answer to 'facts' in 1 MiB"):
        talk(door, """yes '{"id":0,"much":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}'""").ask("facts")


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_brackets_nested_200_000_deep_are_no_answer(door: LocalDoor, opening: str) -> None:
    script = "python3 -c \"print('{}' * 200000)\"".replace("{}", opening.replace('"', '\\"'))
    with pytest.raises(ProbeError, match="expected a JSON object, got"):
        talk(door, script).ask("facts", timeout_s=60)


def test_a_result_nested_200_000_deep_is_damaged() -> None:
    with pytest.raises(ResultError, match="it is damaged"):
        parse_result(b"[" * 200_000, origin="here")


def test_a_line_without_end_is_left_at_its_size(door: LocalDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipe, "MOST_BYTES", 1 << 20)
    channel = door.open(["sh", "-c", "tr '\\0' a </dev/zero"])
    assert channel.hears(60)
    with pytest.raises(TooMuchError, match="cannot hear sh on local: a line of more than 1 MiB") as error:
        channel.receive(60)
    assert error.value.exit_code is Exit.UNREACHABLE
    assert channel.hears(60)
    with pytest.raises(TooMuchError):
        channel.receive(60)


def test_a_line_up_to_the_limit_is_heard(door: LocalDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipe, "MOST_BYTES", 1 << 20)
    channel = door.open(["sh", "-c", "head -c 1048576 /dev/zero | tr '\\0' a; echo; cat"])
    assert len(channel.receive(60)) == 1 << 20


def test_a_kernel_that_says_much_and_never_greets_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.machines.inside.GREETING_S", 0.5)
    words = ["sh", "-c", "while echo booting; do sleep 0.05; done"]
    door = InsideDoor("box", tmp_path, lambda _: words, greeting=b"ready")
    with pytest.raises(TimedOutError, match=r"no (greeting|answer) within"):
        door.open(["probe"])
    door.close()


@pytest.mark.parametrize("text", ["[" * 200_000, "[" * 300 + "]" * 300, "", "{", "1 2", '"\\ud800"'])
def test_json_that_is_damaged_or_too_deep_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match="line 1"):
        parse_json(text)


def test_json_is_read_as_it_is_meant() -> None:
    assert parse_json(b'{"a":[1,2.5,null,true,"\xc3\xbc"]}') == {"a": [1, 2.5, None, True, "ü"]}
