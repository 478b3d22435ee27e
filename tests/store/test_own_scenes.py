"""A site's own scenes: versions that are written once, and what is no scene to be kept."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from assay.model.errors import AssayError, UnknownNameError
from assay.model.files.marker import FILE
from assay.model.files.own_scenes import own_names, own_scenes, scene_versions, version_folder
from assay.scenes import SceneError, find_scene, scene_diff, scene_text
from assay.store.own_scenes import remove_scene, save_scene

MINE = """\
scene: mine
title: Half of the CPU time
baseline: {machine: local}
treatment: {machine: local, factors: {cpu.quota: 50 %}}
workloads: [flops]
"""
OTHER = MINE.replace("50 %", "25 %")


def save(home: Path, text: str = MINE, name: str = "mine", note: str | None = None) -> int:
    return save_scene(home, name, text, by="anna", note=note).version


def test_each_other_text_is_a_version_and_the_newest_is_the_scene(tmp_path: Path) -> None:
    assert own_scenes(tmp_path) == ()
    assert (save(tmp_path), save(tmp_path), save(tmp_path, OTHER, note=" a\nquarter ")) == (1, 1, 2)
    assert save(tmp_path, MINE) == 3
    (newest,) = own_scenes(tmp_path)
    assert (newest.name, newest.version, newest.title, newest.by) == (
        "mine",
        3,
        "Half of the CPU time",
        "anna",
    )
    assert [one.note for one in scene_versions(tmp_path, "mine")] == [None, "a quarter", None]
    assert scene_text(tmp_path, "mine", 2) == OTHER
    assert find_scene("mine", home=tmp_path).source == MINE
    assert find_scene("mine@2", home=tmp_path).source == OTHER


def test_lines_of_a_browser_end_as_those_of_a_file(tmp_path: Path) -> None:
    save(tmp_path)
    assert save(tmp_path, MINE.replace("\n", "\r\n")) == 1
    assert save(tmp_path, MINE.rstrip("\n")) == 1


def test_the_difference_of_two_versions_is_a_unified_diff(tmp_path: Path) -> None:
    save(tmp_path)
    save(tmp_path, OTHER)
    lines = scene_diff(tmp_path, "mine", 1, 2).splitlines()
    assert lines[:2] == ["--- mine@1", "+++ mine@2"]
    assert [line[0] for line in lines if "cpu.quota" in line] == ["-", "+"]
    assert scene_diff(tmp_path, "mine", 2, 2) == ""


def test_what_is_kept_is_its_owners_alone_and_nothing_half_written_stays(tmp_path: Path) -> None:
    save(tmp_path)
    folder = version_folder(tmp_path, "mine", 1)
    modes = {
        path.name: stat.S_IMODE(path.stat().st_mode) for path in (*folder.iterdir(), folder, folder.parent)
    }
    assert {mode & 0o027 for mode in modes.values()} == {0}
    assert sorted(path.name for path in (tmp_path / "scenes").iterdir()) == ["mine"]
    assert sorted(path.name for path in folder.parent.iterdir()) == [FILE, "0001"]


def test_savers_at_once_each_have_a_version_of_their_own(tmp_path: Path) -> None:
    texts = [MINE.replace("50 %", f"{share} %") for share in range(10, 26)]
    with ThreadPoolExecutor(8) as pool:
        numbers = list(pool.map(lambda text: save(tmp_path, text), texts))
    versions = [one.version for one in scene_versions(tmp_path, "mine")]
    assert versions == list(range(1, len(texts) + 1))
    assert {scene_text(tmp_path, "mine", number) for number in versions} == set(texts)
    assert max(numbers) == len(texts)
    assert sorted(path.name for path in (tmp_path / "scenes").iterdir()) == ["mine"]


@pytest.mark.parametrize("name", ["../mine", "", "Mine", ".mine", "mine@2", "mine.yaml", "a" * 64])
def test_a_name_is_a_plain_word(name: str, tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="lower-case letters"):
        save(tmp_path, name=name)
    with pytest.raises(UnknownNameError):
        remove_scene(tmp_path, name)
    assert not (tmp_path / "scenes").exists()


def test_a_ready_scene_keeps_its_name(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="a ready scene is called so"):
        save(tmp_path, find_scene("quick").source, name="quick")
    folder = version_folder(tmp_path, "quick", 1)
    folder.mkdir(parents=True)
    (folder / "scene.yaml").write_text(MINE.replace("mine", "quick"))
    assert find_scene("quick", home=tmp_path).title == find_scene("quick").title


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (MINE.replace("mine", "yours"), "mine:1:8: expected the name that it is saved under"),
        (MINE.replace("flops", "flop"), "mine:5:13: expected"),
        ("", "expected a scene, got an empty file"),
        (MINE + "data: ./files\n", "mine:6:7: expected an absolute path, got './files'"),
        (MINE + "scripts: {treatment: {check: ./check.sh -x}}\n", "an absolute path, got './check.sh'"),
        (MINE + "scripts: {host: {setup: true, inputs: [a]}}\n", "an absolute path, got 'a'"),
        (
            MINE.replace("[flops]", "[{name: job, command: ./job, inputs: [./job]}]"),
            "mine:5:50: expected an absolute path, got './job'",
        ),
        (MINE + "scales: {small: {about: Small, data: files}}\n", "expected an absolute path, got 'files'"),
        (MINE + "# " + "a" * 128 * 1024, "expected a scene of at most 128 KiB"),
        (MINE.replace("Half", "\ud800"), "expected text that UTF-8 can say"),
    ],
)  # fmt: skip
def test_what_is_no_scene_of_that_name_is_not_kept(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(SceneError) as refused:
        save(tmp_path, text)
    assert said in refused.value.message
    assert own_names(tmp_path) == ()


def test_absolute_inputs_are_kept(tmp_path: Path) -> None:
    job = tmp_path / "job"
    job.touch(mode=0o755)
    own = f"[{{name: job, command: ./job, inputs: [{job}], phases: {{marks: {{data: ^Reading}}}}}}]"
    save(tmp_path / "home", MINE.replace("[flops]", own))
    (workload,) = find_scene("mine", home=tmp_path / "home").workloads
    assert workload.name == "job"


def test_a_name_or_version_that_is_not_there_names_those_that_are(tmp_path: Path) -> None:
    save(tmp_path)
    with pytest.raises(UnknownNameError, match="nearest: 'mine'"):
        find_scene("mime", home=tmp_path)
    with pytest.raises(UnknownNameError, match=r"unknown version of the scene mine '2' \(known: 1\)"):
        find_scene("mine@2", home=tmp_path)
    for word in ("mine@", "mine@x", "quick@1"):
        with pytest.raises(UnknownNameError, match="unknown scene"):
            find_scene(word, home=tmp_path)
    with pytest.raises(UnknownNameError, match="unknown scene"):
        find_scene("mine")


def test_a_removed_scene_is_gone_and_its_name_free(tmp_path: Path) -> None:
    save(tmp_path)
    save(tmp_path, OTHER)
    remove_scene(tmp_path, "mine")
    assert list((tmp_path / "scenes").iterdir()) == []
    assert save(tmp_path) == 1


def test_a_folder_of_somebody_else_is_not_removed(tmp_path: Path) -> None:
    save(tmp_path)
    (tmp_path / "scenes/mine" / FILE).unlink()
    with pytest.raises(AssayError, match="was not made by assay"):
        remove_scene(tmp_path, "mine")
    assert own_names(tmp_path) == ("mine",)


@pytest.mark.parametrize("damage", ["", "[]", "{", '{"schema": "assay.own-scene", "saved_ns": "x", "by": 3}'])
def test_what_is_said_of_a_version_may_be_lost(damage: str, tmp_path: Path) -> None:
    save(tmp_path)
    (version_folder(tmp_path, "mine", 1) / "saved.json").write_text(damage)
    (one,) = own_scenes(tmp_path)
    assert (one.title, one.saved_ns, one.by, one.note) == (None, None, None, None)
    assert save(tmp_path, OTHER) == 2


def test_a_version_that_lost_its_text_is_none_and_its_number_is_not_given_again(tmp_path: Path) -> None:
    save(tmp_path)
    save(tmp_path, OTHER)
    (version_folder(tmp_path, "mine", 2) / "scene.yaml").unlink()
    assert find_scene("mine", home=tmp_path).source == MINE
    assert save(tmp_path, OTHER) == 3
    assert [one.version for one in scene_versions(tmp_path, "mine")] == [1, 3]
