"""An activity of which a file is damaged: the rest is read, what is damaged is kept aside, and its trial runs
again.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.activities import pages
from assay.activities.conductor import Conductor
from assay.activities.trials.disturbance import was_rejected
from assay.activities.trials.inflight import Inflight, read_inflight, write_inflight
from assay.model.extension import Ending
from assay.model.machines.clock import ClockReading
from assay.results.comparison.compare import compare_results
from assay.store.record import DamagedError, RecordError, read_trials, write_activity, write_trial
from tests.activities.test_conductor import PLAN, TRIALS, TrialContext
from tests.builders import record_of

NOTE = Inflight(1, "/d/t", "boot", "guest-b0", 5, ClockReading(1, 2, 0.5, 0.25), None)


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:100])


def emptied(file: Path) -> None:
    file.write_bytes(b"")


def gone(file: Path) -> None:
    file.unlink()


def no_number(file: Path) -> None:
    file.write_text(json.dumps(json.loads(file.read_text()) | {"started_ns": "late"}))


DAMAGE = [cut, emptied, gone, no_number]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return an activity's folder with the records of its first three trials and of one that was rejected."""
    folder = tmp_path / "activity"
    places = [(folder / "trials" / one.name, one) for one in TRIALS[:3]]
    places.append((folder / "rejected" / f"{TRIALS[3].name}.1", TRIALS[3]))
    for place, planned in places:
        place.mkdir(parents=True)
        write_trial(place, record_of(planned, 1.0))
    write_activity(folder, PLAN)
    return folder


def conducted(home: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[TrialContext, list[Inflight | None]]:
    """Conduct an activity whose sessions only note what they would bring home; return what was told and
    noted.
    """
    noted: list[Inflight | None] = []

    def session(self: Conductor, inflight: Inflight | None) -> None:
        noted.append(inflight)
        self._ending = Ending.REACHED

    monkeypatch.setattr(Conductor, "_session", session)
    context = TrialContext(home)
    context.conductor._conduct()
    return context, noted


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_record_is_kept_aside_and_its_trial_runs_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch, damage: Callable[[Path], None]
) -> None:
    name = TRIALS[1].name
    for number in (1, 2):
        place = folder / "trials" / name
        place.mkdir(exist_ok=True)
        write_trial(place, record_of(TRIALS[1], 1.0))
        (place / "samples.csv").write_text("mono_ns\n")
        damage(place / "trial.json")
        left = folder / "damaged" / f"{name}.{number}"
        context, _ = conducted(folder.parent, monkeypatch)
        assert context.rows.records == [0, 2]
        (warned,) = context.watcher.of("warn")
        assert warned.startswith(f"cannot read {place}/trial.json: ")
        assert warned.endswith(f"; it is kept in {left}; its trial runs again")
        assert not place.exists()
        assert (left / "samples.csv").is_file()


def test_a_record_of_a_newer_major_version_is_no_damage(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = folder / "trials" / TRIALS[1].name / "trial.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"version": [2, 0]}))
    with pytest.raises(RecordError, match="written in format 2") as caught:
        conducted(folder.parent, monkeypatch)
    assert not isinstance(caught.value, DamagedError)
    assert file.is_file()


def test_a_record_that_may_not_be_read_is_no_damage(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(RecordError, match="Permission denied") as caught:
        list(read_trials(folder))
    assert not isinstance(caught.value, DamagedError)


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_rejected_record_stops_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, damage: Callable[[Path], None]
) -> None:
    place = folder / "rejected" / f"{TRIALS[3].name}.1"
    damage(place / "trial.json")
    assert was_rejected(folder, TRIALS[3], record_of(TRIALS[3], 1.0).started_ns) is False
    context, _ = conducted(folder.parent, monkeypatch)
    assert context.rows.records == [0, 1, 2]
    assert place.is_dir(), "it still counts as a try"


def test_pages_leave_damaged_records_out_and_name_them(folder: Path) -> None:
    whole = pages.page_of(folder)
    assert "record-unreadable" not in {doubt.code for doubt in whole.doubts}
    files = [folder / "trials" / TRIALS[1].name, folder / "rejected" / f"{TRIALS[3].name}.1"]
    for file in files:
        cut(file / "trial.json")
    for page in (pages.page_of(folder), pages.explained_page(folder), pages.whole_page(folder)):
        (doubt,) = (doubt for doubt in page.doubts if doubt.code == "record-unreadable")
        assert doubt.count == 2
        assert all(f"cannot read {file}/trial.json" in doubt.sentence for file in files)
        assert "resume" in str(doubt.next)
        states = [point.state for point in page.trials[:3]]
        assert states == ["ended", "waiting", "ended"]
    compared = compare_results(folder, folder)
    assert [doubt.code for doubt in compared.doubts].count("record-unreadable") == 2


def changed(folder: Path, **fields: Any) -> None:
    file = folder / "inflight.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | fields))


def test_a_note_says_its_format_and_unknown_fields_are_passed_over(folder: Path) -> None:
    write_inflight(folder, NOTE)
    said = json.loads((folder / "inflight.json").read_text())
    assert (said["schema"], said["version"][0]) == ("assay.inflight", 1)
    clock = {**said["clock"], "of a later day": 1}
    changed(folder, version=[1, 99], clock=clock, **{"of a later day": {"x": []}})
    assert read_inflight(folder) == NOTE


def test_a_note_from_before_notes_had_a_format_is_read(folder: Path) -> None:
    write_inflight(folder, NOTE)
    said = json.loads((folder / "inflight.json").read_text())
    old = {
        name: said[name]
        for name in ("index", "into", "boot", "guest", "started_ns", "clock", "hypervisor_cpu")
    }
    (folder / "inflight.json").write_text(json.dumps(old))
    assert read_inflight(folder) == NOTE


def test_a_note_of_a_newer_major_version_is_refused_and_stays(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_inflight(folder, NOTE)
    changed(folder, version=[2, 0])
    with pytest.raises(RecordError, match="written in format 2"):
        conducted(folder.parent, monkeypatch)
    assert (folder / "inflight.json").is_file()


@pytest.mark.parametrize(
    "damage",
    [
        cut,
        emptied,
        no_number,
        lambda file: changed(file.parent, index=99),
        lambda file: changed(file.parent, index=-1),
        lambda file: changed(file.parent, schema="other"),
    ],
)
def test_a_damaged_note_is_kept_aside_and_its_trial_runs_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch, damage: Callable[[Path], None]
) -> None:
    write_inflight(folder, NOTE)
    damage(folder / "inflight.json")
    context, noted = conducted(folder.parent, monkeypatch)
    assert noted == [None]
    (warned,) = context.watcher.of("warn")
    left = folder / "damaged" / "inflight.json.1"
    assert warned.endswith(f"; it is kept in {left}; the trial that it tells of runs again")
    assert left.is_file()
    assert not (folder / "inflight.json").exists()


def test_a_whole_note_is_handed_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_inflight(folder, NOTE)
    assert conducted(folder.parent, monkeypatch)[1] == [NOTE]
