"""An activity is laid out, made durable, conducted, taken up and stopped; its page is written whatever
happens.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.activities import conductor, evaluate, pages
from assay.activities.plan.disk_room import ALLOWANCE_BYTES
from assay.activities.plan.images import Images
from assay.design import plan_trials
from assay.model.activity import ActivityPlan, ActivityState, PlannedGuest
from assay.model.errors import AssayError, MissingError
from assay.model.platforms.container import PlannedContainer, Runtime
from assay.model.platforms.data import DataSet
from assay.model.trial import Arm
from assay.platforms.claims import is_live, release
from assay.platforms.errors import ClaimedError
from assay.platforms.process import process_mark
from assay.scenes import Guest, OtherMachine, Scene, read_scene
from assay.store.record import read_activity, read_trials, write_activity, write_trial
from tests.builders import WORKLOAD, plan_of, record_of

TRIALS = plan_trials(("spin",), blocks=3, seed=1)
PLAN = plan_of(TRIALS)
WANTED = PlannedGuest(1, 1 << 30, "none", "image")
SCENE = read_scene(
    b"scene: a\ntitle: A\nbaseline: {machine: local}\ntreatment: {machine: local, factors: "
    b"{cpu.quota: 50 %}}\n"
    b"workloads: [{name: spin, command: spin}]\n",
    file="a.yaml",
)
NOBODY: Any = SimpleNamespace(warn=None)
NO_STORE: Any = SimpleNamespace(ids=frozenset, own_activity=lambda _activity: None)


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody wait until the small files of these tests are on the disk."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.fixture
def claimed(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that holds an activity called ``other``."""
    process = subprocess.Popen(["sleep", "60"])
    mark = process_mark(process.pid)
    assert mark is not None
    (tmp_path / "run").mkdir(exist_ok=True)
    claim = {"pid": mark.pid, "start_ticks": mark.start_ticks}
    (tmp_path / "run" / "other.pid").write_text(json.dumps(claim))
    yield process
    process.kill()
    process.wait()


def measured(folder: Path, plan: ActivityPlan = PLAN, blocks: int = 3) -> Path:
    """Lay the records of an activity down, whose treatment does two thirds of the events."""
    folder.mkdir(parents=True)
    write_activity(folder, plan)
    for planned in plan.trials:
        if planned.block < blocks:
            place = folder / "trials" / planned.name
            place.mkdir(parents=True)
            value = 100.0 if planned.arm is Arm.BASELINE else 66.0 + planned.index / 10
            write_trial(place, record_of(planned, value))
    return folder


class Planned:
    """Notes what is looked at before a plan is laid out."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.acts: list[Any] = []
        monkeypatch.setattr(
            evaluate, "check_wanted", lambda wanted_each, home: self.acts.append(("try", wanted_each, home))
        )
        monkeypatch.setattr(evaluate, "require_libvirt", lambda: self.acts.append("libvirt"))
        monkeypatch.setattr(evaluate, "plan_activity", self.plan)
        monkeypatch.setattr(
            evaluate, "check_kernels", lambda plan, images: self.acts.append(("kernels", plan.id, images))
        )

    def plan(self, scene: Scene, **given: Any) -> ActivityPlan:
        self.acts.append(("plan", scene, given))
        return PLAN


def test_a_scene_of_machines_is_planned_with_the_images_of_the_home_and_without_libvirt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = Planned(monkeypatch)
    assert evaluate.prepare(SCENE, home=tmp_path, store=NO_STORE, command="true") is PLAN
    tried, (_, scene, given), checked = seen.acts
    assert tried == ("try", [], tmp_path)
    assert scene is SCENE
    assert given.pop("image").__self__ == Images(tmp_path)
    assert given == {"home": tmp_path, "store": NO_STORE, "command": "true", "recorded": None}
    assert checked == ("kernels", PLAN.id, Images(tmp_path))


@pytest.mark.parametrize(
    ("treatment", "baseline", "libvirt"),
    [(Guest(), "local", True), (Guest(), "far", False), (OtherMachine("local"), "local", False)],
)
def test_libvirt_is_required_for_a_guest_on_this_machine_before_anything_is_planned(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    treatment: Any,
    baseline: str,
    libvirt: bool,
) -> None:
    seen = Planned(monkeypatch)
    scene = replace(SCENE, treatment=treatment, baseline=baseline)
    evaluate.prepare(scene, home=tmp_path, store=NO_STORE, command=None)
    kinds = [act if isinstance(act, str) else act[0] for act in seen.acts]
    assert kinds == ["try", *(["libvirt"] if libvirt else []), "plan", "kernels"]


def test_containers_of_both_arms_are_tried_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Planned(monkeypatch)
    one, two = PlannedContainer(Runtime.RUNSC), PlannedContainer(Runtime.RUNC)
    scene = SimpleNamespace(
        containers=(one,),
        guests=(),
        baseline_container=two,
        treatment=OtherMachine("local"),
        baseline="local",
    )
    evaluate.prepare(cast("Any", scene), home=tmp_path, store=NO_STORE, command=None)
    assert seen.acts[0] == ("try", [one, two], tmp_path)


class Made:
    """Images that are there at once, and lack some programs."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *lacking: str) -> None:
        self.built: list[Any] = []
        self.asked: list[Any] = []
        self.lacking = lacking
        monkeypatch.setattr(Images, "ensure", self.ensure)
        monkeypatch.setattr(evaluate, "missing_programs", self.missing)

    def ensure(self, wanted: PlannedGuest, watcher: object) -> str:
        self.built.append((wanted, watcher))
        return f"image of {wanted.image}"

    def missing(self, image: str, programs: list[str]) -> tuple[str, ...]:
        self.asked.append((image, programs))
        return self.lacking


def guests(*wanted_each: PlannedGuest, **changes: Any) -> ActivityPlan:
    first, *more = (replace(PLAN.treatment, guest=wanted) for wanted in wanted_each)
    return replace(PLAN, treatment=first, more=tuple(more), **changes)


def test_each_image_is_ensured_and_looked_through_once_for_the_programs_of_the_workloads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Made(monkeypatch)
    workloads = (WORKLOAD, replace(WORKLOAD, program="./own"), replace(WORKLOAD, program=None))
    bigger = replace(WANTED, vcpus=2)
    evaluate.ensure_image(guests(WANTED, bigger, workloads=workloads), home=tmp_path, watcher=NOBODY)
    assert made.built == [(WANTED, NOBODY), (bigger, NOBODY)]
    assert made.asked == [("image of image", ["spin"])]
    evaluate.ensure_image(PLAN, home=tmp_path, watcher=NOBODY)
    assert len(made.built) == 2, "a plan of machines needs none"


@pytest.mark.parametrize(
    ("workload", "program", "package"),
    [(WORKLOAD, "spin", "spin"), (replace(WORKLOAD, package=None), "spin", "PACKAGE")],
)
def test_a_program_that_an_image_lacks_is_named_with_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workload: Any, program: str, package: str
) -> None:
    Made(monkeypatch, program)
    with pytest.raises(MissingError) as refused:
        evaluate.ensure_image(guests(WANTED, workloads=(workload,)), home=tmp_path, watcher=NOBODY)
    assert refused.value.message == f"cannot run '{program}' in the guest: its image does not have it"
    assert refused.value.hint == (
        f"add its Debian package to the image with 'packages: [{package}]' in the scene's "
        "treatment, for good with "
        f"'assay platform image build --package {package}', or ship the program with --input"
    )


def test_programs_that_bring_the_data_are_looked_for_too_where_there_are_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Made(monkeypatch, "mount.nfs")
    monkeypatch.setattr(evaluate, "guest_programs", lambda _plan: {"mount.nfs": "nfs-common"})
    evaluate_data = guests(WANTED, data=DataSet(1 << 20, 1))
    with pytest.raises(MissingError, match=r"cannot run 'mount\.nfs' in the guest") as refused:
        evaluate.ensure_image(evaluate_data, home=tmp_path, watcher=NOBODY)
    assert "packages: [nfs-common]" in str(refused.value.hint)
    assert made.asked == [("image of image", ["spin", "mount.nfs"])]
    made.lacking = ()
    evaluate.ensure_image(guests(WANTED), home=tmp_path, watcher=NOBODY)
    assert made.asked[1] == ("image of image", ["spin"])


def test_an_activity_is_made_durable_with_its_plan_and_its_row(tmp_path: Path) -> None:
    rows: list[Any] = []
    store: Any = SimpleNamespace(
        ids=frozenset,
        add_activity=lambda plan, place: rows.append((plan, place, read_activity(place))),
    )
    folder = evaluate.create(PLAN, home=tmp_path, store=store)
    assert folder == tmp_path / "activities" / PLAN.id
    assert rows == [(PLAN, folder, PLAN)], "the row comes when the plan is there"


def test_no_activity_is_made_beside_another_that_runs(
    tmp_path: Path, claimed: subprocess.Popen[bytes]
) -> None:
    with pytest.raises(ClaimedError, match="activity other is running"):
        evaluate.create(PLAN, home=tmp_path, store=NO_STORE)
    assert not (tmp_path / "activities").exists()


def test_no_activity_is_made_that_cannot_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def check_disk(plan: ActivityPlan, home: Path) -> None:
        asked.append((plan, home))
        msg = "too little space"
        raise MissingError(msg)

    monkeypatch.setattr(evaluate, "check_disk", check_disk)
    with pytest.raises(MissingError, match="too little"):
        evaluate.create(PLAN, home=tmp_path, store=NO_STORE)
    assert asked == [(PLAN, tmp_path)]
    assert not (tmp_path / "activities").exists()


class Conducted:
    """A conductor that ends at once, or breaks off."""

    made: dict[str, Any]
    breaks_off = False

    def __init__(self, plan: ActivityPlan, **given: Any) -> None:
        Conducted.made = {"plan": plan, **given}

    def run(self) -> ActivityState:
        if self.breaks_off:
            raise KeyboardInterrupt
        return ActivityState.PARTIAL


@pytest.fixture
def conducted(monkeypatch: pytest.MonkeyPatch) -> type[Conducted]:
    monkeypatch.setattr(conductor, "Conductor", Conducted)
    monkeypatch.setattr(Conducted, "breaks_off", False)
    monkeypatch.setattr(pages, "write_page", lambda folder: (folder / "report.html").touch())
    monkeypatch.setattr(evaluate, "keep_summary", lambda *_given, **_named: None)
    return Conducted


@pytest.mark.parametrize("breaks_off", [False, True])
def test_the_page_is_written_and_the_site_s_history_kept_whatever_happens(
    tmp_path: Path,
    conducted: type[Conducted],
    monkeypatch: pytest.MonkeyPatch,
    breaks_off: bool,
) -> None:
    folder, kept = measured(tmp_path / "activities" / PLAN.id), list[Any]()
    monkeypatch.setattr(
        evaluate, "keep_campaigns", lambda home, plan, records: kept.append((home, plan, records))
    )
    monkeypatch.setattr(conducted, "breaks_off", breaks_off)
    told, row = list[Any](), SimpleNamespace(id=PLAN.id)
    store = SimpleNamespace(
        own_activity={PLAN.id: row}.get, keep_seen=lambda of, boots: told.append((of, boots))
    )
    given: dict[str, Any] = {"home": tmp_path, "store": store, "watcher": NOBODY}
    if breaks_off:
        with pytest.raises(KeyboardInterrupt):
            evaluate.follow(PLAN, folder, **given)
    else:
        assert evaluate.follow(PLAN, folder, **given) is ActivityState.PARTIAL
    assert conducted.made == {"plan": PLAN, "folder": folder, "interrupts": None, **given}
    assert (folder / "report.html").is_file()
    assert kept == [(tmp_path, PLAN, tuple(read_trials(folder)))]
    assert [of for of, _ in told] == [row]


def test_what_is_resumed_is_followed_with_its_own_plan_once_its_images_and_some_room_are_there(
    tmp_path: Path, conducted: type[Conducted], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, asked = measured(tmp_path / "activities" / PLAN.id), list[Any]()
    row: Any = SimpleNamespace(id=PLAN.id, folder=folder, source=None, trials=len(PLAN.trials))
    monkeypatch.setattr(evaluate, "ensure_image", lambda plan, **given: asked.append((plan, given)))
    monkeypatch.setattr(evaluate, "require_free", lambda *given: asked.append(given))
    assert evaluate.resume(row, home=tmp_path, store=NO_STORE, watcher=NOBODY) is ActivityState.PARTIAL
    assert asked == [(PLAN, {"home": tmp_path, "watcher": NOBODY}), (tmp_path, ALLOWANCE_BYTES)]
    assert conducted.made == {
        "interrupts": None,
        "plan": PLAN, "folder": folder, "home": tmp_path, "store": NO_STORE, "watcher": NOBODY,
    }  # fmt: skip


def test_rows_that_an_extension_did_not_come_to_are_made_before_it_is_followed(
    tmp_path: Path, conducted: type[Conducted], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, taken = measured(tmp_path / "activities" / PLAN.id), list[Any]()
    row: Any = SimpleNamespace(id=PLAN.id, folder=folder, source=None, trials=len(PLAN.trials) - 1)
    monkeypatch.setattr(evaluate, "ensure_image", lambda *_given, **_options: None)
    store: Any = SimpleNamespace(
        own_activity=NO_STORE.own_activity,
        import_folder=lambda place: taken.append((place, is_live(tmp_path, PLAN.id))),
    )
    evaluate.resume(row, home=tmp_path, store=store, watcher=NOBODY)
    assert taken == [(folder, True)]
    release(tmp_path, PLAN.id)


def test_an_activity_whose_inputs_were_changed_is_not_resumed(
    tmp_path: Path, conducted: type[Conducted], monkeypatch: pytest.MonkeyPatch
) -> None:
    def changed(folder: Path) -> None:
        msg = f"cannot go on: {folder}"
        raise AssayError(msg)

    monkeypatch.setattr(evaluate, "ensure_image", lambda *_given, **_options: None)
    monkeypatch.setattr(evaluate, "kept_inputs", changed)
    with pytest.raises(AssayError, match="cannot go on"):
        evaluate.require_ready(PLAN, tmp_path, home=tmp_path, watcher=NOBODY)


def test_the_process_that_conducts_an_activity_is_told_to_stop(
    tmp_path: Path, claimed: subprocess.Popen[bytes]
) -> None:
    evaluate.stop(cast("Any", SimpleNamespace(id="other", source=None)), home=tmp_path)
    assert claimed.wait() == -signal.SIGINT
    with pytest.raises(AssayError) as refused:
        evaluate.stop(cast("Any", SimpleNamespace(id="other", source=None)), home=tmp_path)
    assert refused.value.message == "cannot stop activity other: no process works on it"
    assert refused.value.hint == "assay activity resume other"


def test_what_another_machine_conducts_is_stopped_there(
    tmp_path: Path, claimed: subprocess.Popen[bytes]
) -> None:
    file = tmp_path / "run" / "other.pid"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"node": "node01", "boot": "another"}))
    with pytest.raises(AssayError) as refused:
        evaluate.stop(cast("Any", SimpleNamespace(id="other", source=None)), home=tmp_path)
    assert refused.value.message == f"cannot stop activity other: process {claimed.pid} on node01 works on it"
    assert refused.value.hint == f"on node01: assay activity stop other; if that process is gone: rm {file}"
    assert claimed.poll() is None
