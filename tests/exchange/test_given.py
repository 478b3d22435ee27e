"""What a person names as a file and is none is refused at once, and what has no end is not read to it."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from assay.exchange import given
from assay.exchange.given import NoFileError, read_given, read_stream
from tests.command import run

HOLE = 1 << 40


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    """Return a named pipe that nobody writes to."""
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


@pytest.fixture
def huge(tmp_path: Path) -> Path:
    """Return a file of a terabyte, of which nothing is stored."""
    with (tmp_path / "huge.csv").open("wb") as file:
        file.truncate(HOLE)
    return tmp_path / "huge.csv"


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\0two")
    assert read_given(tmp_path / "a") == b"one\0two"
    (tmp_path / "b").symlink_to("a")
    assert read_given(tmp_path / "b") == b"one\0two"


def test_what_is_no_file_is_named(tmp_path: Path, pipe: Path) -> None:
    for path, got in ((tmp_path, "a directory"), (pipe, "a pipe"), (Path("/dev/zero"), "a device")):
        with pytest.raises(NoFileError, match=got):
            read_given(path)


def test_no_more_is_read_than_there_may_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given, "LARGEST_BYTES", 1 << 20)
    (tmp_path / "a").write_bytes(b"a" * (1 << 20))
    assert len(read_given(tmp_path / "a")) == 1 << 20
    (tmp_path / "a").write_bytes(b"a" * ((1 << 20) + 1))
    with pytest.raises(NoFileError, match="expected a file, got more than 1 MiB"):
        read_given(tmp_path / "a")
    with pytest.raises(NoFileError, match="more than 1 MiB"):
        read_stream(io.BytesIO(b"a" * (2 << 20)))


@pytest.mark.parametrize("words", [("workload", "parse", "fio"), ("analyse",)])
def test_commands_refuse_pipes_devices_folders_and_huge_files(
    words: tuple[str, ...], tmp_path: Path, pipe: Path, huge: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(given, "LARGEST_BYTES", 1 << 20)
    for path, got in (
        ("/dev/zero", "a device"),
        (str(pipe), "a pipe"),
        (str(tmp_path), "a directory"),
        (str(huge), "more than 1 MiB"),
    ):
        done = run(*words, path, home=tmp_path / "home")
        assert done.code == 3, done.err
        assert f"got {got}\n" in done.err
        assert done.err.startswith("error: cannot read ")
        assert done.out == ""


def test_standard_input_is_read_up_to_a_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given, "LARGEST_BYTES", 1000)
    done = run("workload", "parse", "time", "-", home=tmp_path, given=b"a" * 2000)
    assert done.code == 3
    assert "cannot read -: expected a file that a tool wrote, got more than" in done.err
