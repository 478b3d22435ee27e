"""A booted guest's balloon: its driver is loaded, and what it shall take is waited for, but not for ever."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from assay.activities.visits import balloon
from assay.machines.errors import CommandError
from assay.platforms.errors import PlatformError

SMALL = (("memory.memballoon", "virtio"), ("memory.currentMemory", "1 GiB"))


class Booted:
    """A guest, and the door to it: how often it is looked at until its balloon has moved."""

    def __init__(self, settings: tuple[tuple[str, str], ...], *, looks: int, driver: bool = True) -> None:
        self.spec = SimpleNamespace(settings=settings)
        self.acts: list[str] = []
        self._looks, self._driver = looks, driver

    def run(self, argv: Sequence[str], *, timeout_s: float) -> bytes:
        self.acts.append(" ".join(argv))
        if not self._driver:
            raise CommandError("guest", argv, exit_code=1, stderr=f"not there, after {timeout_s}")
        return b""

    def platform(self) -> str:
        self.acts.append("look")
        if self.acts.count("look") < self._looks:
            msg = "cannot use guest: memory.currentMemory is 2 GiB, not 1 GiB"
            raise PlatformError(msg)
        return "as asked"


def read_back(booted: Any, monkeypatch: pytest.MonkeyPatch) -> object:
    slept: list[float] = []
    ticking = SimpleNamespace(monotonic=lambda: sum(slept), sleep=slept.append)
    monkeypatch.setattr(balloon, "time", ticking)
    return balloon.read_back(booted, booted)


def test_a_balloon_gets_its_driver_and_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    booted = Booted(SMALL, looks=3)
    assert read_back(booted, monkeypatch) == "as asked"
    assert booted.acts == ["modprobe virtio_balloon", "look", "look", "look"]


def test_a_guest_without_the_driver_is_looked_at_and_refused_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    booted = Booted(SMALL, looks=1000, driver=False)
    with pytest.raises(PlatformError, match="currentMemory is 2 GiB"):
        read_back(booted, monkeypatch)
    assert booted.acts.count("look") <= 2 * balloon.TAKEN_S + 1


def test_a_guest_without_a_balloon_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    booted = Booted((("disk.cache", "none"),), looks=2)
    with pytest.raises(PlatformError):
        read_back(booted, monkeypatch)
    assert booted.acts == ["look"]
