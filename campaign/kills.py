"""Kills and signals at random times against real activities: is any kept record lost, changed or repeated?

Each campaign measures this machine against itself under a limit of its CPU time, without a guest: its process is sent
a signal at a random time and resumed, several times, and then left to end.
"""

from __future__ import annotations

import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from campaign import journal, tree
from campaign.progress import Progress
from evidence.page import Figures, Page, write
from tests.live.parts import Activity, newest, run, started

SCENE = """\
scene: kills
title: This machine against itself under a limit
baseline: {machine: local}
treatment: {machine: local, factors: {cpu.quota: 50 %}}
workloads: [{name: wait, command: sleep 0.5}]
"""
BLOCKS, CUTS, COUNT = 3, 3, 50
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
"""Half of the signals are kills."""
REFUSED = 4
"""Exit code of an activity that finds something missing or another activity at work."""


@dataclass
class Story:
    """One campaign.

    Attributes:
        number: Its number, which seeds it.
        signals: Each signal sent, with the seconds after the start, the trial under way and the records kept.
        faults: What is not as it should be.
    """

    number: int
    signals: list[dict[str, Any]] = field(default_factory=list)
    faults: dict[str, str] = field(default_factory=dict)


def tell(number: int, home: Path, longest_s: float) -> Story:
    """Run one campaign to its end."""
    draw, story = np.random.default_rng(number), Story(number)
    scene = home / "scene.yaml"
    scene.write_text(SCENE)
    evaluate = ("evaluate", str(scene), "--blocks", str(BLOCKS), "--seed", str(number))
    kept: list[dict[str, tuple[bytes, int]]] = []
    for _ in range(CUTS):
        code = _cut(story, _words(home, evaluate), home, draw, longest_s)
        refuse(code, "another activity or its guest is there")
        activity = newest(home)
        kept.append(activity.files() if activity else {})
        story.signals[-1]["records"] = records(kept[-1])
        if code == 0:
            break
    plan = _plan(home)
    end = run(*_words(home, evaluate), "--json", home=home)
    refuse(end.code, end.err)
    judge(story, kept, plan, end.code, end.err, newest(home))
    return story


def refuse(code: int, told: str) -> None:
    """End the campaign where the machine does not let an activity start: that says nothing of what was kept."""
    if code == REFUSED:
        message = (
            f"cannot go on: an activity cannot start\n{told}\nhint: end what runs here, and start this again"
        )
        raise SystemExit(message)


def _words(home: Path, evaluate: tuple[str, ...]) -> tuple[str, ...]:
    activity = newest(home)
    return ("activity", "resume", activity.id) if activity else evaluate


def _plan(home: Path) -> bytes | None:
    activity = newest(home)
    return (activity.folder / "activity.json").read_bytes() if activity else None


def _cut(
    story: Story, words: tuple[str, ...], home: Path, draw: np.random.Generator, longest_s: float
) -> int:
    """Send one signal at a random time."""
    which, after_s = SIGNALS[draw.integers(len(SIGNALS))], float(draw.uniform(0, longest_s))
    with (
        tempfile.TemporaryDirectory() as scratch,
        started(*words, home=home, scratch=Path(scratch)) as running,
    ):
        time.sleep(after_s)
        activity = newest(home)
        under_way = activity.under_way if activity else None
        running.send(which)
        code = running.end().code
    story.signals.append(
        {
            "signal": which.name,
            "after_s": round(after_s, 3),
            "trial": under_way["index"] if under_way else None,
            "code": code,
        }
    )
    return code


def records(files: dict[str, tuple[bytes, int]]) -> int:
    """Return how many records are among the files."""
    return sum(name.endswith("/trial.json") for name in files)


def judge(
    story: Story,
    kept: Sequence[dict[str, tuple[bytes, int]]],
    plan: bytes | None,
    code: int,
    told: str,
    activity: Activity | None,
) -> None:
    """Hold the end to what was kept at each cut."""
    if code != 0 or activity is None:
        story.faults["end"] = f"exit code {code}: {told[-300:]}"
        return
    now = activity.files()
    if lost := [name for files in kept for name in files if name not in now]:
        story.faults["lost"] = lost[0]
    if changed := [name for files in kept for name in files if name in now and now[name] != files[name]]:
        story.faults["changed"] = changed[0]
    planned = [record["planned"] for record in activity.records]
    if planned != activity.plan["trials"]:
        story.faults["repeated"] = f"{len(planned)} records of {len(activity.plan['trials'])} trials"
    if plan is not None and (activity.folder / "activity.json").read_bytes() != plan:
        story.faults["plan"] = "activity.json"


def run_all(count: int, work: Path, folder: Path) -> int:
    """Run the campaigns that are still to be run, and write the page."""
    state, commit = work / "kills.jsonl", tree.commit_of(tree.ROOT)
    done = {row["number"] for row in journal.rows(state)}
    left = [number for number in range(1, count + 1) if number not in done]
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # a shell's background job ignores it, and so its children
    longest_s = _longest_s() if left else 0.0
    progress = Progress("kills", len(left))
    for number in left:
        with tempfile.TemporaryDirectory(prefix="assay-kills-", dir="/var/tmp") as home:
            story = tell(number, Path(home), longest_s)
        journal.add(state, {**vars(story), "commit": commit})
        progress.step("fault" if story.faults else "whole")
    page = page_of([row for row in journal.rows(state) if row["number"] <= count])
    write(page, folder)
    return int(not all(page.held.values()))


def _longest_s() -> float:
    """Return how long an activity takes that nobody disturbs."""
    with tempfile.TemporaryDirectory(prefix="assay-kills-", dir="/var/tmp") as home:
        scene = Path(home) / "scene.yaml"
        scene.write_text(SCENE)
        done = run("evaluate", str(scene), "--blocks", str(BLOCKS), "--seed", "0", home=Path(home))
    if done.code != 0:
        sys.stderr.write(done.err)
        message = f"cannot measure this machine against itself: exit code {done.code}"
        raise SystemExit(message)
    return done.seconds


def page_of(stories: Sequence[Figures]) -> Page:
    """Return the page."""
    sent = [one for story in stories for one in story["signals"]]
    rows = [_row(name, [one for one in sent if one["signal"] == name]) for name in names(sent)]
    held = {
        f"{what} in none of {len(stories)} campaigns": not any(fault in story["faults"] for story in stories)
        for fault, what in WHAT.items()
    }
    shown = {
        "signal": ("signal", ""),
        "sent": ("sent", "d"),
        "before": ("before the first record", "d"),
        "trial": ("while a trial ran", "d"),
        "ended": ("after the end", "d"),
    }
    text = TEXT.format(count=len(stories), cuts=CUTS, blocks=BLOCKS, scene=SCENE.strip())
    return Page("kills", "Kills and signals at random times", text, rows, shown, held, command=COMMAND)


WHAT = {
    "lost": "a kept record is lost",
    "changed": "a kept record is changed",
    "repeated": "a trial is repeated or missing",
    "plan": "the plan is changed",
    "end": "an activity cannot be resumed to its end",
}
COMMAND = "make campaign PART=kills"
TEXT = """
{count} activities on this machine (campaign N has the seed N): this machine against itself under a limit, {blocks}
blocks, no guest. The process is sent a signal at a random time of its run, half of them SIGKILL, and resumed, up to
{cuts} times, then left to end. All files of all records are compared at the end with what they were after each signal,
content and time of change; the records with the plan.

```yaml
{scene}
```
"""


def names(sent: Sequence[Figures]) -> list[str]:
    """Return the signals that were sent."""
    return sorted({one["signal"] for one in sent})


def _row(name: str, sent: Sequence[Figures]) -> Figures:
    return {
        "signal": name,
        "sent": len(sent),
        "before": sum(one["records"] == 0 for one in sent),
        "trial": sum(one["trial"] is not None for one in sent),
        "ended": sum(one["code"] == 0 for one in sent),
    }
