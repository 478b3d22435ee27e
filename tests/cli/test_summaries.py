"""Results in short: made once, kept, and made anew where what they are of has changed."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from assay.activities import pages
from assay.activities import summaries as room
from assay.activities.keeping import RowKeeper
from assay.activities.pages import page_of, write_page
from assay.activities.summaries import keep_summary, summaries, summary_of
from assay.model.activity import ActivityState
from assay.model.errors import AssayError
from assay.model.version import __version__
from assay.pages.context import Page
from assay.pages.decode import decode
from assay.pages.summary import Summary
from assay.pages.version import VERSION
from assay.store.record import read_trial, write_trial
from assay.store.rows import ActivityRow
from assay.store.store import Store
from tests.command import run
from tests.results.test_outcome import PLAN


@pytest.fixture
def store(measured: Path) -> Iterator[Store]:
    opened = Store(measured)
    yield opened
    opened.close()


class Reading:
    """Reads pages, and notes of which."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def __call__(self, row: ActivityRow) -> Page:
        self.read.append(row.id)
        return page_of(row.folder)


def listed(store: Store, page: Callable[[ActivityRow], Page]) -> dict[str, str]:
    """Return the headlines of all results; none may be left out."""
    return {name: kept.headline for name, kept in summaries(store, store.activities(), page, _refuse)}


def _refuse(activity: str, error: AssayError) -> None:
    raise AssertionError(f"{activity}: {error.message}")


def test_it_says_what_the_page_says(store: Store) -> None:
    page = page_of(store.activity(PLAN.id).folder)
    summary = summary_of(page)
    assert summary.result == page.result
    for short, whole in zip(summary.estimates, page.estimates, strict=True):
        assert vars(short) == {name: getattr(whole, name) for name in vars(short)}
    assert summary.doubts == page.doubts
    probes = [(trial.probe.cpu_share, trial.wall_s) for trial in page.trials if trial.probe]
    assert probes
    assert summary.probe_cpu_s == pytest.approx(sum((share or 0) * (wall or 0) for share, wall in probes))
    content = json.loads(keep_summary(store, page).content)
    assert content["estimates"][0]["loss"] == page.estimates[0].loss
    assert store.contents([PLAN.id])[PLAN.id] == keep_summary(store, page).content


def test_its_facts_are_equal_where_nothing_differs_of_where_it_ran(store: Store) -> None:
    page = page_of(store.activity(PLAN.id).folder)
    systems = (replace(page.systems[0], kernel="7.0.0"), *page.systems[1:])
    facts = summary_of(page).facts
    assert facts is not None
    assert summary_of(replace(page, next=())).facts == facts
    assert summary_of(replace(page, systems=systems)).facts != facts
    assert summary_of(replace(page, systems=(), trials=())).facts is None
    assert summary_of(replace(page, systems=(), trials=())).probe_cpu_s is None


def test_one_of_an_earlier_format_is_read_without_what_it_did_not_tell(store: Store) -> None:
    kept = asdict(summary_of(page_of(store.activity(PLAN.id).folder)))
    earlier = {name: value for name, value in kept.items() if name not in ("facts", "probe_cpu_s")}
    read = decode(Summary, earlier, "summary")
    assert (read.facts, read.probe_cpu_s) == (None, None)
    assert decode(Summary, kept, "summary").probe_cpu_s == kept["probe_cpu_s"]


def test_records_are_read_once_and_again_when_there_are_others(store: Store) -> None:
    page = Reading()
    first = listed(store, page)
    assert listed(store, page) == first
    assert page.read == [PLAN.id]
    folder = store.activity(PLAN.id).folder
    shutil.rmtree(folder / "trials" / PLAN.trials[-1].name)
    store.import_folder(folder)
    listed(store, page)
    listed(store, page)
    assert page.read == [PLAN.id] * 2


def test_of_one_that_runs_the_last_look_is_listed_as_long_as_it_is_conducted(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = store.activity(PLAN.id).folder
    later = folder / "trials" / PLAN.trials[-1].name
    last = read_trial(later)
    shutil.rmtree(later)
    store.import_folder(folder)
    store.set_state(PLAN.id, ActivityState.RUNNING, ended_ns=None)
    RowKeeper(store, PLAN.id, folder, lambda _: None).look(lambda: page_of(folder, sampled=False))
    later.mkdir()
    write_trial(later, last)
    store.add_record(last)
    page = Reading()
    with monkeypatch.context() as patched:
        patched.setattr("assay.platforms.claims.is_live", lambda *_: True)
        (kept,) = [one for _, one in summaries(store, store.activities(), page, _refuse)]
    assert (kept.records, kept.state, page.read) == (len(PLAN.trials) - 1, "running", [])
    assert [row.id for row in store.without_summary(room.MADE_BY)] == [PLAN.id]
    assert store.page_digest(PLAN.id, room.MADE_BY) is None
    (kept,) = [one for _, one in summaries(store, store.activities(), page, _refuse)]
    assert (kept.records, page.read) == (len(PLAN.trials), [PLAN.id]), "it was cut off since"


def test_a_record_in_the_place_of_another_takes_what_was_kept_with_it(store: Store) -> None:
    folder = store.activity(PLAN.id).folder
    keep_summary(store, page_of(folder))
    store.add_record(read_trial(folder / "trials" / PLAN.trials[0].name))
    assert store.summaries(room.MADE_BY) == {}


def test_what_another_assay_made_is_made_anew(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    page = Reading()
    listed(store, page)
    monkeypatch.setattr(room, "MADE_BY", "a later one")
    listed(store, page)
    listed(store, page)
    assert page.read == [PLAN.id] * 2


def test_a_change_of_what_is_kept_counts_its_format_on(store: Store) -> None:
    def rounded(value: object) -> object:
        if isinstance(value, dict):
            return {name: rounded(one) for name, one in value.items()}
        if isinstance(value, list):
            return [rounded(one) for one in value]
        return float(f"{value:.9g}") if isinstance(value, float) else value

    content = json.loads(keep_summary(store, page_of(store.activity(PLAN.id).folder)).content)
    digest = hashlib.sha256(json.dumps(rounded(content), sort_keys=True).encode()).hexdigest()[:12]
    assert (room.FORMAT, digest) == (4, "199ffd911639"), "increment FORMAT, and write both here"


def test_a_new_version_of_assay_reads_no_record_again() -> None:
    assert __version__ not in room.MADE_BY
    assert f"{'.'.join(map(str, VERSION))} {room.FORMAT}" == room.MADE_BY


def test_one_that_cannot_be_read_is_told_and_hides_no_other(store: Store) -> None:
    left_out: list[str] = []
    rows = [store.activity(PLAN.id), replace(store.activity(PLAN.id), id="ffffffff", folder=Path("/nowhere"))]
    page = Reading()
    found = dict(summaries(store, rows, page, lambda activity, _: left_out.append(activity)))
    assert ([*found], left_out) == ([PLAN.id], ["ffffffff"])


def test_the_summary_of_what_is_no_activity_any_more_is_not_kept(store: Store) -> None:
    page = page_of(store.activity(PLAN.id).folder)
    keep_summary(store, replace(page, result=replace(page.result, id="ffffffff")))
    assert store.contents(["ffffffff"]) == {}


def test_a_page_that_was_written_is_shown_from_there_as_long_as_it_is_the_same(
    measured: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Store(measured)) as store:
        folder = store.activity(PLAN.id).folder
        keep_summary(store, write_page(folder), written=folder)
    text, page = (run("result", "show", PLAN.id, *words, home=measured).out for words in ((), ("--json",)))
    read: list[Path] = []

    def note(make: Callable[[Path], Page]) -> Callable[[Path], Page]:
        return lambda place: (read.append(place), make(place))[1]

    for name in ("explained_page", "whole_page"):
        monkeypatch.setattr(pages, name, note(getattr(pages, name)))
    assert run("result", "show", PLAN.id, home=measured).out == text
    assert run("result", "show", PLAN.id, "--json", home=measured).out == page
    assert read == []
    with (folder / "report.json").open("a") as file:
        file.write("\n")
    assert run("result", "show", PLAN.id, home=measured).out == text
    assert run("result", "show", PLAN.id, "--json", home=measured).out == page
    assert read == [folder, folder]


def test_what_is_shown_of_a_written_page_is_what_its_records_say(measured: Path) -> None:
    before = run("result", "show", PLAN.id, home=measured).out
    with closing(Store(measured)) as store:
        folder = store.activity(PLAN.id).folder
        keep_summary(store, write_page(folder), written=folder)
    assert run("result", "show", PLAN.id, home=measured).out == before


def test_a_record_in_the_place_of_a_damaged_one_makes_it_anew_whatever_is_cut_off_then(store: Store) -> None:
    page = Reading()
    listed(store, page)
    folder = store.activity(PLAN.id).folder
    store.add_record(read_trial(folder / "trials" / PLAN.trials[0].name))
    listed(store, page)
    assert page.read == [PLAN.id] * 2
