"""Runs what is too long for tests: ``python -m campaign mutants|kills|fuzz|aa|lanes [--room ROOM...]``."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

from campaign import tree
from campaign.rooms import PYTHON, SAMPLE


def mutants(given: argparse.Namespace) -> int:
    """Judge the mutants of rooms, and write the page."""
    from campaign import mutants_page, python_rooms

    rooms = given.room or list(SAMPLE)
    for room in rooms:
        work = given.work / "mutants" / room
        runner = python_rooms.run
        if room not in PYTHON:
            from campaign import native

            runner = native.run
        runner(room, given.tree, work, again=given.again, most=given.most)
    return mutants_page.update(rooms, given.work / "mutants", given.folder, before=given.before)


def kills(given: argparse.Namespace) -> int:
    """Kill and resume activities in rooms of their own, and write the page."""
    from campaign import kills as campaign

    rooms = [room for room in given.room if room in KILLS] or list(KILLS)
    return max(
        campaign.run_all(room, given.count, given.work, given.folder, most=given.most) for room in rooms
    )


def fuzz(given: argparse.Namespace) -> int:
    """Try properties with many inputs, and write the page."""
    from campaign import fuzz as campaign

    return campaign.run_all(given.count or campaign.INPUTS, given.work, given.folder)


def lanes(given: argparse.Namespace) -> int:
    """Kill the controller of several machines at random moments, and write the page."""
    from campaign import lanes as campaign

    return campaign.run_all(given.count or campaign.RUNS, given.work, given.folder)


def aa(given: argparse.Namespace) -> int:
    """Evaluate this machine against itself, and write the page."""
    from campaign import aa as campaign

    return campaign.run_all(given.count or campaign.RUNS, given.work, given.folder)


KILLS = ("host", "guest", "ssh")
"""Rooms where activities are killed."""
PARTS = {"mutants": mutants, "kills": kills, "fuzz": fuzz, "aa": aa, "lanes": lanes}


def main() -> int:
    """Exit code 1: something is not as it should be."""
    parser = argparse.ArgumentParser(prog="python -m campaign", description="what is too long for tests")
    parser.add_argument("part", choices=PARTS)
    parser.add_argument(
        "--room",
        action="append",
        default=[],
        choices=[*SAMPLE, *KILLS],
        help="mutants, kills: of these rooms",
    )
    parser.add_argument("--count", type=int, help="kills, aa, lanes: activities; fuzz: inputs of each fuzzer")
    parser.add_argument("--again", choices=("", "survivors"), default="", help="mutants: judge these again")
    parser.add_argument("--most", type=int, help="mutants, kills: no more than so many now")
    parser.add_argument("--before", action="store_true", help="mutants: keep the figures as those before")
    parser.add_argument("--tree", type=Path, default=tree.ROOT, help="mutants: checkout that is judged")
    parser.add_argument("--work", type=Path, default=tree.ROOT / "build/campaign", help="where state is kept")
    parser.add_argument("--folder", type=Path, default=tree.ROOT / "docs/evidence")
    given = parser.parse_args()
    given.tree, given.work = given.tree.resolve(), given.work.resolve()
    # What a part has started ends with it, also in the background, where a shell lets SIGINT be ignored.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    return PARTS[given.part](given)


if __name__ == "__main__":
    sys.exit(main())
