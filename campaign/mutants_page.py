"""The page of the mutants: a row a room, and the mutants that no test noticed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from campaign import equivalent, python_rooms
from campaign.interval import wilson
from campaign.mutant import Mutant
from campaign.rooms import ENOUGH, LOWEST, SAMPLE, SEED
from campaign.verdicts import Verdict, kept, survivors_of
from evidence.page import Figures, Page, write

ALIVE = "mutants-alive.md"


@dataclass(frozen=True)
class Count:
    """What became of a room's sample.

    Attributes:
        judged: How many were judged.
        killed: How many of these the tests noticed.
        timeouts: How many of the killed did not end in their time.
        share: Share killed.
        low: Lower end of its 95 % interval.
        high: Upper end.
        by_hand: Hand-made ones that were judged.
        by_hand_killed: How many of these the tests noticed.
        commit: Commits of the trees judged.
    """

    judged: int
    killed: int
    timeouts: int
    share: float
    low: float
    high: float
    by_hand: int
    by_hand_killed: int
    commit: str


def count(mutants: Sequence[Mutant], verdicts: Mapping[str, Verdict]) -> Count:
    """Return what became of a sample and of the hand-made ones."""
    by_tool = [verdicts[one.id] for one in mutants if one.switch and one.id in verdicts]
    by_hand = [verdicts[one.id] for one in mutants if not one.switch and one.id in verdicts]
    killed = sum(one.killed for one in by_tool)
    commits = sorted({one.commit for one in [*by_tool, *by_hand]})
    return Count(
        judged=len(by_tool),
        killed=killed,
        timeouts=sum(one.verdict == "timeout" for one in by_tool),
        share=killed / len(by_tool) if by_tool else 0.0,
        low=wilson(killed, len(by_tool))[0],
        high=wilson(killed, len(by_tool))[1],
        by_hand=len(by_hand),
        by_hand_killed=sum(one.killed for one in by_hand),
        commit=", ".join(commits),
    )


def drawn_of(room: str, work: Path) -> list[Mutant]:
    """Return the mutants of a room in the order in which they were drawn last."""
    return [Mutant(**one) for one in json.loads((work / room / "mutants.json").read_text())]


def mutants_of(room: str, work: Path, verdicts: Mapping[str, Verdict]) -> list[Mutant]:
    """Return those that count."""
    mutants = drawn_of(room, work)
    unviable = [one.id for one in verdicts.values() if not one.counts]
    return python_rooms.sample_of(mutants, room, [*equivalent.among(mutants), *unviable])


def alive(mutants: Sequence[Mutant], verdicts: Mapping[str, Verdict]) -> list[dict[str, Any]]:
    """Return those that no test noticed, by file."""
    rows = [
        {"id": one.id, "file": one.file, "function": one.function, "change": one.change}
        for one in survivors_of(mutants, verdicts)
    ]
    return sorted(rows, key=lambda row: (row["file"], row["function"], row["id"]))


def excluded(room: str, work: Path) -> int:
    """Return how many equivalent ones were replaced by the next of the sample."""
    without = set(equivalent.among(drawn_of(room, work)))
    met = counted = 0
    for one in drawn_of(room, work):
        met += one.id in without and counted < SAMPLE[room]
        counted += one.id not in without
    return met


def update(rooms: Sequence[str], work: Path, folder: Path, *, before: bool) -> int:
    """Renew the figures of rooms on the page; return 1 where one of them misses what it is held to."""
    path = folder / "mutants.json"
    kept_rows = json.loads(path.read_text())["rows"] if path.exists() else []
    rows: dict[str, dict[str, Any]] = {row["room"]: row for row in kept_rows}
    for room in rooms:
        verdicts = kept(work / room / "verdicts.jsonl")
        mutants = mutants_of(room, work, verdicts)
        found = asdict(count(mutants, verdicts))
        row = rows.setdefault(room, {"room": room})
        if before:
            row |= {f"before_{name}": value for name, value in found.items()}
        else:
            row |= found | {"equivalent": excluded(room, work), "alive": alive(mutants, verdicts)}
    page = page_of([rows[room] for room in SAMPLE if room in rows])
    write(page, folder)
    (folder / ALIVE).write_text(listing(page.rows))
    return int(not all(page.held.values()))


def page_of(rows: Sequence[Figures]) -> Page:
    """Return the page."""
    held = {
        f"{row['room']}: {SAMPLE[row['room']]} judged, at least {ENOUGH:.0%} killed, "
        f"lower limit at least {LOWEST:.0%}": row["judged"] >= SAMPLE[row["room"]]
        and row["share"] >= ENOUGH
        and row["low"] >= LOWEST
        for row in rows
        if "judged" in row
    }
    shown = {
        "room": ("room", ""),
        "before_judged": ("before: judged", "d"),
        "before_share": ("killed", ".1%"),
        "before_low": ("lower 95 % limit", ".1%"),
        "before_by_hand": ("before: by hand", "d"),
        "before_by_hand_killed": ("killed", "d"),
        "judged": ("judged", "d"),
        "equivalent": ("equivalent", "d"),
        "share": ("killed", ".1%"),
        "low": ("lower 95 % limit", ".1%"),
        "timeouts": ("of these by time", "d"),
        "by_hand": ("by hand", "d"),
        "by_hand_killed": ("killed", "d"),
        "commit": ("commit", ""),
    }
    return Page("mutants", "Mutants", TEXT, rows, shown, held, command="make campaign PART=mutants")


TEXT = f"""
One mistake at a time is made in the code, and the tests that reach the place (`-m 'not live and not long'`: no guests)
are run until one fails: the mistake is *killed*. One that lets the tests run far beyond their time counts as killed.
The rooms of the package are changed by mutmut, the probe's folders by cargo-mutants; both leave constants, tables,
class bodies and properties alone, for which there is a list made by hand (`campaign/handmade.jsonl`), not part of the
share. The sample is drawn in the order of a keyed digest (seed {SEED}), so that the first N are a sample as well; a
mutant that behaves as the original (`campaign/equivalent.jsonl`, each with the reason) is replaced by the next. Limits
are Wilson's for 95 %. *Before* is how it was before the tests were sharpened: samples of five rooms, and mistakes made
by hand, of which the tests of the probe, all folders together, noticed 7 of 16. What is still alive is listed in
[{ALIVE}]({ALIVE}).
"""  # noqa: E501


def listing(rows: Sequence[Figures]) -> str:
    """Return the page of those that are alive."""
    parts = ["# Mutants that no test notices", "", "Listed by `make campaign PART=mutants`.", ""]
    for row in rows:
        found = row.get("alive") or []
        parts += [f"## {row['room']}", ""] + ([] if found else ["None.", ""])
        for one in found:
            where = f"{one['file']}" + (f", `{one['function']}`" if one["function"] else "")
            parts += [f"{where} ({one['id']}):", "", "```diff", one["change"], "```", ""]
    return "\n".join(parts)
