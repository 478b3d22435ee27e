"""Scenes that nobody wrote by hand: large, or with thousands of mistakes; refused in linear time."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from assay.scenes import SceneError, read_scene
from assay.scenes.load import LARGEST_BYTES, load_scene

SCENE = """scene: large
title: Large
baseline: {machine: local}
treatment: {platform: guest}
workloads: [fio]
"""


def test_thousands_of_unknown_keys_are_named_by_their_first_ones_and_counted() -> None:
    text = SCENE + "".join(f"key{number}: 1\n" for number in range(3000))
    began = time.process_time()
    with pytest.raises(SceneError) as caught:
        read_scene(text.encode(), file="s.yaml")
    assert (
        time.process_time() - began < 5
    )  # 8,000 took 6 s in words alone, and the reading of YAML is most of it
    lines = caught.value.message.splitlines()
    assert lines[0].startswith("s.yaml:6:1: expected one of ")
    assert lines[9].startswith("s.yaml:15:1: ")
    assert lines[10:] == ["s.yaml: and 2990 more"]


def test_a_scene_above_128_kib_is_refused_before_it_is_read(tmp_path: Path) -> None:
    assert LARGEST_BYTES == 128 * 1024
    file = tmp_path / "s.yaml"
    file.write_text(SCENE + "#" * (LARGEST_BYTES - len(SCENE)))
    assert load_scene(file).name == "large"
    file.write_text(SCENE + "#" * (LARGEST_BYTES - len(SCENE) + 1))
    with pytest.raises(SceneError, match="expected a scene of at most 128 KiB, got a larger file"):
        load_scene(file)


@pytest.mark.parametrize("platform", ["{a: b}", "[guest]", "[[guest]]", "{guest: {}}"])
def test_a_platform_that_is_no_word_is_refused_at_its_place(platform: str) -> None:
    text = SCENE.replace("platform: guest", f"platform: {platform}")
    with pytest.raises(SceneError) as caught:
        read_scene(text.encode(), file="s.yaml")
    assert caught.value.message.startswith("s.yaml:4:")
