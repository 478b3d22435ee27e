"""The site's own scenes by command: saved, listed, compared, evaluated by name, removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.model.errors import Exit
from tests.cli.test_observing import completed
from tests.command import Done, run
from tests.store.test_own_scenes import MINE, OTHER


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a home with two versions of a scene."""
    home = tmp_path / "home"
    for text, note in ((MINE, "the first"), (OTHER, "")):
        assert saved(home, text, "--note", note).code == 0
    return home


def saved(home: Path, text: str, *options: str) -> Done:
    file = home.parent / "mine.yaml"
    file.write_text(text)
    return run("scene", "save", "mine", str(file), *options, home=home)


def test_own_scenes_are_listed_first_with_their_newest_version(home: Path) -> None:
    lines = run("scene", "list", home=home).out.splitlines()
    assert lines[1].split()[:3] == ["mine", "2", "Half"]
    assert any(line.startswith("quick ") for line in lines[2:])
    page = run("scene", "list", "--json", home=home).page
    assert [(one["name"], one["version"], one["title"]) for one in page["own"]] == [
        ("mine", 2, "Half of the CPU time")
    ]
    assert "quick" in {one["name"] for one in page["scenes"]}


def test_the_versions_of_a_scene_say_when_by_whom_and_why(home: Path) -> None:
    page = run("scene", "versions", "mine", "--json", home=home).page
    assert [(one["version"], one["note"]) for one in page["versions"]] == [(2, None), (1, "the first")]
    assert all(one["saved"].endswith("+00:00") and one["by"] for one in page["versions"])
    lines = run("scene", "versions", "mine", home=home).out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["2", "1"]


def test_a_text_that_is_kept_already_is_said_to_be_its_version(home: Path) -> None:
    done = saved(home, OTHER, "--json")
    assert done.page["scene"]["version"] == 2
    assert "scene mine: version 3 is this" in saved(home, MINE).err


def test_a_file_that_is_no_scene_is_refused_by_its_place(home: Path) -> None:
    done = saved(home, MINE.replace("flops", "flop"))
    assert (done.code, f"{home.parent}/mine.yaml:5:13: " in done.err) == (Exit.INPUT, True)


def test_the_newest_version_is_compared_with_the_one_before(home: Path) -> None:
    found = run("scene", "diff", "mine", home=home).out
    assert found.startswith("--- mine@1\n+++ mine@2\n")
    assert run("scene", "diff", "mine", "1", "2", home=home).out == found
    page = run("scene", "diff", "mine", "2", "1", "--json", home=home).page
    assert (page["a"], page["b"]) == (2, 1)
    assert page["diff"].startswith("--- mine@2\n+++ mine@1\n")
    assert "the same" in run("scene", "diff", "mine", "2", home=home).err
    assert run("scene", "diff", "mine", "1", "9", home=home).code == Exit.INPUT


def test_an_own_scene_stands_wherever_a_scene_is_named(home: Path) -> None:
    assert run("scene", "show", "mine", home=home).out == OTHER
    assert run("scene", "show", "mine@1", home=home).out == MINE
    assert run("scene", "validate", "mine", "--json", home=home).page["valid"]
    assert "25 %" in run("evaluate", "mine", "--blocks", "4", "--show-scene", home=home).out
    assert run("evaluate", "mine@1", "--dry-run", "--json", home=home).page["scene"] == "mine"
    done = run("tune", "scene", "mine", "--factors", "disk", "--dry-run", home=home)
    assert "unknown scene" not in done.err
    assert "unknown scene" in run("tune", "scene", "nine", "--factors", "disk", "--dry-run", home=home).err
    assert run("scene", "show", "mine@3", home=home).code == Exit.INPUT


def test_a_file_comes_before_a_name(home: Path) -> None:
    (home.parent / "mine.yaml").write_text(MINE.replace("mine", "yours"))
    page = run("scene", "validate", "./mine.yaml", "--json", home=home, folder=home.parent).page
    assert page["name"] == "yours"


def test_own_names_are_completed(home: Path) -> None:
    assert completed("assay evaluate mi", home) == ["mine"]
    assert completed("assay scene remove ", home) == ["mine"]
    assert "quick" in completed("assay scene show ", home)


def test_a_removed_scene_is_gone(home: Path) -> None:
    assert run("scene", "remove", "mine", "--json", home=home).page["name"] == "mine"
    assert run("scene", "list", "--json", home=home).page["own"] == []
    done = run("scene", "remove", "mine", home=home)
    assert (done.code, "unknown scene of your own 'mine'" in done.err) == (Exit.INPUT, True)


def test_the_functions_of_python_know_them_too(home: Path) -> None:
    import assay
    from assay.model.errors import AssayError

    with pytest.raises(AssayError, match="unknown machine 'nowhere'"):
        assay.evaluate("mine", against="nowhere", home=home)
