"""A scene with something asked for on the command line, and a text that says so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from assay.scenes.scene import OtherMachine, Scene
from assay.scenes.write import write_scene


def alter_scene(
    scene: Scene, *, against: str | None = None, blocks: int | None = None, seed: int | None = None
) -> Scene:
    """Return a scene with another treatment or design; its text is written anew if anything changed.

    Args:
        scene: The scene as it was read.
        against: Name of the machine to compare instead of the treatment, without limits.
        blocks: Number of blocks.
        seed: Seed of the order of trials.
    """
    asked: dict[str, Any] = {"blocks": blocks, "seed": seed}
    design = replace(scene.design, **{name: value for name, value in asked.items() if value is not None})
    changed = replace(scene, design=design)
    if against is not None:
        title = f"{scene.name}: this machine against {against}"
        changed = replace(changed, title=title, treatment=OtherMachine(against))
    return scene if changed == scene else replace(changed, source=write_scene(changed))
