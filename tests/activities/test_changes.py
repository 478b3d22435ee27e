"""What changed of a machine between two looks at it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from shutil import rmtree

import pytest

from assay.activities.changes import Seen, changes_of, find_changes
from assay.model.activity import ActivityPlan, ActivityState, PlannedGuest
from assay.model.files.activities import activity_folder
from assay.model.machines.machine import Fingerprint
from assay.model.trial import Arm, PlannedTrial, State, Trial
from assay.report.lists.fingerprint import text_changes
from assay.store.fingerprints import write_fingerprint
from assay.store.record import write_activity, write_trial
from assay.store.store import Store
from tests.builders import FACTS, plan_of, record_of
from tests.results.methods.test_guest_method import GUEST


def seen(at_s: int, activity: str | None = None, *, kernel: str = "6.1", **general: object) -> Seen:
    facts = replace(FACTS, kernel=kernel, boot_id=str(at_s), **general)  # type: ignore[arg-type]
    groups = {"hardware": {"microcode": "0x1", "nodes": {"0": {"memory_bytes": at_s}}}}
    return Seen(Fingerprint(facts, groups, at_s * 10**9), activity)


def test_a_boot_and_memory_that_comes_bit_by_bit_are_no_change() -> None:
    assert list(find_changes([seen(1), seen(2), seen(3, memory_bytes=5)])) == []
    assert list(find_changes([])) == []
    assert text_changes("n01", []) == "nothing of n01 has changed between the looks at it"


def test_a_change_is_dated_and_names_the_results_on_its_two_sides() -> None:
    looks = [
        seen(1, "aaaa0000"),
        seen(2, "bbbb0000"),
        seen(3, kernel="6.6"),
        seen(4, "cccc0000", kernel="6.6"),
    ]
    (change,) = find_changes(looks)
    assert (change.after_ns, change.at_ns) == (2 * 10**9, 3 * 10**9)
    assert [(one.field, one.a, one.b) for one in change.differences] == [("kernel", "6.1", "6.6")]
    assert (change.before, change.since) == ("bbbb0000", "cccc0000")
    text = text_changes("n01", [change])
    assert "1970-01-01 00:00:03Z  general  kernel  6.1     6.6" in text
    assert text.endswith("assay result compare bbbb0000 cccc0000")


def test_without_a_result_on_one_side_nothing_is_compared() -> None:
    (change,) = find_changes([seen(1), seen(2, kernel="6.6")])
    assert (change.before, change.since) == (None, None)
    assert "compare" not in text_changes("n01", [change])


TRIALS = (PlannedTrial(0, 0, 0, Arm.BASELINE, 0, "spin"), PlannedTrial(1, 0, 1, Arm.TREATMENT, 0, "spin"))


def of_guests(qemu: str, image: str) -> tuple[ActivityPlan, list[Trial]]:
    """Return an activity with a guest of an image, made by a QEMU."""
    plan = plan_of(TRIALS)
    arm = replace(plan.treatment, label="guest", guest=PlannedGuest(1, 1 << 30, "none", image))
    platform = replace(GUEST, hypervisor=qemu, library="libvirt 9.0.0", image=image)
    there = record_of(TRIALS[1], 1.0, machine="guest", boot="guest-boot", platform=platform)
    return replace(plan, treatment=arm), [record_of(TRIALS[0], 1.0), there]


def test_another_qemu_or_image_is_a_change_since_it_was_last_told() -> None:
    old, new = {"qemu": "QEMU 7.2.22", "image of guest in quick": "aa"}, {"qemu": "QEMU 10.0.8"}
    looks = [
        replace(seen(1, "aaaa0000"), guests=old),
        seen(2),
        replace(seen(3, "bbbb0000"), guests=new | {"image of guest in basic": "cc"}),
        replace(seen(4, "cccc0000"), guests=new | {"image of guest in quick": "bb"}),
        replace(seen(5, "dddd0000"), guests=new),
    ]
    first, second = find_changes(looks)
    assert [(one.group, one.field, one.a, one.b) for one in first.differences] == [
        ("guests", "qemu", "QEMU 7.2.22", "QEMU 10.0.8")
    ]
    assert (first.after_ns, first.at_ns, first.before, first.since) == (
        10**9,
        3 * 10**9,
        "aaaa0000",
        "bbbb0000",
    )
    assert [(one.field, one.a, one.b) for one in second.differences] == [
        ("image of guest in quick", "aa", "bb")
    ]
    assert (second.after_ns, second.before, second.since) == (10**9, "bbbb0000", "cccc0000")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "home")
    yield made
    made.close()


def add(store: Store, id_: str, at_s: int, qemu: str = "QEMU 7.2.22", kernel: str = "6.1") -> Path:
    """Add an activity on this machine, with a guest, as an assay does that keeps nothing of what it saw."""
    folder, (plan, records) = activity_folder(store.home, id_), of_guests(qemu, "aa11")
    (folder / "facts").mkdir(parents=True)
    plan = replace(plan, id=id_, created_ns=at_s * 10**9)
    write_activity(folder, plan)
    store.add_activity(plan, folder)
    for record in records:
        place = folder / "trials" / record.planned.name
        place.mkdir(parents=True)
        write_trial(place, replace(record, activity=id_))
        store.add_record(replace(record, activity=id_))
    write_fingerprint(folder / "facts/local.json", seen(at_s, kernel=kernel).fingerprint)
    store.set_state(id_, ActivityState.COMPLETE, ended_ns=at_s * 10**9)
    return folder


def found_of(store: Store) -> list[tuple[object, ...]]:
    found = changes_of("local", home=store.home, store=store)
    return [
        (*[(one.field, one.b) for one in change.differences], change.before, change.since) for change in found
    ]


QEMU = (("qemu", "QEMU 10.0.8"), "aaaa0000", "bbbb0000")
KERNEL = (("kernel", "6.6"), "cccc0000", "dddd0000")


def test_changes_are_found_by_records_once_and_by_what_is_kept_then(store: Store) -> None:
    folders = [
        add(store, "aaaa0000", 1),
        add(store, "bbbb0000", 2, "QEMU 10.0.8"),
        add(store, "cccc0000", 3, "QEMU 10.0.8"),
    ]
    add(store, "dddd0000", 4, "QEMU 10.0.8", kernel="6.6")
    assert found_of(store) == [QEMU, KERNEL]
    assert store.unseen() == ()
    for folder in folders:
        rmtree(folder / "trials")
    (folders[2] / "facts/local.json").unlink()
    assert found_of(store) == [QEMU, KERNEL]
    assert changes_of("n01", home=store.home, store=store) == ()


def test_what_is_kept_of_an_activity_follows_its_records(store: Store) -> None:
    add(store, "aaaa0000", 1)
    folder = add(store, "bbbb0000", 2)
    assert found_of(store) == []
    store.import_folder(folder)
    assert store.unseen() == ()
    store.add_record(
        replace(of_guests("QEMU 7.2.22", "aa11")[1][0], activity="bbbb0000", state=State.WAITING)
    )
    assert [row.id for row in store.unseen()] == ["bbbb0000"]
    store.set_state("bbbb0000", ActivityState.RUNNING, ended_ns=None)
    assert store.unseen() == ()


def test_facts_that_can_no_longer_be_read_are_passed_over(store: Store) -> None:
    folders = [add(store, f"{at}aaa0000", at, kernel=f"6.{at}") for at in (1, 2, 3)]
    assert [change[0] for change in found_of(store)] == [("kernel", "6.2"), ("kernel", "6.3")]
    (folders[1] / "facts/local.json").write_text("{")
    assert found_of(store) == [(("kernel", "6.3"), "1aaa0000", "3aaa0000")]
    add(store, "4aaa0000", 4, kernel="6.4")
    (activity_folder(store.home, "4aaa0000") / "activity.json").write_text("{")
    assert found_of(store) == [(("kernel", "6.3"), "1aaa0000", "3aaa0000")]
    assert [row.id for row in store.unseen()] == ["4aaa0000"]


def test_another_homes_activities_tell_nothing_of_this_machine(store: Store, tmp_path: Path) -> None:
    add(store, "aaaa0000", 1)
    other = Store(tmp_path / "other")
    folder = add(other, "bbbb0000", 2, kernel="6.6")
    other.close()
    store.import_folder(folder)
    assert found_of(store) == []
    assert store.unseen() == ()
