"""The controller of three lanes is killed at random moments: is anything lost, repeated or changed?

Each machine counts the jobs that it began, so that a trial that ran twice is seen where its record is one.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from campaign import journal, tree
from campaign.progress import Progress
from evidence.page import Figures, Page, write
from tests.fleet_hosts import Fleet, fleet_hosts
from tests.live.parts import ASSAY, environment

RUNS, LANES, TRIALS = 140, 3, 9
KILLS = 100
"""So many must have been followed by a resume: some runs end before their kill, or are killed before there
is anything to resume.
"""
MEASURED = ("src", "tests/fleet_hosts.py")
"""While these are the same, an earlier run counts."""
COMMAND = "make campaign PART=lanes"
LATEST_S = 4.5
"""An undisturbed evaluation takes about as long."""
ENDED = "ended before"
"""Said where a command ended before it was to be killed."""
NO_PLAN = "before its plan"
"""Said where a command was killed before there was anything to resume."""
AGAIN = 0.35
"""Share of resumes that are killed, too."""
MOST_RESUMES = 6
SCENE = """\
scene: itself
title: Each machine against itself
baseline: {machine: local}
treatment: {machine: local}
workloads: [{name: job, command: "sh -c 'echo . >> /root/ran; sleep 0.2'"}]
design: {blocks: 3}
"""


def run_all(count: int, work: Path, folder: Path) -> int:
    """Kill as often as is still missing, and write the page."""
    state, commit = work / "lanes.jsonl", tree.commit_of(tree.ROOT)
    ran = of_same(journal.rows(state))
    progress = Progress("lanes", max(0, count - len(ran)))
    with (
        tempfile.TemporaryDirectory(prefix="assay-lanes-") as place,
        fleet_hosts(Path(place), LANES) as fleet,
    ):
        for number in range(len(ran) + 1, count + 1):
            row = attempt(number, fleet, Path(place))
            journal.add(state, {**row, "commit": commit})
            progress.step("as it should be" if not row["wrong"] else "wrong")
            shutil.rmtree(Path(place) / f"home-{number}", ignore_errors=True)
    page = page_of(of_same(journal.rows(state)), count)
    write(page, folder)
    return int(not all(page.held.values()))


def of_same(rows: Sequence[Figures]) -> list[Figures]:
    """Return the runs of what is measured as it is now."""
    same = {commit: tree.is_same(tree.ROOT, commit, MEASURED) for commit in {row["commit"] for row in rows}}
    return [row for row in rows if same[row["commit"]]]


def attempt(number: int, fleet: Fleet, place: Path) -> dict[str, Any]:
    """Evaluate once, kill the controller once or more often, go on to the end, and judge."""
    draw = random.Random(number)  # noqa: S311 - moments, not secrets
    home = place / f"home-{number}"
    (place / "hosts.yaml").write_text(fleet.inventory())
    (place / "itself.yaml").write_text(SCENE)
    for host in fleet.hosts:
        host.inside("sh", "-c", ": > /root/ran")
    said(fleet, home, "machine", "import", str(place / "hosts.yaml"))
    words = [
        "evaluate",
        str(place / "itself.yaml"),
        "--on",
        "farm",
        "--wait-quiet",
        "0 s",
        "--seed",
        str(number),
    ]
    plans: dict[str, Any] = {}
    kills = [killed(fleet, home, words, draw.uniform(0.5, LATEST_S))]
    folder = next(iter((home / "activities").glob("*")), None)
    listed = json.loads(said(fleet, home, "activity", "list", "--json").stdout)["activities"]
    if folder is None or not listed:  # a folder that never got a row goes with the next evaluation
        wrong = ["it ended without a plan"] if kills == [ENDED] else []
        return {"run": number, "kills": [NO_PLAN], "resumes": 0, "repeated": 0, "wrong": wrong}
    plan = (folder / "fleet.json").read_bytes()
    for resumes in range(1, MOST_RESUMES + 1):
        plans |= orders(folder)
        if resumes < MOST_RESUMES and draw.random() < AGAIN:
            kills.append(killed(fleet, home, ["activity", "resume", "last"], draw.uniform(0.5, LATEST_S)))
            continue
        done = said(fleet, home, "activity", "resume", "last", "--json")
        wrong = [f"code {done.returncode}: {done.stderr[-500:]}"] if done.returncode else []
        break
    wrong += [] if (folder / "fleet.json").read_bytes() == plan else ["another plan"]
    found = orders(folder)
    wrong += [f"another order in {name}" for name, order in plans.items() if found.get(name) != order]
    began = {host.name: len((host.folder / "root/ran").read_text().split()) for host in fleet.hosts}
    for lane in json.loads(plan)["lanes"]:
        wrong += judged(folder / "lanes" / lane["activity"], lane["machine"])
    repeated = sum(max(0, one - TRIALS) for one in began.values())
    wrong += [f"{name} ran {count} jobs" for name, count in began.items() if count < TRIALS]
    return {"run": number, "kills": kills, "resumes": resumes, "repeated": repeated, "wrong": wrong}


def judged(folder: Path, machine: str) -> list[str]:
    """Return what is wrong with a lane's records: each planned trial has one, and no other has."""
    if not (folder / "activity.json").exists():
        return [f"no plan of {machine}"]
    plan = json.loads((folder / "activity.json").read_text())
    records = [json.loads(file.read_text()) for file in sorted(folder.glob("trials/[0-9]*/trial.json"))]
    wrong = [] if [one["planned"] for one in records] == plan["trials"] else [f"other trials on {machine}"]
    wrong += [f"a failed trial on {machine}"] if any(one["state"] != "ended" for one in records) else []
    left = [path.name for path in (folder / "trials").glob(".*")]
    wrong += [f"left on {machine}: {', '.join(left)}"] if left else []
    return wrong + ([f"a trial under way on {machine}"] if (folder / "inflight.json").exists() else [])


def orders(folder: Path) -> dict[str, Any]:
    """Return the order of trials of each lane that has a plan, by its id."""
    files = folder.glob("lanes/*/activity.json")
    return {file.parent.name: json.loads(file.read_text())["trials"] for file in files}


def killed(fleet: Fleet, home: Path, words: Sequence[str], after_s: float) -> str:
    """Start a command, kill it after a time, and say in what it was."""
    process = subprocess.Popen(
        fleet.inside([*ASSAY, *words]),
        env=environment(home, HOME=str(fleet.home)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    until = time.monotonic() + after_s
    while process.poll() is None and time.monotonic() < until:
        time.sleep(0.005)
    ended = process.poll() is not None
    if not ended:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return ENDED if ended else phase(home)


def phase(home: Path) -> str:
    """Say what a killed evaluation was in, by what lies there."""
    folder = next(iter((home / "activities").glob("*")), None)
    if folder is None or not (folder / "fleet.json").exists():
        return NO_PLAN
    if len([*folder.glob("lanes/*/activity.json")]) < LANES:
        return "creating lanes"
    under_way = len([*folder.glob("lanes/*/inflight.json")])
    return f"{under_way} trials under way" if under_way else "between trials"


def said(fleet: Fleet, home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    variables = environment(home, HOME=str(fleet.home))
    command = fleet.inside([*ASSAY, *words])
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=False, timeout=300)


def page_of(runs: Sequence[Figures], count: int) -> Page:
    """Return the page of the runs of the same source."""
    phases = Counter(kill for row in runs for kill in row["kills"] if kill != ENDED)
    resumed = phases.total() - phases[NO_PLAN]
    rows = [{"phase": name, "kills": number} for name, number in sorted(phases.items())]
    wrong = [row for row in runs if row["wrong"]]
    repeated = sum(row["repeated"] for row in runs)
    planned = [row for row in runs if row["kills"] != [NO_PLAN]]
    text = f"""
Of {len(runs)} evaluations of {LANES} machines with {TRIALS} trials each the controller and all its children were killed (`SIGKILL`) at random moments:
{phases.total()} times in all, some while they were resumed. {phases[NO_PLAN]} kills came before there was a plan, so that nothing was left to resume; {resumed} were followed by a resume, in
the end to the last trial. The other commands ended before their kill. Held
against each that has a plan: the plan and every lane's order are those of before, each planned trial has one record, which ended, nothing is
left under way, and each machine began every job. A job that began twice (its start was noted and not sure) is counted: {repeated} of
{len(planned) * LANES * TRIALS}.
{"" if not wrong else "Wrong: " + "; ".join(f"run {row['run']}: {', '.join(row['wrong'])}" for row in wrong)}
"""  # noqa: E501
    return Page(
        "lanes",
        "Lanes that are killed",
        text,
        rows,
        {"phase": ("killed", ""), "kills": ("times", "d")},
        {
            f"{count} evaluations were begun": len(runs) >= count,
            f"{KILLS} kills or more were followed by a resume": resumed >= KILLS,
            "no run lost a trial, has one twice, or changed its plan": not wrong,
        },
        command=COMMAND,
    )
