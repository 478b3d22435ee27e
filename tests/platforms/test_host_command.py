"""Programs of the host: real ones, that succeed, fail, do not end, or are not there."""

from __future__ import annotations

import os
import subprocess
import time

import pytest

from assay.model.errors import MissingError
from assay.platforms.errors import PlatformError
from assay.platforms.host_command import ask, host_command, run

HELP = {"missing": "apt install it", "hint": "look"}


def test_what_it_prints_and_how_it_ends_is_returned() -> None:
    ended = run(["sh", "-c", "cat; printf bad >&2; exit 3"], stdin=b"read")
    assert (ended.stdout, ended.text, ended.stderr, ended.code) == (b"read", "read", "bad", 3)


def test_it_has_the_folders_of_the_system_and_english_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LANGUAGE", "de")
    assert run(["env"]).text.split() == ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8"]
    assert "LANGUAGE=de" in run(["env"], variables=os.environ).text.split()


def test_nothing_is_read_from_the_terminal() -> None:
    assert run(["cat"]).stdout == b""


def test_one_that_fails_is_told_with_the_end_of_its_words() -> None:
    with pytest.raises(PlatformError) as failed:
        host_command(["sh", "-c", "seq 1000; echo no; echo such disk >&2; exit 1"], "cannot make it", **HELP)
    assert failed.value.message == "cannot make it: sh says: such disk"
    assert failed.value.hint == "look"
    with pytest.raises(PlatformError, match=r"sh says: 41 42$"):
        host_command(["sh", "-c", "echo 41; echo 42; exit 1"], "cannot make it", **HELP)
    with pytest.raises(PlatformError, match="false says: nothing"):
        host_command(["false"], "cannot make it", **HELP)


def test_one_that_is_not_there_is_told_with_its_package() -> None:
    with pytest.raises(MissingError, match="cannot make it: no-such is not installed") as missing:
        host_command(["no-such"], "cannot make it", **HELP)
    assert missing.value.hint == "apt install it"
    assert ask(["no-such"]) is None
    with pytest.raises(FileNotFoundError):
        run(["no-such"])


def test_one_that_does_not_end_is_ended() -> None:
    began = time.monotonic()
    with pytest.raises(PlatformError, match=r"sleep has not ended after 0\.2 s"):
        host_command(["sleep", "600"], "cannot make it", timeout_s=0.2, **HELP)
    assert ask(["sleep", "600"], timeout_s=0.2) is None
    with pytest.raises(subprocess.TimeoutExpired):
        run(["sleep", "600"], timeout_s=0.2)
    assert time.monotonic() - began < 300


def test_an_answer_is_that_of_one_that_succeeds() -> None:
    assert ask(["echo", "yes"]) == "yes\n"
    assert ask(["false"]) is None
