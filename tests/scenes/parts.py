"""A scene of a given treatment and baseline, for tests of what lies in these."""

from __future__ import annotations

from assay.scenes.load import read_scene
from assay.scenes.values.scene import Scene

SCENE = """\
scene: trial
title: A trial
baseline: {baseline}
treatment: {treatment}
workloads: [flops]
"""


def scene(treatment: str, baseline: str = "{machine: local}") -> Scene:
    """Read a scene with these two."""
    text = SCENE.format(treatment=treatment, baseline=baseline)
    return read_scene(text.encode(), file="trial.yaml")
