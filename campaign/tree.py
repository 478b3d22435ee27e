"""A private copy of a checkout: what is mutated there is mutated nowhere else."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
OWN = ("campaign/", "tests/campaign/")
"""The campaign itself is run from its own checkout."""
BUILT = ("src/assay/probe/bin", "src/assay/report/bin", "src/assay/workloads/bin")


def copy(source: Path, into: Path) -> None:
    """Make ``into`` a copy of the files that git knows in a checkout, as they are now, and of
    what is built.
    """
    shutil.rmtree(into, ignore_errors=True)
    for name in files(source):
        (into / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source / name, into / name, follow_symlinks=False)
    for name in BUILT:
        built = next(folder for folder in (source / name, ROOT / name) if folder.is_dir())
        shutil.copytree(built, into / name, dirs_exist_ok=True)


def files(source: Path) -> list[str]:
    """Return the names of the files that are copied."""
    names = _git(source, "ls-files", "-z", "-co", "--exclude-standard").split("\0")
    return [name for name in names if (source / name).is_file() and not name.startswith(OWN)]


def commit_of(tree: Path) -> str:
    """Return the commit that a checkout is at, marked where files differ from it."""
    return _git(tree, "describe", "--always", "--dirty", "--abbrev=10", "--exclude=*").strip()


def is_same(tree: Path, commit: str, names: Iterable[str]) -> bool:
    """Tell whether files and folders are as they were at a commit, as ``commit_of`` names it."""
    words = ["git", "-C", str(tree), "diff", "--quiet", commit, "--", *names]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def _git(tree: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(tree), *words], capture_output=True, text=True, check=True).stdout
