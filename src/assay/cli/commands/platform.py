"""``assay platform``: settings, guest images, and what a crash left behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from assay.cli.commands.factors import below_platform
from assay.cli.commands.images import add, prune
from assay.cli.commands.saved import saved
from assay.cli.names import WHO
from assay.cli.output import answer, home, json_option, print_json, say
from assay.cli.several import error_words, worst
from assay.cli.stores import open_store
from assay.model.units import format_bytes

if TYPE_CHECKING:
    from assay.activities.side_by_side import Outcome
    from assay.platforms.leftovers.clean import Leftover


@click.group("platform", epilog="Example: assay platform clean")
def command() -> None:
    """List and try settings of guests; build and list their images; remove what a crash left behind."""


for one in below_platform():
    command.add_command(one)
command.add_command(saved)


@command.group("image", epilog="Example: assay platform image build --package python3")
def image() -> None:
    """List, build, add and remove guest images."""


image.add_command(add)
image.add_command(prune)


@image.command("list", epilog="Example: assay platform image list")
@json_option
def image_list(*, as_json: bool) -> None:
    """List the images: what each has beside the packages of every guest, and the scenes that booted it.

    The one that a scene boots which names neither image nor packages is marked.
    """
    from assay.platforms.images.image import list_images, site_packages
    from assay.platforms.images.image_uses import image_uses, own_packages, scenes_of
    from assay.platforms.images.recipe import current_recipe
    from assay.report.tables.tables import table

    current = current_recipe(site_packages(home())).digest
    uses = image_uses(home())
    rows = [
        {
            **_content(guest_image),
            "current": guest_image.digest == current,
            "own_packages": list(own_packages(guest_image)),
            "scenes": list(scenes_of(uses, guest_image)),
        }
        for guest_image in list_images(home())
    ]
    if as_json:
        print_json("images", images=rows)
        return
    cells = [
        [
            r["digest"],
            r["name"] or ("current" if r["current"] else ""),
            r["kernel_release"],
            format_bytes(r["size_bytes"]),
            " ".join(r["own_packages"]),
            " ".join(r["scenes"]),
        ]
        for r in rows
    ]
    answer(table(("image", "", "kernel", "size", "packages", "scenes"), cells, right={3}))


@image.command("build", epilog="Example: assay platform image build --package python3")
@click.option(
    "--package",
    "packages",
    multiple=True,
    metavar="NAME",
    help="Debian package that the guest shall have, from now on.",
)
@click.option(
    "--release", metavar="CODENAME", help="Another release of the distribution, for scenes that name it."
)
@json_option
def image_build(packages: tuple[str, ...], *, release: str | None, as_json: bool) -> None:
    """Build the guest image if it is not there; packages stay part of it for later evaluations."""
    from assay.cli.progress import watcher
    from assay.platforms.images.image import add_site_packages, build_image, site_packages
    from assay.platforms.images.recipe import current_recipe

    before = site_packages(home())
    wanted = tuple(sorted({*before, *packages}))
    with watcher() as shown:
        built = build_image(
            home(),
            current_recipe(wanted, release=release),
            progress=lambda text, fraction: shown.step(text, fraction=fraction),
            log=None,
        )
    if packages:
        add_site_packages(home(), packages)
    if as_json:
        print_json("image", image=_content(built))
    else:
        say(
            f"image {built.digest} is ready: {len(built.packages)} packages, {format_bytes(built.size_bytes)}"
        )


@image.command("remove", epilog="Example: assay platform image remove 3f9a")
@click.argument("digest")
@json_option
def image_remove(digest: str, *, as_json: bool) -> None:
    """Remove an image by its digest or a unique beginning of it."""
    from assay.platforms.images.image import remove_image

    removed = remove_image(home(), digest)
    if as_json:
        print_json("image-remove", image=removed.digest)
    else:
        say(f"image {removed.digest} removed")


@command.command("clean", epilog="Example: assay platform clean --dry-run")
@click.option("--dry-run", is_flag=True, help="List only.")
@click.option(
    "--on", "who", metavar="WHO", type=WHO, help="Guests of ours on these machines of the inventory."
)
@json_option
def clean(*, dry_run: bool, who: str | None, as_json: bool) -> int:
    """List and remove what a crash left of ours: guests, containers, networks, groups, daemons, host
    settings, what scripts of scenes had set up.

    A guest that holds a record not yet collected is listed and stays: resume its activity.
    """
    from assay.report.tables.tables import table

    found = (_left_here(dry_run),) if who is None else _left_on(who, dry_run)
    rows = [
        {"machine": one.machine, **asdict(item), "removed": removed}
        for one in found
        for item, removed in one.value or ()
    ]
    code = worst(found)
    if as_json:
        errors = [{"machine": one.machine, **said} for one in found if (said := error_words(one.error))]
        print_json("clean", leftovers=rows, errors=errors)
    elif rows:
        named = len(found) > 1
        cells = [
            [
                *([row["machine"]] if named else ()),
                row["kind"],
                row["name"],
                "removed" if row["removed"] else "there",
                row["why"],
            ]
            for row in rows
        ]
        answer(table((*(("machine",) if named else ()), "kind", "name", "", "why"), cells))
    elif not code:
        say("nothing of ours was left behind")
    return code


def _left_here(dry_run: bool) -> Outcome[Sequence[tuple[Leftover, bool]]]:
    from assay.activities.leftovers import clean_here
    from assay.activities.side_by_side import Outcome

    return Outcome("local", clean_here(home(), dry_run=dry_run))


def _left_on(who: str, dry_run: bool) -> Sequence[Outcome[Sequence[tuple[Leftover, bool]]]]:
    from functools import partial

    from assay.activities.side_by_side import side_by_side
    from assay.activities.visits.remote import clean_machine
    from assay.machines.who import chosen

    machines = [entry.machine for entry in chosen(who, open_store().entries())]
    return side_by_side(machines, partial(clean_machine, home=home(), dry_run=dry_run))


def _content(guest_image: Any) -> dict[str, Any]:
    return {
        "digest": guest_image.digest,
        "name": guest_image.name,
        "folder": str(guest_image.folder),
        "kernel_release": guest_image.kernel_release,
        "size_bytes": guest_image.size_bytes,
        "built_s": guest_image.built_s,
        "packages": list(guest_image.packages),
    }
