"""The rates of data beside the bare network's, as a table that every rendering shares."""

from __future__ import annotations

from assay.pages.context import Page
from assay.pages.numbers import interval_text, value_text

TITLE = "Share of the bare network"
HEADERS = ("workload", "metric", "arm", "data.access", "MB/s", "bare network MB/s", "share", "blocks")
RIGHT = frozenset({4, 5, 6, 7})


def path_share_cells(page: Page) -> list[tuple[str, ...]]:
    """Return a row for each arm that has its data from a server; empty where the bare network was not
    measured.
    """
    return [
        (
            one.workload,
            one.metric,
            one.label,
            one.access,
            value_text(one.rate),
            value_text(one.path_rate),
            interval_text(one.share, one.low, one.high),
            str(one.blocks),
        )
        for one in page.path_shares
    ]


def path_share_note(page: Page) -> str:
    """Return how to read the table, one sentence."""
    paths = ", ".join(dict.fromkeys(one.path for one in page.path_shares))
    return (
        f"share: the rate of the data over that of {paths} on the same arm in the same block, mean over "
        "blocks; what the way to the data costs beyond the network"
    )
