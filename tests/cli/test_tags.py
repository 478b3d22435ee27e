"""Results are given tags, listed by them, and keep them where they are taken."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.command import run
from tests.results.test_outcome import PLAN


def test_a_tag_is_given_found_and_taken_back(measured: Path) -> None:
    given = run("result", "tag", "last", "kernel-6.1", "before", "--json", home=measured)
    assert given.page["tags"] == ["before", "kernel-6.1"]
    listed = run("result", "list", "--tag", "before", home=measured).out
    assert "before, kernel-6.1" in listed
    page = run("result", "list", "--tag", "before", "--json", home=measured).page
    assert [one["tags"] for one in page["results"]] == [["before", "kernel-6.1"]]
    assert run("result", "list", "--tag", "after", "--json", home=measured).page["results"] == []
    back = run("result", "tag", PLAN.id[:4], "--remove", "before", "--remove", "kernel-6.1", home=measured)
    assert (back.code, back.out) == (0, "it has no tags\n")
    assert "tags" not in run("result", "list", home=measured).out.splitlines()[0]


def test_what_is_wrong_is_one_line(measured: Path) -> None:
    for words, said in (
        (("no good",), "cannot take 'no good' as a tag"),
        (("--remove", "before"), "unknown tag of this result 'before'"),
    ):
        done = run("result", "tag", "last", *words, home=measured)
        assert (done.code, said in done.err) == (3, True), done.err
        assert done.err.startswith("error: ")


def test_they_go_along_where_a_result_is_taken_in(measured: Path, tmp_path: Path) -> None:
    run("result", "tag", "last", "before", home=measured)
    foreign = shutil.copytree(measured / "activities" / PLAN.id, tmp_path / "usb")
    fresh, linked = tmp_path / "fresh", tmp_path / "linked"
    assert run("result", "import", str(foreign), home=fresh).code == 0
    assert run("result", "tag", "last", home=fresh).out == "before\n"
    assert run("result", "tag", "last", "here", home=fresh).out == "before\nhere\n"
    assert run("result", "import", str(foreign), "--link", home=linked).code == 0
    assert run("result", "tag", "last", home=linked).out == "before\n"
    refused = run("result", "tag", "last", "here", home=linked)
    assert refused.code == 3
    assert "where nothing is written" in refused.err
