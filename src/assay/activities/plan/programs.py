"""The programs that a scene's workloads need on every arm."""

from __future__ import annotations

from collections.abc import Mapping

from assay.scenes import Scene
from assay.workloads import Sizes


def needed_programs(scene: Scene) -> Mapping[str, str | None]:
    """Return the executables that the scene's workloads need on every arm, and their packages.

    Own files come with the trial.
    """
    smallest = Sizes(cache_bytes=None, memory_bytes=2**30, cpus=1)
    needed = {w.program: w.package for w in scene.prepare(smallest) if w.program}
    return {program: package for program, package in needed.items() if not comes_along(program)}


def comes_along(program: str) -> bool:
    """Tell whether a workload's program is a file of its own inputs: only such have a relative path."""
    return "/" in program and not program.startswith("/")
