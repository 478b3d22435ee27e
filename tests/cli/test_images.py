"""``assay platform image add``, ``prune`` and ``saved`` for people and programs."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from assay.cli.entry import assay
from assay.model.files.home import make_home
from assay.model.files.marker import make_marked
from assay.platforms.durable import write_json
from assay.platforms.images.adopt import NoImageError


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "home"))
    make_home(tmp_path / "home")
    return tmp_path / "home"


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    path = tmp_path / "el9.raw"
    path.write_bytes(b"\0" * 2**21)
    return path


def done(*arguments: str) -> Result:
    return CliRunner().invoke(assay, ["platform", *arguments], catch_exceptions=False, standalone_mode=False)


def state(home: Path, digest: str, image: str) -> Path:
    """Make a saved state of which only the files are there."""
    folder = home / "saved" / digest
    make_marked(folder)
    facts = {"digest": digest, "image": image, "vcpus": 1, "memory_bytes": 2**30, "saved_at_s": 0.0}
    write_json(
        folder / "manifest.json",
        {**facts, "folder": "", "size_bytes": 2**20, "host": {"kernel": "6.1"}, "format": 1},
    )
    for name in ("memory", "disk.img"):
        (folder / name).touch()
    return folder


def test_an_added_image_is_listed_by_its_name_and_pruned_only_when_asked(home: Path, disk: Path) -> None:
    added = json.loads(done("image", "add", str(disk), "--name", "el9", "--cloud-init", "--json").stdout)
    digest = added["image"]["digest"]
    assert "el9" in done("image", "list").stdout
    folder = state(home, "a" * 16, digest)
    assert json.loads(done("image", "prune", "--json").stdout)["images"] == []
    assert json.loads(done("image", "prune", "--added", "--dry-run", "--json").stdout)["images"] == [digest]
    assert folder.exists()
    assert json.loads(done("image", "prune", "--added", "--json").stdout)["images"] == [digest]
    assert not folder.exists()
    assert json.loads(done("image", "list", "--json").stdout)["images"] == []


def test_a_disk_without_a_way_to_log_in_is_a_wrong_command_line(home: Path, disk: Path) -> None:
    with pytest.raises(click.UsageError, match="either --cloud-init, or --identity"):
        done("image", "add", str(disk), "--name", "el9")


def test_a_disk_that_is_not_there_is_said_with_its_path(home: Path, tmp_path: Path) -> None:
    with pytest.raises(NoImageError, match=r"no file .*absent"):
        done("image", "add", str(tmp_path / "absent"), "--name", "el9", "--cloud-init")


def test_saved_states_are_listed_and_pruned_by_a_beginning(home: Path) -> None:
    first, second = state(home, "a" * 16, "1" * 16), state(home, "b" * 16, "1" * 16)
    rows = json.loads(done("saved", "list", "--json").stdout)["saved"]
    assert {row["digest"] for row in rows} == {"a" * 16, "b" * 16}
    assert "1 GiB" in done("saved", "list").stdout
    assert json.loads(done("saved", "prune", "aa", "--json").stdout)["saved"] == ["a" * 16]
    assert (first.exists(), second.exists()) == (False, True)
    done("saved", "prune")
    assert not second.exists()
