"""What changed of a machine between two looks at it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from assay.activities.changes import Seen, changes_of, find_changes, guests_of
from assay.model.activity import ActivityPlan, PlannedGuest
from assay.model.machines.machine import Fingerprint
from assay.model.trial import Arm, PlannedTrial, Trial
from assay.report.lists.fingerprint import text_changes
from assay.store.fingerprints import write_fingerprint
from assay.store.record import write_activity, write_trial
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


def test_activities_tell_of_qemu_and_of_the_image_of_each_treatment() -> None:
    plan, records = of_guests("QEMU 7.2.22", "aa11")
    assert guests_of("local", plan, records) == {
        "qemu": "QEMU 7.2.22",
        "libvirt": "libvirt 9.0.0",
        "image of guest in quick": "aa11",
    }
    assert guests_of("n01", plan, records) == {}
    assert guests_of("local", plan_of(TRIALS), [record_of(one, 1.0) for one in TRIALS]) == {}


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


def test_a_new_qemu_is_found_in_the_records_of_two_activities(tmp_path: Path) -> None:
    rows = []
    for at_s, (id_, qemu) in enumerate((("aaaa0000", "QEMU 7.2.22"), ("bbbb0000", "QEMU 10.0.8")), 1):
        folder, (plan, records) = tmp_path / id_, of_guests(qemu, "aa11")
        (folder / "facts").mkdir(parents=True)
        write_activity(folder, replace(plan, id=id_))
        for record in records:
            place = folder / "trials" / record.planned.name
            place.mkdir(parents=True)
            write_trial(place, replace(record, activity=id_))
        write_fingerprint(folder / "facts/local.json", seen(at_s).fingerprint)
        rows.append(SimpleNamespace(id=id_, folder=folder))
    store: Any = SimpleNamespace(activities_on=lambda _: rows)
    (change,) = changes_of("local", home=tmp_path, store=store)
    assert [(one.field, one.b) for one in change.differences] == [("qemu", "QEMU 10.0.8")]
    assert (change.before, change.since) == ("aaaa0000", "bbbb0000")
