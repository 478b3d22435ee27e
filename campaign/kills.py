"""Activities are killed at counted acts and resumed: is anything lost, repeated, stuck or left behind?

A run that nobody disturbs tells which acts an activity does and where. Then one activity after the other is
ended right before one of them, by a signal or by an end of its network, every page is read, and it is resumed
to its end.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from campaign import journal, tree
from campaign.kills_judge import (
    Files,
    Verdict,
    judge_clean,
    judge_end,
    judge_pages,
    judge_records,
    judge_runs,
    judge_same,
    judge_state,
    left_in,
)
from campaign.kills_page import write_page
from campaign.kills_plan import CUT, EVALUATE, KILL, RESUME, Act, End, Story, in_a_trial, plan
from campaign.kills_rooms import BLOCKS, ROOMS, TRIALS, Room
from campaign.progress import Progress
from tests.command import Done
from tests.live.parts import ASSAY, Activity, World, left_behind, newest, run, world

T = TypeVar("T")

SEED = 1
REFUSED, INTERRUPTED = 4, 130
STUCK = -1000
"""Exit code of a command that did not end."""
OTHERS = re.compile(r"cannot start: guest assay-(\w+)")
BUSY_S = 20.0
JOB = "ask run "
"""How the kill points begin at which something is about to be started."""
STARTED = "<trial._start<"
"""Where it is a trial's job."""


class BusyError(Exception):
    """Somebody else's guest runs on this machine: that says nothing of what is kept."""


class Teller:
    """Tells one story, in a home of its own.

    Args:
        room: Where.
        scene: Name of the scene.
        home: The home, empty.
        folder: For the scene, what its jobs note, and logs.
    """

    def __init__(self, room: Room, scene: str, home: Path, folder: Path) -> None:
        self.room, self.scene, self.home, self.folder = room, scene, home, folder
        self.verdict = Verdict()
        self.log = folder / "acts"
        file = room.scene(scene, folder)
        self.evaluate = (
            "evaluate",
            str(file),
            "--blocks",
            str(BLOCKS),
            "--seed",
            str(SEED),
            "--wait-quiet",
            "0 s",
        )

    def call(self, *words: str) -> Done:
        """Run a command of assay."""
        measures = words[0] == "evaluate" or words[:2] == ("activity", "resume")
        return self._run(words, self._reached if measures else list)

    def killed(self, words: Sequence[str], end: End | None) -> Done:
        """Run a command that ends at an act; ``None`` only writes its acts down."""
        order = ["--log", str(self.log)]
        if end is not None:
            order += ["--at", end.point, "--nth", str(end.nth)]
            order += ["--run", json.dumps(self.room.cut())] if end.by == CUT else ["--by", end.by]

        def wrap(argv: Sequence[str]) -> list[str]:
            return self.room.wrap([argv[0], "-m", "campaign.killed", *order, "--", *argv[len(ASSAY) :]])

        return self._run(words, wrap)

    def _reached(self, words: Sequence[str]) -> list[str]:
        return self.room.wrap(words)

    def _run(self, words: Sequence[str], wrap: Callable[[Sequence[str]], Sequence[str]]) -> Done:
        """Run a command where its machines are reached; one that does not end is stuck."""
        longest_s = self.room.longest_s
        try:
            named: Any = {"variables": self.room.variables, "folder": tree.ROOT, "longest_s": longest_s}
            done = run(*words, home=self.home, wrap=wrap, **named)
        except subprocess.TimeoutExpired:
            self.verdict.add("stuck", f"assay {' '.join(words)}: no end within {longest_s:g} s")
            return Done(STUCK, "", "no end", longest_s)
        if done.code == REFUSED and (found := OTHERS.search(done.err)) and found[1] not in self.listed():
            raise BusyError(done.err)
        return done

    def acts(self) -> list[Act]:
        """Return what was logged."""
        return list(journal.rows(self.log))

    def rows(self) -> list[Any]:
        """Return the activities in the database, the newest first."""
        done = self.call("activity", "list", "--json")
        return list(done.page["activities"]) if done.code == 0 else []

    def listed(self) -> list[str]:
        """Return their ids."""
        return [row["id"] for row in self.rows()]

    def words(self) -> tuple[str, ...]:
        """Return what goes on: with the activity that is listed, or from the beginning."""
        listed = self.listed()
        return ("activity", "resume", listed[0]) if listed else self.evaluate

    def activity(self) -> Activity | None:
        """Return the activity that is listed."""
        listed = self.listed()
        return Activity(self.home / "activities" / listed[0]) if listed else None

    def runs(self) -> int:
        """Return how often jobs were started on this machine, as they note themselves."""
        file = self.folder / "ran"
        return len(file.read_text().splitlines()) if file.exists() else 0

    def asked(self) -> int:
        """Return how often probes were asked to start a job, anywhere; one before which a process was killed
        was not.
        """
        rows = [row for log in self.folder.glob("acts-*") for row in journal.rows(log)]
        asked = (row for row in rows if row["point"].startswith(JOB) and STARTED in row["point"])
        return sum(not row["end"] for row in asked)


@contextmanager
def told_in(room: Room, scene: str) -> Iterator[Teller]:
    """Make a home for a story."""
    with room.home() as home, tempfile.TemporaryDirectory(prefix="assay-kills-", dir="/var/tmp") as folder:
        teller = Teller(room, scene, home, Path(folder))
        before = world(home)
        try:
            yield teller
        finally:
            teller.call("platform", "clean")
            end_left(set(world(home).processes) - set(before.processes))


def end_left(processes: Iterable[tuple[int, str]]) -> None:
    """End what a story left, so that the next one does not find it."""
    for pid, _ in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def count(room: Room, scene: str) -> dict[str, list[Act]]:
    """Return the acts of an activity that nobody disturbs: evaluated, and resumed after a kill in a trial."""
    with told_in(room, scene) as teller:
        done = teller.killed(teller.evaluate, None)
        refuse(done)
        evaluated = teller.acts()
    with told_in(room, scene) as teller:
        teller.killed(teller.evaluate, in_a_trial(evaluated))
        teller.log = teller.folder / "resumed"
        refuse(teller.killed(teller.words(), None))
        return {EVALUATE: evaluated, RESUME: teller.acts()}


def refuse(done: Done) -> None:
    """End the campaign where this machine does not let an activity run: that says nothing of what is kept."""
    if done.code != 0:
        message = f"cannot go on: an activity that nobody disturbs ends with {done.code}\n{done.err}"
        raise SystemExit(message)


def tell(room: Room, story: Story, second: End) -> dict[str, Any]:
    """Tell a story, from its beginning where somebody else's guest came between."""
    return patiently(lambda: tell_once(room, story, second))


def patiently(act: Callable[[], T]) -> T:
    """Do something again until nobody else's guest keeps it from being done."""
    while True:
        try:
            return act()
        except BusyError:
            time.sleep(BUSY_S)


def tell_once(room: Room, story: Story, second: End) -> dict[str, Any]:
    """Tell a story, and start a second activity; return what happened and what is not as it should be."""
    began = time.monotonic()
    with told_in(room, story.scene) as teller:
        before, elsewhere = world(teller.home), room.elsewhere()
        kept, plans = list[Files](), list[bytes | None]()
        ends = [_ended(teller, end, kept, plans) for end in story.ends]
        teller.log = teller.folder / "acts-last"
        last = teller.killed((*teller.words(), "--json"), None)
        judge_end(teller.verdict, last)
        activity = teller.activity()
        if activity is not None and last.code == 0:
            judge_records(teller.verdict, kept, next((one for one in plans if one), None), activity)
            _judge_again(teller, activity)
        _judge_runs(teller, story)
        judge_same(teller.verdict, elsewhere, room.elsewhere())
        _judge_left(teller, before)
        _judge_second(teller, second)
        faults = dict(teller.verdict.faults)
    return {
        "part": room.name,
        **story.key,
        "met": ends,
        "faults": faults,
        "seconds": round(time.monotonic() - began, 1),
    }


def _ended(teller: Teller, end: End, kept: list[Files], plans: list[bytes | None]) -> dict[str, Any]:
    """End a process at an act, read every page, and note what is kept."""
    teller.log = teller.folder / f"acts-{len(kept)}"
    words = teller.evaluate if end.verb == EVALUATE else teller.words()
    done = teller.killed(words, end)
    if "Traceback" in done.err:
        teller.verdict.add("page", f"a traceback of the process that was ended: {done.err}")
    if end.by == CUT:
        _judge_outage(teller)
    activity = teller.activity()
    judge_pages(teller.verdict, teller.call, activity.id if activity else None)
    there = activity or newest(teller.home)
    kept.append({} if there is None else there.kept())
    if end.by != KILL and activity is not None:
        judge_state(teller.verdict, teller.rows()[0], len(activity.records), len(activity.plan["trials"]))
    plans.append(None if activity is None else (activity.folder / "activity.json").read_bytes())
    met = next((row for row in teller.acts() if row["end"]), None)
    count = sum(name.endswith("/trial.json") for name in kept[-1])
    return {**asdict(end), "phase": met and met["phase"], "code": done.code, "records": count}


def _judge_outage(teller: Teller) -> None:
    """Try to go on while the network is cut, and mend it."""
    try:
        if teller.listed():
            done = teller.call(*teller.words())
            if "Traceback" in done.err:
                teller.verdict.add("page", f"a traceback while the network is cut: {done.err}")
    finally:
        teller.room.mend()


def _judge_again(teller: Teller, activity: Activity) -> None:
    """Resume a complete activity: nothing is to be done."""
    files, runs = activity.kept(), teller.runs()
    done = teller.call("activity", "resume", activity.id, "--json")
    if done.code != 0 or activity.kept() != files or teller.runs() != runs:
        teller.verdict.add("again", f"exit code {done.code}, {teller.runs() - runs} more jobs: {done.err}")


def _judge_runs(teller: Teller, story: Story) -> None:
    """Count the starts of jobs: a signal stops the one that runs, a kill does not, and what is given up runs
    again.
    """
    # A job in a guest cannot note its start here.
    runs = teller.asked() if teller.room.name == "guest" else teller.runs()
    again = sum(end.by not in {KILL, CUT} or story.scene in teller.room.gives_up for end in story.ends)
    judge_runs(teller.verdict, runs, least=TRIALS, most=TRIALS + again)


def _judge_left(teller: Teller, before: World) -> None:
    """Look for what is left behind on this machine and in the home."""
    judge_clean(teller.verdict, teller.call)
    if left := left_behind(teller.home, before):
        teller.verdict.add("left", str(left))
    if found := left_in(teller.home, teller.listed()):
        teller.verdict.add("left", f"in the home: {', '.join(found)}")


def _judge_second(teller: Teller, end: End) -> None:
    """Start another activity, and stop it at its first job."""
    teller.log = teller.folder / "acts-second"
    done = teller.killed(teller.evaluate, end)
    if done.code != INTERRUPTED:
        teller.verdict.add("second", f"exit code {done.code}: {done.err}")


def first_job(acts: Sequence[Act]) -> End:
    """Return the end of an activity whose first job is about to start."""
    row = next(row for row in acts if row["point"].startswith(JOB))
    return End(EVALUATE, row["point"], row["nth"], "SIGINT")


def run_all(part: str, given: int | None, work: Path, folder: Path, *, most: int | None = None) -> int:
    """Tell the stories that are still to be told, no more than so many now, and write the page."""
    with contextlib.suppress(ValueError):  # a shell's background job ignores it, and so its children
        signal.signal(signal.SIGINT, signal.default_int_handler)
    state, commit, room = work / f"kills-{part}.jsonl", tree.commit_of(tree.ROOT), ROOMS[part]()
    with room.open():
        acts = counted(room, work / f"kills-{part}-acts.jsonl", commit)
        stories = plan(acts, given or room.most, by=room.by)
        left = [story for story in stories if not is_told(story, journal.rows(state), commit)][:most]
        progress = Progress(f"kills, {part}", len(left))
        for story in left:
            row = tell(room, story, first_job(acts[story.scene, EVALUATE]))
            journal.add(state, {**row, "commit": commit})
            if row["faults"]:
                sys.stdout.write(f"{json.dumps(row)}\n")
            progress.step("fault" if row["faults"] else "whole")
        told = {json.dumps(key_of(row)): row for row in journal.rows(state)}
        whole = [told[key] for story in stories if (key := json.dumps(story.key)) in told]
    (work / f"kills-{part}.json").write_text(json.dumps(whole))
    return int(not write_page(work, folder))


def key_of(row: dict[str, Any]) -> dict[str, Any]:
    """Return the key of the story that a row tells."""
    return {"scene": row["scene"], "ends": row["ends"]}


def counted(room: Room, state: Path, commit: str) -> dict[tuple[str, str], list[Act]]:
    """Return the acts of every scene of a room, counted once a commit."""
    known = {row["scene"]: row["acts"] for row in journal.rows(state) if row["commit"] == commit}
    for scene in room.scenes:
        if scene not in known:
            known[scene] = patiently(lambda scene=scene: count(room, scene))
            journal.add(state, {"scene": scene, "acts": known[scene], "commit": commit})
    return {
        (scene, verb): [row for row in rows if room.acts_of(row)]
        for scene in room.scenes
        for verb, rows in known[scene].items()
    }


def is_told(story: Story, rows: Sequence[dict[str, Any]], commit: str) -> bool:
    """Tell whether a story was told: without a fault, or at this commit."""
    told = [row for row in rows if key_of(row) == story.key]
    return any(not row["faults"] or row["commit"] == commit for row in told)
