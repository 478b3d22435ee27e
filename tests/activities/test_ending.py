"""What must be done at the end never hides why an activity ended, and a disk that refuses is named."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from assay.activities.conductor import Conductor
from assay.activities.ending import disk_refusals, ending
from assay.model.activity import ActivityState
from assay.model.errors import AssayError, Exit, MissingError
from assay.platforms.claims import is_live
from assay.store.record import write_trial
from tests.activities.test_conductor import PLAN, TRIALS, TrialContext
from tests.builders import record_of


def fail(error: BaseException) -> None:
    raise error


def test_an_act_is_done_at_the_end_and_its_failure_told_only_where_something_failed_before() -> None:
    done: list[str] = []
    with ending(lambda: done.append("act"), done.append):
        done.append("inside")
    assert done == ["inside", "act"]
    with pytest.raises(AssayError, match="second"), ending(lambda: fail(AssayError("second")), done.append):
        pass
    for second in (AssayError("second"), OSError(28, "no room")):
        reported: list[str] = []
        with pytest.raises(KeyboardInterrupt), ending(lambda: fail(second), reported.append):  # noqa: B023
            raise KeyboardInterrupt
        assert reported == [f"afterwards: {second}"]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO])
def test_what_a_disk_refuses_names_it_its_room_and_how_to_go_on(tmp_path: Path, code: int) -> None:
    gone = tmp_path / "gone" / "file"
    for error, place in ((OSError(code, "Told", str(gone)), gone), (OSError(code, "Told"), tmp_path)):
        with pytest.raises(MissingError) as caught, disk_refusals(tmp_path, "0123abcd"):
            raise error
        assert caught.value.message.startswith(f"cannot use {place}: told; ")
        assert caught.value.message.endswith(" are free there")
        assert str(caught.value.hint).endswith("assay activity resume 0123abcd")
        assert caught.value.exit_code is Exit.MISSING


def test_what_is_no_matter_of_a_disk_stays_what_it_is(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), disk_refusals(tmp_path, "0123abcd"):
        raise FileNotFoundError(2, "gone")


def test_a_full_disk_ends_an_activity_with_its_claim_released_and_its_first_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = TrialContext(tmp_path)
    monkeypatch.setattr(Conductor, "_conduct", lambda _: fail(OSError(errno.ENOSPC, "No space left", "/d/x")))
    states = iter([None, AssayError("cannot write the database")])

    def set_state(*_: object, **__: object) -> None:
        if (error := next(states)) is not None:
            raise error

    monkeypatch.setattr(context.rows, "set_state", set_state)
    with pytest.raises(MissingError, match=r"cannot use /d/x: no space left"):
        context.conductor.run()
    assert context.watcher.of("warn") == ["afterwards: cannot write the database"]
    assert not is_live(tmp_path, PLAN.id)


def test_the_state_is_that_of_the_records_where_a_signal_came_with_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = TrialContext(tmp_path, done=tuple(record_of(trial, 1.0) for trial in TRIALS[:-1]))

    def conduct(_: Conductor) -> None:
        for trial in TRIALS:
            place = tmp_path / "activity" / "trials" / trial.name
            place.mkdir(parents=True)
            write_trial(place, record_of(trial, 1.0))
        raise KeyboardInterrupt

    monkeypatch.setattr(Conductor, "_conduct", conduct)
    with pytest.raises(KeyboardInterrupt):
        context.conductor.run()
    assert context.rows.states == [(ActivityState.RUNNING, False), (ActivityState.COMPLETE, True)]
