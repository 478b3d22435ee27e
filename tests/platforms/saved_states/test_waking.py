"""What a restored guest is told, against a guest made of arithmetic."""

from __future__ import annotations

import io
import time
from typing import IO, Self

import pytest

from assay.platforms.errors import PlatformError
from assay.platforms.saved_states.memory_state import _pumping
from assay.platforms.saved_states.resume_setup import wake


class Pretended:
    """A guest whose clock is behind, and stays so where it is stubborn."""

    def __init__(self, behind_s: float, *, stubborn: bool = False, answer: bytes | None = None) -> None:
        self.behind_s, self.stubborn, self.answer = behind_s, stubborn, answer
        self.heard: list[str] = []

    def send(self, line: bytes) -> None:
        word, _, value = line.decode().partition(" ")
        self.heard.append(word)
        if word == "set" and not self.stubborn:
            self.behind_s = time.time() - float(value)

    def receive(self, timeout_s: float) -> bytes:
        return self.answer or f"{time.time() - self.behind_s:.9f}".encode()


def test_a_clock_that_stood_still_is_set_and_both_offsets_are_told() -> None:
    guest = Pretended(3600.0)
    reported = wake(guest, name="assay-x-b0")
    assert reported.found_s == pytest.approx(-3600, abs=0.1)
    assert reported.left_s == pytest.approx(0, abs=0.1)
    assert (guest.heard[0], guest.heard[-1]) == ("become", "draw")
    assert guest.heard.count("set") == 1


def test_a_clock_that_cannot_be_set_is_an_error_after_five_tries() -> None:
    guest = Pretended(5.0, stubborn=True)
    with pytest.raises(PlatformError, match=r"cannot set the clock of guest b: it is -5\.0\d\d s off"):
        wake(guest, name="b")
    assert guest.heard.count("set") == 5


def test_an_answer_that_is_no_time_is_an_error() -> None:
    with pytest.raises(PlatformError, match="got 'sh: date: not found'"):
        wake(Pretended(0.0, answer=b"sh: date: not found"), name="b")


class Full:
    """A file on a disk that is full."""

    def write(self, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def save_into(source: IO[bytes], sink: object) -> None:
    with _pumping(source, sink):
        msg = "cannot save the guest's state: Unable to write: Broken pipe"
        raise PlatformError(msg)


def test_a_full_disk_is_named_before_the_pipe_that_broke_for_it() -> None:
    with pytest.raises(PlatformError, match="No space left on device"):
        save_into(io.BytesIO(b"x"), Full())
