"""The page of kills: how many ends at which acts of which phase, and what does not hold."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from campaign.kills_judge import WHAT
from campaign.kills_plan import CUT
from campaign.kills_rooms import BLOCKS, ROOMS
from evidence.page import Figures, Page, write

KINDS = {
    "fsync": "file synced",
    "rename": "renamed",
    "unlink": "removed",
    "mkdir": "folder made",
    "rmdir": "folder removed",
    "commit": "transaction",
    "ask": "question",
    "answer": "answer",
    "copy": "copy by SSH",
    "libvirt": "domain",
    "start": "program",
}
COMMAND = "make campaign PART=kills ROOM=host|guest|ssh"
TEXT = """
{stories} activities of {blocks} pairs each are ended {ends} times, each time right before an act, some of them again
after a resume: {parts}. A process is ended by SIGKILL, {mixed} times by SIGTERM or SIGINT; with a machine behind SSH
its network is cut and the process left alone, and the activity is resumed once while the network is cut. After each end another process reads every page (lists, the result,
the report); then the activity is resumed to its end. All files of all records are compared with what they were after
each end, content and time of change; the records with the plan; the starts of jobs with the trials; the machine, its
control groups, mounts, processes, network names and settings, and the home with what they were before. A resume of the
complete activity must do nothing, and another activity must start.

A kill point is the kind of an act and the three functions that lead to it: {points} were met. Columns count ends by what
the process was about to do. Activities were ended at these states of the sources: {commits}; one without a fault is not
repeated at a later state.{not_met}{faulty}
"""  # noqa: E501


def write_page(work: Path, folder: Path) -> bool:
    """Write the page of all parts that were told; return whether all holds."""
    files = (work / f"kills-{part}.json" for part in ROOMS)
    stories = [story for file in files if file.exists() for story in json.loads(file.read_text())]
    page = page_of(stories)
    write(page, folder)
    return all(page.held.values())


def page_of(stories: Sequence[Figures]) -> Page:
    """Return the page."""
    ends = [
        {**end, "part": story["part"], "fault": bool(story["faults"])}
        for story in stories
        for end in story["met"]
    ]
    met = [end for end in ends if end["phase"] is not None]
    places = dict.fromkeys((end["part"], end["phase"]) for end in sorted(met, key=_order))
    rows = [_row(*place, [end for end in met if (end["part"], end["phase"]) == place]) for place in places]
    held = {
        f"{what} in none of {len(stories)} activities": not any(fault in story["faults"] for story in stories)
        for fault, what in WHAT.items()
    }
    held["ends of activities came"] = bool(met)
    seen = {kind for row in rows for kind in KINDS if row[kind]}
    shown = {"part": ("part", ""), "phase": ("phase", "")}
    shown |= {kind: (title, "d") for kind, title in KINDS.items() if kind in seen}
    shown |= {"points": ("kill points", "d"), "faults": ("faults", "d")}
    title = "Kills at counted acts"
    return Page("kills", title, _text(stories, ends, met), rows, shown, held, command=COMMAND)


def _order(end: Figures) -> tuple[int, str]:
    return list(ROOMS).index(end["part"]), end["phase"]


def _row(part: str, phase: str, ends: Sequence[Figures]) -> Figures:
    kinds = Counter(end["point"].split()[0] for end in ends)
    return {
        "part": part,
        "phase": phase,
        **{kind: kinds[kind] for kind in KINDS},
        "points": len({end["point"] for end in ends}),
        "faults": sum(end["fault"] for end in ends),
    }


def _text(stories: Sequence[Figures], ends: Sequence[Figures], met: Sequence[Figures]) -> str:
    number = Counter(story["part"] for story in stories)
    parts = "; ".join(f"{number[part]} {TITLES[part]}" for part in ROOMS if number[part])
    mixed = sum(end["by"] not in {"SIGKILL", CUT} for end in met)
    missed = len(ends) - len(met)
    not_met = (
        f"\n{missed} ends did not come: the act was done fewer times than when it was counted."
        if missed
        else ""
    )
    faulty = [_fault(story) for story in stories if story["faults"]]
    told = "\n\n" + "\n".join(faulty) if faulty else ""
    points = len({end["point"] for end in met})
    commits = Counter(story["commit"] for story in stories)
    return TEXT.format(
        stories=len(stories),
        ends=len(met),
        blocks=BLOCKS,
        parts=parts,
        mixed=mixed,
        points=points,
        commits=", ".join(f"{commit} ({count})" for commit, count in commits.items()),
        not_met=not_met,
        faulty=told,
    )


TITLES = {
    "host": "on this machine alone, against itself under a limit or a setting of its kernel",
    "guest": "with guests",
    "ssh": "with a machine behind SSH",
}


def _fault(story: Figures) -> str:
    ends = ", then ".join(
        f"{end['verb']}: {end['by']} at {end['point']} ({end['nth']})" for end in story["ends"]
    )
    said = "; ".join(f"{WHAT[name]}: {told}" for name, told in story["faults"].items())
    return f"- {story['part']}, `{ends}`: {' '.join(said.split())}"
