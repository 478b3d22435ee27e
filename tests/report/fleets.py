"""Pages of activities on several machines, for tests."""

from __future__ import annotations

from assay.pages.fleet import FleetPage, FleetRow, LaneSummary, StoppedLane

HARDWARE = "A CPU, 2 processors, 8 GiB"


def page_with(rows: tuple[FleetRow, ...]) -> FleetPage:
    """Return a page with these metrics: their machines complete, one that was taken out, one that waits."""
    names = [one.machine for one in rows[0].machines] if rows else []
    stop = StoppedLane("unreachable", "cannot reach <n98>: the port refuses connections", None, 5)
    return FleetPage(
        id="0123abcd",
        scene="itself",
        title="Each machine against <itself>",
        state="partial",
        who="farm",
        created="2026-11-27T18:00:00+00:00",
        seed=7,
        confidence=0.95 if rows else None,
        margin=0.02 if rows else None,
        command=None,
        lanes=(
            *(
                LaneSummary(name, f"{at:08x}", "complete", 9, 9, None, HARDWARE)
                for at, name in enumerate(names)
            ),
            LaneSummary("n98", "ffffff98", "out", 9, 2, stop, HARDWARE),
            LaneSummary("n99", "ffffff99", "waiting", 0, 0, None, None),
        ),
        rows=rows,
    )
