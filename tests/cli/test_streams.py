"""Answers that cannot be written: one line, exit code 4, and never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay.model.errors import Exit
from tests.command import as_home, run
from tests.in_gate import in_gate

PROGRAM = f"{sys.executable} -c 'from assay.cli import main; main()'"


def shell(words: str, home: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "ASSAY_HOME": str(as_home(home)), **variables}
    script = f"{PROGRAM} {words}"
    return subprocess.run(
        ["bash", "-c", script], env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "words",
    in_gate(
        [
            "scene list",
            "report last --format html",
            "--version",
            "--help",
            "result list",
            "scene list --json",
        ],
        3,
    ),
)
def test_an_answer_to_a_full_disk_is_missing_space(words: str, measured: Path) -> None:
    done = shell(f"{words} > /dev/full", measured)
    assert done.returncode == Exit.MISSING
    assert done.stderr == (
        "error: cannot write the answer: no space left on device\n\nhint: free some space, or "
        "send it elsewhere\n"
    )


@pytest.mark.parametrize("words", in_gate(["scene list", "report last"], 1))
def test_an_answer_to_a_closed_stream_says_that_it_is_closed(words: str, measured: Path) -> None:
    done = shell(f"{words} >&-", measured)
    assert done.returncode == Exit.MISSING
    assert done.stderr.splitlines()[0] == "error: cannot write the answer: it is closed"


def test_a_command_without_an_answer_needs_no_standard_output(measured: Path, tmp_path: Path) -> None:
    (tmp_path / "hosts.yaml").write_text("machines: [{name: node, ssh: root@node.site}]")
    done = shell(f"machine import {tmp_path / 'hosts.yaml'} >&-", measured)
    assert (done.returncode, "error" in done.stderr) == (0, False)


@pytest.mark.parametrize(
    "place", in_gate([">&- 2>&- <&-", "> /dev/full 2> /dev/full", "> /dev/full 2>&-"], 2)
)
def test_without_any_stream_the_code_alone_tells(place: str, measured: Path) -> None:
    done = shell(f"scene list {place}", measured)
    assert (done.returncode, done.stdout, done.stderr) == (Exit.MISSING, "", "")


@pytest.mark.parametrize(
    ("words", "code"), [("result show nothing", 3), ("frobnicate", 2), ("scene list", 0)]
)
def test_talk_that_nobody_can_hear_changes_no_code(words: str, code: int, measured: Path) -> None:
    for place in ("2> /dev/full", "2>&-"):
        assert shell(f"{words} {place}", measured).returncode == code


def test_closed_standard_input_is_empty(measured: Path) -> None:
    done = shell("workload parse fio - <&-", measured)
    assert done.returncode == Exit.INPUT
    assert "cannot read standard input" in done.stderr


@pytest.mark.long
def test_an_answer_is_written_whatever_the_encoding_of_the_terminal(measured: Path) -> None:
    for encoding in ("ascii", "latin-1"):
        done = shell("result show last | cat -v", measured, PYTHONIOENCODING=encoding)
        assert done.stderr == ""
        assert "result 0123abcd" in done.stdout


def test_a_report_for_a_folder_that_is_not_there_or_a_full_disk_is_one_line(
    measured: Path, tmp_path: Path
) -> None:
    for place, reason in (
        (str(tmp_path / "none" / "report.html"), "no such file or directory"),
        ("/dev/full", "no space left on device"),
    ):
        done = run("report", "last", "--output", place, home=measured)
        assert (done.code, done.out) == (Exit.MISSING, "")
        assert done.err.startswith(f"error: cannot write {place}: {reason}\n")


def test_what_the_system_refuses_is_one_line_with_its_file(
    measured: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "/some/file")

    monkeypatch.setattr("assay.store.store.Store.activities", refuse)
    done = run("activity", "list", home=measured)
    assert (done.code, done.err) == (Exit.MISSING, "error: cannot use /some/file: permission denied\n")
