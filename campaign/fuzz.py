"""Fuzzers with many inputs: each of their properties by itself, so that an interrupted campaign goes on."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from campaign import journal, tree
from campaign.progress import Progress
from evidence.page import Figures, Page, write

INPUTS = 100_000
SELECTION = "hypothesis and not live and not long"
PROBE = "probe/src/parse/fuzz.rs"
"""The probe's parsers, by proptest."""
COMMAND = "make campaign PART=fuzz"
FUZZERS = {
    "tests/workloads/test_output_properties.py": "readers of tools' outputs",
    "tests/scenes/test_scene_properties.py": "scenes",
    "tests/store/test_import_properties.py": "imports",
    "tests/store/test_record_properties.py": "records",
    "tests/store/test_note_properties.py": "records and notes",
    "tests/probe/test_protocol_properties.py": "the probe's protocol",
    "tests/machines/test_answer_properties.py": "answers by SSH",
    PROBE: "the probe's parsers",
}
"""Files of fuzzers, and what each gives to whom: all that others can put before us."""


def properties() -> list[str]:
    """Return the names of the fuzzers' properties, one for all parameters of a test."""
    files = [name for name in FUZZERS if name != PROBE]
    command = [sys.executable, "-m", "pytest", *files, "--collect-only", "-q", "-m", SELECTION]
    done = subprocess.run(command, cwd=tree.ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        message = f"cannot list the properties\n{done.stdout}{done.stderr}"
        raise SystemExit(message)
    lines = [line for line in done.stdout.splitlines() if "::" in line]
    return [*dict.fromkeys(line.partition("[")[0] for line in lines), PROBE]


def given_to(test: str) -> str:
    """Return what a fuzzer is of."""
    return FUZZERS[test.partition("::")[0]]


def shares(tests: Sequence[str], inputs: int) -> dict[str, int]:
    """Return how many inputs each property gets: the properties of a fuzzer share its inputs."""
    groups = Counter(map(given_to, tests))
    return {test: -(-inputs // groups[given_to(test)]) for test in tests}


def command_of(test: str, inputs: int) -> tuple[list[str], dict[str, str]]:
    """Return the command that tries a property, and what its environment has besides."""
    if test == PROBE:
        words = [
            "tools/cargo",
            "test",
            "--quiet",
            "--locked",
            "--release",
            "--manifest-path",
            "probe/Cargo.toml",
        ]
        return [*words, "--package", "assay-probe", "fuzz"], {"PROPTEST_CASES": str(inputs)}
    words = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", SELECTION, test]
    return words, {"ASSAY_EXAMPLES": str(inputs)}


def attempt(test: str, inputs: int) -> dict[str, Any]:
    """Try a property and return how it ended."""
    command, more = command_of(test, inputs)
    began = time.monotonic()
    done = subprocess.run(
        command, cwd=tree.ROOT, env={**os.environ, **more}, capture_output=True, text=True, check=False
    )
    told = "" if done.returncode == 0 else (done.stdout + done.stderr)[-2000:]
    return {
        "test": test,
        "inputs": inputs,
        "passed": done.returncode == 0,
        "seconds": round(time.monotonic() - began, 1),
        "told": told,
        "commit": tree.commit_of(tree.ROOT),
    }


def tries(test: str) -> tuple[str, ...]:
    """Return the files and folders by which a property holds or not."""
    return (PROBE.partition("/")[0],) if test == PROBE else ("src", test.partition("::")[0])


def missing(
    asked: Mapping[str, int], rows: Sequence[Figures], counts: Callable[[str, str], bool]
) -> list[str]:
    """Return the properties that have not held yet for as many inputs as are asked for, at a commit that
    counts.
    """
    held = {
        row["test"]
        for row in rows
        if has_held(row, asked.get(row["test"], 0)) and counts(row["test"], str(row["commit"]))
    }
    return [test for test in asked if test not in held]


def has_held(row: Figures, inputs: int) -> bool:
    """Tell whether a property held for so many inputs."""
    return bool(row["passed"] and row["inputs"] >= inputs)


def run_all(inputs: int, work: Path, folder: Path) -> int:
    """Try what has not held yet, and write the page."""
    state, tests = work / "fuzz.jsonl", properties()
    asked = shares(tests, inputs)
    left = missing(asked, journal.rows(state), lambda test, at: tree.is_same(tree.ROOT, at, tries(test)))
    progress = Progress("fuzz", len(left))
    for test in left:
        row = attempt(test, asked[test])
        journal.add(state, row)
        write(page_of(tests, journal.rows(state), inputs), folder)  # a campaign may be ended at any time
        progress.step("held" if row["passed"] else "broken")
    page = page_of(tests, journal.rows(state), inputs)
    write(page, folder)
    return int(not all(page.held.values()))


def page_of(tests: Sequence[str], tried: Sequence[Figures], inputs: int) -> Page:
    """Return the page of what was tried so far, the last time that it was."""
    last = {row["test"]: row for row in tried}
    rows = [{**last[test], "of": given_to(test)} for test in tests if test in last]
    missing = len(tests) - len(rows)
    left = f"\n{missing} of {len(tests)} properties are yet to be tried." if missing else ""
    text = f"""
Each fuzzer gets {inputs:,} random inputs, which its properties share evenly, by hypothesis (`ASSAY_EXAMPLES`). The probe's
parsers are tried by proptest (`PROPTEST_CASES`), each with all of them.{left}
"""  # noqa: E501
    shown = {
        "of": ("given to", ""),
        "test": ("property", ""),
        "inputs": ("inputs", ",d"),
        "seconds": ("seconds", ".0f"),
        "commit": ("commit", ""),
    }
    held = {f"{row['test']} holds": bool(row["passed"]) for row in rows}
    return Page("fuzz", "Fuzzers with many inputs", text, rows, shown, held, command=COMMAND)
