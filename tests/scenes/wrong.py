"""A good scene to spoil, and what is said of a spoilt one."""

from __future__ import annotations

import pytest

from assay.scenes import SceneError, read_scene

GOOD = """\
scene: trial
title: A scene for tests
baseline: {machine: local}
treatment: {platform: guest}
workloads: [flops]
"""
MACHINE = "cpu.quota, memory.limit, disk.read-limit, disk.write-limit, page-cache, pause"


def refuse(source: str | bytes, *, file: str = "trial.yaml") -> SceneError:
    """Return what is said of a wrong scene."""
    content = source if isinstance(source, bytes) else source.encode()
    with pytest.raises(SceneError) as caught:
        read_scene(content, file=file)
    return caught.value


def refuse_changed(line: str, by: str) -> SceneError:
    """Return what is said of the good scene with one line changed."""
    assert line in GOOD
    return refuse(GOOD.replace(line, by))
