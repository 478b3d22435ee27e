"""Questions and answers with a serving probe: one JSON object a line, one question at a time."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from assay.model.errors import MissingError, NoRoomError
from assay.model.files.json_text import parse_json
from assay.probe.door import Channel
from assay.probe.errors import ProbeError

ANSWER_S = 60.0
"""A busy guest under emulation answers within a few seconds; nothing measured waits for this."""
MOST_BYTES = 16 << 20
"""All lines that are heard until a question is answered; the facts of a machine of 768 processors
take 1 MiB.
"""


FULL = ("no space left on device", "disk quota exceeded")
"""The kernel's words for a full disk, as the probe says them."""


class Conversation:
    """Numbers the questions, so that an answer that came too late is not taken for the next one."""

    def __init__(self, channel: Channel, machine: str) -> None:
        self._channel, self._machine = channel, machine
        self._last = 0

    def ask(self, op: str, *, timeout_s: float = ANSWER_S, **fields: Any) -> Any:
        """Return the result of a request; it is sent once.

        Args:
            op: What is asked.
            timeout_s: From the question to its answer, whatever else is said meanwhile.
            fields: The request's.

        Raises:
            ProbeError: The probe refused it, its answer is no answer, or it says more than ``MOST_BYTES``.
            MissingError: What it was asked for is not there.
            NoRoomError: The disk there is full.
        """
        self._send(op, fields)
        return self._result(op, self._answer(op, timeout_s))

    def ask_patiently(
        self, op: str, *, tick: Callable[[], None], tick_s: float, timeout_s: float, **fields: Any
    ) -> Any:
        """Return the result of a request that is answered late, as ``ask``; whatever ``tick`` raises leaves
        it unheard.

        Args:
            op: What is asked.
            tick: Called once it is asked, and then about every ``tick_s`` while nothing is heard.
            tick_s: Time between two calls.
            timeout_s: From the first call to the answer.
            fields: The request's.
        """

        def listen(deadline: float) -> None:
            while (left_s := deadline - time.monotonic()) > 0:
                if self._channel.hears(min(tick_s, left_s)):
                    return
                tick()

        self._send(op, fields)
        tick()
        return self._result(op, self._answer(op, timeout_s, listen))

    def close(self) -> None:
        """End the conversation; what was started goes on."""
        self._channel.close()

    def _send(self, op: str, fields: Mapping[str, Any]) -> None:
        self._last += 1
        question = {"id": self._last, "op": op, **fields}
        self._channel.send(json.dumps(question, separators=(",", ":")).encode())

    def _answer(
        self, op: str, timeout_s: float, listen: Callable[[float], None] | None = None
    ) -> dict[str, Any]:
        """Return the first line that answers no earlier question; ``listen`` passes the time
        until each line.
        """
        deadline, left = time.monotonic() + timeout_s, MOST_BYTES
        while True:
            if listen is not None:
                listen(deadline)
            line = self._channel.receive(max(0.0, deadline - time.monotonic()))
            left -= len(line)
            answer = self._read(line)
            if not (isinstance(answer.get("id"), int) and answer["id"] < self._last):
                return answer
            if left < 0:
                raise self._no_answer(op, f" in {MOST_BYTES >> 20} MiB")
            if time.monotonic() > deadline:
                raise self._no_answer(op, f" within {timeout_s:g} s")

    def _read(self, line: bytes) -> dict[str, Any]:
        try:
            answer = parse_json(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            why = f"expected a JSON object, got {line[:80]!r}"
            raise self._unclear(why)
        return answer

    def _no_answer(self, op: str, why: str) -> ProbeError:
        return self._unclear(f"no answer to '{op}'{why}")

    def _unclear(self, why: str) -> ProbeError:
        msg = f"cannot understand the probe on {self._machine}: {why}"
        return ProbeError(msg, machine=self._machine)

    def _result(self, op: str, answer: dict[str, Any]) -> Any:
        if answer.get("ok") is True and answer.get("id") == self._last and "result" in answer:
            return answer["result"]
        if answer.get("ok") is False and isinstance(answer.get("error"), str):
            error = f"{answer['error']} (on {self._machine})"
            if any(word in error for word in FULL):
                raise NoRoomError(error, hint="free some space there")
            raise MissingError(error) if answer.get("missing") else ProbeError(error, machine=self._machine)
        raise self._no_answer(op, f": {str(answer)[:200]}")
