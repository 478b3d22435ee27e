"""The process that carries a mount: found by its number, and ended with the mount."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assay.platforms.filesystems.carrier import carrier_of, end_carrier, number_file
from assay.platforms.process import is_alive

Start = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def start() -> Iterator[Start]:
    begun: list[subprocess.Popen[bytes]] = []

    def one(*words: str) -> subprocess.Popen[bytes]:
        code = "import time; print(flush=True); time.sleep(600)"
        process = subprocess.Popen([sys.executable, "-c", code, *words], stdout=subprocess.PIPE)
        begun.append(process)
        assert process.stdout is not None
        process.stdout.readline()  # the kernel shows its words
        return process

    yield one
    for process in begun:
        process.kill()
        process.communicate()


def test_a_process_that_stays_after_its_mount_is_ended(tmp_path: Path, start: Start) -> None:
    point = tmp_path / "mount"
    process = start(f"--pid-file={number_file(point)}")
    Path(number_file(point)).write_text(f"{process.pid}\n")
    mark = carrier_of(point)
    assert mark is not None
    assert mark.pid == process.pid
    end_carrier(point)
    assert not is_alive(mark)
    assert carrier_of(point) is None


def test_a_folder_is_the_same_by_another_name(tmp_path: Path, start: Start) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    process = start(f"--pid-file={tmp_path}/link/mount.pid")
    (tmp_path / "real" / "mount.pid").write_text(str(process.pid))
    assert carrier_of(tmp_path / "real" / "mount") is not None


@pytest.mark.parametrize("words", [(), ("--pid-file=",), ("--pid-file=/elsewhere/mount.pid",)])
def test_a_number_that_is_anothers_by_now_is_left_alone(
    words: tuple[str, ...], tmp_path: Path, start: Start
) -> None:
    process = start(*words)
    point = tmp_path / "mount"
    Path(number_file(point)).write_text(str(process.pid))
    assert carrier_of(point) is None
    end_carrier(point)
    assert process.poll() is None


@pytest.mark.parametrize("text", [None, "", "no number", "-1", "0", "9" * 30])
def test_a_mount_without_a_process_has_none(text: str | None, tmp_path: Path) -> None:
    if text is not None:
        Path(number_file(tmp_path / "mount")).write_text(text)
    assert carrier_of(tmp_path / "mount") is None
    end_carrier(tmp_path / "mount")
