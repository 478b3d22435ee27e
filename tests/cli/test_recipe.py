"""The recipe of a page makes its numbers again: each of its commands is run."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from assay.activities.evaluate import prepare
from assay.activities.plan.kept_inputs import keep_inputs
from assay.activities.summaries import summary_of
from assay.model.activity import ActivityPlan
from assay.pages.several import SeveralPage
from assay.pages.summary import Summary
from assay.report.method.recipe import recipe, several_recipe
from assay.scenes import SceneError, load_scene
from assay.scenes.changes.again import Again, again_text
from assay.store.fleet import write_fleet
from assay.store.record import write_activity, write_trial
from assay.store.store import Store
from tests.builders import record_of
from tests.command import Done, run
from tests.report.pages import partial_page
from tests.results.test_outcome import PLAN
from tests.store.test_fleet import FLEET, lay_lanes

SIZED = """\
scene: sized
title: Two sizes
baseline: {machine: local}
treatment: {machine: local, factors: {cpu.quota: 50 %}}
workloads: [flops, {name: own, command: ./job.sh, inputs: [job.sh]}]
scripts: {host: {check: ./look.sh 3}}
scales:
  minutes: {about: fewer blocks, design: {blocks: 3}}
"""


def planned(tmp_path: Path, *words: str) -> ActivityPlan:
    """Return the plan of what options amount to, kept with its inputs and one record."""
    home = tmp_path / "home"
    shown = run("evaluate", *words, "--show-scene", home=home, folder=tmp_path)
    assert shown.code == 0, shown.err
    (tmp_path / "shown.yaml").write_text(shown.out)
    store = Store(home)
    plan = prepare(load_scene(tmp_path / "shown.yaml"), home=home, store=store, command=None)
    folder = home / "activities" / plan.id
    folder.mkdir(parents=True)
    keep_inputs(plan, folder)
    write_activity(folder, plan)
    place = folder / "trials" / plan.trials[0].name
    place.mkdir(parents=True)
    write_trial(place, replace(record_of(plan.trials[0], 1.0), activity=plan.id))
    store.import_folder(folder)
    store.close()
    return plan


def scripts(folder: Path, said: str) -> None:
    for name in ("job.sh", "look.sh"):
        (folder / name).write_text(f"#!/bin/sh\necho {said}\n")
        (folder / name).chmod(0o755)


def asked_again(home: Path, elsewhere: Path, *options: str) -> Done:
    """Run the first two commands of the recipe in another folder, the second without measuring."""
    elsewhere.mkdir()
    scene, evaluate, *_ = commands(home)
    done = run(*scene, home=home, folder=elsewhere)
    assert done.code == 0, done.err
    return run(*evaluate, *options, "--json", home=home, folder=elsewhere)


@pytest.mark.parametrize(
    "options",
    [
        ("sized.yaml",),
        ("sized.yaml", "--scale", "minutes"),
        ("sized.yaml", "--set", "cpu.quota=25 %,75 %", "--precision", "2 %"),
        ("sized.yaml", "--workload", "flops", "--seed", "7"),
    ],
)
def test_what_was_measured_is_planned_again_whatever_became_of_its_file(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    scripts(tmp_path, "then")
    (tmp_path / "sized.yaml").write_text(SIZED)
    plan = planned(tmp_path, *options)
    (tmp_path / "sized.yaml").unlink()
    scripts(tmp_path, "now")
    home = tmp_path / "home"
    dry = asked_again(home, tmp_path / "elsewhere", "--dry-run")
    assert dry.code == 0, dry.err
    written = load_scene(tmp_path / "elsewhere" / f"{plan.id}.yaml")
    store = Store(home)
    again = prepare(written, home=home, store=store, command=None)
    store.close()
    assert (again.trials, again.seed, again.blocks, again.goal) == (
        plan.trials, plan.seed, plan.blocks, plan.goal,
    )  # fmt: skip
    assert (again.label, again.title, again.treatments) == (plan.label, plan.title, plan.treatments)
    inputs = [*(one.inputs for one in again.workloads), *(one.inputs for one in again.scripts)]
    brought = [path for paths in inputs for path in paths]
    assert {Path(path).read_text() for path in brought} == {"#!/bin/sh\necho then\n"}
    assert [one.start for one in again.scripts] == [one.start for one in plan.scripts]


def test_a_command_is_measured_again_from_the_scene_that_it_was(tmp_path: Path) -> None:
    scripts(tmp_path, "then")
    plan = planned(tmp_path, "--command", "./job.sh 3", "--against", "local", "--blocks", "4")
    shown = asked_again(tmp_path / "home", tmp_path / "elsewhere", "--show-scene")
    assert shown.code == 0, shown.err
    assert f"seed: {plan.seed}" in shown.page["text"]
    assert "./job.sh 3" in shown.page["text"]


def commands(home: Path) -> list[list[str]]:
    """Return the commands of the recipe, without the program and what they are for."""
    text = run("report", "last", "--format", "md", home=home).out
    block = text.split("## Recipe")[1].split("```sh\n")[1].split("```")[0]
    return [shlex.split(line.rpartition("  # ")[0])[1:] for line in block.splitlines()]


def test_each_loss_is_computed_again_from_the_values_alone(measured: Path, tmp_path: Path) -> None:
    page = json.loads(run("report", "last", "--format", "json", home=measured).out)
    found = commands(measured)
    scene, again, report, values, *losses = found
    assert scene == ["result", "scene", PLAN.id, "--output", f"{PLAN.id}.yaml"]
    assert again == ["evaluate", f"{PLAN.id}.yaml"]
    for words in (report, values):
        done = run(*words, home=measured, folder=tmp_path)
        assert done.code == 0, done.err
    assert (tmp_path / "report.html").exists()
    measured_rows = [row for row in page["estimates"] if row["loss"] is not None]
    assert len(losses) == len(measured_rows) > 0
    for words, row in zip(losses, measured_rows, strict=True):
        done = run(*words, "--json", home=measured, folder=tmp_path)
        assert done.code == 0, done.err
        (computed,) = done.page["estimates"]
        for name in ("loss", "low", "high", "blocks", "verdict"):
            assert computed[name] == (row[name] if name == "verdict" else pytest.approx(row[name])), name


def test_a_scene_whose_inputs_cannot_be_told_apart_from_others_is_refused(tmp_path: Path) -> None:
    scripts(tmp_path, "then")
    (tmp_path / "sized.yaml").write_text(SIZED)
    plan = planned(tmp_path, "sized.yaml")
    folder = tmp_path / "home" / "activities" / plan.id
    text = (folder / "activity.json").read_text()
    (folder / "activity.json").write_text(text.replace("inputs: [job.sh]", "inputs: [another.sh]"))
    done = run("result", "scene", "last", home=tmp_path / "home")
    assert (done.code, done.out) == (3, "")
    assert "where its inputs lay is not known: another.sh" in done.err


def test_a_text_that_is_no_scene_is_refused() -> None:
    with pytest.raises(SceneError, match="expected the words of a scene"):
        again_text("- a list\n", Again(7, None, lambda _: {}), file="x")


def test_an_extended_result_is_measured_again_with_all_of_its_blocks() -> None:
    text = "# why\nscene: x\nscales: {a: {about: b}}\n"
    text += "design: {precision: 1 %, maximum-blocks: 9, margin: 2 %}\n"
    again = Again(7, 12, lambda paths: {path: path for path in paths})
    written = again_text(text, again, file="x")
    assert written == "# why\nscene: x\ndesign: {margin: 2 %, seed: 7, blocks: 12}\n"


def test_of_several_machines_the_scene_is_that_of_all_of_them(tmp_path: Path) -> None:
    home = tmp_path / "home"
    folder = home / "activities" / FLEET.id
    folder.mkdir(parents=True)
    text = "# two of them\nscene: sized\ntitle: Two\nworkloads: [flops]\n"
    text += "baseline: {machine: local}\ntreatment: {machine: local}\n"
    fleet = replace(FLEET, scene="sized", scene_text=text)
    write_fleet(folder, fleet)
    lay_lanes(folder)
    store = Store(home)
    store.import_fleet(folder)
    store.close()
    scene, again, _, *lanes = commands(home)
    names = ",".join(lane.machine for lane in FLEET.lanes)
    assert again == ["evaluate", f"{FLEET.id}.yaml", "--on", names]
    assert lanes == [["report", lane.activity] for lane in FLEET.lanes[:2]]
    assert run(*scene, home=home, folder=tmp_path).code == 0
    written = load_scene(tmp_path / f"{FLEET.id}.yaml")
    assert (written.design.seed, written.name) == (FLEET.seed, "sized")
    assert written.source.startswith("# two of them")
    html = run("report", "last", "--format", "html", home=home).out
    assert f"assay result scene {FLEET.id} --output {FLEET.id}.yaml" in html


def test_the_page_of_two_results_names_the_commands_that_make_it() -> None:
    lines = several_recipe(SeveralPage((summary("a"), summary("b"))))
    whole, *others = (line.rpartition("  # ")[0] for line in lines)
    assert whole == "assay report a b --output report.html"
    assert others == ["assay result compare a b", "assay report a", "assay report b"]


def summary(name: str) -> Summary:
    page = partial_page()
    return summary_of(replace(page, result=replace(page.result, id=name)))


def test_words_of_a_column_are_asked_for_as_column_and_word(measured: Path) -> None:
    done = run("analyse", "x.csv", "--only", "metric", home=measured)
    assert (done.code, "expected a column and a word in it, like metric=wall_time" in done.err) == (2, True)


def test_a_name_with_blanks_is_quoted_and_a_row_without_a_loss_left_out() -> None:
    page = partial_page()
    row = replace(page.estimates[0], metric="a b", loss=0.1, treatment=None, against=None)
    value = replace(page.trials[0].metrics[0], metric="a b")
    trial = replace(page.trials[0], workload=row.workload, metrics=(value,))
    lines = recipe(replace(page, estimates=(row, replace(row, loss=None)), trials=(trial,)))
    (line,) = (one for one in lines if one.startswith("assay analyse"))
    assert "--only 'metric=a b'" in line
