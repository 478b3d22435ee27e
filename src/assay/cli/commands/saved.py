"""``assay platform saved``: states of guests that were saved while usable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from assay.cli.output import answer, home, json_option, print_json, say
from assay.model.units import format_bytes

if TYPE_CHECKING:
    from assay.platforms.saved_states.saved_store import SavedState


@click.group("saved", epilog="Example: assay platform saved list")
def saved() -> None:
    """List and remove saved states of guests."""


@saved.command("list", epilog="Example: assay platform saved list --json")
@json_option
def saved_list(*, as_json: bool) -> None:
    """List saved states, oldest first."""
    from datetime import UTC, datetime

    from assay.platforms.saved_states.saved_store import list_saved
    from assay.report.tables.tables import table

    states = list_saved(home())
    if as_json:
        print_json("saved", saved=[_content(one) for one in states])
        return
    cells = [
        [
            one.digest,
            datetime.fromtimestamp(one.saved_at_s, UTC).strftime("%Y-%m-%d %H:%M"),
            one.image,
            str(one.vcpus),
            format_bytes(one.memory_bytes),
            format_bytes(one.size_bytes),
        ]
        for one in states
    ]
    answer(table(("state", "saved (UTC)", "image", "vCPUs", "memory", "size"), cells, right={3, 4, 5}))


@saved.command("prune", epilog="Example: assay platform saved prune 3f9a")
@click.argument("digest", default="")
@json_option
def saved_prune(digest: str, *, as_json: bool) -> None:
    """Remove the saved states whose digest starts so; all of them without one."""
    from assay.platforms.saved_states.saved_store import remove_saved

    gone = remove_saved(home(), digest)
    if as_json:
        print_json("saved-prune", saved=[one.digest for one in gone])
    else:
        size = format_bytes(sum(one.size_bytes for one in gone))
        say(f"{len(gone)} saved states removed, {size}")


def _content(one: SavedState) -> dict[str, Any]:
    return {
        "digest": one.digest,
        "folder": str(one.folder),
        "image": one.image,
        "vcpus": one.vcpus,
        "memory_bytes": one.memory_bytes,
        "saved_at_s": one.saved_at_s,
        "size_bytes": one.size_bytes,
        "host": one.host,
    }
