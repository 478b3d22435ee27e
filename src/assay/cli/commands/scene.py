"""``assay scene``: what can be evaluated, and the site's own scenes with their versions."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.names import OWN_SCENE, SCALE, SCENE
from assay.cli.output import answer, document, home, home_place, json_option, print_json, say

VERSION = click.IntRange(min=1)


@click.group("scene", epilog="Example: assay scene validate my-scene.yaml")
def command() -> None:
    """List, show, validate and save evaluation scenes."""


@command.command("list", epilog="Example: assay scene list")
@json_option
def list_(*, as_json: bool) -> None:
    """List the scenes: your own with their newest version, then the ready ones.

    Of a ready scene: what it asks, whose figures lie beside its own, about how long it takes.
    """
    from assay.model.files.own_scenes import own_scenes
    from assay.report.lists.own_scenes import own_entries, own_table
    from assay.report.lists.scene_index import listed_scenes, scene_table

    own, scenes = own_scenes(home_place()), listed_scenes()
    if as_json:
        print_json("scenes", own=own_entries(own), scenes=scenes)
        return
    if own:
        answer(f"{own_table(own)}\n")
    answer(scene_table(scenes))


@command.command("show", epilog="Example: assay scene show quick")
@click.argument("scene", type=SCENE)
@click.option("--scale", metavar="NAME", type=SCALE, help="As it is at one of its scales.")
@json_option
def show(scene: str, scale: str | None, *, as_json: bool) -> None:
    """Show a scene's file, with its scales; a good start for one of your own.

    NAME@2 is version 2 of one of your own.
    """
    from assay.cli.scenes import named_scene

    loaded = named_scene(scene, scale=scale)
    if as_json:
        scales = [{"name": name, "about": about} for name, about in loaded.scales]
        print_json("scene", name=loaded.name, title=loaded.title, digest=loaded.digest, text=loaded.source,
                   scale=loaded.scale, scales=scales)  # fmt: skip
    else:
        document(loaded.source if loaded.source.endswith("\n") else f"{loaded.source}\n")


@command.command("validate", epilog="Example: assay scene validate my-scene.yaml")
@click.argument("scene", type=SCENE)
@json_option
def validate(scene: str, *, as_json: bool) -> None:
    """Check a scene file; the first error is named by file:line:column."""
    from assay.cli.scenes import named_scene

    loaded = named_scene(scene)
    if as_json:
        print_json("scene-validate", name=loaded.name, file=loaded.file, digest=loaded.digest, valid=True)
    else:
        scales = ", ".join(name for name, _ in loaded.scales)
        say(
            f"{loaded.file}: scene '{loaded.name}' is valid"
            + (f", at its scales too: {scales}" if scales else "")
        )


@command.command("save", epilog="Example: assay scene save my-analysis my-analysis.yaml --note 'more events'")
@click.argument("name", type=OWN_SCENE)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--note", metavar="TEXT", help="One line about this version.")
@click.option("--by", metavar="NAME", help="Who saves it, where that is not you.")
@json_option
def save(name: str, file: Path, note: str | None, by: str | None, *, as_json: bool) -> None:
    """Keep a scene file by name, as its newest version; from then on NAME can be evaluated.

    NAME is what the file says after 'scene:'. What is the newest version already makes no other. Inputs,
    scripts and data are named by absolute paths.
    """
    from assay.report.lists.own_scenes import own_entries
    from assay.scenes.load import source_of, text_of
    from assay.store.own_scenes import save_scene

    text = text_of(source_of(file), str(file))
    kept = save_scene(home(), name, text, by=by or _user(), note=note, file=str(file))
    if as_json:
        print_json("scene-save", scene=own_entries([kept])[0])
    else:
        say(f"scene {name}: version {kept.version} is this; to measure it: assay evaluate {name}")


@command.command("versions", epilog="Example: assay scene versions my-analysis")
@click.argument("name", type=OWN_SCENE)
@json_option
def versions(name: str, *, as_json: bool) -> None:
    """List the versions of a scene of your own, the newest first: when, by whom, the note."""
    from assay.model.files.own_scenes import scene_versions
    from assay.report.lists.own_scenes import own_entries, version_table

    found = scene_versions(home_place(), name)
    if as_json:
        print_json("scene-versions", name=name, versions=own_entries(found[::-1]))
    else:
        answer(version_table(found))


@command.command("diff", epilog="Example: assay scene diff my-analysis 1 3")
@click.argument("name", type=OWN_SCENE)
@click.argument("a", type=VERSION, required=False)
@click.argument("b", type=VERSION, required=False)
@json_option
def diff(name: str, a: int | None, b: int | None, *, as_json: bool) -> None:
    """Show what version B of a scene of your own says otherwise than version A, as a unified diff.

    B is the newest where it is left out, and A the one before B.
    """
    from assay.model.files.own_scenes import scene_versions
    from assay.scenes import scene_diff

    newest = scene_versions(home_place(), name)[-1].version
    b = b or newest
    a = a or max(b - 1, 1)
    text = scene_diff(home_place(), name, a, b)
    if as_json:
        print_json("scene-diff", name=name, a=a, b=b, diff=text)
    elif text:
        document(text)
    else:
        say(f"versions {a} and {b} of {name} are the same")


@command.command("remove", epilog="Example: assay scene remove my-analysis")
@click.argument("name", type=OWN_SCENE)
@json_option
def remove(name: str, *, as_json: bool) -> None:
    """Remove a scene of your own with all its versions; results keep the scene that they were measured by."""
    from assay.store.own_scenes import remove_scene

    remove_scene(home(), name)
    if as_json:
        print_json("scene-remove", name=name)
    else:
        say(f"scene {name} is removed")


def _user() -> str:
    """Return who calls, by name where there is one."""
    import getpass
    import os

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.geteuid())
