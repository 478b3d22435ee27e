"""A guest seen from its host where little can be seen: files that vanish, and a user who may not look."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from assay.platforms.errors import PlatformError
from assay.platforms.readback import host_view
from assay.platforms.readback.host_view import HostView
from tests.factors.parts import FakeHost


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    path = tmp_path / "disk.img"
    path.touch()
    return path


def seen(proc: Path, disk: Path) -> HostView:
    made = HostView(cast(Any, None), host=FakeHost(), disk=disk, proc=proc)
    made.__dict__["pid"] = 7
    return made


def opened(proc: Path, number: int, target: Path | str, flags: str | None) -> None:
    for name in ("fd", "fdinfo"):
        (proc / "7" / name).mkdir(parents=True, exist_ok=True)
    (proc / "7/fd" / str(number)).symlink_to(target)
    if flags is not None:
        (proc / "7/fdinfo" / str(number)).write_text(f"pos:\t0\nflags:\t{flags}\n")


def direct(found: HostView, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(host_view, "_qemu_img", lambda word, _: {"format": "raw"} if word == "info" else [])
    monkeypatch.setattr(host_view, "root_filesystem", lambda *_: None)
    return found.disk["direct"]


def test_open_files_are_listed_by_number_without_those_that_vanished(tmp_path: Path, disk: Path) -> None:
    opened(tmp_path, 10, "anon_inode:[io_uring]", None)
    opened(tmp_path, 9, disk, None)
    (tmp_path / "7/fd/11").touch()  # no link: what a closed one is to readlink
    assert seen(tmp_path, disk).open_files == (str(disk), "anon_inode:[io_uring]")


def test_a_file_closed_before_its_flags_were_read_says_nothing_of_them(
    tmp_path: Path, disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(tmp_path, 9, disk, None)
    assert direct(seen(tmp_path, disk), monkeypatch) is None
    opened(tmp_path, 10, disk, f"{os.O_DIRECT | os.O_RDWR:o}")
    assert direct(seen(tmp_path, disk), monkeypatch) is True
    opened(tmp_path, 11, disk, "2")
    assert direct(seen(tmp_path, disk), monkeypatch) is False


def test_who_may_not_look_at_open_files_is_told_so(
    tmp_path: Path, disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(tmp_path, 9, disk, None)

    def closed(_folder: Path) -> Iterator[Path]:
        raise PermissionError

    monkeypatch.setattr(Path, "iterdir", closed)
    with pytest.raises(PlatformError, match="only root may look at QEMU's files"):
        seen(tmp_path, disk).open_files  # noqa: B018 (a property that asks)
    with pytest.raises(PlatformError, match="only root may look at QEMU's files"):
        direct(seen(tmp_path, disk), monkeypatch)


def test_qemu_img_that_does_not_end_is_an_error_of_the_platform(
    tmp_path: Path, disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(command: list[str], **options: Any) -> Any:
        raise subprocess.TimeoutExpired(command, options["timeout"])

    monkeypatch.setattr(subprocess, "run", never)
    with pytest.raises(PlatformError, match="qemu-img has not ended after 60 s"):
        seen(tmp_path, disk).disk  # noqa: B018 (a property that asks)
