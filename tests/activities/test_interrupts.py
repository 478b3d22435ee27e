"""A lane that is asked to stop: between two acts, once, never within one that must end."""

from __future__ import annotations

import threading
import time

import pytest

from assay.activities.interrupts import Interrupts


def test_without_a_request_nothing_happens() -> None:
    interrupts = Interrupts(hears=False)
    with interrupts.installed():
        interrupts.check()
        interrupts.sleep(0.01)
    assert not interrupts.asked


def test_a_request_is_obeyed_once_at_the_next_check() -> None:
    interrupts = Interrupts(hears=False)
    interrupts.stop()
    with pytest.raises(KeyboardInterrupt):
        interrupts.check()
    interrupts.check()
    assert interrupts.asked


def test_an_act_that_must_end_ends_first() -> None:
    interrupts, ended = Interrupts(hears=False), []

    def act() -> None:
        with interrupts.held():
            interrupts.stop()
            interrupts.check()
            ended.append(True)

    with pytest.raises(KeyboardInterrupt):
        act()
    assert ended == [True]
    with interrupts.held():  # what is put back on the way out
        pass


def test_a_wait_ends_with_the_request() -> None:
    interrupts = Interrupts(hears=False)
    threading.Timer(0.05, interrupts.stop).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        interrupts.sleep(60)
    assert time.monotonic() - began < 30
