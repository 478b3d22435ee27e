"""A journal of host settings that is damaged, or names files that no factor writes: named, kept aside, never
obeyed.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from assay.factors.base.factor import Act
from assay.platforms.errors import DamagedJournalError
from assay.platforms.host.journal import (
    Change,
    journal_file,
    journal_lock,
    read_changes,
    read_or_keep_aside,
    write_changes,
)
from assay.platforms.host.settings import HeldSettings, _let_go, host_settings
from assay.platforms.host.undo import look, restore
from assay.platforms.leftovers.clean import leftovers
from assay.platforms.process import ProcessMark, this_process
from tests.command import run
from tests.platforms.guest_parts import PROBE

SWAPPINESS = "/proc/sys/vm/swappiness"
GONE = ProcessMark(pid=2**22 - 1, start_ticks=1)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home whose machine has a journal of its own."""
    monkeypatch.setattr("assay.platforms.daemon.state.MACHINE", tmp_path / "run")
    return tmp_path / "home"


def change(path: str = SWAPPINESS, *, undo: str | None = None, side: str | None = None) -> Change:
    """Return a change that would leave this machine's swappiness as it is, and writes what else is named."""
    now = Path(SWAPPINESS).read_text().strip()
    acts = (Act(undo or path, "owned"),) if undo else (Act(path, now),)
    sides = (Act(side, "0"),) if side else ()
    return Change("host.swappiness", path, now, now, acts, "a1", "/home", GONE, sides)


def journal(home: Path, text: str) -> Path:
    file = journal_file(home)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def whole(home: Path, *changes: Change) -> dict[str, Any]:
    write_changes(home, changes or (change(),))
    page: dict[str, Any] = json.loads(journal_file(home).read_text())
    return page


def altered(page: dict[str, Any], **fields: object) -> str:
    return json.dumps({**page, "changes": [{**page["changes"][0], **fields}]})


DAMAGES = {
    "empty": lambda _: "",
    "half": lambda page: json.dumps(page)[:100],
    "nothing in it": lambda _: "{}",
    "a list": lambda _: "[]",
    "nested": lambda _: "[" * 200_000,
    "no boot": lambda page: json.dumps({"changes": page["changes"]}),
    "no changes": lambda page: json.dumps({"boot_id": page["boot_id"]}),
    "changes of another kind": lambda page: json.dumps({**page, "changes": 5}),
    "an entry without a file": lambda page: json.dumps({**page, "changes": [{"factor": "host.swappiness"}]}),
    "a number for a text": lambda page: altered(page, before=60),
    "a holder of another kind": lambda page: altered(page, holder={"pid": "1", "start_ticks": 1}),
    "an unknown factor": lambda page: altered(page, factor="host.everything"),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_journal_is_named_and_kept_aside_and_never_means_that_nothing_is_changed(
    home: Path, damage: Any
) -> None:
    text = damage(whole(home))
    file = journal(home, text)
    with pytest.raises(DamagedJournalError) as seen:
        look(home)
    assert (seen.value.file, seen.value.kept, file.read_text()) == (file, None, text)
    with pytest.raises(DamagedJournalError) as error:
        restore(home)
    aside = error.value.kept
    assert aside is not None
    assert (error.value.exit_code, aside.read_text(), file.exists()) == (4, text, False)
    assert error.value.message.startswith(f"cannot tell what is held changed on this machine: {file}: ")
    assert error.value.message.endswith(f"; kept as {aside}")
    for act in (lambda: restore(home), lambda: look(home), lambda: visit(home)):
        with pytest.raises(DamagedJournalError, match=str(aside)):
            act()
    aside.unlink()
    visit(home)
    assert restore(home) == look(home) == ()


def visit(home: Path) -> None:
    with host_settings({}, home=home, activity="a2"):
        pass


def test_a_visit_keeps_a_damaged_journal_aside_and_measures_nothing(home: Path) -> None:
    file = journal(home, "{}")
    with pytest.raises(DamagedJournalError, match="expected an object with boot_id and changes; kept as"):
        visit(home)
    assert not file.exists()


@pytest.mark.parametrize("where", ["path", "undo", "side"])
@pytest.mark.parametrize(
    "name",
    [
        "victim",
        "../..{victim}",
        "/proc/sys/kernel/core_pattern",
        "/proc/sys/vm/../kernel/core_pattern",
        "/proc/sys/vm//swappiness",
    ],
)
def test_a_file_that_the_factor_does_not_write_is_refused_and_not_written(
    home: Path, tmp_path: Path, where: str, name: str
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("as it was")
    path = f"/proc/sys/vm/../../..{victim}" if "{" in name else name if "/" in name else str(victim)
    journal(home, json.dumps({**whole(home), "changes": [asdict(change(**{where: path}))]}))
    with pytest.raises(
        DamagedJournalError, match=r"changes\.0: expected a file that host\.swappiness writes"
    ):
        restore(home)
    assert victim.read_text() == "as it was"


def test_of_a_journal_with_one_such_file_nothing_is_written(home: Path, tmp_path: Path) -> None:
    page = whole(home, change(), change())
    page["changes"][1]["path"] = "/etc/passwd"
    journal(home, json.dumps(page))
    with pytest.raises(DamagedJournalError, match=r"changes\.1: .*, got /etc/passwd"):
        restore(home)


def test_a_second_damaged_journal_does_not_replace_the_first(home: Path) -> None:
    for text in ("first", "second"):
        journal(home, text)
        with journal_lock(home), pytest.raises(DamagedJournalError):
            read_or_keep_aside(home)
    kept = sorted(journal_file(home).parent.glob("*.damaged-*"))
    assert [file.read_text() for file in kept] == ["first", "second"]


def test_what_was_kept_aside_before_a_reboot_is_void(home: Path) -> None:
    file = journal(home, "{}")
    file.rename(file.with_name(f"{file.name}.damaged-00000000-1"))
    assert look(home) == ()
    visit(home)


def test_a_holder_puts_its_own_changes_back_under_a_damaged_journal(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "swappiness"
    file.write_text("10")
    mine = Change(
        "host.swappiness", str(file), "60", "10", (Act(str(file), "60"),), "a1", "/", this_process()
    )
    journal(home, "{}")
    held = HeldSettings((mine,))
    held.undone = _let_go(home, held.changes)
    assert file.read_text() == "60"
    with pytest.raises(DamagedJournalError):
        restore(home)


def test_the_command_names_the_file_and_ends_with_4(home: Path) -> None:
    file = journal(home, "{}")
    for words, moved in ((["--dry-run"], False), ([], True), ([], True)):
        done = run("machine", "restore", *words, home=home)
        assert done.code == 4
        assert f"error: cannot tell what is held changed on this machine: {file}" in done.err
        assert "hint: cat " in done.err
        assert file.exists() is not moved


def test_cleaning_up_lists_it_and_leaves_it(home: Path) -> None:
    file = journal(home, "{}")
    (item,) = (one for one in leftovers(home, subreaper=PROBE) if one.kind == "host setting")
    assert (item.name, item.removable) == (str(file), False)
    assert item.why.startswith("cannot tell what is held changed")
    assert file.exists()


def test_a_plain_user_is_refused_under_a_damaged_journal_of_root(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = journal(home, "{}")
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(DamagedJournalError, match=str(file)):
        visit(home)
    assert file.exists()


def test_a_whole_journal_is_read_as_it_was_written(home: Path) -> None:
    written = change(side=SWAPPINESS)
    write_changes(home, (written,))
    assert read_changes(home) == (written,)
