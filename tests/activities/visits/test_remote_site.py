"""Guests on another machine: the order in which its hypervisor is opened, what is asked of it, what is
refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.activities.visits import remote
from assay.activities.visits.remote import (
    RemoteSite,
    check_remote_guests,
    clean_machine,
    guests_here,
    is_remote,
    remote_site,
)
from assay.activities.visits.visit import CONNECT_S
from assay.model.activity import PlannedArm, PlannedGuest
from assay.model.errors import AssayError, MissingError
from assay.model.machines.machine import Limits, Machine, Reach
from assay.model.platforms.container import PlannedContainer, Runtime
from assay.model.platforms.data import DataSpec
from assay.model.platforms.layout import GuestShare
from assay.platforms.errors import PlatformError
from assay.platforms.guests.spec import Accelerator, GuestSpec
from assay.platforms.images.image import Image
from assay.platforms.leftovers.clean import Leftover
from assay.scenes import Guest, Scene
from tests.activities.doubles import Door, Watcher
from tests.builders import plan_of
from tests.scenes.parts import scene

FAR = Machine("far", Reach.SSH, "far.site", "root")
HOME, THERE = Path("/h"), Path("/var/lib/assay/remote")
WANTED = PlannedGuest(2, 1 << 30, "unsafe", "aaaa", (("disk.bus", "scsi"),))
TCG = Accelerator("tcg", "guests are emulated, for a test says so")


def image(digest: str, folder: Path = HOME) -> Image:
    where = folder / "images" / digest
    return Image(digest, where, where / "disk.raw", None, None, (), "6.1", 1, 1.0)


def arm(wanted: PlannedGuest | None, label: str = "guest") -> PlannedArm:
    return PlannedArm(label, FAR, Limits((1, 2)), wanted)


PLAN = plan_of((), baseline=arm(None, "host"), treatment=arm(WANTED))


@dataclass
class There:
    """Another machine: all that is done with it is noted, in order."""

    door: Door = field(default_factory=lambda: Door(name="far"))
    acts: list[Any] = field(default_factory=list)
    found: list[Leftover] = field(default_factory=list)

    @property
    def hypervisor(self) -> Any:
        return SimpleNamespace(door=self.door, home=THERE, here=HOME, name="far")

    def left(self, on: Any) -> tuple[Leftover, ...]:
        assert on.home == THERE
        return tuple(self.found)

    def noted(self, what: str, answer: Any = None) -> Callable[..., Any]:
        def act(*words: Any, **options: Any) -> Any:
            assert words[0].home == THERE
            self.acts.append((what, *words[1:], *options.items()))
            return answer

        return act

    def inside(self, what: str, answer: Any = None) -> Callable[..., Any]:
        @contextmanager
        def act(door: Door, *words: Any, **options: Any) -> Iterator[Any]:
            assert door is self.door
            assert not door.closed
            self.acts.append((what, *words, *options.items()))
            yield answer
            self.acts.append(f"leave {what}")

        return act


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch) -> There:
    made = There()

    def opened(machine: Machine, *, home: Path, connect_timeout_s: float) -> Door:
        made.acts.append(("door", machine.name, home, connect_timeout_s))
        made.door.closed = 0
        return made.door

    def brought(_door: Door, here: Image, home: Path, *, say: Callable[[str], None]) -> Image:
        say(f"bringing {here.digest}")
        return image(here.digest, home)

    monkeypatch.setattr(remote, "open_door", opened)
    monkeypatch.setattr(remote, "bring_image", brought)
    monkeypatch.setattr(remote, "image_by_digest", lambda home, digest: image(digest, home))
    monkeypatch.setattr(remote, "choose_remote_accelerator", made.noted("accelerator", TCG))
    monkeypatch.setattr(remote, "open_hypervisor", made.inside("hypervisor", made.hypervisor))
    monkeypatch.setattr(remote, "remote_claim", made.inside("claim"))
    monkeypatch.setattr(remote, "remote_connection", made.inside("connection"))
    monkeypatch.setattr(
        remote, "require_tools", lambda host, name: made.acts.append(("tools", host._door, name))
    )
    monkeypatch.setattr(remote, "leftovers_there", made.left)
    monkeypatch.setattr(remote, "clean_there", made.noted("clean", ()))
    return made


DOOR = ("door", "far", HOME, CONNECT_S)
OPEN = ("hypervisor", FAR, ("home", HOME))


def test_guests_are_elsewhere_where_the_machine_that_carries_them_is() -> None:
    here = replace(PLAN.treatment, machine=Machine("local"))
    assert [is_remote(one) for one in (PLAN.treatment, arm(None), here)] == [True, False, False]
    assert not guests_here(PLAN)
    assert guests_here(replace(PLAN, more=(here,)))


def test_a_hypervisor_is_held_with_its_images_there_and_left_in_order(there: There) -> None:
    elsewhere = replace(
        arm(replace(WANTED, image="dddd")), machine=Machine("further", Reach.SSH, "further.site")
    )
    more = (arm(replace(WANTED, image="bbbb")), arm(replace(WANTED, disk_cache="none")), elsewhere)
    plan, watcher = replace(PLAN, more=more), Watcher()
    with remote_site(plan, FAR, HOME, cast("Any", watcher)) as site:
        assert (site.hypervisor.home, site.door, site.activity) == (THERE, there.door, plan.id)
        assert site.images == {name: image(name, THERE) for name in ("aaaa", "bbbb")}
        assert site.accelerator == TCG
        assert not there.door.closed
    assert there.acts == [
        DOOR,
        OPEN,
        ("claim", THERE, plan.id),
        ("accelerator", image("aaaa", THERE), ("activity", plan.id)),
        "leave claim",
        "leave hypervisor",
    ]
    assert watcher.steps == ["reaching the hypervisor on far", "bringing aaaa", "bringing bbbb", TCG.why]
    assert there.door.closed == 1


def test_the_image_of_a_guest_as_baseline_is_brought_too_and_first(there: There) -> None:
    plan = replace(PLAN, baseline=arm(replace(WANTED, image="cccc"), "guest"))
    with remote_site(plan, FAR, HOME, cast("Any", Watcher())) as site:
        assert list(site.images) == ["cccc", "aaaa"]
    assert ("accelerator", image("cccc", THERE), ("activity", plan.id)) in there.acts


def test_a_door_is_closed_whatever_happens_behind_it(there: There) -> None:
    def fail() -> None:
        with remote.ssh_door(FAR, HOME) as door:
            assert door is cast("Any", there.door)
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        fail()
    assert there.door.closed == 1


def test_another_machine_as_carrier_is_looked_at_while_its_libvirt_answers(there: There) -> None:
    with remote.remote_host(FAR, HOME) as host:
        assert host._door is there.door
        assert there.acts == [DOOR, ("tools", there.door, "far"), ("connection", FAR, ("home", HOME))]
    assert there.acts[-1] == "leave connection"


def site_of(there: There) -> RemoteSite:
    return RemoteSite(
        there.hypervisor, cast("Any", there.door), "0123abcd", {"aaaa": image("aaaa", THERE)}, TCG
    )


def test_a_guest_of_a_block_is_asked_for_with_paths_and_a_port_of_its_machine(
    there: There, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[GuestSpec] = []
    monkeypatch.setattr(remote, "pick_port_there", lambda door: 20_001 if door is there.door else 0)
    monkeypatch.setattr(
        remote, "start_remote_guest", lambda on, spec: asked.append(spec) or ("guest", on.name)
    )
    share = GuestShare((1, 2), 1 << 30)
    assert site_of(there).boot(WANTED, share, "assay-0123abcd-b3") == cast("Any", ("guest", "far"))
    assert asked == [
        GuestSpec(
            name="assay-0123abcd-b3",
            activity="0123abcd",
            vcpus=2,
            memory_bytes=1 << 30,
            cpus=(1, 2),
            disk_cache="unsafe",
            image=image("aaaa", THERE),
            accelerator=TCG,
            tap=None,
            address=None,
            port=20_001,
            folder=THERE / "guests/assay-0123abcd-b3",
            settings=(("disk.bus", "scsi"),),
        )
    ]


def test_guests_there_are_found_and_ended_for_the_activity(
    there: There, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = site_of(there)
    monkeypatch.setattr(remote, "end_guests", there.noted("end"))
    monkeypatch.setattr(remote, "find_remote_guest", there.noted("find", "a guest"))
    site.clear()
    assert site.find("assay-b1") == cast("Any", "a guest")
    assert there.acts == [("end", "0123abcd"), ("find", "assay-b1")]


def test_what_crashes_left_there_is_listed_with_what_was_removed(
    there: There, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone, stays = (
        Leftover("guest", "one", "left"),
        Leftover("guest", "two", "holds a record", removable=False),
    )
    there.found += [gone, stays]
    monkeypatch.setattr(remote, "clean_there", there.noted("clean", (gone,)))
    assert clean_machine(FAR, HOME, dry_run=True) == ((gone, False), (stays, False))
    assert there.acts == [DOOR, OPEN, "leave hypervisor"]
    assert clean_machine(FAR, HOME, dry_run=False) == ((gone, True), (stays, False))
    assert ("clean",) in there.acts
    assert there.door.closed == 1


def test_this_machine_is_not_cleaned_from_afar() -> None:
    with pytest.raises(AssayError) as refused:
        clean_machine(Machine("local"), HOME, dry_run=True)
    assert refused.value.message == "cannot clean up on local from afar: it is this machine"
    assert refused.value.hint == "assay platform clean"


GUESTS = scene("{platform: guest}", "{machine: far}")


def test_plain_guests_can_be_had_there() -> None:
    assert check_remote_guests(GUESTS, FAR) == GUESTS.treatment
    both = replace(GUESTS, baseline_guest=Guest(disk_cache="unsafe"), more=(Guest(1),))
    assert check_remote_guests(both, FAR) == GUESTS.treatment


@pytest.mark.parametrize(
    "asked",
    [
        scene("{machine: local}"),
        scene("{platform: runc}"),
        replace(GUESTS, baseline_container=PlannedContainer(Runtime.RUNC)),
    ],
)
def test_another_machine_is_a_baseline_for_guests_alone(asked: Scene) -> None:
    with pytest.raises(AssayError) as refused:
        check_remote_guests(asked, FAR)
    assert refused.value.message == ("cannot use far as baseline: only guests are made on another machine")
    assert refused.value.hint == "treatment: {platform: guest}, or baseline: {machine: local}"


REFUSED = [
    (Guest(restored=True), "a saved state", "states are saved and restored on this machine only"),
    (Guest(settings=(("host.thp", "never"),)), "host.thp", "only this machine's settings are changed"),
    (Guest(settings=(("net.mtu", "9000"),)), "net.mtu", "the measured network is on this machine only"),
]


@pytest.mark.parametrize(("wanted", "what", "why"), REFUSED)
def test_what_guests_cannot_have_there_is_refused_of_each_of_them(wanted: Guest, what: str, why: str) -> None:
    for asked in (
        replace(GUESTS, treatment=wanted),
        replace(GUESTS, more=(wanted,)),
        replace(GUESTS, baseline_guest=wanted),
    ):
        with pytest.raises(MissingError) as refused:
            check_remote_guests(asked, FAR)
        assert refused.value.message == f"cannot use {what} for guests on far: {why}"
        assert refused.value.hint == "measure with baseline: {machine: local} on that machine"


def test_data_and_disks_without_a_driver_are_refused_there_too() -> None:
    with pytest.raises(
        MissingError, match="cannot use data for guests on far: their servers and folders are"
    ):
        check_remote_guests(replace(GUESTS, data=DataSpec(size_bytes=1, files=1)), FAR)
    with pytest.raises(PlatformError, match="cannot give a guest disk"):
        check_remote_guests(replace(GUESTS, treatment=Guest(settings=(("disk.bus", "usb"),))), FAR)
