"""What must hold of an activity after each end of its process, and after its own end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.command import Done
from tests.live.parts import Activity

Files = Mapping[str, tuple[bytes, int]]
"""Content and time of change by name."""
READABLE = {0, 5, 6, 130}
"""Exit codes of a page: done, partly measured, nothing measured, interrupted."""
KEPT_OF_RUN = ("claims.lock", "claims.lock.holder")
LEAVING = ("probe-", "chain-")
"""Programs that stay in ``work``, by their content."""
HALF = (".new", ".part", ".tmp")

WHAT = {
    "lost": "a kept record is lost",
    "changed": "a kept record is changed",
    "repeated": "a finished trial is run again, or has two records",
    "plan": "a plan is changed",
    "stuck": "a command does not end, or an activity cannot be resumed to its end",
    "page": "a page cannot be read after an end",
    "left": "something is left behind",
    "state": "all trials are done, and the list does not say so",
    "again": "a complete activity is not left alone by a resume",
    "second": "a second activity cannot start",
}
"""What is a fault, by its name."""


@dataclass
class Verdict:
    """What is not as it should be; of each kind the first."""

    faults: dict[str, str] = field(default_factory=dict)

    def add(self, fault: str, told: str) -> None:
        """Note a fault."""
        self.faults.setdefault(fault, told.strip()[-600:])


def judge_pages(verdict: Verdict, call: Callable[..., Done], activity: str | None) -> None:
    """Read every page; ``activity`` is the one that is listed."""
    pages: list[tuple[str, ...]] = [("activity", "list"), ("result", "list")]
    if activity is not None:
        pages += [("activity", "show", activity), ("result", "show", activity), ("report", activity)]
    for words in pages:
        done = call(*words)
        if done.code not in READABLE or "Traceback" in done.err or (activity and not done.out):
            verdict.add("page", f"assay {' '.join(words)}: exit code {done.code}: {done.err}")


def judge_records(verdict: Verdict, kept: Sequence[Files], plan: bytes | None, activity: Activity) -> None:
    """Hold the records at the end to what was kept after each end, and to the plan."""
    now = activity.kept()
    for name in (name for files in kept for name in files if name not in now):
        verdict.add("lost", name)
    for name in (name for files in kept for name in files if name in now and now[name] != files[name]):
        verdict.add("changed", name)
    planned = [record["planned"] for record in activity.records]
    if planned != activity.plan["trials"]:
        verdict.add("repeated", f"{len(planned)} records of {len(activity.plan['trials'])} trials")
    if plan is not None and (activity.folder / "activity.json").read_bytes() != plan:
        verdict.add("plan", "activity.json")


def judge_runs(verdict: Verdict, runs: int, *, least: int, most: int) -> None:
    """Hold how often jobs were started to how often they may be."""
    if not least <= runs <= most:
        verdict.add("repeated", f"jobs were started {runs} times, expected {least} to {most}")


def judge_end(verdict: Verdict, done: Done) -> None:
    """Hold an activity's last process to its end."""
    if done.code != 0:
        verdict.add("stuck", f"exit code {done.code}: {done.err}")
    elif (state := done.page["result"]["state"]) != "complete":
        verdict.add("stuck", f"exit code 0, and its state is {state}")


def judge_state(verdict: Verdict, row: Mapping[str, object], records: int, trials: int) -> None:
    """Hold what the list says of an activity whose process ended by itself to its records."""
    if records == trials and row["state"] != "complete":
        verdict.add("state", f"{records} of {trials} records are there, and it is listed as {row['state']}")


def judge_clean(verdict: Verdict, call: Callable[..., Done]) -> None:
    """Ask what was left behind."""
    done = call("platform", "clean", "--dry-run", "--json")
    if done.code != 0:
        verdict.add("left", f"platform clean: exit code {done.code}: {done.err}")
    elif rows := done.page["leftovers"]:
        verdict.add(
            "left", f"platform clean finds {[(row['kind'], row['name'], row['why']) for row in rows]}"
        )


def judge_same(verdict: Verdict, before: Mapping[str, object], after: Mapping[str, object]) -> None:
    """Hold what is outside the home to how it was before."""
    for name in before:
        if after[name] != before[name]:
            verdict.add("left", f"{name} is {after[name]}, it was {before[name]}")


def left_in(home: Path, listed: Sequence[str]) -> list[str]:
    """Return what must not be in a home when no activity runs; ``listed`` are the activities in
    its database.
    """
    found = [path for path in home.rglob("*") if path.name.endswith(HALF)]
    found += [path for path in (home / "activities").glob("*") if path.name not in listed]
    found += [
        path for path in (home / "run").glob("*") if path.name not in KEPT_OF_RUN and path.suffix != ".log"
    ]
    found += [path for path in (home / "work").glob("*") if not path.name.startswith(LEAVING)]
    found += [path for kind in ("guests", "containers", "data") for path in (home / kind).glob("*")]
    return sorted({str(path.relative_to(home)) for path in found if not path.name.startswith(".assay")})
