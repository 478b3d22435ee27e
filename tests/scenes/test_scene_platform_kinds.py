"""A platform is a word: anything else is refused at its place."""

from __future__ import annotations

import pytest

from assay.scenes import SceneError, read_scene

SCENE = """scene: small
title: Small
baseline: {machine: local}
treatment: {platform: guest}
workloads: [fio]
"""


@pytest.mark.parametrize("platform", ["{a: b}", "[guest]", "[[guest]]", "{guest: {}}"])
def test_a_platform_that_is_no_word_is_refused_at_its_place(platform: str) -> None:
    text = SCENE.replace("platform: guest", f"platform: {platform}")
    with pytest.raises(SceneError) as caught:
        read_scene(text.encode(), file="s.yaml")
    assert caught.value.message.startswith("s.yaml:4:")
