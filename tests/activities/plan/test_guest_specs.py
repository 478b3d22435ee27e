"""Guests of an arm as they are asked for, alone or several at once, and gone when a visit is over."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.activities.interrupts import Interrupts
from assay.activities.plan.guest_specs import GuestSpecs, cards
from assay.activities.visits import guests as several
from assay.activities.visits.guests import several_visits
from assay.activities.visits.visit import Visit
from assay.model.activity import PlannedArm, PlannedGuest
from assay.model.machines.machine import Limits, Machine
from assay.model.platforms.layout import GuestShare
from assay.model.work.page_cache import CacheState
from assay.platforms.bench_network.bench_links import bench_names
from assay.platforms.data_servers.serve import data_folder
from assay.platforms.filesystems import share
from assay.platforms.guests.spec import Accelerator, GuestSpec
from assay.platforms.images.image import list_images
from tests.activities.doubles import Door, visit_at
from tests.platforms.images.test_image_stored import make

TCG = Accelerator("tcg", "the test says so")
WANTED = PlannedGuest(4, 4 << 30, "unsafe", "a" * 16, (("disk.bus", "scsi"),))
GUEST = PlannedArm("guest", Machine("local"), Limits((1, 2)), WANTED, cache=CacheState.WARM)
PART = GuestShare((2,), 1 << 30)


def test_a_guest_has_its_part_of_the_arm_and_all_levels_of_it(tmp_path: Path) -> None:
    make(tmp_path, "a" * 16)
    (image,) = list_images(tmp_path)
    specs = GuestSpecs("0123abcd", tmp_path, TCG)
    alone = GuestSpec(
        name="assay-b0",
        activity="0123abcd",
        vcpus=1,
        memory_bytes=1 << 30,
        cpus=(2,),
        disk_cache="unsafe",
        image=image,
        accelerator=TCG,
        tap=None,
        address=None,
        port=20_001,
        folder=tmp_path / "guests/assay-b0",
        settings=(("disk.bus", "scsi"),),
        share=None,
    )
    assert specs.spec(GUEST, PART, name="assay-b0", port=20_001, card=None) == alone
    network = bench_names("assay-x")
    (card,) = cards(network, 1)
    joined = specs.spec(GUEST, PART, name="assay-b0", port=20_001, card=card)
    assert joined == replace(alone, tap=network.tap, address="198.18.0.15/24")
    shared = replace(GUEST, data=(("data.access", "virtiofs"), ("data.virtiofs-cache", "always")))
    files = data_folder(tmp_path, "0123abcd") / "files"
    given = specs.spec(shared, PART, name="assay-b0", port=20_001, card=None)
    assert given == replace(alone, share=share.SharedFolder("virtiofs", files, "always"))


def test_a_machine_is_never_asked_for_as_a_guest(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"^BUG: guest is no PlannedGuest$"):
        GuestSpecs("a", tmp_path, TCG).spec(replace(GUEST, guest=None), PART, name="n", port=1, card=None)


class Guests:
    """Guests that start together: what is done with each is noted."""

    def __init__(self) -> None:
        self.acts: list[Any] = []
        self.stubborn = ""

    def start(self, connection: str, specs: Any, **options: Any) -> tuple[Any, ...]:
        self.acts.append((connection, options))
        return tuple(self._guest(spec) for spec in specs)

    def _guest(self, spec: Any) -> Any:
        return SimpleNamespace(
            spec=spec,
            name=spec.name,
            destroy=lambda: self._destroy(spec.name),
            end=lambda: self.acts.append(f"end {spec.name}"),
        )

    def _destroy(self, name: str) -> None:
        self.acts.append(f"destroy {name}")
        if name == self.stubborn:
            msg = f"{name} stays"
            raise RuntimeError(msg)

    @contextmanager
    def visit(self, guest: Any, label: str, activity: str, *, home: Path, through: object) -> Iterator[Visit]:
        assert through is None
        self.acts.append(f"open {guest.name} as {label} of {activity} in {home}")
        yield visit_at(Door(name=guest.name), guest=guest)
        self.acts.append(f"close {guest.name}")


@pytest.fixture
def guests(monkeypatch: pytest.MonkeyPatch) -> Guests:
    made = Guests()
    monkeypatch.setattr(several, "start_guests", made.start)
    monkeypatch.setattr(several, "guest_visit", made.visit)
    return made


def opened(guests: Guests) -> Any:
    specs = [
        SimpleNamespace(name=name, activity="0123abcd", home=Path("/h")) for name in ("one", "two", "six")
    ]
    host = cast("Any", "probe of the host")
    return several_visits("connection", cast("Any", specs), GUEST, host=host, interrupts=Interrupts())


def test_the_first_of_several_guests_has_the_others_beside_it(guests: Guests) -> None:
    with opened(guests) as first:
        visits = (first, *first.beside)
        assert [visit.machine for visit in visits] == ["one", "two", "six"]
        assert {visit.host for visit in visits} == {"probe of the host"}
        assert {visit.cache for visit in visits} == {CacheState.WARM}
        assert guests.acts == [
            ("connection", {"at_once": 2, "timeout_s": 240.0}),
            *(f"open {name} as guest of 0123abcd in /h" for name in ("one", "two", "six")),
        ]
    assert guests.acts[4:7] == ["close six", "close two", "close one"]
    assert sorted(guests.acts[7:10]) == ["end one", "end six", "end two"]
    assert sorted(guests.acts[10:]) == ["destroy one", "destroy six", "destroy two"]


def test_all_of_several_guests_go_where_one_does_not(guests: Guests) -> None:
    guests.stubborn = "two"
    with pytest.raises(RuntimeError, match="two stays"), opened(guests):
        pass
    for name in ("one", "two", "six"):
        assert f"destroy {name}" in guests.acts
