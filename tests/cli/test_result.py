"""The list of results, while one of them is still measured."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

from assay.activities.summaries import MADE_BY
from assay.platforms.claims import claim
from assay.store.search import VERDICTS
from assay.store.store import Store
from tests.command import run
from tests.results.test_outcome import PLAN


def test_a_result_that_is_still_measured_is_listed_as_running_and_as_interrupted_once_nobody_does(
    measured: Path,
) -> None:
    shutil.rmtree(measured / "activities" / PLAN.id / "trials" / PLAN.trials[-1].name)

    def state() -> str:
        (row,) = run("result", "list", "--json", home=measured).page["results"]
        return str(row["state"])

    assert state() == "interrupted"
    claim(measured, PLAN.id)
    assert state() == "running"
    assert " running " in run("result", "list", home=measured).out
    shown = run("result", "show", PLAN.id, "--json", home=measured)
    page = shown.page
    assert page["result"]["state"] == "running"
    assert "resume" not in shown.err + shown.out
    assert "**running**" in run("report", PLAN.id, "--format", "md", home=measured).out


def test_lists_are_cut_to_a_scene_and_to_the_newest(measured: Path) -> None:
    for words, found in (
        (("--scene", PLAN.scene), [PLAN.id]),
        (("--scene", "another"), []),
        (("--limit", "1"), [PLAN.id]),
        (("--treatment", PLAN.treatments_label), [PLAN.id]),
        (("--treatment", "another"), []),
        (("--since", "2020-01-01"), [PLAN.id]),
        (("--since", "2100-01-01T00:00"), []),
    ):
        page = run("result", "list", *words, "--json", home=measured).page
        assert [one["id"] for one in page["results"]] == found
    assert run("result", "list", "--limit", "0", home=measured).code == 2


def test_what_is_asked_of_results_in_short_is_asked_of_those_that_have_none_yet(measured: Path) -> None:
    (listed,) = run("result", "list", "--json", home=measured).page["results"]
    verdict = next(word for word, one in VERDICTS.items() if one == listed["estimates"][0]["verdict"])
    machine = listed["machines"][0].partition(" (")[0]
    with closing(Store(measured)) as store:
        store.import_folder(store.activity(PLAN.id).folder)  # its summary goes with its old rows
        assert [row.id for row in store.without_summary(MADE_BY)] == [PLAN.id]
    for words, found in (
        (("--machine", machine), [PLAN.id]),
        (("--machine", f"{machine}x"), []),
        (("--verdict", verdict), [PLAN.id]),
        (("--verdict", "gain"), []),
    ):
        page = run("result", "list", *words, "--json", home=measured).page
        assert [one["id"] for one in page["results"]] == found


def test_a_scene_that_nothing_was_measured_by_is_said_with_the_nearest(measured: Path) -> None:
    done = run("result", "list", "--scene", "quik", home=measured)
    assert (done.code, len(done.out.splitlines())) == (0, 1)
    assert done.err == "no result of a scene 'quik'; nearest: 'quick' (known: quick)\n"


def test_a_list_as_json_has_the_figures(measured: Path) -> None:
    (listed,) = run("result", "list", "--json", home=measured).page["results"]
    shown = run("result", "show", PLAN.id, "--json", home=measured).page
    assert [(one["metric"], one["loss"], one["verdict"]) for one in listed["estimates"]] == [
        (one["metric"], one["loss"], one["verdict"]) for one in shown["estimates"]
    ]
    assert listed["scene"] == shown["result"]["scene"]
    assert listed["headline"] in run("result", "list", home=measured).out
