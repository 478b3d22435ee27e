"""Pages of activities on several machines, for tests, and the map of one for the documentation:
``python -m tests.report.fleets docs/examples/fleet.png``.
"""

from __future__ import annotations

import random
import sys
from dataclasses import replace
from pathlib import Path

from assay.design import plan_trials
from assay.model.machines.machine import Fingerprint
from assay.model.trial import Arm
from assay.pages.fleet import FleetPage, FleetRow, LaneSummary, StoppedLane
from assay.report.charts.fleet import fleet_charts
from assay.report.render.figure import Size
from assay.report.render.figure import draw as draw_chart
from assay.results.fleet.fleet_rows import Measured, fleet_rows
from assay.results.outcome import build_page
from tests.builders import FACTS, WORKLOAD, plan_of, record_of

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


SLOW, LOSES = "n12", "n29"
"""The planted outliers: one is slow by itself, one loses more in its guests."""


def planted() -> FleetPage:
    """Return the page of 48 made-up nodes of two kinds, of which one is slow and one loses more than the
    others of its kind, each for a reason that its facts have.
    """
    draw = random.Random(48)
    trials = plan_trials(("simulation",), blocks=6, seed=48)
    plan = replace(plan_of(trials), workloads=(replace(WORKLOAD, name="simulation"),))
    measured = []
    for at in range(1, 49):
        name, older = f"n{at:02d}", at > 36
        kind = {"cpu_model": "a processor of 2019" if older else "a processor of 2023"}
        own = {SLOW: {"governor": "powersave"}, LOSES: {"thp": "never"}}.get(name, {})
        usual = {"hostname": name, "governor": "performance", "thp": "always"}
        facts = replace(FACTS, **{**usual, **kind, **own})
        value = (74.0 if older else 100.0) * draw.gauss(1, 0.006) * (0.86 if name == SLOW else 1)
        loss = (0.078 if older else 0.056) + draw.gauss(0, 0.004) + (0.05 if name == LOSES else 0)
        left = {Arm.BASELINE: 1.0, Arm.TREATMENT: 1 - loss}
        records = [record_of(one, value * left[one.arm] * draw.gauss(1, 0.004)) for one in trials]
        measured.append(Measured(name, build_page(plan, records), Fingerprint(facts, {}, 0)))
    lanes = (
        LaneSummary(one.machine, f"{at:08x}", "complete", len(trials), len(trials), None, one.hardware)
        for at, one in enumerate(measured)
    )
    title = "Guests on each node of a farm"
    return replace(page_with(fleet_rows(measured)), title=title, state="complete", lanes=tuple(lanes))


def main() -> None:
    """Write the map of these nodes to the file that is named."""
    (chart,) = fleet_charts(planted())
    Path(sys.argv[1]).write_bytes(draw_chart(chart, "png", Size(100, 4, "a page of the documentation")))


if __name__ == "__main__":
    main()
