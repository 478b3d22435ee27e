"""Which tests get a second try: a few live ones of a run that came to its end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.again import KEPT, MOST, main

LIVE = "import pytest\npytestmark = pytest.mark.live\n"
ONCE = """\
from pathlib import Path

def test_it():
    seen = Path("seen")
    passes = seen.exists()
    seen.touch()
    assert passes
"""


def failed(root: Path, text: str, *names: str) -> Path:
    (root / "test_a.py").write_text(text)
    (root / "pytest.ini").write_text("[pytest]\nmarkers = live\n")
    kept = root / KEPT
    kept.parent.mkdir(parents=True)
    kept.write_text(json.dumps(dict.fromkeys(names or ["test_a.py::test_it"], True)))
    return root


def test_a_live_test_that_passes_alone_has_passed(tmp_path: Path) -> None:
    (tmp_path / "seen").touch()
    assert main(1, failed(tmp_path, LIVE + ONCE)) == 0


def test_one_that_fails_alone_too_has_failed(tmp_path: Path) -> None:
    assert main(1, failed(tmp_path, LIVE + ONCE)) == 1


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (ONCE, ("test_a.py::test_it",)),
        (LIVE, ("test_a.py",)),
        (LIVE + ONCE, tuple(f"test_a.py::test_{number}" for number in range(MOST + 1))),
    ],
    ids=["not live", "not collected", "too many"],
)
def test_others_get_no_second_try(tmp_path: Path, text: str, names: tuple[str, ...]) -> None:
    (tmp_path / "seen").touch()
    assert main(1, failed(tmp_path, text, *names)) == 1


@pytest.mark.parametrize("status", [0, 2, 3, 4, 5])
def test_a_run_that_did_not_end_is_not_gone_on_with(tmp_path: Path, status: int) -> None:
    assert main(status, failed(tmp_path, LIVE + ONCE)) == status
    assert not (tmp_path / "seen").exists()
