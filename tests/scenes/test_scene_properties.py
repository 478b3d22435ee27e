"""What holds for every scene file: a scene that can be written and read again, or where it is wrong."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import scenes as room
from assay.scenes import SceneError, read_scene
from assay.scenes.changes.write import write_scene
from assay.scenes.values.scene import Scene
from tests.mutations import SEEDS, check_refusal, check_values, seeded
from tests.mutations import damaged as mutated
from tests.scenes.generated import damaged, files, scenes

FILE = str(Path(room.__file__).parent / "library" / "made.yaml")


def read_or_refuse(source: bytes) -> Scene | None:
    """Return a scene; ``None`` where each wrong place is told by its line and column."""
    try:
        return read_scene(source, file=FILE)
    except SceneError as error:
        wrong = error
    lines = source.decode("utf-8", "replace").splitlines()
    for problem in wrong.problems:
        assert 1 <= problem.line <= len(lines) + 1
        assert problem.column >= 1
        assert problem.sentence
    assert all(
        re.match(rf"{re.escape(FILE)}:( and |\d+:\d+: .)", line) for line in wrong.message.splitlines()
    )
    return None


def again(scene: Scene) -> Scene:
    """Return a scene that was written and read; what only stands in its file is taken over."""
    read = read_scene(write_scene(scene).encode(), file=FILE)
    return replace(read, source=scene.source, scales=scene.scales)


@given(text=damaged())
def test_a_damaged_file_is_a_scene_or_says_where_it_is_wrong(text: str) -> None:
    scene = read_or_refuse(text.encode("utf-8", "surrogatepass"))
    if scene is not None:
        assert again(scene) == scene


@seeded
@given(seed=SEEDS)
def test_a_mutated_file_is_a_scene_or_says_where_it_is_wrong(seed: int) -> None:
    known = sorted(files(), key=len)[: len(files()) // 2]
    source = mutated(known[seed % len(known)].encode(), seed)
    try:
        scene = read_scene(source, file=FILE)
    except SceneError as error:
        check_refusal(error)
        return
    check_values(scene)


@given(source=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_a_scene_or_say_where_they_are_wrong(source: bytes) -> None:
    read_or_refuse(source)


@given(text=scenes())
def test_a_scene_that_is_written_and_read_again_is_the_same(text: str) -> None:
    scene = read_or_refuse(text.encode())
    if scene is not None:
        assert again(scene) == scene
        assert again(scene).digest == scene.digest
        assert write_scene(again(scene)) == write_scene(scene)


@pytest.mark.parametrize("text", files(), ids=lambda text: text.partition("scene: ")[2].split()[0])
def test_a_scene_that_comes_with_assay_is_the_same_when_written_and_read(text: str) -> None:
    scene = read_scene(text.encode(), file=FILE)
    assert again(scene) == scene
