"""``assay scene``: what can be evaluated."""

from __future__ import annotations

import click

from assay.cli.output import json_option, print_json, say


@click.group("scene", epilog="Example: assay scene validate my-scene.yaml")
def command() -> None:
    """List, show and validate evaluation scenes."""


@command.command("list", epilog="Example: assay scene list")
@json_option
def list_(*, as_json: bool) -> None:
    """List the ready scenes."""
    from assay.report.tables import table
    from assay.scenes import list_scenes

    scenes = list_scenes()
    if as_json:
        print_json("scenes", scenes=[{"name": name, "title": title} for name, title in scenes])
    else:
        click.echo(table(("scene", "title"), scenes))


@command.command("show", epilog="Example: assay scene show quick")
@click.argument("scene")
@json_option
def show(scene: str, *, as_json: bool) -> None:
    """Show a scene's file; a good start for one of your own."""
    from assay.scenes import find_scene

    found = find_scene(scene)
    if as_json:
        print_json("scene", name=found.name, title=found.title, digest=found.digest, text=found.source)
    else:
        click.echo(found.source, nl=not found.source.endswith("\n"))


@command.command("validate", epilog="Example: assay scene validate my-scene.yaml")
@click.argument("scene")
@json_option
def validate(scene: str, *, as_json: bool) -> None:
    """Check a scene file; the first error is named by file:line:column."""
    from assay.scenes import find_scene

    found = find_scene(scene)
    if as_json:
        print_json("scene-validate", name=found.name, file=found.file, digest=found.digest, valid=True)
    else:
        say(f"{found.file}: scene '{found.name}' is valid")
