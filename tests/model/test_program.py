"""A program is run to its end in bounded time, and what it said is told, in one place for all rooms."""

from __future__ import annotations

import re
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from assay.model.files.program import Ended, run_program

SOURCE = Path(__file__).parents[2] / "src" / "assay"


def test_what_it_prints_and_how_it_ended_are_told() -> None:
    ended = run_program(("sh", "-c", "cat; echo no >&2; exit 3"), stdin=b"in\xff")
    assert ended == Ended(b"in\xff", "no\n", 3)
    assert (ended.text, ended.words) == ("in\N{REPLACEMENT CHARACTER}", "no")
    assert run_program(("sh", "-c", "kill -9 $$")).code == -signal.SIGKILL


def test_its_words_are_those_of_standard_output_where_it_said_nothing_else() -> None:
    assert Ended(b"first\nlast\n", " \n", 1).words == "first last"
    assert Ended(b"", "", 1).words == "nothing"


def test_it_starts_where_and_with_what_is_said(tmp_path: Path) -> None:
    ended = run_program(("/bin/sh", "-c", 'pwd; echo "$ONLY"'), folder=tmp_path, variables={"ONLY": "this"})
    assert ended.text == f"{tmp_path}\nthis\n"


def test_one_that_does_not_end_is_killed(tmp_path: Path) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        run_program(("sleep", "60"), timeout_s=0.2, folder=tmp_path)
    assert tmp_path not in map(folder_of, Path("/proc").glob("[0-9]*"))


def folder_of(process: Path) -> Path | None:
    """Return where a process is; ``None`` of one that has ended meanwhile, or is another user's."""
    with suppress(OSError):
        return (process / "cwd").readlink()
    return None


def test_one_that_is_not_there_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        run_program(("/no/such/program",))


def test_no_room_runs_a_program_to_its_end_in_a_way_of_its_own() -> None:
    calls = re.compile(r"subprocess\.(run|call|check_call|check_output|getoutput)\(|os\.(system|popen)\(")
    having = [path for path in sorted(SOURCE.rglob("*.py")) if calls.search(path.read_text())]
    assert [str(path.relative_to(SOURCE)) for path in having] == ["model/files/program.py"]
