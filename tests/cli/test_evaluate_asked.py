"""``assay evaluate`` with settings, workloads and a baseline of the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import run


def test_the_scene_that_it_amounts_to_is_shown_and_may_be_evaluated(tmp_path: Path) -> None:
    words = ("--set", "disk.cache=writeback", "--memory", "1GiB", "--baseline", "guest", "--cores", "1")
    shown = run(
        "evaluate",
        "quick",
        *words,
        "--workload",
        "stream",
        "--blocks",
        "4",
        "--show-scene",
        home=tmp_path / "home",
    )
    assert (shown.code, shown.err) == (0, "")
    (tmp_path / "own.yaml").write_text(shown.out)
    again = run("evaluate", str(tmp_path / "own.yaml"), "--show-scene", home=tmp_path / "home")
    assert again.out == shown.out
    assert not (tmp_path / "home/activities").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("quick", "--set", "disk.cache"), "expected a factor and its level, like --set disk.cache=none"),
        (("quick", "--set", "disk.cache=none", "--set", "disk.cache=unsafe"), "disk.cache is set twice"),
        (("quick", "--set", "memory.size=1GiB", "--memory", "2GiB"), "memory.size is set twice"),
        (("sleep 1",), "'sleep 1' is a program and no scene: assay evaluate --command 'sleep 1'"),
        (("/bin/true",), "assay evaluate --command /bin/true"),
        (("./no-job --events 10",), "assay evaluate --command './no-job --events 10'"),
        (("no-job a",), "'no-job a' is a program and no scene: assay evaluate --command 'no-job a'"),
        (("sleep config.yaml",), "assay evaluate --command 'sleep config.yaml'"),
    ],
)
def test_what_contradicts_itself_is_refused(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    done = run("evaluate", *words, home=tmp_path)
    assert done.code == 2
    assert said in done.err


def test_where_no_scene_is_found_a_program_is_thought_of(tmp_path: Path) -> None:
    (tmp_path / "no-program").write_text("#!/bin/sh\nexit\n")
    (tmp_path / "two words").write_text("[]\n")
    for word in (tmp_path / "no-job", tmp_path / "no-program", "no-job", tmp_path / "two words"):
        done = run("evaluate", str(word), home=tmp_path / "home")
        assert (done.code, "of a program of your own: assay evaluate --command" in done.err) == (3, True), (
            word
        )
    for words in (("no-scene.yaml",), ("no scene.yaml",), ("quick", "--scale", "no-scale")):
        done = run("evaluate", *words, home=tmp_path / "home")
        assert (done.code, "--command" in done.err) == (3, False), words


def test_a_program_of_ones_own_takes_settings_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my-job").write_text("#!/bin/sh\n")
    (tmp_path / "my-job").chmod(0o755)
    words = ("--command", "./my-job --events 10", "--set", "disk.cache=writeback", "--baseline", "guest")
    page = run("evaluate", *words, "--show-scene", "--json", home=tmp_path / "home").page
    assert page["schema"] == "assay.scene"
    assert "writeback" in page["text"]
    assert str(tmp_path / "my-job") in page["text"]
