"""What holds for every small file that is kept: it is read as it was meant, or refused and never guessed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from assay.activities.trials.inflight import Inflight, read_inflight, write_inflight
from assay.model.errors import AssayError
from assay.model.machines.clock import ClockReading
from assay.model.machines.machine import Fingerprint
from assay.platforms.daemon.device import Ownership
from assay.platforms.daemon.state import DaemonState, parse_state
from assay.platforms.durable import read_json
from assay.platforms.host.journal import journal_file, read_changes, write_changes
from assay.platforms.process import this_process
from assay.store.fingerprints import read_kept_fingerprint, write_fingerprint
from assay.store.imports import read_import
from assay.store.record import read_activity, read_trial
from tests.builders import FACTS
from tests.mutations import SEEDS, check_refusal, check_values, damaged_json
from tests.platforms.host.test_damaged_journal import change
from tests.properties import share

KEPT = Path(__file__).parent / "records" / "1.0"


@dataclass(frozen=True)
class Note:
    """A kind of file: where it lies below a folder, what it holds, and what reads it."""

    file: str
    content: bytes
    read: Callable[[Path], object]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("notes")


@pytest.fixture(scope="module")
def notes(folder: Path) -> dict[str, Note]:
    """Return every kind, written by what writes it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("assay.platforms.daemon.state.MACHINE", folder / "run")
        write_changes(folder, (change(),))
        journal = journal_file(folder).read_bytes()
    seen = Fingerprint(FACTS, {"kernel": {"version": "#1"}}, 1_795_267_100 * 10**9)
    write_fingerprint(folder / "fingerprint.json", seen)
    write_inflight(folder, Inflight(1, "a/b", "boot", None, 1, ClockReading(1, 2, 3, 4), None))
    state = DaemonState((this_process(),), (this_process(),), Ownership(0, 0, 0o660))
    trial = next(KEPT.glob("trials/*/trial.json"))
    return {
        "record": Note("trial.json", trial.read_bytes(), read_trial),
        "plan": Note("activity.json", (KEPT / "activity.json").read_bytes(), read_activity),
        "inflight": Note("inflight.json", (folder / "inflight.json").read_bytes(), read_inflight),
        "fingerprint": Note(
            "fingerprint.json",
            (folder / "fingerprint.json").read_bytes(),
            lambda place: read_kept_fingerprint(place / "fingerprint.json"),
        ),
        "journal": Note("run/host-settings.json", journal, read_changes),
        "daemons": Note(
            "daemon.json",
            _json(asdict(state)),
            lambda place: parse_state((place / "daemon.json").read_bytes()),
        ),
        "import": Note("imported.json", _json({"origin": "/x", "imported_ns": 5}), read_import),
        "any": Note(
            "any.json", _json({"a": 1, "b": [1.5]}), lambda place: read_json(place / "any.json", "a")
        ),
    }


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


@pytest.mark.parametrize(
    "kind", ["record", "plan", "inflight", "fingerprint", "journal", "daemons", "import", "any"]
)
@share(8, seeded=True)
@given(seed=SEEDS)
def test_any_damaged_note_is_read_or_refused(
    folder: Path, notes: dict[str, Note], kind: str, seed: int
) -> None:
    note = notes[kind]
    place = folder / note.file
    place.write_bytes(damaged_json(note.content, seed))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("assay.platforms.daemon.state.MACHINE", folder / "run")
        try:
            check_values(note.read(folder))
        except AssayError as error:
            check_refusal(error)
