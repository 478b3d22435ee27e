"""The store of a command, opened once and closed when the command ends, and machines of its inventory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from assay.cli.output import home

if TYPE_CHECKING:
    from assay.model.machines.inventory import Entry
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


def chosen_machines(who: str | None) -> tuple[Entry, ...]:
    """Return the machines of the inventory that some words name; all of it without."""
    from assay.store import quick

    entries = quick.entries(home())
    entries = open_store().entries() if entries is None else entries
    if who is None:
        return tuple(entries)
    from assay.machines.who import chosen  # doors to machines: a whole list needs none

    return chosen(who, entries)
