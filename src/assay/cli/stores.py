"""The store of a command: opened once, and closed when the command ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from assay.cli.output import home

if TYPE_CHECKING:
    from assay.store.store import Store


def open_store() -> Store:
    """Return the store of the home; it is closed with the command that runs.

    Raises:
        AssayError: The home or its database cannot be used.
    """
    from assay.store.store import Store

    context = click.get_current_context().find_root()
    if "store" not in context.meta:
        store = context.meta["store"] = Store(home())
        context.call_on_close(store.close)
    kept: Store = context.meta["store"]
    return kept
