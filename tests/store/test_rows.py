"""What the database says of activities and records: which row, which state, which time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from assay.design import plan_trials
from assay.model.activity import ActivityPlan, ActivityState
from assay.model.doubt import Doubt
from assay.model.errors import AssayError, UnknownNameError
from assay.model.machines.inventory import Entry
from assay.model.machines.machine import Machine, Reach
from assay.model.metric import Measurement
from assay.model.trial import State, Trial
from assay.store.record import write_activity, write_trial
from assay.store.store import Store
from tests.builders import RATE, plan_of, record_of

TRIALS = plan_trials(("spin",), blocks=1, seed=1)
PLAN = plan_of(TRIALS)
STEAL, SLOW = Doubt("steal", "5 %"), Doubt("slow", "It was slow.")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "home")
    yield opened
    opened.close()


def rows(store: Store, table: str) -> list[dict[str, object]]:
    with store._engine.connect() as connection:
        found = connection.execute(sa.text(f"SELECT * FROM {table} ORDER BY 1, 2, 3")).mappings()
        return [dict(row) for row in found]


def folder_of(store: Store, plan: ActivityPlan, *records: Trial) -> Path:
    """Write an activity's folder, and return it."""
    folder = store.home / "activities" / plan.id
    folder.mkdir(parents=True)
    write_activity(folder, plan)
    for record in records:
        place = folder / "trials" / record.planned.name
        place.mkdir(parents=True)
        write_trial(place, replace(record, activity=plan.id))
    return folder


def test_a_new_activity_runs_with_all_its_trials_waiting(store: Store) -> None:
    store.add_activity(PLAN, store.home / "somewhere")
    (row,) = store.activities()
    assert (row.id, row.scene, row.title, row.folder) == (
        "0123abcd",
        "quick",
        "A title",
        store.home / "somewhere",
    )
    assert (row.created_ns, row.ended_ns, row.state) == (PLAN.created_ns, None, ActivityState.RUNNING)
    assert (row.treatment, row.seed, row.trials, row.ended, row.failed) == ("other", 5, 3, 0, 0)
    waiting = [
        (one["index"], one["block"], one["slot"], one["arm"], one["replicate"])
        for one in rows(store, "trial")
    ]
    assert waiting == [(t.index, t.block, t.slot, t.arm, t.replicate) for t in TRIALS]
    assert {(one["state"], one["workload"]) for one in rows(store, "trial")} == {("waiting", "spin")}


def test_the_state_of_one_activity_is_not_that_of_another(store: Store) -> None:
    store.add_activity(PLAN, store.home)
    store.add_activity(replace(PLAN, id="ffff0000"), store.home)
    store.set_state("0123abcd", ActivityState.COMPLETE, ended_ns=7)
    states = {row.id: (row.state, row.ended_ns) for row in store.activities()}
    assert states == {"0123abcd": (ActivityState.COMPLETE, 7), "ffff0000": (ActivityState.RUNNING, None)}
    store.set_state("0123abcd", ActivityState.RUNNING, ended_ns=None)
    assert store.activity("0123").ended_ns is None


def test_a_record_is_in_its_own_row_with_its_figures_and_doubts(store: Store) -> None:
    store.add_activity(PLAN, store.home)
    store.add_activity(replace(PLAN, id="ffff0000"), store.home)
    record = record_of(TRIALS[1], 2.5, doubts=(STEAL, SLOW, STEAL), exit_code=3, cause="why")
    store.add_record(record)
    found = [one for one in rows(store, "trial") if one["state"] != "waiting"]
    assert [(one["activity"], one["index"]) for one in found] == [("0123abcd", 1)]
    reported = {
        name: found[0][name] for name in ("state", "machine", "cause", "exit_code", "started_ns", "ended_ns")
    }
    assert reported == {
        "state": "ended", "machine": "local", "cause": "why", "exit_code": 3,
        "started_ns": record.started_ns, "ended_ns": record.ended_ns,
    }  # fmt: skip
    (measured,) = rows(store, "measurement")
    key = {"activity": "0123abcd", "index": 1}
    figure = {"metric": "events", "unit": "events/s", "direction": "higher", "value": 2.5}
    assert measured == key | figure
    assert rows(store, "doubt") == [
        key | {"code": one.code, "sentence": one.sentence} for one in (SLOW, STEAL)
    ]


def test_the_same_record_again_changes_nothing_and_another_try_replaces_all_of_it(store: Store) -> None:
    store.add_activity(PLAN, store.home)
    store.add_record(record_of(TRIALS[0], 1.0, doubts=(STEAL,)))
    record = record_of(TRIALS[1], 2.5, doubts=(STEAL, SLOW))
    for _ in range(2):
        store.add_record(record)
    assert [one["value"] for one in rows(store, "measurement")] == [1.0, 2.5]
    assert [(one["index"], one["code"]) for one in rows(store, "doubt")] == [
        (0, "steal"),
        (1, "slow"),
        (1, "steal"),
    ]
    store.add_record(replace(record, doubts=(SLOW,), measurements=(Measurement(RATE, None),)))
    assert [one["value"] for one in rows(store, "measurement")] == [1.0, None]
    assert [(one["index"], one["code"]) for one in rows(store, "doubt")] == [(0, "steal"), (1, "slow")]


def test_activities_are_listed_the_newest_first(store: Store) -> None:
    for number, name in enumerate(("bb", "aa", "cc")):
        store.add_activity(replace(PLAN, id=name, created_ns=number), store.home)
    assert [row.id for row in store.activities()] == ["cc", "aa", "bb"]
    assert store.activity("last").id == "cc"


def test_the_last_is_not_the_run_of_a_proof_unless_these_are_asked_for(store: Store) -> None:
    for number, (name, proof) in enumerate(
        (("aaaaaaaa", None), ("bbbbbbbb", "aaaaaaaa"), ("cccccccc", "aaaaaaaa"))
    ):
        plan = replace(PLAN, id=name, created_ns=number, proof_of=proof)
        store.add_activity(plan, folder_of(store, plan))
    assert store.activity("last").id == "aaaaaaaa"
    assert store.activity("last", runs=True).id == "cccccccc"


def test_where_all_are_runs_of_a_proof_the_last_is_the_newest_and_one_that_cannot_be_read_is_none(
    store: Store,
) -> None:
    plan = replace(PLAN, id="aaaaaaaa", proof_of="ffffffff")
    store.add_activity(plan, folder_of(store, plan))
    assert store.activity("last").id == "aaaaaaaa"
    store.add_activity(replace(PLAN, id="bbbbbbbb", created_ns=1), store.home / "nowhere")
    assert store.activity("last").id == "bbbbbbbb"


def test_an_empty_name_names_no_activity(store: Store) -> None:
    store.add_activity(PLAN, store.home)
    with pytest.raises(UnknownNameError):
        store.activity("")


@pytest.mark.parametrize(
    ("values", "state"), [((1.0, 2.0, 3.0), ActivityState.COMPLETE), ((1.0,), ActivityState.INTERRUPTED)]
)
def test_an_imported_activity_stands_as_its_records_say_and_ended_with_the_last(
    store: Store, values: tuple[float, ...], state: ActivityState
) -> None:
    records = [record_of(trial, value) for trial, value in zip(TRIALS, values, strict=False)]
    store.import_folder(folder_of(store, PLAN, *records))
    row = store.activity("last")
    assert (row.state, row.ended_ns, row.ended) == (state, records[-1].ended_ns, len(values))


def test_an_imported_activity_without_records_has_no_end(store: Store) -> None:
    store.import_folder(folder_of(store, PLAN))
    assert store.activity("last").ended_ns is None


def test_an_import_leaves_other_activities_alone_and_replaces_its_own(store: Store) -> None:
    store.add_activity(replace(PLAN, id="ffff0000"), store.home)
    store.add_record(record_of(TRIALS[0], 9.0, activity="ffff0000"))
    store.add_activity(PLAN, store.home)
    store.add_record(record_of(TRIALS[0], 1.0, doubts=(STEAL,)))
    store.import_folder(folder_of(store, PLAN, record_of(TRIALS[1], 2.0, state=State.FAILED)))
    counts = {row.id: (row.trials, row.ended, row.failed) for row in store.activities()}
    assert counts == {"0123abcd": (3, 0, 1), "ffff0000": (3, 1, 0)}
    assert [one["value"] for one in rows(store, "measurement")] == [2.0, 9.0]
    assert rows(store, "doubt") == []


def test_the_inventory_is_sorted_by_name_after_this_machine(store: Store) -> None:
    for name in ("zebra", "apple"):
        store.add_machines([Entry(Machine(name, Reach.SSH, "host"))])
    assert [machine.name for machine in store.machines()] == ["local", "apple", "zebra"]
    assert [machine.reach for machine in store.machines()] == [Reach.LOCAL, Reach.SSH, Reach.SSH]
    store.remove_machines(["apple"])
    assert [machine.name for machine in store.machines()] == ["local", "zebra"]
    for name in ("local", "zebra"):
        with pytest.raises(AssayError, match=f"cannot add machine '{name}': the name is taken") as caught:
            store.add_machines([Entry(Machine(name, Reach.SSH, "elsewhere"))])
        assert caught.value.hint == f"assay machine remove {name}, or import with --replace"


def test_an_activity_of_this_home_is_found_by_its_whole_id_alone(store: Store) -> None:
    store.add_activity(PLAN, Path("/there"))
    assert store.own_activity(PLAN.id) == store.activity(PLAN.id)
    assert store.own_activity(PLAN.id[:4]) is None
    assert store.own_activity("last") is None


def test_trials_are_counted_beside_their_activity_each_once(store: Store) -> None:
    store.add_activity(PLAN, Path("/there"))
    first, second, *_ = PLAN.trials

    def counts() -> tuple[int, int, int]:
        row = store.activity(PLAN.id)
        return row.trials, row.ended, row.failed

    assert counts() == (len(PLAN.trials), 0, 0)
    for _ in range(2):
        store.add_record(record_of(first, 1.0, activity=PLAN.id))
        store.add_record(record_of(second, None, activity=PLAN.id, state=State.FAILED))
        assert counts() == (len(PLAN.trials), 1, 1)
    store.add_record(record_of(second, 2.0, activity=PLAN.id))
    assert counts() == (len(PLAN.trials), 2, 0)


def test_an_activity_is_named_by_the_beginning_of_its_id_in_its_own_letters(store: Store) -> None:
    for name in ("ab10_000", "ab1%0000", "AB100000"):
        store.add_activity(replace(PLAN, id=name), Path("/there"))
    assert store.activity("ab1%").id == "ab1%0000"
    assert store.activity("ab10_").id == "ab10_000"
    assert store.activity("AB").id == "AB100000"
    with pytest.raises(AssayError, match="cannot tell which activity 'ab1' is"):
        store.activity("ab1")
