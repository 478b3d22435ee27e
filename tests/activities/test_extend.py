"""Going on with a finished activity: what it is refused to, and what it leaves before it runs."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assay.activities import extend
from assay.activities.pages import page_of
from assay.design.site_floor import Campaign, History
from assay.machines import UnreachableError
from assay.model.activity import ActivityPlan, ActivityState, PlannedGuest
from assay.model.errors import AssayError
from assay.model.extension import Former
from assay.model.machines.floor import SiteFloor
from assay.model.trial import Arm
from assay.platforms.claims import holder_pid
from assay.results.outcome import build_page
from assay.store.record import read_activity, read_trials, write_trial
from assay.store.store import Store
from tests.activities.test_evaluate import PLAN, measured
from tests.builders import FACTS, record_of


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Note what is looked at before anything is changed, without looking; what is put in is raised."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    seen: list[Any] = []

    def note(what: str) -> Any:
        def look(plan: ActivityPlan, *_folder: Path, **given: Any) -> str:
            held = holder_pid(given["home"], plan.id) is not None
            seen.append((what, held, len(read_activity(given["home"] / "activities" / plan.id).trials)))
            if FAILS in given["home"].parts and what == "machines":
                msg = "cannot reach far"
                raise UnreachableError(msg, machine="far")
            return "node"

        return look

    monkeypatch.setattr(extend, "require_ready", note("ready"))
    monkeypatch.setattr(extend, "look_around", note("machines"))
    return seen


FAILS = "fails"
"""Name of a home whose machines cannot be reached."""


def kept(home: Path, plan: ActivityPlan = PLAN, blocks: int = 3) -> Store:
    """Return a store with an activity of so many measured blocks."""
    folder = measured(home / "activities" / plan.id, plan, blocks)
    store = Store(home)
    store.import_folder(folder)
    return store


def longer(store: Store, blocks: int = 4) -> None:
    row = store.activity(PLAN.id, runs=True)
    extend.lengthen(row, blocks, home=store.home, store=store, watcher=None)  # type: ignore[arg-type]


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_plan_the_rows_and_what_was_said_are_there_before_it_goes_on(
    tmp_path: Path, looked: list[Any]
) -> None:
    store = kept(tmp_path)
    folder = store.activity(PLAN.id).folder
    (before,) = build_page(PLAN, tuple(read_trials(folder))).estimates
    longer(store)
    plan = read_activity(folder)
    assert plan.trials[: len(PLAN.trials)] == PLAN.trials
    assert (plan.blocks, len(plan.trials)) == (7, 21)
    (one,) = plan.extended
    (said,) = one.said
    assert (one.blocks, one.after) == (4, 3)
    assert (said.verdict, said.loss, said.low, said.high) == (
        str(before.verdict), before.loss, before.low, before.high,
    )  # fmt: skip
    assert looked == [("ready", True, 9), ("machines", True, 9)]
    row = store.activity(PLAN.id)
    assert (row.trials, row.ended, row.state, holder_pid(tmp_path, PLAN.id)) == (21, 9, "complete", None)


def test_what_it_needs_is_looked_at_before_anything_is_changed(tmp_path: Path, looked: list[Any]) -> None:
    store = kept(tmp_path / FAILS)
    folder, row = store.activity(PLAN.id).folder, store.activity(PLAN.id)
    before = everything(folder)
    with pytest.raises(UnreachableError, match="cannot reach far"):
        longer(store)
    assert everything(folder) == before
    assert (store.activity(PLAN.id), holder_pid(tmp_path / FAILS, PLAN.id)) == (row, None)


def test_until_a_further_trial_has_a_record_the_result_is_what_it_was(
    tmp_path: Path, looked: list[Any]
) -> None:
    store = kept(tmp_path)
    folder = store.activity(PLAN.id).folder
    before = page_of(folder)
    assert not extend.waits(folder)
    longer(store)
    after = page_of(folder)
    assert extend.waits(folder)
    assert after.next[0] == f"assay activity resume {PLAN.id}"
    assert not any("extend" in command for command in after.next)
    assert replace(after, next=()) == replace(before, next=())
    store.import_folder(folder)
    assert store.activity(PLAN.id).state is ActivityState.COMPLETE


def test_an_extension_of_which_nothing_ran_gives_way_to_another(tmp_path: Path, looked: list[Any]) -> None:
    store = kept(tmp_path)
    longer(store, 4)
    longer(store, 2)
    plan = read_activity(store.activity(PLAN.id).folder)
    assert (plan.blocks, [one.blocks for one in plan.extended]) == (5, [2])
    assert plan.extended[0].former == Former(3, adaptive=False, floor=None, ended=None)


def test_one_whose_trial_is_under_way_does_not_give_way(tmp_path: Path, looked: list[Any]) -> None:
    store = kept(tmp_path)
    folder = store.activity(PLAN.id).folder
    longer(store)
    (folder / "inflight.json").write_text("{}")
    with pytest.raises(AssayError, match="it is not finished") as refused:
        longer(store)
    assert refused.value.hint == f"assay activity resume {PLAN.id}"


def test_it_takes_the_site_s_history_of_now_as_a_new_activity_would(
    tmp_path: Path, looked: list[Any]
) -> None:
    def campaign(activity: str, machine: str) -> Campaign:
        return Campaign(activity, machine, 7, "spin", "spin", "events", ((0.01, 0.02), (0.03,)), False)  # noqa: FBT003

    content = History((campaign("89abcdef", "node"), campaign(PLAN.id, "node"), campaign("76543210", "far")))
    (tmp_path / "floor.json").write_text(json.dumps(asdict(content)))
    old = SiteFloor("node", 1, 1, 0, ())
    store = kept(tmp_path, replace(PLAN, floor=old))
    longer(store)
    plan = read_activity(store.activity(PLAN.id).folder)
    assert plan.floor is not None
    assert (plan.floor.machine, plan.floor.taken_ns, plan.floor.campaigns) == ("node", 7, 1)
    assert plan.extended[0].former == Former(3, adaptive=False, floor=old, ended=None)


def test_a_floor_is_old_by_the_time_of_the_extension(tmp_path: Path, looked: list[Any]) -> None:
    fresh = SiteFloor("node", PLAN.created_ns, 1, 0, ())
    store = kept(tmp_path, replace(PLAN, floor=fresh))
    folder = store.activity(PLAN.id).folder
    longer(store)
    plan = read_activity(folder)
    records = [*read_trials(folder), record_of(plan.trials[len(PLAN.trials)], 100.0)]
    for at_ns, old in ((PLAN.created_ns, False), (PLAN.created_ns + 40 * 86_400 * 10**9, True)):
        extended = replace(plan, extended=(replace(plan.extended[0], at_ns=at_ns),))
        codes = {doubt.code for doubt in build_page(extended, records).doubts}
        assert ("floor-old" in codes) is old


def test_machines_are_opened_and_claimed_and_guests_must_be_possible(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    acts: list[Any] = []

    class Environment:
        def __init__(self, plan: ActivityPlan, *_given: object) -> None:
            acts.append(plan.id)

        def reach(self) -> Any:
            acts.append("reach")
            return SimpleNamespace(fingerprint=SimpleNamespace(facts=FACTS))

        def close(self) -> None:
            acts.append("close")

    monkeypatch.setattr(extend, "Environment", Environment)
    monkeypatch.setattr(extend, "require_libvirt", lambda: acts.append("libvirt"))
    quiet: Any = SimpleNamespace(step=lambda _text: None)
    assert extend.look_around(PLAN, home=tmp_path, watcher=quiet) == FACTS.hostname
    assert acts == [PLAN.id, "reach", "close"]
    guest = replace(PLAN, treatment=replace(PLAN.treatment, guest=PlannedGuest(1, 1 << 30, "none", "image")))
    extend.look_around(guest, home=tmp_path, watcher=quiet)
    assert acts[3:] == ["libvirt", PLAN.id, "reach", "close"]


def test_its_page_says_that_it_was_extended_and_a_sequence_judges(tmp_path: Path, looked: list[Any]) -> None:
    store = kept(tmp_path)
    longer(store)
    folder = store.activity(PLAN.id).folder
    plan = read_activity(folder)
    for planned in plan.trials[len(PLAN.trials) :]:
        place = folder / "trials" / planned.name
        place.mkdir(parents=True)
        write_trial(
            place, record_of(planned, 100.0 if planned.arm is Arm.BASELINE else 66.0 + planned.index / 10)
        )
    page = build_page(plan, tuple(read_trials(folder)))
    assert page.result.state == "complete"
    assert "sequence" in page.estimates[0].method
    (sentence,) = (one for one in page.method if one.startswith("Extended on "))
    assert "from 3 blocks by 4, when it said: spin events 3" in sentence
    assert "however often one looks" in sentence


@pytest.mark.parametrize(
    ("plan", "blocks", "said", "hint"),
    [
        (PLAN, 2, "it is not finished", "assay activity resume 0123abcd"),
        (PLAN, 0, "it is not finished", "assay activity resume 0123abcd"),
        (replace(PLAN, proof_of="89abcdef"), 3, "a run of the proof of 89abcdef", "extend 89abcdef"),
    ],
)
def test_what_is_not_finished_or_no_result_is_refused(
    plan: ActivityPlan, blocks: int, said: str, hint: str, tmp_path: Path, looked: list[Any]
) -> None:
    store = kept(tmp_path, plan, blocks)
    before = (tmp_path / "activities" / PLAN.id / "activity.json").read_bytes()
    with pytest.raises(AssayError, match=f"cannot extend activity 0123abcd: {said}|{said}") as refused:
        longer(store)
    assert hint in (refused.value.hint or "")
    assert (tmp_path / "activities" / PLAN.id / "activity.json").read_bytes() == before
    assert (looked, holder_pid(tmp_path, PLAN.id)) == ([], None)


def test_what_was_imported_is_refused(tmp_path: Path, looked: list[Any]) -> None:
    store = kept(tmp_path)
    row = replace(store.activity(PLAN.id), origin="/elsewhere")
    with pytest.raises(AssayError, match="cannot extend activity 0123abcd: it was imported from /elsewhere"):
        extend.lengthen(row, 4, home=tmp_path, store=store, watcher=None)  # type: ignore[arg-type]
    assert looked == []
