"""A machine that another activity measures: refused with what helps, or waited for."""

from __future__ import annotations

from typing import Any

import pytest

from assay.cli import booked
from assay.platforms.errors import ClaimedError

TAKEN = ClaimedError("cannot start: local is measured by activity 1f", hint="wait until it has ended")


class Shown:
    """What is said meanwhile."""

    def __init__(self) -> None:
        self.steps: list[str] = []

    def step(self, text: str) -> None:
        self.steps.append(text)


def test_what_is_taken_is_tried_again_until_it_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(booked, "BOOKED_S", 0.0)
    tries: list[Any] = [TAKEN, TAKEN, "done"]

    def act() -> str:
        one = tries.pop(0)
        if isinstance(one, ClaimedError):
            raise one
        return str(one)

    shown: Any = Shown()
    assert booked.booked(act, shown, waits=True) == "done"
    assert shown.steps == [f"waiting: {TAKEN.message}"] * 2


def test_it_is_refused_at_once_where_nobody_waits() -> None:
    def act() -> None:
        raise TAKEN

    shown: Any = Shown()
    with pytest.raises(ClaimedError):
        booked.booked(act, shown, waits=False)
    assert shown.steps == []
