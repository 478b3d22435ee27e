"""A guest for a visit: what only its own kernel can tell is looked at before any trial."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest

from assay.activities.visits import visit
from assay.model.machines.clock import ClockReading
from assay.model.machines.machine import Fingerprint
from assay.model.platforms.platform import SeenFactor
from assay.platforms.errors import PlatformError
from assay.probe import HashedFile
from tests.activities.test_fingerprints import SEEN

OUTSIDE = SeenFactor("disk.cache", "none", "QMP")


@dataclass(frozen=True)
class Read:
    """A platform as read back."""

    factors: tuple[SeenFactor, ...] = (OUTSIDE,)


@dataclass
class Booted:
    """A guest, and its probe: clocks of its kernel one after the other, the last for good."""

    clocks: list[str]
    settings: tuple[tuple[str, str], ...] = (("disk.cache", "none"), ("guest.clocksource", "tsc"))
    image: str = "0" * 16
    name: str = "assay-guest"
    machine: None = None
    slept: list[float] = field(default_factory=list)

    @property
    def spec(self) -> Any:
        return SimpleNamespace(settings=self.settings, image=SimpleNamespace(digest=self.image))

    def platform(self) -> Read:
        return Read()

    def compare_clock(self) -> ClockReading:
        return ClockReading(0, 0, 0.0, 0.0)

    def fingerprint(self) -> Fingerprint:
        clock = self.clocks.pop(0) if len(self.clocks) > 1 else self.clocks[0]
        return replace(SEEN, facts=replace(SEEN.facts, clock_source=clock))


def opened(guest: Booted, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the visit of a guest whose door and clock are our own."""

    @contextmanager
    def door(*_: Any, **__: Any) -> Iterator[Any]:
        yield guest, SimpleNamespace(put=None, run=None, open=None, folder="/var/tmp")

    ticking = SimpleNamespace(monotonic=lambda: sum(guest.slept), sleep=guest.slept.append)
    monkeypatch.setattr(visit, "open_probe", door)
    monkeypatch.setattr(visit, "time", ticking)
    with visit.guest_visit(guest, "guest", "a1", home=None) as open_visit:  # type: ignore[arg-type]
        return open_visit


def test_a_level_that_the_guest_s_kernel_has_in_force_is_told_with_where_inside(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = opened(Booted(["tsc"]), monkeypatch)
    assert seen.platform.factors == (
        OUTSIDE,
        SeenFactor("guest.clocksource", "tsc", "clocksource0/current_clocksource in the guest"),
    )


def test_a_kernel_that_still_chooses_its_clock_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    guest = Booted(["kvm-clock", "tsc-early", "tsc"])
    assert opened(guest, monkeypatch).facts.clock_source == "tsc"
    assert len(guest.slept) == 2


def test_a_level_that_the_guest_s_kernel_ignores_never_runs_a_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    guest = Booted(["kvm-clock"])
    with pytest.raises(PlatformError, match=r"guest\.clocksource=tsc: it is kvm-clock, by clocksource0"):
        opened(guest, monkeypatch)
    assert sum(guest.slept) == visit.SETTLE_S


def test_a_guest_without_such_levels_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    guest = Booted(["hpet"], settings=(("disk.cache", "none"),))
    assert opened(guest, monkeypatch).platform.factors == (OUTSIDE,)
    assert guest.slept == []


def test_guests_of_one_image_know_the_files_that_any_of_them_has_hashed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, second, other = (
        opened(Booted(["tsc"], image=image), monkeypatch) for image in ("a" * 16, "a" * 16, "b" * 16)
    )
    first.hashed["/bin/job"] = HashedFile("/bin/job", "same", "0" * 64)
    assert second.hashed is first.hashed
    assert other.hashed == {}
