"""The self-test on this machine: what it allows is tried, and its file is a recorded machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.live.parts import run

pytestmark = pytest.mark.live


def test_the_file_of_a_self_test_is_read_back(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.tar.gz"
    done = run("selftest", "--only", "numa-binding", "--file", str(file), "--json", home=home)
    (check,) = done.page["checks"]
    assert check["held"] in {"not here", "held"}
    assert done.code == 0
    planned = run("evaluate", "quick", "--dry-run", "--as", str(file), "--json", home=home)
    assert planned.code == 0, planned.err
    assert planned.page["recorded"] == str(file)


@pytest.mark.long
def test_all_of_it_holds_here_or_says_why_it_cannot_be_tried(home: Path, tmp_path: Path) -> None:
    done = run("selftest", "--file", str(tmp_path / "all.tar.gz"), "--json", home=home)
    assert done.code == 0, done.page
    assert {one["held"] for one in done.page["checks"]} <= {"held", "not here"}
    tried = {one["name"] for one in done.page["checks"] if one["held"] == "held"}
    assert {"whole-node", "layouts"} <= tried
