"""What each machine of an arm of several did, and its links, as a table that every rendering shares."""

from __future__ import annotations

from assay.pages.context import Page
from assay.pages.numbers import value_text
from assay.pages.together import LinkUse

TITLE = "Machines that worked together"
HEADERS = (
    *("workload", "arm", "data.access", "machine", "workers", "events/s", "ended after s"),
    *("link", "received MB", "MB/s", "sent MB", "MB/s"),
)
RIGHT = frozenset({4, 5, 6, 8, 9, 10, 11})
_NONE = "-"
NOTE = (
    "each machine has an equal part of the files and of the workers, so the slowest is waited for: events/s "
    "is of its own time in the event loop, and their sum is more than the machines reached together; link: "
    "what the counters of that interface tell (1 MB = 1,000,000 B), SSH and whatever else passed it "
    "included, mean over trials"
)


def together_cells(page: Page) -> list[tuple[str, ...]]:
    """Return a row for each link of each machine, one for a machine without; empty without several."""
    return [
        (
            part.workload,
            part.label,
            part.access,
            part.machine,
            str(part.workers),
            value_text(part.events_per_s),
            value_text(part.ended_s),
            *_link(link),
        )
        for part in page.machines
        for link in part.links or (None,)
    ]


def _link(link: LinkUse | None) -> tuple[str, ...]:
    if link is None:
        return (_NONE,) * 5
    each = (link.received_bytes, link.received_bytes_per_s, link.sent_bytes, link.sent_bytes_per_s)
    return (link.interface, *(value_text(None if one is None else one / 1e6) for one in each))
