"""Guests from a saved state: when they are refused, and what is said of their figures."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.activities.arms import _against
from assay.activities.restored import check_restored, restored_doubts
from assay.model.activity import GuestWish, Side
from assay.model.errors import AssayError
from assay.scenes import Guest
from tests.builders import plan_of

HOST = plan_of(()).baseline
WISH = GuestWish(1, 1 << 30, "none", "0123")


def side(label: str, **changes: object) -> Side:
    return replace(HOST, label=label, guest=replace(WISH, **changes))


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
    check_restored(Guest(settings=(level,)))
    with pytest.raises(AssayError) as error:
        check_restored(Guest(settings=(level,), restored=True))
    assert error.value.message.startswith(f"cannot restore the guest of this scene from a saved state: {why}")
    assert error.value.hint == "start: boot"


def test_levels_of_devices_and_processors_go_with_a_restored_guest() -> None:
    settings = (("cpu.topology", "1/1/1"), ("disk.backing", "1"), ("disk.bus", "scsi"), ("net.queues", "1"))
    check_restored(Guest(settings=settings, restored=True))


def test_guests_that_boot_have_no_doubt() -> None:
    assert not [*restored_doubts(HOST, [side("guest")])]


def test_visits_of_one_boot_are_doubted_with_what_their_interval_leaves_out() -> None:
    (doubt,) = restored_doubts(HOST, [side("guest", restored=True)])
    assert doubt.code == "one-boot"
    assert doubt.sentence.startswith("guest: every visit is restored from one saved state")
    assert "What differs from boot to boot is in no interval" in doubt.sentence


def test_a_booted_guest_against_a_restored_one_is_doubted_for_that() -> None:
    doubts = [*restored_doubts(side("one"), [side("two", restored=True)])]
    assert [doubt.code for doubt in doubts] == ["one-boot", "boots-differ"]
    assert doubts[1].sentence.startswith("one boots in each visit and two does not")
    alike = restored_doubts(side("one", restored=True), [side("two", restored=True)])
    assert [doubt.code for doubt in alike] == ["one-boot"]


def test_guests_that_differ_in_what_they_start_from_are_called_by_that() -> None:
    plain = side("guest")
    assert _against(plain, side("guest", restored=True)).label == "guest, start restored"
    packages = side("guest", image="4567", packages=("bc", "xrootd-client"))
    assert _against(plain, packages).label == "guest, image with bc xrootd-client"
    assert _against(packages, plain).label == "guest, image 0123"
