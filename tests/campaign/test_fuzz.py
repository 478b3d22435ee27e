"""A campaign of properties can be ended at any time, and goes on with what has not held yet."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from campaign import fuzz

FUZZER, OTHER = (
    "tests/store/test_note_properties.py::test_a",
    "tests/machines/test_answer_properties.py::test_b",
)


def row(test: str, **changes: Any) -> dict[str, Any]:
    made = {"test": test, "inputs": 100, "passed": True, "seconds": 3.0, "told": "", "commit": "abc"}
    return made | changes


def test_what_has_held_for_fewer_inputs_or_of_other_code_is_tried_again() -> None:
    rows = [row("a"), row("b", inputs=99), row("c", commit="abd"), row("d", passed=False), row("d")]
    assert fuzz.missing(dict.fromkeys("abcde", 100), rows, lambda _test, commit: commit == "abc") == [
        "b",
        "c",
        "e",
    ]


def test_the_properties_of_a_fuzzer_share_its_inputs() -> None:
    second, third = FUZZER.replace("test_a", "test_c"), FUZZER.replace("test_a", "test_d")
    tests = [FUZZER, second, third, OTHER, fuzz.PROBE]
    assert list(fuzz.shares(tests, 100).values()) == [34, 34, 34, 100, 100]


def test_the_page_tells_what_was_tried_last_and_how_much_is_left() -> None:
    page = fuzz.page_of([FUZZER, OTHER, "x"], [row(FUZZER, passed=False), row(FUZZER)], 100)
    assert [(one["test"], one["of"]) for one in page.rows] == [(FUZZER, "records and notes")]
    assert "2 of 3 properties are yet to be tried" in page.text
    assert page.held == {f"{FUZZER} holds": True}


def test_the_page_is_written_after_each_property(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz, "properties", lambda: [FUZZER, OTHER])
    monkeypatch.setattr(fuzz.tree, "is_same", lambda *_: True)

    def attempt(test: str, inputs: int) -> dict[str, Any]:
        if test == OTHER:
            raise KeyboardInterrupt
        return row(test, inputs=inputs)

    monkeypatch.setattr(fuzz, "attempt", attempt)
    with pytest.raises(KeyboardInterrupt):
        fuzz.run_all(100, tmp_path, tmp_path / "pages")
    assert "1 of 2 properties" in (tmp_path / "pages" / "fuzz.md").read_text()
    monkeypatch.setattr(fuzz, "attempt", lambda test, inputs: row(test, inputs=inputs))
    assert fuzz.run_all(100, tmp_path, tmp_path / "pages") == 0
    assert "yet to be tried" not in (tmp_path / "pages" / "fuzz.md").read_text()


def test_what_changes_no_code_leaves_what_has_held(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", "-C", tmp_path, *who, *words], check=True, capture_output=True)

    for name in ("src/code.py", "docs/page.md"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("one")
    git("init")
    git("add", ".")
    git("commit", "-m", "one")
    first = fuzz.tree.commit_of(tmp_path)
    (tmp_path / "docs/page.md").write_text("two")
    git("commit", "-am", "two")
    assert fuzz.tree.is_same(tmp_path, first, fuzz.tries("tests/a.py::test_b"))
    (tmp_path / "src/code.py").write_text("three")
    assert not fuzz.tree.is_same(tmp_path, first, fuzz.tries("tests/a.py::test_b"))
    assert fuzz.tree.is_same(tmp_path, first, fuzz.tries(fuzz.PROBE))
    assert not fuzz.tree.is_same(tmp_path, f"{first}-dirty", fuzz.tries("tests/a.py::test_b"))
