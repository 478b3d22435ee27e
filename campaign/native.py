"""The mutants of a folder of the probe: cargo-mutants in a private copy of the repository."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

from campaign import equivalent, tree
from campaign.forked import orphans_ended
from campaign.mutant import Mutant, drawn
from campaign.progress import Progress
from campaign.rooms import SAMPLE, SEED
from campaign.verdicts import Verdict, keep, kept, survivors_of

OWN_S, ALL_S = 120, 600
"""The tests of a folder, and all tests, take a twentieth of it."""
SUMMARIES = {
    "CaughtMutant": "killed",
    "MissedMutant": "survived",
    "Timeout": "timeout",
    "Unviable": "unviable",
}
VERSION = "27.1.0"
TOOLS = tree.ROOT / "build/campaign/tools"


def folder_of(room: str) -> str:
    """Return where a folder's sources lie."""
    return f"probe/src/{room}"


def environment() -> dict[str, str]:
    """Return the environment of cargo: the tools of the campaign are found first."""
    return {**os.environ, "PATH": f"{TOOLS}/bin:{os.environ['PATH']}"}


def install() -> None:
    """Install cargo-mutants where it is not found in its version."""
    asked = subprocess.run(
        ["cargo", "mutants", "--version"], env=environment(), capture_output=True, text=True, check=False
    )
    if asked.stdout.split()[-1:] != [VERSION]:
        words = [
            "install",
            "--quiet",
            "--locked",
            "--version",
            VERSION,
            "--root",
            str(TOOLS),
            "cargo-mutants",
        ]
        subprocess.run([str(tree.ROOT / "tools/cargo"), *words], check=True)


def cargo_environment(work: Path) -> dict[str, str]:
    """Return the environment in which the copy is built."""
    without_symbols = {"CARGO_PROFILE_DEV_DEBUG": "0", "CARGO_PROFILE_TEST_DEBUG": "0"}
    return {**environment(), **without_symbols, "CARGO_TARGET_DIR": str(work / "target")}


def listed(source: Path, room: str) -> list[Mutant]:
    """Return all mutants of a folder."""
    command = ["cargo", "mutants", "--list", "--json", "-f", f"src/{room}/**"]
    done = subprocess.run(
        command, cwd=source / "probe", env=environment(), capture_output=True, text=True, check=True
    )
    return [mutant_of(one, (source / "probe" / one["file"]).read_text()) for one in json.loads(done.stdout)]


def mutant_of(told: Mapping[str, Any], source: str) -> Mutant:
    """Return the mutant that cargo-mutants tells of, with the whole function before and after."""
    function = told["function"] or {"function_name": "", "span": _lines(told["span"])}
    start, end = (_offset(source, function["span"][at]) for at in ("start", "end"))
    first, last = (_offset(source, told["span"][at]) for at in ("start", "end"))
    new = source[start:first] + told["replacement"] + source[last:end]
    return Mutant(
        f"probe/{told['file']}", function["function_name"], source[start:end], new, switch=told["name"]
    )


def _lines(span: Mapping[str, Any]) -> dict[str, Any]:
    """Return the span of the whole lines: without a function, they name the place."""
    return {"start": {**span["start"], "column": 1}, "end": {"line": span["end"]["line"] + 1, "column": 1}}


def _offset(source: str, place: Mapping[str, int]) -> int:
    lines = source.splitlines(keepends=True)
    return sum(map(len, lines[: place["line"] - 1])) + place["column"] - 1


def prepare(room: str, source: Path, work: Path) -> list[Mutant]:
    """Return the sample and as many again, for those that are equivalent or do not compile."""
    every = listed(source, room)
    sample = drawn(every, 2 * SAMPLE[room], seed=SEED)
    (work / "mutants.json").write_text(json.dumps([asdict(one) for one in sample]))
    return sample


def run(room: str, source: Path, work: Path, *, again: str, most: int | None) -> None:
    """Judge what is not judged yet, until as many as are to be drawn compile."""
    work.mkdir(parents=True, exist_ok=True)
    install()
    prepared = prepare(room, source, work)
    without = set(equivalent.among(prepared))
    mutants = [one for one in prepared if one.id not in without]
    tree.copy(source, work / "tree")
    hold_without_a_mistake(work)
    state, commit = work / "verdicts.jsonl", tree.commit_of(source)
    progress = Progress(room, SAMPLE[room] if most is None else most)
    for mutant in islice(left(mutants, state, SAMPLE[room], again), most):
        verdict = judge(mutant, room, work, commit)
        keep(state, verdict)
        progress.step(verdict.verdict)


def hold_without_a_mistake(work: Path) -> None:
    """Build and test the copy as it is: where that fails, every mutant would seem to be noticed."""
    for path in (work / "tree/probe").rglob("*.rs"):
        path.touch()  # what an interrupted call built of a mistake is newer than the file that was put back
    command = ["cargo", "test", "--quiet", "--package", "assay-probe"]
    done = subprocess.run(command, cwd=work / "tree/probe", env=cargo_environment(work), check=False)
    if done.returncode:
        message = "cannot judge mutants of the probe: its tests fail without a mistake"
        raise SystemExit(message)


def left(mutants: Sequence[Mutant], state: Path, wanted: int, again: str) -> Iterator[Mutant]:
    """Yield what is to be judged, one after the other: the survivors, or what a whole sample still needs."""
    if again == "survivors":
        yield from survivors_of(mutants, kept(state))
        return
    while missing := unjudged(mutants, kept(state), wanted):
        yield missing[0]


def unjudged(mutants: Sequence[Mutant], verdicts: Mapping[str, Verdict], wanted: int) -> list[Mutant]:
    """Return those of a whole sample that have no verdict; the next replace what does not compile."""
    compiled = (one for one in mutants if one.id not in verdicts or verdicts[one.id].counts)
    return [one for one in islice(compiled, wanted) if one.id not in verdicts]


def judge(mutant: Mutant, room: str, work: Path, commit: str) -> Verdict:
    """Return what becomes of a mutant: the tests of its own folder are asked first, then all."""
    told = outcome(mutant, work, tests=f"{room}::", most_s=OWN_S)
    if SUMMARIES[told["summary"]] == "survived":
        told = outcome(mutant, work, tests="", most_s=ALL_S)
    seconds = sum(phase["duration"] for phase in told["phase_results"])
    return Verdict(mutant.id, SUMMARIES[told["summary"]], "cargo test", round(seconds, 2), commit)


def outcome(mutant: Mutant, work: Path, *, tests: str, most_s: int) -> Any:
    """Return what cargo-mutants tells of a mutant in the private copy, by tests whose names have this in
    them.

    Without a file it would judge deleted fields of all others besides.
    """
    command = ["cargo", "mutants", "--in-place", "--baseline", "skip", "--no-shuffle", "--colors", "never"]
    command += ["--timeout", str(most_s), "--output", str(work)]
    command += ["--file", mutant.file.removeprefix("probe/"), "--re", f"^{re.escape(mutant.switch)}$"]
    command += ["--", "--", tests] if tests else []
    with orphans_ended():
        where, with_tools = work / "tree/probe", cargo_environment(work)
        subprocess.run(command, cwd=where, env=with_tools, stdout=subprocess.DEVNULL, check=False)
    told = json.loads((work / "mutants.out/outcomes.json").read_text())["outcomes"]
    by_name = {one["scenario"]["Mutant"]["name"]: one for one in told if one["scenario"] != "Baseline"}
    return by_name[mutant.switch]
