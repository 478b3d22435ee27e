"""A container of hep-workloads in a scene."""

from pathlib import Path

import pytest
from ruamel.yaml import YAML

from assay.model.units import BYTES
from assay.scenes import Ready, SceneError, read_scene
from assay.scenes.changes.write import write_scene
from assay.workloads import Sizes
from assay.workloads.parameters import ContainerRun
from tests.contracts import fits

SCENE = """\
scene: container
title: A container
baseline: {machine: local}
treatment: {machine: local, factors: {page-cache: cold}}
workloads:
  - use: hep-workload
    parameters: {PARAMETERS}
"""
SIZES = Sizes(cache_bytes=None, memory_bytes=2 * BYTES["GiB"], cpus=4)


def scene_of(parameters: str) -> str:
    return SCENE.replace("PARAMETERS", parameters)


def test_every_word_of_a_container_is_read_and_written(tmp_path: Path) -> None:
    text = scene_of(
        "image: 'registry.example.org/exp-gen-bmk:v2', score: gen, engine: podman run "
        "--pull=never, threads: 2, copies: 3, events: 20, arguments: -d"
    )
    scene = read_scene(text.encode(), file="container.yaml")
    (workload,) = scene.workloads
    assert isinstance(workload, Ready)
    assert workload.parameters.container == ContainerRun(
        "registry.example.org/exp-gen-bmk:v2", "gen", ("podman", "run", "--pull=never"), 2, 3, ("-d",)
    )
    (prepared,) = scene.prepare(SIZES)
    assert prepared.command[-7:] == ("-W", "-c", "3", "-t", "2", "-e", "20", "-d")[-7:]
    fits(YAML(typ="safe").load(text), "scene-v1")
    again = read_scene(write_scene(scene).encode(), file="again.yaml")
    assert again.digest == scene.digest


def test_several_event_numbers_are_a_scan() -> None:
    text = scene_of("image: exp-gen-bmk, score: gen, events: [5, 50]")
    names = [workload.name for workload in read_scene(text.encode(), file="a.yaml").prepare(SIZES)]
    assert names == ["hep-workload-n5", "hep-workload-n50"]


def test_several_numbers_of_copies_are_containers_that_load_more_and_more_threads() -> None:
    text = scene_of("image: exp-gen-bmk, score: gen, threads: 2, copies: [1, 2]")
    scene = read_scene(text.encode(), file="a.yaml")
    made = scene.prepare(SIZES)
    assert [(one.name, one.family, one.placement.copies, one.placement.threads) for one in made] == [
        ("hep-workload-c1", "hep-workload", 1, 2),
        ("hep-workload-c2", "hep-workload", 1, 4),
    ]
    assert [(one.command[-3], one.all_copies) for one in made] == [("1", 1), ("2", 2)]
    fits(YAML(typ="safe").load(text), "scene-v1")
    again = read_scene(write_scene(scene).encode(), file="again.yaml")
    assert (again.digest, again.prepare(SIZES)) == (scene.digest, made)


def test_a_whole_node_run_is_one_container_whose_copies_fill_it() -> None:
    (made,) = read_scene(scene_of("image: exp-gen-bmk, score: gen").encode(), file="a.yaml").prepare(SIZES)
    assert (made.command[-5:], made.placement.copies) == (("-W", "-c", "4", "-t", "1"), 1)
    assert (made.all_copies, made.placement.threads) == (4, 4)


GUESTS = "{platform: guest, factors: {memory.size: 2 GiB}, layout: {guests: [1, 2]}}"


@pytest.mark.parametrize(
    ("copies", "message"),
    [("[2, 4]", None), ("4", None), ("[2, 3]", "that 2 guests can share evenly, got 3"), ("3", "got 3")],
)
def test_guests_share_the_copies_of_a_container(copies: str, message: str | None) -> None:
    text = scene_of(f"image: exp-gen-bmk, score: gen, copies: {copies}")
    text = text.replace("{machine: local, factors: {page-cache: cold}}", GUESTS)
    if message is None:
        assert read_scene(text.encode(), file="a.yaml").guests[1].layout.guests == 2
        return
    with pytest.raises(SceneError, match=message):
        read_scene(text.encode(), file="a.yaml")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ("score: gen", "expected the image of hep-workload, got none"),
        ("image: exp-gen-bmk", "expected the score of hep-workload, got none"),
        ("image: exp-gen-bmk, score: gen, engine: podmann", "nearest: 'podman'"),
        ("image: 'a b', score: gen", "expected a container image"),
        ("image: -v, score: gen", "expected a container image"),
        ("image: a-bmk, score: '../x'", "expected the name of a score"),
        ('image: a-bmk, score: gen, arguments: "a \'b"', "with their quotes closed"),
        ("image: a-bmk, score: gen, size: 16 MiB", "expected a parameter of hep-workload"),
        ("image: a-bmk, score: gen, copies: [2, 2]", "a list of different ones"),
        (
            "image: a-bmk, score: gen, copies: [2, 4], events: [5, 50]",
            "or several numbers of copies, got both",
        ),
    ],
)
def test_a_mistake_is_told_with_what_was_expected(parameters: str, message: str) -> None:
    with pytest.raises(SceneError) as caught:
        read_scene(scene_of(parameters).encode(), file="a.yaml")
    assert message in str(caught.value)


def test_a_containers_words_are_of_no_other_workload() -> None:
    text = scene_of("image: a-bmk").replace("hep-workload", "flops")
    with pytest.raises(SceneError, match="expected a parameter of flops"):
        read_scene(text.encode(), file="a.yaml")


def test_a_container_without_parameters_is_refused() -> None:
    text = SCENE.partition("  - use")[0] + "  - hep-workload\n"
    with pytest.raises(SceneError, match="expected the image of hep-workload"):
        read_scene(text.encode(), file="a.yaml")


def test_several_containers_have_names_of_their_own() -> None:
    one = "  - {use: hep-workload, name: NAME, parameters: {image: NAME-bmk, score: gen}}\n"
    head = SCENE.partition("  - use")[0]
    text = head + one.replace("NAME", "first") + one.replace("NAME", "second")
    scene = read_scene(text.encode(), file="a.yaml")
    assert [workload.name for workload in scene.prepare(SIZES)] == ["first", "second"]
    assert {workload.parser for workload in scene.prepare(SIZES)} == {"hep-workload"}
    assert read_scene(write_scene(scene).encode(), file="b.yaml").digest == scene.digest
    fits(YAML(typ="safe").load(text), "scene-v1")
    with pytest.raises(SceneError, match="expected each workload once, got 'first' again"):
        read_scene(text.replace("second", "first").encode(), file="a.yaml")
    with pytest.raises(
        SceneError, match="expected a name of its own, got 'flops', which is a ready workload"
    ):
        read_scene(text.replace("name: second", "name: flops").encode(), file="a.yaml")


def test_numbers_of_containers_and_of_copies_in_them_are_not_scanned_together() -> None:
    text = scene_of("image: exp-gen-bmk, score: gen, copies: [1, 2]") + "    placement: {copies: [1, 2]}\n"
    with pytest.raises(SceneError, match="copies in the container hep-workload or of it, got both"):
        read_scene(text.encode(), file="a.yaml")


def test_several_containers_of_one_copy_each_load_as_many_threads() -> None:
    text = scene_of("image: exp-gen-bmk, score: gen, threads: 2")
    text += "    name: gen\n    placement: {copies: [1, 2], threads: 2}\n"
    made = read_scene(text.encode(), file="a.yaml").prepare(SIZES)
    assert [(one.name, one.family, one.placement.copies) for one in made] == [
        ("gen-c1", "gen", 1),
        ("gen-c2", "gen", 2),
    ]
    assert {one.command[-5:] for one in made} == {("-W", "-c", "1", "-t", "2")}


def test_one_container_for_each_half_fills_it() -> None:
    text = scene_of("image: exp-gen-bmk, score: gen") + "    placement: {copies: [1, 2], pinning: each}\n"
    whole, halves = read_scene(text.encode(), file="a.yaml").prepare(SIZES)
    assert (whole.command[-5:], halves.command[-5:]) == (
        ("-W", "-c", "4", "-t", "1"),
        ("-W", "-c", "2", "-t", "1"),
    )
