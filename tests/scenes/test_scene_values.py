"""What a good scene means."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assay.model.errors import AssayError
from assay.model.goal import Goal, Shape
from assay.model.units import BYTES
from assay.model.work.disturbance import Cause
from assay.model.work.observation import Observation, Profile, Scope
from assay.model.work.page_cache import CacheSpec, CacheState
from assay.model.work.phase import Mark, PhaseRules
from assay.model.work.placement import Pinning, PlacementSpec
from assay.scenes import (
    Design,
    Guest,
    OtherMachine,
    Own,
    Ready,
    SceneError,
    Wanted,
    alter_scene,
    command_scene,
    find_scene,
    list_scenes,
    load_scene,
    read_scene,
)
from assay.scenes.changes.write import write_scene
from assay.scenes.values.digest import what_is_asked
from assay.workloads import Parameters, Sizes, with_parameters

WHOLE = """\
scene: whole   # every word of now
title: Every word
baseline: {machine: local}
treatment:
  platform: guest
  factors: {cpu.vcpus: 2, memory.size: 1.5 GiB, disk.cache: writeback}
workloads:
  - sysbench-cpu
  - use: fio
    parameters: {runtime: 1 min, size: 512 MiB}
  - name: my-job
    command: ./my-job --events 100 'a b' {print}
    inputs: [./my-job, data]
    time-limit: 10 min
    output-limit: 1 GiB
    cache: {state: cold, files: [data/events, /srv/set], drop: true}
design: {blocks: 5, confidence: 99 %, margin: 0.5 %, seed: 42}
cache: warm
"""
WARM = CacheSpec(CacheState.WARM)
SIZES = Sizes(cache_bytes=None, memory_bytes=2 * BYTES["GiB"], cpus=1)


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    (tmp_path / "my-job").write_text("#!/bin/sh\n")
    (tmp_path / "data").mkdir()
    path = tmp_path / "whole.yaml"
    path.write_text(WHOLE)
    return path


def test_every_word_of_now_is_understood(whole: Path) -> None:
    scene = load_scene(whole)
    assert (scene.name, scene.title, scene.baseline) == ("whole", "Every word", "local")
    assert scene.treatment == Guest(2, 3 * BYTES["GiB"] // 2, "writeback")
    assert scene.design == Design(5, 0.99, 0.005, 42)
    assert scene.workloads == (
        Ready("sysbench-cpu", cache=WARM),
        Ready("fio", Parameters(60, 512 * BYTES["MiB"]), cache=WARM),
        Own(
            "my-job",
            ("./my-job", "--events", "100", "a b", "{print}"),
            inputs=("./my-job", "data"),
            time_limit_s=600.0,
            output_limit_bytes=BYTES["GiB"],
            cache=CacheSpec(CacheState.COLD, ("data/events", "/srv/set"), drop=True),
        ),
    )
    assert (scene.source, scene.file) == (WHOLE, str(whole))


@pytest.mark.parametrize("word", ["warm", "cold", "{state: cold, drop: true}", "{state: warm, files: [/a]}"])
def test_the_scenes_cache_holds_for_each_workload_that_says_none(word: str) -> None:
    head = "scene: a\ntitle: A\nbaseline: {machine: local}\ntreatment: {platform: guest}\n"
    own = "{name: b, command: b, cache: as-is}"
    scene = read_scene(f"{head}workloads: [flops, {own}]\ncache: {word}\n".encode(), file="a.yaml")
    there = f"[{{use: flops, cache: {word}}}, {{name: b, command: b}}]"
    same = read_scene(f"{head}workloads: {there}\n".encode(), file="a.yaml")
    assert scene.workloads == same.workloads
    assert [bool(workload.cache) for workload in scene.workloads] == [True, False]
    assert [w.cache for w in scene.prepare(SIZES)] == [w.cache for w in scene.workloads]


def test_what_is_left_out_has_its_default(tmp_path: Path) -> None:
    source = (
        "scene: a\ntitle: A\nbaseline: {machine: local}\ntreatment: {platform: guest}\nworkloads: [flops]\n"
    )
    scene = read_scene(source.encode(), file="a.yaml")
    assert scene.treatment == Guest(vcpus=None, memory_bytes=2 * BYTES["GiB"], disk_cache="none")
    assert scene.design == Design(blocks=3, confidence=0.95, margin=0.02, seed=None)


def test_a_byte_order_mark_and_windows_line_ends_do_not_matter() -> None:
    source = (
        "\ufeffscene: a\r\ntitle: A\r\nbaseline: {machine: local}\r\ntreatment: {machine: n1}\r\n"
        "workloads: [flops]\r\n"
    )
    scene = read_scene(source.encode(), file="a.yaml")
    assert scene.treatment == OtherMachine("n1", cpu_quota=None)


@pytest.mark.parametrize("percent", [1, 7, 29, 33.3, 57, 58, 100])
def test_a_share_is_the_ratio_that_people_mean(percent: float) -> None:
    source = (
        "scene: a\ntitle: A\nbaseline: {machine: local}\nworkloads: [flops]\n"
        f"treatment: {{machine: local, factors: {{cpu.quota: {percent} %}}}}\n"
    )
    scene = read_scene(source.encode(), file="a.yaml")
    assert scene.treatment == OtherMachine("local", cpu_quota=round(percent / 100, 12))


def test_inputs_start_in_the_folder_of_the_scene_file_wherever_it_was_called_from(
    whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(whole.parent)
    workload = load_scene(Path("whole.yaml")).prepare(SIZES)[2]
    assert workload.inputs == (str(whole.parent / "my-job"), str(whole.parent / "data"))
    assert (workload.parser, workload.time_limit_s) == ("usage", 600.0)
    assert workload.output_limit_bytes == BYTES["GiB"]


def test_prepared_workloads_have_their_sizes(whole: Path) -> None:
    prepared = load_scene(whole).prepare(SIZES)
    assert [workload.name for workload in prepared] == ["sysbench-cpu", "fio", "my-job"]
    assert f"--size={512 * BYTES['MiB']}" in prepared[1].command


def test_the_digest_is_of_what_is_said_not_of_how_it_is_written(whole: Path) -> None:
    scene = load_scene(whole)
    respelled = (
        WHOLE.replace("1.5 GiB", "1536 MiB").replace("1 min,", "60 s,").replace("# every word of now", "")
    )
    same = read_scene(respelled.encode(), file=str(whole))
    assert same.digest == scene.digest
    assert len(scene.digest) == 64


@pytest.mark.parametrize(
    ("old", "new"),
    [("vcpus: 2", "vcpus: 3"), ("seed: 42", "seed: 43"), ("  - sysbench-cpu", "  - flops"), ("100", "101")],
)
def test_the_digest_changes_with_what_is_said(whole: Path, old: str, new: str) -> None:
    changed = read_scene(WHOLE.replace(old, new).encode(), file=str(whole))
    assert changed.digest != load_scene(whole).digest


def test_two_kinds_of_treatment_never_share_a_digest() -> None:
    quick = find_scene("quick")
    assert (
        len(
            {
                quick.digest,
                alter_scene(quick, Wanted(against="node7")).digest,
                alter_scene(quick, Wanted(against="node8")).digest,
            }
        )
        == 3
    )


def test_a_scene_against_a_machine_can_be_read_again_from_its_source(whole: Path) -> None:
    scene = alter_scene(load_scene(whole), Wanted(against="node7"))
    assert scene.treatment == OtherMachine("node7")
    again = read_scene(scene.source.encode(), file=scene.file)
    assert again == scene
    assert again.digest == scene.digest


def test_the_ready_scenes_are_listed_with_their_titles() -> None:
    scenes = dict(list_scenes())
    ours = {"consolidation", "cpu-quota", "event-scan", "guest-weight", "noise-floor", "quick", "scaling"}
    plants = {"plant-cold", "plant-memory", "plant-read", "plant-sleep"}
    assert set(scenes) >= ours | plants
    for name, title in scenes.items():
        assert find_scene(name).name == name
        assert find_scene(name).title == title


def test_quick_measures_cpu_memory_disk_and_network_in_a_guest() -> None:
    quick = find_scene("quick")
    assert isinstance(quick.treatment, Guest)
    names = [workload.name for workload in quick.prepare(SIZES)]
    assert names == ["sysbench-cpu", "flops", "stream", "fio", "iperf3", "iperf3-reverse"]
    assert quick.design == Design(
        blocks=10, confidence=0.95, margin=0.02, goal=Goal(shape=Shape.PAIRS, wait_quiet_s=60.0)
    )


def test_cpu_quota_plants_a_loss_of_half_on_this_machine() -> None:
    scene = find_scene("cpu-quota")
    assert scene.treatment == OtherMachine("local", cpu_quota=0.5)
    assert [workload.name for workload in scene.workloads] == ["sysbench-cpu", "flops"]


@pytest.mark.parametrize(
    ("name", "treatment"),
    [
        ("plant-read", OtherMachine("local", read_bytes_per_s=20_000_000)),
        ("plant-cold", OtherMachine("local", read_bytes_per_s=350_000, page_cache=CacheState.COLD)),
        ("plant-memory", OtherMachine("local", memory_limit_bytes=32 << 20, read_bytes_per_s=50_000_000)),
        ("plant-sleep", OtherMachine("local", pause=0.05)),
    ],
)
def test_plants_are_on_the_treatment_alone_and_can_be_written_again(name: str, treatment: object) -> None:
    scene = find_scene(name)
    assert scene.treatment == treatment
    assert scene.baseline == "local"
    again = read_scene(write_scene(scene).encode(), file=scene.file)
    assert (again.treatment, again.digest) == (scene.treatment, scene.digest)


def test_the_file_of_the_cold_plant_comes_with_the_package_wherever_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (workload,) = find_scene("plant-cold").prepare(SIZES)
    assert Path(workload.inputs[0]).stat().st_size >= 520_192


def test_a_limit_that_an_older_version_did_not_know_counts_only_where_it_is_given() -> None:
    source = "scene: a\ntitle: A\nbaseline: {machine: local}\nworkloads: [flops]\ntreatment: "
    plain = read_scene(f"{source}{{machine: local, factors: {{cpu.quota: 50 %}}}}\n".encode(), file="a.yaml")
    paused = f"{source}{{machine: local, factors: {{cpu.quota: 50 %, pause: 1 %}}}}\n"
    assert plain.digest == "36ddc4f713a8dd9f1ac49092a3adc5d44ba80bf1a9975d2fed93dd7f800c3922"
    assert read_scene(paused.encode(), file="a.yaml").digest != plain.digest


def test_a_path_is_read_as_a_file_and_a_name_as_a_ready_scene(whole: Path) -> None:
    assert find_scene(str(whole)).name == "whole"
    assert Path(find_scene("quick").file).name == "quick.yaml"


def test_a_command_is_a_scene_with_one_workload_in_a_guest(tmp_path: Path) -> None:
    scene = command_scene(["gzip", "-9", "big file"], inputs=[str(__file__)], folder=tmp_path)
    assert isinstance(scene.treatment, Guest)
    (workload,) = scene.prepare(SIZES)
    assert workload.command == ("gzip", "-9", "big file")
    assert workload.inputs == (str(__file__),)
    assert workload.name == "gzip"


def test_a_program_named_by_a_relative_path_is_brought_along(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "My Job").write_text("#!/bin/sh\n")
    scene = command_scene(["build/My Job", "--events", "100"], folder=tmp_path)
    (workload,) = scene.prepare(SIZES)
    assert workload.command == ("./My Job", "--events", "100")
    assert workload.inputs == (str(tmp_path / "build" / "My Job"),)
    assert workload.name == "my-job"


def test_a_program_inside_a_folder_that_is_brought_along_stays_there(tmp_path: Path) -> None:
    (tmp_path / "tree" / "bin").mkdir(parents=True)
    (tmp_path / "tree" / "bin" / "job").write_text("#!/bin/sh\n")
    (workload,) = command_scene(["tree/bin/job"], inputs=["tree"], folder=tmp_path).prepare(SIZES)
    assert workload.command == ("tree/bin/job",)
    assert workload.inputs == (str(tmp_path / "tree"),)


def test_a_program_that_is_brought_twice_is_brought_once(tmp_path: Path) -> None:
    (tmp_path / "job").write_text("#!/bin/sh\n")
    (workload,) = command_scene(["./job"], inputs=["./job"], folder=tmp_path).prepare(SIZES)
    assert workload.inputs == (str(tmp_path / "job"),)
    assert workload.command == ("./job",)


def test_a_command_scene_can_be_read_again_from_its_source(tmp_path: Path) -> None:
    (tmp_path / "job").write_text("#!/bin/sh\n")
    argv = ["./job", "it's", 'a "b"', "ü: # {x}", "|", ""]
    scene = command_scene(argv, folder=tmp_path, time_limit_s=90.5, design=Design(seed=7))
    again = read_scene(scene.source.encode(), file=scene.file)
    assert again == scene
    assert again.digest == scene.digest


@pytest.mark.parametrize(
    ("program", "name"), [("/usr/bin/7z", "job-7z"), ("fio", "own-fio"), ("a.out", "a-out"), ("…", "job")]
)
def test_a_command_s_workload_is_named_after_its_program(program: str, name: str, tmp_path: Path) -> None:
    assert command_scene([program], folder=tmp_path).workloads[0].name == name


@pytest.mark.parametrize(("argv", "inputs"), [([], []), ([""], []), (["./gone"], []), (["gzip"], ["gone"])])
def test_a_command_without_its_program_or_input_is_refused(
    argv: list[str], inputs: list[str], tmp_path: Path
) -> None:
    with pytest.raises(SceneError, match="cannot read the scene --command: expected"):
        command_scene(argv, inputs=inputs, folder=tmp_path)


PLACED = """\
scene: placed
title: Copies, phases and what is looked at
baseline: {machine: local}
treatment: {platform: guest}
workloads:
  - flops
  - {use: fio, placement: {copies: 1, pinning: none}}
  - name: my-job
    command: my-job
    placement: {threads: 4, pinning: [[0, 1], [2, 3]], memory-nodes: [0]}
    phases:
      marks: {event-loop: '^Begin of the \\w+', end: End}
      events: 'event (\\d+)'
      log: job.log
      announce: true
placement: {copies: 2, pinning: each, nice: 5, stagger: 500 ms}
watch: [pressure, delay, pressure]
counters: [cycles]
profile: {hz: 49, scope: machine}
interval: 100 ms
"""


def test_a_placement_is_the_scene_s_save_for_what_the_workload_says_itself() -> None:
    flops, fio, own = read_scene(PLACED.encode(), file="placed.yaml").workloads
    assert flops.placement == PlacementSpec(copies=2, pinning=Pinning.EACH, nice=5, stagger_s=0.5)
    assert fio.placement == PlacementSpec(copies=1, nice=5, stagger_s=0.5)
    assert own.placement == PlacementSpec(2, 4, ((0, 1), (2, 3)), ((0,),), 5, 0.5)


def test_phases_and_what_is_looked_at_are_understood() -> None:
    scene = read_scene(PLACED.encode(), file="placed.yaml")
    marks = (Mark("event-loop", r"^Begin of the \w+"), Mark("end", "End"))
    own = scene.workloads[2]
    assert isinstance(own, Own)
    assert own.phases == PhaseRules(marks, r"event (\d+)", "job.log", announce=True)
    assert scene.observation == Observation(
        0.1, ("pressure", "delay"), ("cycles",), Profile(49, Scope.MACHINE)
    )


def test_figures_of_the_accounting_are_part_of_what_is_asked_and_are_written_again() -> None:
    plain = read_scene(PLACED.encode(), file="placed.yaml")
    asked = read_scene(f"{PLACED}usage: [memory, efficiency, memory]\n".encode(), file="placed.yaml")
    assert (plain.usage, asked.usage) == ((), ("memory", "efficiency"))
    assert plain.digest != asked.digest
    assert read_scene(write_scene(asked).encode(), file="again.yaml").usage == asked.usage


def test_a_profile_may_be_a_rate_alone() -> None:
    source = PLACED.replace("{hz: 49, scope: machine}", "99")
    assert read_scene(source.encode(), file="a.yaml").observation.profile == Profile(99, Scope.JOB)


def test_copies_share_the_arm_and_phases_become_metrics() -> None:
    flops, fio, own = read_scene(PLACED.encode(), file="placed.yaml").prepare(
        arm := Sizes(cache_bytes=None, memory_bytes=8 * BYTES["GiB"], cpus=4)
    )
    assert flops.command[-2:] == ("--threads", "2")
    assert flops.seconds == 3.5
    assert fio.seconds == with_parameters("fio", Parameters(), sizes=arm).seconds
    names = ["wall_time", "cpu_time", "init_time", "event_loop_time", "end_time", "events_per_s"]
    assert [metric.name for metric in own.metrics] == names
    assert own.time_limit_s == 3600.0
    assert own.phases is not None


def test_what_is_asked_for_on_the_command_line_is_in_the_scene_and_its_text() -> None:
    wanted = Wanted(
        copies=2, threads=3, stagger_s=0.25, watch=("delay",), counters=("cycles",), profile=Profile()
    )
    altered = alter_scene(find_scene("cpu-quota"), wanted)
    again = read_scene(altered.source.encode(), file="again.yaml")
    assert {workload.placement for workload in again.workloads} == {PlacementSpec(2, 3, stagger_s=0.25)}
    assert again.observation == Observation(1.0, ("delay",), ("cycles",), Profile(99, Scope.JOB))
    assert again.digest == altered.digest


def test_another_number_of_blocks_keeps_the_rest_of_a_design() -> None:
    scene = find_scene("hepscore")
    for was in (
        scene,
        replace(scene, design=replace(scene.design, goal=replace(scene.design.goal, adaptive=True))),
    ):
        goal = alter_scene(was, Wanted(blocks=9)).design.goal
        assert (goal.adaptive, goal.precision, goal.time_budget_s) == (False, None, None)
        assert (goal.score, goal.rerun, goal.shape) == (
            True,
            scene.design.goal.rerun,
            scene.design.goal.shape,
        )


def test_a_placed_scene_that_is_altered_is_written_whole() -> None:
    scene = read_scene(PLACED.encode(), file="placed.yaml")
    altered = alter_scene(scene, Wanted(seed=7))
    assert read_scene(altered.source.encode(), file="again.yaml").digest == altered.digest


def test_more_copies_than_a_workload_can_have_are_refused() -> None:
    with pytest.raises(AssayError, match="expected one copy of iperf3"):
        alter_scene(find_scene("quick"), Wanted(copies=2))


def test_a_scene_of_an_older_version_keeps_its_digest() -> None:
    old = json.loads((Path(__file__).parents[1] / "store/records/1.0/activity.json").read_text())
    scene = read_scene(old["scene_text"].encode(), file="command")
    assert scene.digest == old["scene_digest"]
    assert alter_scene(scene, Wanted(copies=2)).digest != scene.digest
    assert alter_scene(scene, Wanted(watch=("pss",))).digest != scene.digest


def test_a_guest_against_itself_keeps_the_digest_of_the_version_that_knew_no_other() -> None:
    scene = find_scene("noise-floor-guest")
    assert scene.digest.startswith("cca5d6ca")
    spelt = replace(scene, baseline_guest=replace(scene.treatment))  # type: ignore[type-var, arg-type]
    assert spelt.digest == scene.digest
    other = replace(scene, baseline_guest=Guest(disk_cache="unsafe"))
    assert other.digest not in {scene.digest, replace(scene, baseline_guest=None).digest}


def test_guests_that_say_nothing_of_further_factors_have_no_word_for_it_in_a_digest() -> None:
    scene = find_scene("noise-floor-guest")
    cached = Guest(disk_cache="unsafe")
    swept = replace(scene, baseline_guest=cached, more=(cached,))
    asked = what_is_asked(swept)
    assert asked["baseline_guest"] == {"vcpus": None, "memory_bytes": 2 << 30, "disk_cache": "unsafe"}
    assert asked["more"] == [asked["baseline_guest"]]
    with_more = replace(scene, more=(Guest(settings=(("disk.bus", "scsi"),)),))
    assert len({scene.digest, swept.digest, with_more.digest}) == 3


def test_causes_for_which_a_trial_runs_again_are_named_once_each_and_written_again() -> None:
    source = SILENT_DESIGN.format("{rerun: [swap, foreign-cpu, swap]}")
    scene = read_scene(source.encode(), file="a.yaml")
    assert scene.design.goal.rerun == (Cause.SWAP, Cause.FOREIGN_CPU)
    altered = alter_scene(scene, Wanted(seed=7))
    assert read_scene(altered.source.encode(), file="b.yaml").digest == altered.digest
    silent = read_scene(SILENT_DESIGN.format("{}").encode(), file="a.yaml")
    assert silent.design.goal.rerun == ()


def test_an_unknown_cause_is_refused_with_its_place_and_the_nearest() -> None:
    with pytest.raises(SceneError, match=r"6:18: .*foreign-cpu.*got 'foreign'; nearest: 'foreign-cpu'"):
        read_scene(SILENT_DESIGN.format("{rerun: [foreign]}").encode(), file="a.yaml")


SILENT_DESIGN = """\
scene: again
title: A scene
baseline: {{machine: local}}
treatment: {{machine: local}}
workloads: [flops]
design: {}
"""


@pytest.mark.parametrize("program", ["./", "./.", "../", "sub/"])
def test_a_folder_is_no_program(program: str, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    with pytest.raises(SceneError, match=f"expected a program, got '{program}', which is a folder"):
        command_scene([program], folder=tmp_path)
