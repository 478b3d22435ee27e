"""``assay machine restore`` for people and programs, on files that stand for the kernel's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from assay.cli.entry import assay
from assay.factors.base.factor import Act
from assay.model.files.home import mark_home
from assay.platforms.host import undo as host_undo
from assay.platforms.host.journal import Change, write_changes
from assay.platforms.process import ProcessMark


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a file that activity ``a1`` of a process that is gone has set from 60 to 10."""
    monkeypatch.setattr("assay.platforms.daemon.state.MACHINE", tmp_path / "run")
    # files of a test stand for the kernel's
    monkeypatch.setattr(
        "assay.platforms.host.journal.may_write", lambda _, path: path.startswith(str(tmp_path))
    )
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path))
    mark_home(tmp_path)
    path = tmp_path / "swappiness"
    path.write_text("10")
    dead = ProcessMark(pid=2**22 - 1, start_ticks=1)
    undo = (Act(str(path), "60"),)
    write_changes(
        tmp_path, (Change("host.swappiness", str(path), "60", "10", undo, "a1", str(tmp_path), dead),)
    )
    return path


def done(*arguments: str) -> Result:
    words = ["machine", "restore", *arguments]
    return CliRunner().invoke(assay, words, catch_exceptions=False, standalone_mode=False)


def test_a_dry_run_lists_who_changed_what_and_changes_nothing(file: Path) -> None:
    result = done("--dry-run")
    assert file.read_text() == "10"
    assert [cell.strip() for cell in result.stdout.splitlines()[1].split("  ") if cell] == [
        "host.swappiness",
        "changed",
        "10",
        "activity a1, process 4194303, gone",
        f"echo 10 > {file}",
        f"echo 60 > {file}",
    ]


def test_a_program_is_told_each_setting_with_what_became_of_it(file: Path) -> None:
    page = json.loads(done("--json").stdout)
    assert (page["schema"], page["version"], page["dry_run"]) == ("assay.machine-restore", [1, 0], False)
    (row,) = page["settings"]
    assert (row["factor"], row["before"], row["ours"], row["now"]) == ("host.swappiness", "60", "10", "60")
    assert (row["outcome"], row["alive"], row["why"]) == ("put back", False, "")
    assert file.read_text() == "60"


@pytest.mark.usefixtures("file")
def test_what_cannot_be_put_back_is_said_and_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_act: Act) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(host_undo, "write_file", refuse)
    result = done()
    assert result.return_value == 4
    assert "failed" in result.stdout
    assert "cannot put host.swappiness back: " in result.stderr
    assert "Permission denied" in result.stderr


def test_nothing_changed_is_said(file: Path) -> None:
    done()
    result = done()
    assert (result.stdout, result.return_value) == ("", 0)
    assert result.stderr == "no setting of this machine is held changed\n"
