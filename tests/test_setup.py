"""``tools/setup`` on a machine without dpkg: the script itself, with programs that note their calls."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
USED = (
    "bash",
    "cat",
    "chmod",
    "cmp",
    "cp",
    "cut",
    "dirname",
    "echo",
    "grep",
    "head",
    "id",
    "install",
    "mkdir",
    "printf",
    "rm",
    "sha256sum",
    "tail",
    "uname",
    "xargs",
)
CARGO = """#!/bin/bash
for made in release/assay-probe release/chain quick/assay-flame; do
  file=probe/target/$(uname -m)-unknown-linux-gnu/$made
  mkdir -p "${file%/*}" && echo built > "$file"
done
"""
PYTHON = """#!/bin/bash
case "$1" in
  -c) exit CODE;;
  -V) echo 'Python VERSION';;
  -m) echo "NAME $*" >> made
      rm -rf .venv && mkdir -p .venv/bin
      cp -- "$0" .venv/bin/python && printf '#!/bin/bash\\n' > .venv/bin/pip && chmod 755 .venv/bin/pip;;
esac
"""


def program(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    file.chmod(0o755)


def python(folder: Path, name: str, version: str) -> None:
    """Put a program there that answers as a Python of a version does."""
    code = int(tuple(map(int, version.split("."))) < (3, 11))
    program(
        folder / name, PYTHON.replace("CODE", str(code)).replace("VERSION", version).replace("NAME", name)
    )


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with a path that has neither ``dpkg-query`` nor a Python."""
    made = tmp_path / "checkout"
    shutil.copytree(ROOT / "tools", made / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    program(made / "tools/cargo", CARGO)
    (made / "packages/one").mkdir(parents=True)
    for file in ("pyproject.toml", "packages/one/pyproject.toml"):
        (made / file).write_text("")
    for name in USED:
        found = shutil.which(name, path="/usr/bin:/bin")
        assert found is not None, name
        (tmp_path / "bin").mkdir(exist_ok=True)
        (tmp_path / "bin" / name).symlink_to(found)
    return made


def setup(checkout: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["tools/setup"],
        cwd=checkout,
        env={"PATH": str(checkout.parent / "bin"), "HOME": os.fspath(checkout)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_dpkg_packages_are_listed_and_the_rest_is_made(checkout: Path) -> None:
    python(checkout.parent / "bin", "python3", "3.13.5")
    done = setup(checkout)
    assert done.returncode == 0, done.stderr
    assert "needed, by Debian's names: e2fsprogs fio gcc" in done.stderr
    assert "this machine has no dpkg" in done.stderr
    assert (checkout / "src/assay/probe/bin/assay-probe").read_text() == "built\n"
    assert (checkout / "made").read_text() == "python3 -m venv --clear .venv\n"
    assert setup(checkout).returncode == 0
    assert (checkout / "made").read_text().count("\n") == 1, "nothing is done twice"


def test_a_newer_python_beside_the_system_s_old_one_is_taken(checkout: Path) -> None:
    python(checkout.parent / "bin", "python3", "3.9.21")
    python(checkout.parent / "bin", "python3.12", "3.12.9")
    python(checkout.parent / "bin", "python3.11", "3.11.11")
    assert setup(checkout).returncode == 0
    assert (checkout / "made").read_text() == "python3.12 -m venv --clear .venv\n"


def test_an_environment_of_an_old_python_is_made_anew(checkout: Path) -> None:
    python(checkout / ".venv/bin", "python", "3.9.21")
    python(checkout.parent / "bin", "python3", "3.9.21")
    python(checkout.parent / "bin", "python3.11", "3.11.11")
    assert setup(checkout).returncode == 0
    assert (checkout / "made").read_text() == "python3.11 -m venv --clear .venv\n"


def test_without_a_recent_python_nothing_is_made_and_the_environment_stays(checkout: Path) -> None:
    python(checkout / ".venv/bin", "python", "3.9.21")
    python(checkout.parent / "bin", "python3", "3.9.21")
    done = setup(checkout)
    assert done.returncode == 4
    assert "cannot make .venv: Python 3.11 or newer is needed, found Python 3.9.21\n\nhint: " in done.stderr
    assert not (checkout / "made").exists()
    assert (checkout / ".venv/bin/python").exists()
