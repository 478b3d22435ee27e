"""Every wrong scene names its place, what was expected, what was there, and the nearest right word."""

import re
from pathlib import Path

import pytest

from assay.model.errors import Exit, UnknownNameError
from assay.scenes import SceneError, find_scene, load_scene, read_scene
from assay.workloads import WORKLOADS
from tests.scenes.wrong import GOOD, refuse, refuse_changed


def test_the_good_scene_that_the_others_are_made_of_is_good() -> None:
    assert read_scene(GOOD.encode(), file="trial.yaml").name == "trial"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"", "trial.yaml:1:1: expected a scene, got an empty file"),
        (b"# nothing yet\n", "trial.yaml:1:1: expected a scene, got an empty file"),
        (b"- a\n", "trial.yaml:1:1: expected a mapping of words to values, got a list"),
        (b"hello\n", "trial.yaml:1:1: expected a mapping of words to values, got 'hello'"),
        (b"title: gr\xfc\xdfe\n", "trial.yaml:1:10: expected UTF-8 text, got the byte 0xfc"),
        (b"a: 1\nb: \x01\n", "trial.yaml:2:4: expected text, got a control character"),
        (b"[" * 5000, "trial.yaml:1:1: expected a scene, got brackets without end"),
        (b"scene: [a\n", "expected YAML that can be read: while parsing a flow sequence"),
        (
            b"scene: a: b\n",
            "trial.yaml:1:9: expected YAML that can be read: mapping values are not allowed here",
        ),
        (b"scene: a\n\ttitle: b\n", "trial.yaml:2:1: expected YAML that can be read"),
        (b"scene: *x\n", "trial.yaml:1:8: expected YAML that can be read: found undefined alias 'x'"),
    ],
)
def test_a_file_that_is_no_mapping_in_yaml_is_refused_at_its_place(source: bytes, message: str) -> None:
    assert message in refuse(source).message


def test_two_documents_are_not_one_scene() -> None:
    error = refuse(GOOD + "---\nscene: other\n")
    assert error.line == 6
    assert error.hint == "one file holds one scene"


def test_a_key_that_comes_twice_is_refused_at_its_second_place() -> None:
    error = refuse(GOOD + "title: Another\n")
    assert error.message == "trial.yaml:6:1: expected each key once, got 'title' again (first in line 2)"


@pytest.mark.parametrize("workload", ["&a flops", "!own flops", "!!python/name:os.system ''"])
def test_yaml_s_own_machinery_is_refused(workload: str) -> None:
    error = refuse_changed("[flops]", f"[{workload}]")
    assert error.message == "trial.yaml:5:13: expected plain YAML, got an anchor, an alias or a tag"


def test_an_anchor_that_comes_twice_is_refused_without_a_warning_beside() -> None:
    error = refuse_changed("[flops]", "[&a flops, &a flops]")
    assert error.message.count("expected plain YAML, got an anchor, an alias or a tag") == 2


@pytest.mark.parametrize(
    ("key", "nearest"),
    [
        ("titel", "; nearest: 'title'"),
        ("designs", "; nearest: 'design'"),
        ("blocs", "; nearest: 'blocks', which belongs to design"),
        ("xyzzy", ""),
    ],
)
def test_an_unknown_key_names_the_known_ones_and_the_nearest(key: str, nearest: str) -> None:
    known = (
        "scene, scale, scales, title, baseline, treatment, treatments, workloads, processors, threads, "
        "controller, host-memory, needs, design, placement, watch, counters, usage, profile, interval, "
        "cache, data, takes, published, scripts"
    )
    expected = f"trial.yaml:6:1: expected one of {known}, got the unknown key '{key}'{nearest}"
    assert refuse(f"{GOOD}{key}: 1\n").message == expected


@pytest.mark.parametrize("word", ["machines", "environment"])
def test_a_later_word_of_the_design_is_told_apart_from_a_mistake(word: str) -> None:
    assert refuse(f"{GOOD}{word}: x\n").message.endswith(f"got '{word}': not yet known in this version")


def test_later_words_are_known_in_deeper_places_too() -> None:
    own = "[{name: a, command: a, environment: [x]}]"
    assert "'environment': not yet known" in refuse_changed("[flops]", own).message


def test_every_problem_has_its_line_in_the_order_of_the_file() -> None:
    error = refuse(GOOD.replace("guest", "gest").replace("flops", "flop") + "design: {blocks: 1}\n")
    assert [line.split(" ")[0] for line in error.message.splitlines()] == [
        "trial.yaml:4:23:",
        "trial.yaml:5:13:",
        "trial.yaml:6:18:",
    ]
    assert (error.file, error.line, error.column, error.exit_code) == ("trial.yaml", 4, 23, Exit.INPUT)


def test_missing_keys_are_named() -> None:
    error = refuse("scene: a\n")
    for key in ("title", "baseline", "treatment", "workloads"):
        assert f"trial.yaml:1:1: expected the key '{key}', got none" in error.message


def test_more_problems_than_anyone_reads_are_counted() -> None:
    error = refuse_changed("[flops]", "[" + ", ".join(["flop"] * 15) + "]")
    assert error.message.splitlines()[-1] == "trial.yaml: and 5 more"
    assert len(error.problems) == 15


@pytest.mark.parametrize("word", ["yes", "no", "on", "true", "1e3", "12", "~"])
def test_what_yaml_takes_for_something_else_is_no_name(word: str) -> None:
    error = refuse_changed("scene: trial", f"scene: {word}")
    assert error.message.endswith(f"got {word}")
    assert word == "~" or error.hint == "write it in quotes, YAML reads it as a number or a truth value"


def test_a_quoted_word_is_a_text_whatever_it_looks_like() -> None:
    source = GOOD.replace("title: A scene for tests", "title: 'yes'").replace("scene: trial", 'scene: "no"')
    scene = read_scene(source.encode(), file="trial.yaml")
    assert (scene.name, scene.title) == ("no", "yes")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[flops]", "[{use: fio, parameters: {runtime: }}]"),
        ("[flops]", "[{use: fio, parameters: {size: null}}]"),
        ("[flops]", "[{use: fio, parameters: }]"),
        ("[flops]", "[{name: a, command: a, inputs: }]"),
        ("[flops]", "[{name: a, command: a, time-limit: ~}]"),
        ("[flops]", "[flops]\ndesign:"),
        ("[flops]", "[flops]\ndesign: {seed: }"),
        ("{platform: guest}", "{platform: guest, factors: }"),
        ("{platform: guest}", "{platform: guest, factors: {cpu.vcpus: }}"),
        ("{platform: guest}", "{machine: local, factors: {cpu.quota: }}"),
    ],
)
def test_a_word_without_its_value_is_not_taken_for_its_default(old: str, new: str) -> None:
    assert refuse_changed(old, new).message.endswith(("got nothing", "got null", "got ~"))


def test_a_long_value_of_many_lines_does_not_break_the_message() -> None:
    error = refuse_changed("[flops]", '["a\\nb\\e[31m' + "x" * 500 + '"]')
    assert "got 'a␣b␣[31mxxx" in error.message
    assert (
        len(error.message) < 100 + len(", ".join(WORKLOADS)) + 100
    )  # the known names, and a piece of the value
    assert error.message.isprintable()


def test_an_empty_title_is_refused_in_its_own_line() -> None:
    assert refuse_changed("title: A scene for tests", "title:").message == (
        "trial.yaml:2:1: expected one line of text, got nothing"
    )


def test_an_unknown_scene_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown scene 'quik'; nearest: 'quick'") as caught:
        find_scene("quik")
    assert caught.value.exit_code is Exit.INPUT


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("gone.yaml", "cannot read the scene gone.yaml: no such file or directory"),
        ("/", "cannot read the scene /: expected a file, got a folder or a device"),
        ("/dev/zero", "cannot read the scene /dev/zero: expected a file, got a folder or a device"),
        ("/proc/1/mem/x.yaml", "cannot read the scene /proc/1/mem/x.yaml: not a directory"),
    ],
)
def test_a_path_that_cannot_be_read_is_said_without_a_line(path: str, words: str) -> None:
    with pytest.raises(SceneError) as caught:
        find_scene(path)
    assert caught.value.message == words
    assert (caught.value.line, caught.value.column) == (0, 0)


def test_a_huge_file_is_not_read_as_a_scene(tmp_path: Path) -> None:
    (tmp_path / "disk.yaml").write_bytes(b"#" * (128 * 1024 + 1))
    with pytest.raises(SceneError, match="at most 128 KiB"):
        load_scene(tmp_path / "disk.yaml")


def test_a_character_that_json_writes_in_two_halves_is_one() -> None:
    scene = read_scene(GOOD.replace("A scene for tests", '"\\ud83d\\ude00"').encode(), file="trial.yaml")
    assert scene.title == "\U0001f600"


@pytest.mark.parametrize(("line", "by"), [("A scene for tests", '"a\\ud83d"'), ("title:", '"t\\ude00":')])
def test_half_a_character_is_refused_at_its_place(line: str, by: str) -> None:
    error = refuse(GOOD.replace(line, by))
    assert "expected text, got half of a surrogate pair" in error.message
    assert error.line == 2


def test_a_key_with_a_line_break_is_named_on_one_line() -> None:
    with pytest.raises(SceneError) as caught:
        read_scene(b'scene: made\nbaseline: {"ti\\ntle": x}\n', file="made.yaml")
    lines = caught.value.message.splitlines()
    assert all(re.match(r"made\.yaml:\d+:\d+: .", line) for line in lines)
    assert any(r"the unknown key 'ti\ntle'" in line for line in lines)
