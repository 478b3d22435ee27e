"""What passes the interfaces of machines that do a trial together, by the counters of each kernel.

Source: ``man 5 proc``, ``/proc/net/dev``: behind the name the first column is bytes received, the ninth bytes
    sent.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.activities.visits.visit import Visit
from assay.model.trial import LinkBytes

COUNTERS = "/proc/net/dev"
_LOOK_S = 10.0
_LOOPBACK = "lo"


def links_of(visit: Visit) -> tuple[LinkBytes, ...]:
    """Return what has passed each interface so far; empty of what is no machine of several.

    Raises:
        UnreachableError: The machine was lost.
    """
    if not visit.joined:
        return ()
    return parse_links(visit.run(("cat", COUNTERS), timeout_s=_LOOK_S).decode(errors="replace"))


def parse_links(text: str) -> tuple[LinkBytes, ...]:
    """Return the counters of each interface in a ``/proc/net/dev``, without loopback."""
    rows = (line.partition(":") for line in text.splitlines() if ":" in line)
    each = [(name.strip(), counters.split()) for name, _, counters in rows]
    return tuple(
        LinkBytes(name, int(counters[0]), int(counters[8]))
        for name, counters in each
        if name != _LOOPBACK and len(counters) > 8
    )


def links_since(before: Sequence[LinkBytes], after: Sequence[LinkBytes]) -> tuple[LinkBytes, ...]:
    """Return what passed each interface that was there both times; one that ran backwards tells nothing."""
    known = {one.interface: one for one in before}
    pairs = [(known[one.interface], one) for one in after if one.interface in known]
    passed = (
        LinkBytes(now.interface, now.received_bytes - then.received_bytes, now.sent_bytes - then.sent_bytes)
        for then, now in pairs
    )
    return tuple(one for one in passed if min(one.received_bytes, one.sent_bytes) >= 0)
