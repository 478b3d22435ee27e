"""What takes long is not done after each trial."""

from __future__ import annotations

import pytest

from assay.activities import seldom
from assay.activities.seldom import Seldom


class Clock:
    """A monotonic clock that only moves when it is told."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(seldom, "time", made)
    return made


def test_what_is_quick_is_always_due(clock: Clock) -> None:
    one = Seldom()
    for _ in range(3):
        assert one.is_due()
        with one.taking():
            clock.now += 0.001
    assert one.is_due()
    assert one.since_s() == 0.0


def test_what_takes_long_has_a_small_share_of_the_time(clock: Clock) -> None:
    one = Seldom()
    with one.taking():
        clock.now += 0.3
    assert not one.is_due()
    clock.now += 999.9
    assert not one.is_due()
    clock.now += 0.2
    assert one.is_due()
    assert one.since_s() == pytest.approx(1000.1)


def test_what_need_not_be_fresh_waits_however_quick_it_is(clock: Clock) -> None:
    one = Seldom(60.0)
    assert one.is_due()
    with one.taking():
        clock.now += 0.001
    assert not one.is_due()
    clock.now += 60.1
    assert one.is_due()
