"""Guests from a saved state: when they are refused, and what is said of their figures."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.activities.plan.kinds.labels import against
from assay.activities.visits import restored
from assay.activities.visits.restored import check_restored, restored_doubts
from assay.machines.ssh.talk import talk
from assay.model.activity import PlannedArm, PlannedGuest
from assay.model.errors import AssayError, MissingError
from assay.model.platforms.layout import Layout
from assay.report.doubts import worded
from assay.scenes import Guest
from tests.activities.doubles import Watcher
from tests.builders import plan_of
from tests.factors.parts import FakeHost

HOST = plan_of(()).baseline
WANTED = PlannedGuest(1, 1 << 30, "none", "0123")


def arm(label: str, **changes: object) -> PlannedArm:
    return replace(HOST, label=label, guest=replace(WANTED, **changes))


@pytest.mark.parametrize(
    ("level", "why"),
    [
        (("memory.hugepages", "2 MiB"), "memory.hugepages takes hold while it boots"),
        (("memory.nosharepages", "on"), "memory.nosharepages takes hold while it boots"),
        (("host.thp", "always"), "host.thp takes hold while it boots"),
        (("disk.preallocation", "full"), "its disk is not one overlay over its image"),
        (("disk.format", "raw"), "its disk is not one overlay over its image"),
        (("disk.backing", "3"), "its disk is not one overlay over its image"),
        (("disk.host-filesystem", "xfs"), "its disk is not one overlay over its image"),
        (("data.access", "virtiofs"), "QEMU does not save a guest with a folder shared by virtiofs"),
        (("disk.guest-filesystem", "xfs"), "its disk is not one overlay over its image"),
    ],
)
def test_a_level_that_takes_hold_at_boot_is_refused_with_a_restored_guest(
    level: tuple[str, str], why: str
) -> None:
    check_restored(Guest(settings=(level,)), on=FakeHost())
    with pytest.raises(AssayError) as error:
        check_restored(Guest(settings=(level,), restored=True), on=FakeHost())
    assert error.value.message.startswith(f"cannot restore the guest of this scene from a saved state: {why}")
    assert error.value.hint == "start: boot"


def test_levels_of_devices_and_processors_go_with_a_restored_guest() -> None:
    settings = (("cpu.topology", "1/1/1"), ("disk.backing", "1"), ("disk.bus", "scsi"), ("net.queues", "1"))
    check_restored(Guest(settings=settings, restored=True), on=FakeHost())


def test_a_libvirt_that_cannot_give_qemu_a_state_is_too_old_for_a_restored_guest() -> None:
    older = FakeHost(libvirt=(8, 0, 0))
    check_restored(Guest(), on=older)
    check_restored(Guest(restored=True), on=FakeHost(libvirt=(8, 2, 0)))
    with pytest.raises(MissingError) as error:
        check_restored(Guest(restored=True), on=older)
    assert error.value.message == (
        "cannot restore the guest of this scene from a saved state: needs libvirt 8.2, here is 8.0"
    )
    assert error.value.hint == "start: boot"


def test_guests_that_boot_have_no_doubt() -> None:
    assert not [*restored_doubts(HOST, [arm("guest")])]


def test_visits_of_one_boot_are_doubted_with_what_their_interval_leaves_out() -> None:
    (doubt,) = restored_doubts(HOST, [arm("guest", restored=True)])
    assert doubt.code == "one-boot"
    assert worded(doubt).sentence.startswith("guest: every visit is restored from one saved state")
    assert "What differs from boot to boot is in no interval" in worded(doubt).sentence


def test_a_booted_guest_against_a_restored_one_is_doubted_for_that() -> None:
    doubts = [*restored_doubts(arm("one"), [arm("two", restored=True)])]
    assert [doubt.code for doubt in doubts] == ["one-boot", "boots-differ"]
    assert worded(doubts[1]).sentence.startswith("one boots in each visit and two does not")
    alike = restored_doubts(arm("one", restored=True), [arm("two", restored=True)])
    assert [doubt.code for doubt in alike] == ["one-boot"]


def test_guests_that_differ_in_what_they_start_from_are_called_by_that() -> None:
    plain = arm("guest")
    assert against(plain, arm("guest", restored=True)).label == "guest, start restored"
    packages = arm("guest", image="4567", packages=("bc", "xrootd-client"))
    assert against(plain, packages).label == "guest, image with bc xrootd-client"
    assert against(packages, plain).label == "guest, image 0123"


def test_guests_of_a_layout_are_not_restored() -> None:
    several = Guest(layout=Layout(2), restored=True)
    with pytest.raises(AssayError) as error:
        check_restored(several, on=FakeHost())
    assert error.value.message == (
        "cannot restore the guest of this scene from a saved state: guests of a layout boot, "
        "since those of one state have the same addresses"
    )
    check_restored(replace(several, restored=False), on=FakeHost())


def test_doubts_of_restored_guests_are_told_whole() -> None:
    first, second = restored_doubts(
        arm("one"), [arm("two", restored=True), HOST, arm("three", restored=True), arm("four")]
    )
    assert worded(first).sentence == (
        "two, three: every visit is restored from one saved state, so that all its trials share "
        "one boot. What "
        "differs from boot to boot is in no interval: this is for trying out, not for publishing."
    )
    assert worded(second).sentence == (
        "one, four boots in each visit and two, three does not: their loss holds what a boot "
        "leaves, such as memory touched for the first time and a cold page cache."
    )


class Saving:
    """A home of saved states: what was made for them is noted."""

    def __init__(self, found: str | None = None, *, fails: bool = False) -> None:
        self.acts: list[Any] = []
        self.found, self.fails = found, fails

    def start(self, *words: str) -> Any:
        self.acts.append(("start", *words))
        return SimpleNamespace(name="booted", destroy=lambda: self.acts.append("destroy"))

    def save(self, guest: Any, *, talk: object) -> str:
        self.acts.append(("save", guest.name, talk))
        if self.fails:
            raise RuntimeError("stop")
        return "saved now"

    def restore(self, *words: str, talk: object) -> str:
        self.acts.append(("restore", *words, talk))
        return "restored"

    def into(self, monkeypatch: pytest.MonkeyPatch) -> Saving:
        monkeypatch.setattr(restored, "find_saved", lambda *_: self.found)
        monkeypatch.setattr(restored, "start_guest", self.start)
        monkeypatch.setattr(restored, "save_guest", self.save)
        monkeypatch.setattr(restored, "restore_guest", self.restore)
        return self


def made(watcher: Watcher) -> Any:
    return restored.restored_guest(cast("Any", "libvirt"), cast("Any", "spec"), cast("Any", watcher))


def test_a_guest_comes_from_the_state_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    saving, watcher = Saving("saved before").into(monkeypatch), Watcher()
    assert made(watcher) == "restored"
    assert saving.acts == [("restore", "libvirt", "saved before", "spec", talk)]
    assert watcher.steps == []


def test_a_state_that_is_not_there_is_saved_from_a_guest_that_is_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    saving, watcher = Saving().into(monkeypatch), Watcher()
    assert made(watcher) == "restored"
    assert saving.acts == [
        ("start", "libvirt", "spec"),
        ("save", "booted", talk),
        "destroy",
        ("restore", "libvirt", "saved now", "spec", talk),
    ]
    assert watcher.steps == ["booting a guest and saving it: what follows is restored from that"]


def test_a_guest_that_cannot_be_saved_is_ended_too(monkeypatch: pytest.MonkeyPatch) -> None:
    saving = Saving(fails=True).into(monkeypatch)
    with pytest.raises(RuntimeError, match="stop"):
        made(Watcher())
    assert saving.acts[-1] == "destroy"
