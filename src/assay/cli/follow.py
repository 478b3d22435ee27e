"""``assay activity follow``: an activity that another process conducts, as it goes on."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.output import answer, answer_line, home, print_json, spelled
from assay.model.units import format_seconds

if TYPE_CHECKING:
    from assay.activities.following import Follower, LaneNow

LOOK_S = 1.0
HEADERS = ("machine", "state", "trials", "now", "left", "so far")
LOSSES = ("workload", "metric", "blocks", "loss")


def follow(folder: Path, *, as_json: bool) -> None:
    """Show how an activity goes on until nobody conducts it any more.

    Args:
        folder: Its folder.
        as_json: Say how it stands now, once, as JSON.
    """
    from assay.activities.following import Follower

    follower = Follower(folder, home())
    if as_json:
        going, lanes = follower.going, follower.look()
        print_json("activity-follow", going=going, lanes=[asdict(lane) for lane in lanes])
    elif sys.stdout.isatty():
        _live(follower)
    else:
        _lines(follower)


def _live(follower: Follower) -> None:
    """Keep a table up to date on a terminal."""
    from rich.live import Live
    from rich.text import Text

    def drawn() -> Text:
        return Text(spelled(_tables(follower.look())))

    with Live(drawn(), auto_refresh=False) as shown:
        while follower.going:
            time.sleep(LOOK_S)
            shown.update(drawn(), refresh=True)


def _lines(follower: Follower) -> None:
    """Say each lane that has come further, one line each."""
    before: Sequence[LaneNow] = ()
    while follower.going:
        now = follower.look()
        told = {lane.machine: (lane.state, lane.done) for lane in before}
        for lane in now:
            if told.get(lane.machine) != (lane.state, lane.done):
                answer_line("  ".join(cell for cell in _cells(lane) if cell))
        before = now
        time.sleep(LOOK_S)
    answer(_tables(follower.look()))


def _tables(lanes: Sequence[LaneNow]) -> str:
    """Return how lanes stand; below it, of a single one, what the blocks so far say of each metric."""
    from assay.pages.numbers import size_text
    from assay.report.tables.tables import table

    text = table(HEADERS, [_cells(lane) for lane in lanes], right={2, 4})
    if len(lanes) > 1 or not lanes[0].losses:
        return text
    rows = [[one.workload, one.name, str(one.blocks), size_text(one)] for one in lanes[0].losses]
    return f"{text}\n\n{table(LOSSES, rows, right={2, 3})}"


def _cells(lane: LaneNow) -> tuple[str, ...]:
    since = "" if lane.since_s is None else f" ({format_seconds(lane.since_s)})"
    left = "" if not lane.remaining_s else f"about {format_seconds(lane.remaining_s)}"
    return (
        lane.machine,
        lane.state,
        f"{lane.done}/{lane.done + lane.left}",
        f"{lane.trial}{since}" if lane.trial else "",
        left,
        lane.said or "",
    )
