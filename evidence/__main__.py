"""Writes ``docs/evidence``: ``python -m evidence [quick | PART...] [--folder FOLDER]``."""

from __future__ import annotations

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path

from evidence.page import FOLDER, Page, write

QUICK = (
    "intervals",
    "precision",
    "verdicts",
    "forecast",
    "together",
    "sessions",
    "compare",
    "shapes",
    "fleet",
    "scan",
    "kinks",
    "scaling",
    "budgets",
    "published",
    "tuning",
    "speed",
    "physics",
)
"""Parts that need nothing but this processor."""
LIVE = ("planted", "character")
"""Parts that run real activities on this machine."""


def pages(part: str) -> Page:
    """Return the page of a part."""
    page: Page = import_module(f"evidence.{part}").page()
    return page


def parts_of(given: list[str]) -> tuple[str, ...]:
    """Return the parts that the words name: all without a word."""
    named = given or [*QUICK, *LIVE]
    return tuple(part for word in named for part in (QUICK if word == "quick" else (word,)))


def held_before(part: str, folder: Path) -> set[str]:
    """Return what the page of a part that is there is held to; nothing of a part without one."""
    file = folder / f"{part}.json"
    return set(json.loads(file.read_text())["held"]) if file.exists() else set()


def main() -> int:
    """Says by exit code 1 that figures are missed, or that one is held no more."""
    parser = argparse.ArgumentParser(prog="python -m evidence", description="what the methods are held to")
    parser.add_argument("part", nargs="*", help=f"quick, or any of {', '.join((*QUICK, *LIVE))}")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    given = parser.parse_args()
    parts = parts_of(given.part)
    if unknown := set(parts) - {*QUICK, *LIVE}:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    missed = 0
    for part in parts:
        page = pages(part)
        gone = held_before(part, given.folder) - page.held.keys()
        write(page, given.folder)
        missed += sum(not kept for kept in page.held.values()) + len(gone)
        verdict = "".join(f"\n  MISSED: {what}" for what, kept in page.held.items() if not kept)
        verdict += "".join(f"\n  HELD NO MORE: {what}" for what in sorted(gone))
        sys.stdout.write(f"{part}: {len(page.rows)} rows{verdict}\n")
        sys.stdout.flush()
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
