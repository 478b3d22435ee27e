"""Changes of files put back: in order, not over somebody else's head, and after a crash."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from assay.factors.base.factor import Act
from assay.factors.host_acts import PlannedAct
from assay.platforms.errors import PlatformError
from assay.platforms.host import undo as host_undo
from assay.platforms.host.journal import Change, journal_file, read_changes, write_changes
from assay.platforms.host.settings import HeldSettings, host_settings
from assay.platforms.host.undo import Undone, look, restore, write_file
from assay.platforms.leftovers.clean import clean, leftovers
from assay.platforms.process import ProcessMark, this_process
from tests.platforms.guest_parts import PROBE

GONE = ProcessMark(pid=2**22 - 1, start_ticks=1)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home whose machine has a journal of its own."""
    monkeypatch.setattr("assay.platforms.daemon.state.MACHINE", tmp_path / "run")
    # files of a test stand for the kernel's
    monkeypatch.setattr(
        "assay.platforms.host.journal.may_write", lambda _, path: path.startswith(str(tmp_path))
    )
    return tmp_path / "home"


def change(path: Path, *, now: str, undo: tuple[Act, ...] = (), holder: ProcessMark = GONE) -> Change:
    """Return the change of a file from 60 to 10 that now says something."""
    path.write_text(now)
    undo = undo or (Act(str(path), "60"),)
    return Change("host.swappiness", str(path), "60", "10", undo, "a1", "/home", holder)


def outcomes(home: Path) -> list[str]:
    return [str(one.undone) for one in restore(home)]


@pytest.mark.parametrize(
    ("now", "outcome", "after"),
    [("10", "put back", "60"), ("60", "as before", "60"), ("30", "rewritten", "30")],
)
def test_what_we_wrote_is_put_back_and_what_others_wrote_is_left(
    home: Path, tmp_path: Path, now: str, outcome: str, after: str
) -> None:
    write_changes(home, (change(tmp_path / "a", now=now),))
    assert outcomes(home) == [outcome]
    assert (tmp_path / "a").read_text() == after
    assert not journal_file(home).exists()
    assert outcomes(home) == []


def test_what_a_living_process_holds_is_listed_and_left(home: Path, tmp_path: Path) -> None:
    write_changes(home, (change(tmp_path / "a", now="10", holder=this_process()),))
    assert outcomes(home) == ["held"]
    assert (tmp_path / "a").read_text() == "10"
    assert len(read_changes(home)) == 1


def test_a_pid_that_was_given_anew_does_not_hold(home: Path, tmp_path: Path) -> None:
    reused = replace(this_process(), start_ticks=1)
    write_changes(home, (change(tmp_path / "a", now="10", holder=reused),))
    assert outcomes(home) == ["put back"]


def test_what_was_changed_last_is_put_back_first(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = []
    monkeypatch.setattr(host_undo, "write_file", lambda act: written.append(Path(act.path).name))
    write_changes(home, tuple(change(tmp_path / name, now="10") for name in "abc"))
    restore(home)
    assert written == ["c", "b", "a"]


def test_an_undo_that_was_cut_off_in_the_middle_is_taken_up_again(home: Path, tmp_path: Path) -> None:
    path = str(tmp_path / "ksm")
    undo = (Act(path, "2"), Act(path, "60"))
    write_changes(home, (change(tmp_path / "ksm", now="2", undo=undo),))
    assert outcomes(home) == ["put back"]
    assert (tmp_path / "ksm").read_text() == "60"


def test_a_second_file_that_moved_with_the_first_is_put_back_too(home: Path, tmp_path: Path) -> None:
    other = tmp_path / "min_free"
    other.write_text("19832")
    undo = (Act(str(tmp_path / "a"), "60"), Act(str(other), "67584"))
    write_changes(home, (change(tmp_path / "a", now="60", undo=undo),))
    assert outcomes(home) == ["put back"]
    assert other.read_text() == "67584"


def moved(home: Path, tmp_path: Path, *, side: str, path: str = "10") -> Path:
    """Remember a change that moved a second file from 67584 to 19832; return that file, which
    says ``side``.
    """
    other = tmp_path / "min_free"
    other.write_text(side)
    undo = (Act(str(tmp_path / "a"), "60"), Act(str(other), "67584"))
    made = change(tmp_path / "a", now=path, undo=undo)
    write_changes(home, (replace(made, sides=(Act(str(other), "19832"),)),))
    return other


@pytest.mark.parametrize("side", ["19832", "67584"])
def test_a_second_file_as_our_write_left_it_is_put_back(home: Path, tmp_path: Path, side: str) -> None:
    other = moved(home, tmp_path, side=side)
    assert outcomes(home) == ["put back"]
    assert other.read_text() == "67584"


def test_a_second_file_that_somebody_else_wrote_is_left_and_the_first_is_put_back(
    home: Path, tmp_path: Path
) -> None:
    other = moved(home, tmp_path, side="5000")
    (seen,) = look(home)
    said = f"somebody else has set {other} to 5000 since: left so"
    assert seen.undone is Undone.CHANGED
    assert seen.reported.endswith(f"to undo: echo 60 > {tmp_path}/a; {said}")
    (done,) = restore(home)
    assert (done.undone, done.now, done.left) == (Undone.REWRITTEN, "60", (Act(str(other), "5000"),))
    assert done.reported.endswith(said)
    assert other.read_text() == "5000"
    assert read_changes(home) == ()


def test_an_undo_cut_off_after_the_kernel_moved_the_second_file_again_is_taken_up(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = moved(home, tmp_path, side="19832")

    def cut(act: Act) -> None:
        write_file(act)
        other.write_text("45056")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(host_undo, "write_file", cut)
        with pytest.raises(KeyboardInterrupt):
            restore(home)
    assert outcomes(home) == ["put back"]
    assert other.read_text() == "67584"


def test_a_journal_of_an_earlier_assay_is_read(home: Path, tmp_path: Path) -> None:
    other = moved(home, tmp_path, side="5000")
    page = json.loads(journal_file(home).read_text())
    for entry in page["changes"]:
        del entry["sides"]
    journal_file(home).write_text(json.dumps(page))
    assert outcomes(home) == ["put back"]
    assert other.read_text() == "67584"


def test_what_a_write_makes_of_other_files_is_remembered(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, other = tmp_path / "a", tmp_path / "b"
    place.write_text("60")
    other.write_text("7")
    act = Act(str(place), "10", (Act(str(place), "60"), Act(str(other), "7")))
    planned = [PlannedAct("host.swappiness", "10", act, "60")]
    monkeypatch.setattr("assay.platforms.host.settings.planned_acts", lambda *_: planned)
    monkeypatch.setattr("assay.platforms.host.settings.refused", lambda *_: ())

    def moving(one: Act) -> None:
        write_file(one)
        if one.path == str(place):
            other.write_text("1")

    monkeypatch.setattr("assay.platforms.host.settings.write_file", moving)
    with host_settings({"host.swappiness": "10"}, home=home, activity="a1") as held:
        (kept,) = read_changes(home)
        assert kept.sides == (Act(str(other), "1"),)
        other.write_text("3")
    assert [one.undone for one in held.undone] == [Undone.REWRITTEN]
    assert (place.read_text(), other.read_text()) == ("60", "3")


def test_a_file_that_is_gone_is_forgotten(home: Path, tmp_path: Path) -> None:
    write_changes(home, (change(tmp_path / "a", now="10"),))
    (tmp_path / "a").unlink()
    assert outcomes(home) == ["gone"]
    assert not (tmp_path / "a").exists()
    assert read_changes(home) == ()


def test_what_the_kernel_refuses_stays_remembered_and_the_rest_is_put_back(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stubborn(act: Act) -> None:
        if act.path.endswith("b"):
            raise PermissionError(13, "Permission denied")
        write_file(act)

    monkeypatch.setattr(host_undo, "write_file", stubborn)
    write_changes(home, tuple(change(tmp_path / name, now="10") for name in "abc"))
    assert [(one.undone, one.why) for one in restore(home)] == [
        (Undone.PUT_BACK, ""),
        (Undone.FAILED, "[Errno 13] Permission denied"),
        (Undone.PUT_BACK, ""),
    ]
    assert [Path(one.path).name for one in read_changes(home)] == ["b"]


def test_a_write_that_does_not_take_is_an_error() -> None:
    with pytest.raises(OSError, match="'x' was written and the file says ''"):
        write_file(Act("/dev/null", "x"))


def test_a_file_that_went_away_with_a_processor_is_no_drift(tmp_path: Path) -> None:
    """host.smt=off beside host.governor: what belongs to a processor that is off reads as empty."""
    off, other = change(tmp_path / "off", now=""), change(tmp_path / "on", now="30")
    held = HeldSettings((off, other, replace(off, path=str(tmp_path / "none"))))
    assert held.drifted == (f"host.swappiness: {tmp_path}/on says '30', not '10'",)


@pytest.fixture
def user(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the home of a plain user, once root's journal was written."""
    write_changes(home, (change(home.parent / "a", now="10"),))
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    return home


def test_a_plain_user_sees_what_root_s_dead_process_left_and_is_told_who_can_undo_it(user: Path) -> None:
    path = user.parent / "a"
    assert [(one.change.path, one.undone) for one in look(user)] == [(str(path), Undone.CHANGED)]
    for act in (lambda: restore(user), lambda: _visit(user)):
        with pytest.raises(
            PlatformError, match=r"cannot put host\.swappiness back: .* it was root's"
        ) as error:
            act()
        assert error.value.hint == "sudo assay machine restore"
    (item,) = (item for item in leftovers(user, subreaper=PROBE) if item.kind == "host setting")
    assert (item.name, item.removable) == (str(path), False)
    assert item.why.endswith("it is root's: sudo assay machine restore")
    assert not [one for one in clean(user, subreaper=PROBE) if one.kind == "host setting"]
    assert path.read_text() == "10"


def test_a_plain_user_is_not_held_up_by_what_root_holds_or_somebody_has_put_back(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    back = change(home.parent / "a", now="60")
    write_changes(home, (back, change(home.parent / "b", now="10", holder=this_process())))
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    _visit(home)
    assert [one.undone for one in restore(home)] == [Undone.HELD, Undone.AS_BEFORE]


def _visit(home: Path) -> None:
    with host_settings({}, home=home, activity="a2"):
        pass


def test_root_s_journal_can_be_read_by_anybody(home: Path, tmp_path: Path) -> None:
    mask = os.umask(0o077)
    try:
        write_changes(home, (change(tmp_path / "a", now="10"),))
    finally:
        os.umask(mask)
    assert journal_file(home).stat().st_mode & 0o777 == 0o644
    assert journal_file(home).parent.stat().st_mode & 0o777 == 0o755


def test_a_reboot_makes_the_journal_void(home: Path, tmp_path: Path) -> None:
    write_changes(home, (change(tmp_path / "a", now="10"),))
    page = json.loads(journal_file(home).read_text())
    journal_file(home).write_text(json.dumps({**page, "boot_id": "another"}))
    assert look(home) == ()
    assert outcomes(home) == []
    assert (tmp_path / "a").read_text() == "10"


def test_cleaning_up_lists_and_puts_back_what_the_dead_held(home: Path, tmp_path: Path) -> None:
    dead = [change(tmp_path / name, now="10") for name in "ab"]
    write_changes(home, (*dead, change(tmp_path / "c", now="10", holder=this_process())))

    def found() -> list[str]:
        left = leftovers(home, subreaper=PROBE)
        return [Path(item.name).name for item in left if item.kind == "host setting"]

    assert found() == ["b", "a"]
    (reported, _) = (item.why for item in leftovers(home, subreaper=PROBE) if item.kind == "host setting")
    assert reported == f"host.swappiness, set to 10 by activity a1; to undo: echo 60 > {tmp_path}/b"
    assert [item.name for item in clean(home, subreaper=PROBE)] == [dead[1].path, dead[0].path]
    assert found() == []
    assert [(tmp_path / name).read_text() for name in "abc"] == ["60", "60", "10"]
