"""``assay scene``: what can be evaluated."""

from __future__ import annotations

import click

from assay.cli.names import SCALE
from assay.cli.output import answer, document, json_option, print_json, say


@click.group("scene", epilog="Example: assay scene validate my-scene.yaml")
def command() -> None:
    """List, show and validate evaluation scenes."""


@command.command("list", epilog="Example: assay scene list")
@json_option
def list_(*, as_json: bool) -> None:
    """List the ready scenes: what each asks, whose figures lie beside its own, about how long it takes."""
    from assay.report.lists.scene_index import listed_scenes, scene_table

    scenes = listed_scenes()
    if as_json:
        print_json("scenes", scenes=scenes)
    else:
        answer(scene_table(scenes))


@command.command("show", epilog="Example: assay scene show quick")
@click.argument("scene")
@click.option("--scale", metavar="NAME", type=SCALE, help="As it is at one of its scales.")
@json_option
def show(scene: str, scale: str | None, *, as_json: bool) -> None:
    """Show a scene's file, with its scales; a good start for one of your own."""
    from assay.scenes import find_scene

    loaded = find_scene(scene, scale=scale)
    if as_json:
        scales = [{"name": name, "about": about} for name, about in loaded.scales]
        print_json("scene", name=loaded.name, title=loaded.title, digest=loaded.digest, text=loaded.source,
                   scale=loaded.scale, scales=scales)  # fmt: skip
    else:
        document(loaded.source if loaded.source.endswith("\n") else f"{loaded.source}\n")


@command.command("validate", epilog="Example: assay scene validate my-scene.yaml")
@click.argument("scene")
@json_option
def validate(scene: str, *, as_json: bool) -> None:
    """Check a scene file; the first error is named by file:line:column."""
    from assay.scenes import find_scene

    loaded = find_scene(scene)
    if as_json:
        print_json("scene-validate", name=loaded.name, file=loaded.file, digest=loaded.digest, valid=True)
    else:
        scales = ", ".join(name for name, _ in loaded.scales)
        say(
            f"{loaded.file}: scene '{loaded.name}' is valid"
            + (f", at its scales too: {scales}" if scales else "")
        )
