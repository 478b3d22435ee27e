"""What is noted of daemons of ours: damaged, it is named and kept aside, and nothing is done by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.platforms.containers.spec import read_note
from assay.platforms.daemon import daemon
from assay.platforms.daemon import state as daemon_state
from assay.platforms.daemon.device import Ownership
from assay.platforms.daemon.state import DaemonState, read_state, state_file, write_state
from assay.platforms.errors import DamagedJournalError
from assay.platforms.guests.specfile import read_activity, read_origin
from assay.platforms.leftovers.clean import _daemon as daemons_left
from assay.platforms.process import this_process


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder that stands for the machine's."""
    monkeypatch.setattr(daemon_state, "MACHINE", tmp_path)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    return tmp_path


DAMAGED = {
    "empty": ("", "the file"),
    "half": ('{"daemons": [', "the file"),
    "nothing in it": ("{}", "daemons: field required"),
    "a list": ("[]", "the file"),
    "a number for processes": ('{"daemons": 5, "users": [], "kvm": null}', "daemons"),
    "half a process": ('{"daemons": [{"pid": 1}], "users": [], "kvm": null}', r"daemons\.0\.start_ticks"),
    "a text for a user": (
        '{"daemons": [], "users": [], "kvm": {"uid": "0", "gid": 0, "mode": 0}}',
        r"kvm\.uid",
    ),
    "set-user-ID": ('{"daemons": [], "users": [], "kvm": {"uid": 0, "gid": 0, "mode": 2541}}', r"kvm\.mode"),
}


@pytest.mark.parametrize(("text", "place"), DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_state_is_named_kept_aside_and_listed(
    machine: Path, text: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    state_file().write_text(text)
    (seen,) = daemons_left(held=False)
    assert (seen.name, seen.removable) == (str(state_file()), False)
    with pytest.raises(DamagedJournalError, match=f"daemon.json: {place}") as error:
        daemon.stop_idle_daemons()
    assert error.value.exit_code == 4
    assert error.value.kept == machine / "daemon.json.damaged-1"
    assert error.value.kept.read_text() == text
    assert not state_file().exists()
    (left,) = daemons_left(held=False)
    assert (left.name, left.removable) == (str(error.value.kept), False)


def test_a_state_is_read_as_it_was_written() -> None:
    state = DaemonState((this_process(),), (this_process(),), Ownership(0, 1, 0o660))
    write_state(state)
    assert read_state() == state


@pytest.mark.parametrize("text", ["{}", "{", "[]"])
def test_a_damaged_note_says_nothing(tmp_path: Path, text: str) -> None:
    for name in ("note.json", "spec.json", "origin.json"):
        (tmp_path / name).write_text(text)
    assert read_note(tmp_path) is None
    assert read_activity(tmp_path) is None
    assert read_origin(tmp_path) is None
