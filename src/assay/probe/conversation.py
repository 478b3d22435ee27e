"""Questions and answers with a serving probe: one JSON object a line, one question at a time."""

from __future__ import annotations

import json
from typing import Any

from assay.model.errors import MissingError
from assay.probe.door import Channel
from assay.probe.errors import ProbeError

ANSWER_S = 60.0
"""A busy guest under emulation answers within a few seconds; nothing measured waits for this."""


class Conversation:
    """Numbers the questions, so that an answer that came too late is not taken for the next one."""

    def __init__(self, channel: Channel, machine: str) -> None:
        self._channel, self._machine = channel, machine
        self._last = 0

    def ask(self, op: str, *, timeout_s: float = ANSWER_S, **fields: Any) -> Any:
        """Return the result of a request; it is sent once.

        Raises:
            ProbeError: The probe refused it, or its answer is no answer.
            MissingError: What it was asked for is not there.
        """
        self._last += 1
        question = {"id": self._last, "op": op, **fields}
        self._channel.send(json.dumps(question, separators=(",", ":")).encode())
        answer = self._hear(timeout_s)
        while isinstance(answer.get("id"), int) and answer["id"] < self._last:
            answer = self._hear(timeout_s)
        return self._result(op, answer)

    def close(self) -> None:
        """End the conversation; what was started goes on."""
        self._channel.close()

    def _hear(self, timeout_s: float) -> dict[str, Any]:
        line = self._channel.receive(timeout_s)
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            msg = f"cannot understand the probe on {self._machine}: expected JSON, got {line[:80]!r}"
            raise ProbeError(msg, machine=self._machine)
        return answer

    def _result(self, op: str, answer: dict[str, Any]) -> Any:
        if answer.get("ok") is True and answer.get("id") == self._last and "result" in answer:
            return answer["result"]
        if answer.get("ok") is False and isinstance(answer.get("error"), str):
            said = f"{answer['error']} (on {self._machine})"
            raise MissingError(said) if answer.get("missing") else ProbeError(said, machine=self._machine)
        msg = f"cannot understand the probe on {self._machine}: no answer to '{op}': {answer}"
        raise ProbeError(msg, machine=self._machine)
