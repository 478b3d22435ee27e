"""The command that tests a setting: the scene of a result, with that setting alone changed."""

from __future__ import annotations

import shlex
from functools import cached_property
from pathlib import Path

from assay.model.activity import ActivityPlan
from assay.model.errors import AssayError
from assay.scenes import command_scene, find_scene, ready_names, takes_asked

EVALUATE = ("assay", "evaluate")


class Commands:
    """Makes the commands that test settings on the scene of a result, by all of its workloads.

    Args:
        plan: The activity's plan.
    """

    def __init__(self, plan: ActivityPlan) -> None:
        self._plan = plan

    def of(self, factor: str, level: str) -> str | None:
        """Return the command that measures a level against the guest as it is; ``None`` where it takes a
        scene that is written by hand.

        The scene is named where its name says all that was asked for; else it is the one that the result
        kept, written to a file first.
        """
        if not takes_asked(self._plan.scene_text, factor):
            return None
        asked = ("--baseline", "guest", "--set", f"{factor}={_quoted(level)}")
        if self._named is not None:
            return shlex.join([*EVALUATE, *self._named, *asked])
        file = f"{self._plan.id}.yaml"
        kept = ("assay", "result", "scene", self._plan.id, "--output", file)
        return f"{shlex.join(kept)} && {shlex.join([*EVALUATE, file, *asked])}"

    @cached_property
    def _named(self) -> tuple[str, ...] | None:
        """Return the words that name the scene as it was measured; ``None`` where no name says it."""
        if self._plan.command is not None:
            return self._as_command(self._plan.command)
        if self._plan.scene not in ready_names():
            return None
        try:
            ready = find_scene(self._plan.scene, scale=self._plan.scale)
        except AssayError:  # this version has no such scale
            return None
        scale = () if self._plan.scale is None else ("--scale", self._plan.scale)
        return (ready.name, *scale) if ready.digest == self._plan.scene_digest else None

    def _as_command(self, command: str) -> tuple[str, ...] | None:
        """Return the words of a command line that means the same in every folder, with nothing beside it."""
        try:
            scene = command_scene(shlex.split(command), folder=Path("/"))
        except (AssayError, ValueError):  # a program that is named by the folder it was given in
            return None
        brings = any(getattr(one, "inputs", ()) for one in scene.workloads)
        same = not brings and scene.digest == self._plan.scene_digest
        return ("--command", command) if same else None


def _quoted(level: str) -> str:
    return f'"{level}"' if "," in level else level
