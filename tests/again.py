"""Live tests that failed beside others, run again alone: ``python -m tests.again STATUS`` of pytest.

Other tests, or the machine's owner, may take the processors from a guest for seconds. What fails alone, too,
has failed; so has a run with more than a few such tests, or with one that needs nothing of the machine.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
KEPT = Path(".pytest_cache/v/cache/lastfailed")
"""Where pytest keeps which tests failed, below the checkout."""
FAILED = 1
"""Pytest's status of tests that failed; others are of runs that did not come to their end."""
MOST = 5


def why_not(names: Sequence[str], root: Path = ROOT) -> str:
    """Return why tests that failed are not run again; empty where they are."""
    if not 0 < len(names) <= MOST:
        return f"{len(names)} tests failed: at most {MOST} are run again"
    still = [name for name in names if not _is_live(root, name)]
    return f"not live: {', '.join(still)}" if still else ""


def _is_live(root: Path, name: str) -> bool:
    file, _, test = name.partition("::")
    return bool(test) and "mark.live" in (root / file).read_text()


def main(status: int, root: Path = ROOT) -> int:
    """Return the status of the whole: 0 where all that failed passes alone."""
    kept = root / KEPT
    if status != FAILED or not kept.exists():
        return status
    names = sorted(json.loads(kept.read_text()))
    if reason := why_not(names, root):
        sys.stdout.write(f"{reason}\n")
        return status
    sys.stdout.write("failed beside others, run again alone:\n  " + "\n  ".join(names) + "\n")
    sys.stdout.flush()
    words = [sys.executable, "-m", "pytest", "-p", "no:xdist", "-q", *names]
    return subprocess.run(words, cwd=root, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
