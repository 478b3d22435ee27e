"""``assay platform image add`` and ``prune``."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.output import home, json_option, print_json, say
from assay.model.units import format_bytes

_FILE = click.Path(path_type=Path)


@click.command("add", epilog="Example: assay platform image add el9.qcow2 --name el9 --cloud-init")
@click.argument("file", type=_FILE)
@click.option("--name", required=True, help="What it is called here.")
@click.option("--cloud-init", "cloud_init", is_flag=True, help="Its guests set themselves up from a seed.")
@click.option("--user", default="root", show_default=True, help="Account of its guests that the key opens.")
@click.option("--identity", type=_FILE, help="Private key that opens it.")
@click.option("--host-key", "host_key", metavar="KEY", help="Public host key of its guests.")
@click.option("--kernel", type=_FILE, help="Kernel to start instead of its boot loader.")
@click.option("--initrd", type=_FILE, help="That kernel's first file system.")
@json_option
def add(
    file: Path,
    *,
    name: str,
    cloud_init: bool,
    user: str,
    identity: Path | None,
    host_key: str | None,
    kernel: Path | None,
    initrd: Path | None,
    as_json: bool,
) -> None:
    """Copy a disk of yours, qcow2 or raw, as an image; the file itself stays as it is.

    Guests of a cloud image (--cloud-init) are given keys, name and networks by a seed. Of any other disk say
    how its guests are logged in to: --identity and --host-key.
    """
    from assay.platforms.images.adopt import Adopted, add_image
    from assay.platforms.images.stored import Login

    if cloud_init == (identity is not None and host_key is not None):
        msg = "give either --cloud-init, or --identity and --host-key"
        raise click.UsageError(msg)
    if (kernel is None) != (initrd is None):
        msg = "--kernel and --initrd go together"
        raise click.UsageError(msg)
    login = None if identity is None or host_key is None else Login(user, identity, host_key)
    boot = None if kernel is None or initrd is None else (kernel, initrd)
    made = add_image(home(), Adopted(file, name, login, boot))
    if as_json:
        print_json("image-add", image={"digest": made.digest, "name": made.name, "folder": str(made.folder)})
    else:
        say(f"image {made.name} is {made.digest}, {format_bytes(made.size_bytes)}")


@click.command("prune", epilog="Example: assay platform image prune --dry-run")
@click.option("--added", is_flag=True, help="Also images that were added by name.")
@click.option("--dry-run", "dry_run", is_flag=True, help="List only.")
@json_option
def prune(*, added: bool, dry_run: bool, as_json: bool) -> None:
    """Remove images that no guest stands on and the next evaluation does not boot, with their
    saved states.
    """
    from assay.platforms.images.image import site_packages
    from assay.platforms.images.recipe import current_recipe
    from assay.platforms.leftovers.prune import prune_image, unused_images

    current = current_recipe(site_packages(home())).digest
    unused = unused_images(home(), current=current, added=added)
    for one in unused if not dry_run else ():
        prune_image(home(), one)
    if as_json:
        print_json("image-prune", images=[one.digest for one in unused], removed=not dry_run)
    else:
        names = ", ".join(one.name or one.digest for one in unused) or "none"
        size = format_bytes(sum(one.size_bytes for one in unused))
        say(f"{'unused' if dry_run else 'removed'}: {names} ({size})")
