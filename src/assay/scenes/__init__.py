"""Scene files: what is compared with what, by which workloads, how precisely.

Here belongs reading them (positions kept, closed vocabulary), the ready scenes that come with the package,
finding those that a site keeps by name, and the JSON Schema for editors. What a scene leads to (a plan,
trials) belongs above.

Importing this room is cheap: pydantic and ruamel.yaml are imported when the first scene is read.
"""

from __future__ import annotations

from typing import Any

from assay.scenes.changes.ablations import ABLATIONS, Ablation
from assay.scenes.changes.alter import Wanted, alter_scene
from assay.scenes.changes.asked import Asked, asked_scene, takes_asked
from assay.scenes.changes.command import command_scene
from assay.scenes.changes.lane import lane_scene
from assay.scenes.find import find_scene, list_scenes, may_be_own, ready_names, ready_scenes
from assay.scenes.load import load_scene, read_scene
from assay.scenes.own import scene_diff, scene_text
from assay.scenes.published import publications, published_figures
from assay.scenes.text.errors import Problem, SceneError
from assay.scenes.values.chosen import Own, Ready
from assay.scenes.values.elsewhere import made_elsewhere
from assay.scenes.values.scene import Design, Guest, OtherMachine, Scene


def scene_schema() -> dict[str, Any]:
    """Return the JSON Schema of a scene file; ``contracts/scene-v1.schema.json`` is equal to it."""
    from assay.scenes.forms.schema import scene_schema as generate

    return generate()


__all__ = [
    "ABLATIONS",
    "Ablation",
    "Asked",
    "Design",
    "Guest",
    "OtherMachine",
    "Own",
    "Problem",
    "Ready",
    "Scene",
    "SceneError",
    "Wanted",
    "alter_scene",
    "asked_scene",
    "command_scene",
    "find_scene",
    "lane_scene",
    "list_scenes",
    "load_scene",
    "made_elsewhere",
    "may_be_own",
    "publications",
    "published_figures",
    "read_scene",
    "ready_names",
    "ready_scenes",
    "scene_diff",
    "scene_schema",
    "scene_text",
    "takes_asked",
]
