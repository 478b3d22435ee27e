"""What holds for every record: it is read as it was written, and a damaged one is refused and
never guessed.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.model.activity import ActivityPlan
from assay.model.trial import Trial
from assay.store.record import (
    VERSION,
    RecordError,
    read_activity,
    read_trial,
    read_trials,
    write_activity,
    write_trial,
)
from tests.store.generated import OTHER, PLANS, TRIALS, at, places

KEPT = Path(__file__).parent / "records" / "1.0"
OLD = (*KEPT.glob("trials/*/trial.json"),)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for one record after the other."""
    return tmp_path_factory.mktemp("record")


def read_or_refuse(folder: Path, content: bytes) -> Trial | None:
    (folder / "trial.json").write_bytes(content)
    try:
        return read_trial(folder)
    except RecordError as error:
        wrong = error
    assert str(folder) in wrong.message
    return None


@given(trial=TRIALS)
def test_any_record_is_read_as_it_was_written(folder: Path, trial: Trial) -> None:
    write_trial(folder, trial)
    assert read_trial(folder) == trial
    assert sorted(file.name for file in folder.iterdir() if file.name.startswith(".")) == []


@given(plan=PLANS)
def test_any_plan_is_read_as_it_was_written(folder: Path, plan: ActivityPlan) -> None:
    write_activity(folder, plan)
    assert read_activity(folder) == plan


@given(minor=st.integers(0, 99), data=st.data())
def test_a_field_of_a_newer_minor_version_changes_nothing_wherever_it_stands(
    folder: Path, minor: int, data: st.DataObject
) -> None:
    said = json.loads(OLD[0].read_bytes())
    wanted = read_or_refuse(folder, json.dumps(said).encode())
    place = data.draw(st.sampled_from([path for path in places(said) if isinstance(at(said, path), dict)]))
    at(said, place)["of a later day"] = data.draw(OTHER)
    said["version"] = [VERSION[0], minor, *data.draw(st.lists(st.integers(), max_size=1))]
    assert wanted is not None
    assert read_or_refuse(folder, json.dumps(said).encode()) == wanted


@given(major=st.integers().filter(lambda major: major != VERSION[0]), minor=st.integers(0, 9))
def test_a_record_of_another_major_version_is_refused_whatever_it_says(
    folder: Path, major: int, minor: int
) -> None:
    said = json.loads(OLD[0].read_bytes()) | {"version": [major, minor]}
    (folder / "trial.json").write_text(json.dumps(said))
    with pytest.raises(RecordError, match=f"written in format {major}, this assay reads format {VERSION[0]}"):
        read_trial(folder)


@given(data=st.data())
def test_a_record_with_one_value_of_another_kind_is_a_record_or_refused(
    folder: Path, data: st.DataObject
) -> None:
    said = json.loads(OLD[0].read_bytes())
    *above, last = data.draw(st.sampled_from([path for path in places(said) if path]))
    at(said, tuple(above))[last] = data.draw(OTHER)
    read_or_refuse(folder, json.dumps(said).encode())


@given(data=st.data())
def test_a_record_that_is_cut_anywhere_is_refused(folder: Path, data: st.DataObject) -> None:
    whole = OLD[0].read_bytes().rstrip()
    end = data.draw(st.integers(0, len(whole) - 1))
    assert read_or_refuse(folder, whole[:end]) is None


@given(content=st.binary(max_size=100) | st.text(max_size=100).map(str.encode))
def test_any_bytes_are_refused_as_a_record(folder: Path, content: bytes) -> None:
    assert read_or_refuse(folder, content) is None


def test_brackets_without_end_are_refused_as_a_record(folder: Path) -> None:
    assert read_or_refuse(folder, b"[" * 100_000) is None


@given(data=st.data())
def test_what_a_kill_leaves_of_a_new_record_hides_no_old_one(folder: Path, data: st.DataObject) -> None:
    place = folder / "trials" / "0000-b0-baseline-spin"
    place.mkdir(parents=True, exist_ok=True)
    content = OLD[0].read_bytes()
    (place / "trial.json").write_bytes(content)
    wanted = list(read_trials(folder))
    (place / ".trial.json.new").write_bytes(content[: data.draw(st.integers(0, len(content)))])
    half = folder / "trials" / ".0001-b0-treatment-spin"
    half.mkdir(exist_ok=True)
    (half / "trial.json").write_bytes(content[: data.draw(st.integers(0, len(content)))])
    assert list(read_trials(folder)) == wanted
