"""A run of all tests that was cut off is gone on with: what passed on the same source is not run again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests import passed

TWO = """\
from pathlib import Path

def test_first():
    with Path("ran").open("a") as file:
        file.write("first ")

def test_second():
    with Path("ran").open("a") as file:
        file.write("second ")
    assert Path("build/mended").exists()
"""
LIVE = "import pytest\npytestmark = pytest.mark.live\n" + TWO
OTHER = """\
from pathlib import Path

def test_other():
    with Path("ran").open("a") as file:
        file.write("other ")
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    tests = tmp_path / "tests"
    tests.mkdir()
    for name in ("again.py", "passed.py"):
        (tests / name).write_text((passed.ROOT / "tests" / name).read_text())
    (tests / "__init__.py").touch()
    (tests / "test_two.py").write_text(TWO)
    (tests / "test_other.py").write_text(OTHER)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = live\n")
    (tmp_path / "source.py").write_text("x = 1\n")
    (tmp_path / ".gitignore").write_text("build/\nran\n__pycache__\n.pytest_cache\n")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    return tmp_path


def ran(root: Path, *, workers: int = 0) -> tuple[int, list[str]]:
    """Run what is left, and return the status and which tests ran."""
    (root / "ran").unlink(missing_ok=True)
    words = ["-m", "pytest", "-q", "-p", "tests.passed", "-n", str(workers)]
    done = subprocess.run([sys.executable, *words], cwd=root, check=False, capture_output=True)
    file = root / "ran"
    return done.returncode, sorted(file.read_text().split()) if file.exists() else []


@pytest.mark.parametrize("workers", [0, 2])
def test_a_live_test_that_failed_runs_again_and_what_passed_does_not(checkout: Path, workers: int) -> None:
    (checkout / "tests/test_two.py").write_text(LIVE)
    assert ran(checkout, workers=workers) == (1, ["first", "other", "second"])
    (checkout / "build/mended").touch()
    assert ran(checkout, workers=workers) == (0, ["second"])
    assert ran(checkout, workers=workers) == (0, [])


def test_where_another_failed_that_nobody_changed_all_run_again(checkout: Path) -> None:
    ran(checkout)
    (checkout / "build/mended").touch()
    assert ran(checkout) == (0, ["first", "other", "second"])


def test_without_git_all_run(checkout: Path) -> None:
    (checkout / ".git").rename(checkout / "build")
    assert ran(checkout) == (1, ["first", "other", "second"])
    assert not (checkout / "build/tests-passed.jsonl").exists()


def test_a_changed_file_of_tests_runs_anew_and_others_do_not(checkout: Path) -> None:
    ran(checkout)
    (checkout / "tests/test_two.py").write_text(TWO.replace("assert", "assert not"))
    assert ran(checkout) == (0, ["first", "second"])


def test_after_any_other_change_all_run(checkout: Path) -> None:
    ran(checkout)
    (checkout / "source.py").write_text("x = 2\n")
    assert ran(checkout)[1] == ["first", "other", "second"]


def test_a_file_that_other_tests_take_from_is_a_change_for_all(checkout: Path) -> None:
    (checkout / "tests/test_other.py").write_text("from tests.test_two import TWO\n" + OTHER)
    (checkout / "tests/test_two.py").write_text("TWO = 2\n" + TWO)
    ran(checkout)
    (checkout / "tests/test_two.py").write_text("TWO = 3\n" + TWO)
    assert ran(checkout)[1] == ["first", "other", "second"]


def test_a_line_cut_off_is_a_test_that_runs_again(checkout: Path) -> None:
    (checkout / "build").mkdir()
    (checkout / "build/mended").touch()
    assert ran(checkout)[0] == 0
    kept = checkout / passed.KEPT.relative_to(passed.ROOT)
    kept.write_text(kept.read_text()[:-20])
    assert len(ran(checkout)[1]) == 1
