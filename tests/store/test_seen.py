"""What activities saw of machines: kept, right as long as the records are, and told by machine."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from assay.model.activity import ActivityState, PlannedGuest
from assay.model.machines.machine import Fingerprint
from assay.model.trial import Arm, PlannedTrial
from assay.store import tables as t
from assay.store.fingerprints import write_fingerprint
from assay.store.rows import KeptSummary
from assay.store.seen import boots_seen
from assay.store.store import Store
from tests.builders import FACTS, plan_of, record_of
from tests.results.methods.test_guest_method import GUEST

TRIALS = (PlannedTrial(0, 0, 0, Arm.BASELINE, 0, "spin"), PlannedTrial(1, 0, 1, Arm.TREATMENT, 0, "spin"))
ALONE = plan_of(TRIALS)
PLAN = replace(
    ALONE,
    treatment=replace(ALONE.treatment, label="guest", guest=PlannedGuest(1, 1 << 30, "none", "aa11")),
)
PLATFORM = replace(GUEST, hypervisor="QEMU 7.2.22", library="libvirt 9.0.0", image="aa11")
RECORDS = (
    record_of(TRIALS[0], 1.0, boot="first"),
    record_of(TRIALS[1], 1.0, machine="guest", boot="its-own", platform=PLATFORM),
)
CONTENT = json.dumps({"estimates": [], "machines": []})
TOLD = {"qemu": "QEMU 7.2.22", "libvirt": "libvirt 9.0.0", "image of guest in quick": "aa11"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "home")
    yield made
    made.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "home" / "activities" / PLAN.id
    (made / "facts").mkdir(parents=True)
    for boot, at_ns in (("first", 5), ("second", 7), ("its-own", 6)):
        write_fingerprint(made / f"facts/{boot}.json", Fingerprint(replace(FACTS, boot_id=boot), {}, at_ns))
    return made


def test_boots_of_the_machine_that_carries_guests_are_told_with_what_these_are_of(folder: Path) -> None:
    again = record_of(TRIALS[0], 1.0, boot="second")
    (first, second) = boots_seen(folder, PLAN, [*RECORDS, again, again])
    assert (first.machine, first.boot, first.taken_ns, dict(first.guests)) == ("local", "first", 5, TOLD)
    assert (second.boot, second.facts, second.guests) == ("second", first.facts, first.guests)
    assert first.path == folder / "facts/first.json"
    alone = [record_of(one, 1.0, boot="first") for one in TRIALS]
    assert [dict(one.guests) for one in boots_seen(folder, ALONE, alone)] == [{}]


def test_a_boot_whose_facts_cannot_be_read_is_left_out(folder: Path) -> None:
    (folder / "facts/first.json").write_text("{")
    assert boots_seen(folder, PLAN, RECORDS) == ()
    assert [
        one.boot for one in boots_seen(folder, PLAN, [*RECORDS, record_of(TRIALS[0], 1.0, boot="second")])
    ] == ["second"]


def test_what_was_seen_is_kept_by_activity_and_told_by_machine(store: Store, folder: Path) -> None:
    store.add_activity(PLAN, folder)
    boots = boots_seen(folder, PLAN, RECORDS)
    assert [row.id for row in store.unseen()] == [PLAN.id]
    (row,) = store.unseen()
    store.keep_seen(row, boots)
    store.keep_seen(row, boots)
    assert store.unseen() == ()
    assert tuple(store.boots_of("local")) == boots
    assert tuple(store.boots_of("guest")) == ()
    with store._engine.connect() as connection:
        (row,) = connection.execute(sa.text('SELECT result, machine, boot, "at" FROM boots')).mappings()
    assert (row["result"], row["machine"], row["boot"]) == (PLAN.id, "local", "first")
    with store._engine.begin() as connection:
        connection.execute(sa.update(t.seen).values(made_by="other rules"))
    assert [row.id for row in store.unseen()] == [PLAN.id]
    assert tuple(store.boots_of("local")) == ()


def test_nothing_is_kept_of_an_activity_without_a_row(store: Store, folder: Path) -> None:
    store.add_activity(PLAN, folder)
    (row,) = store.unseen()
    store.forget_own()
    store.keep_seen(row, boots_seen(folder, PLAN, RECORDS))
    assert tuple(store.boots_of("local")) == ()


def test_what_was_read_before_the_last_records_does_not_stand(store: Store, folder: Path) -> None:
    store.add_activity(PLAN, folder)
    (before,) = store.unseen()
    for record in RECORDS:
        store.add_record(replace(record, activity=PLAN.id))
    store.set_state(PLAN.id, ActivityState.COMPLETE, ended_ns=9)
    store.keep_seen(before, ())
    (now,) = store.unseen()
    store.keep_seen(now, boots_seen(folder, PLAN, RECORDS))
    assert store.unseen() == ()
    store.keep_seen(before, ())
    assert [row.id for row in store.unseen()] == [PLAN.id]


def test_two_that_keep_the_same_at_once_wait_for_each_other(store: Store, folder: Path) -> None:
    store.add_activity(PLAN, folder)
    (row,), boots = store.unseen(), boots_seen(folder, PLAN, RECORDS)
    other, failed = Store(store.home), list[BaseException]()

    def keep(one: Store) -> None:
        try:
            for _ in range(30):
                one.keep_seen(row, boots)
                one.keep_summary(KeptSummary(PLAN.id, 0, "it", "running", "2026", "", content=CONTENT))
        except BaseException as error:  # noqa: BLE001 - told by the test
            failed.append(error)

    threads = [threading.Thread(target=keep, args=(one,)) for one in (store, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other.close()
    assert failed == []
    assert tuple(store.boots_of("local")) == boots
