"""Which folders are records, and which formats are read."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from assay.design import plan_trials
from assay.model.errors import Exit
from assay.store.record import (
    VERSION,
    DamagedError,
    RecordError,
    read_activity,
    read_rejected,
    read_trial,
    read_trials,
    rejected_folders,
    replace_file,
    write_activity,
    write_trial,
)
from tests.builders import plan_of, record_of

TRIALS = plan_trials(("spin",), blocks=4, seed=1)


def put(folder: Path, name: str, number: int) -> None:
    (folder / name).mkdir(parents=True)
    write_trial(folder / name, record_of(TRIALS[number], float(number)))


def test_records_come_in_the_order_of_their_names_and_only_those_with_one(tmp_path: Path) -> None:
    for number in (2, 0, 1):
        put(tmp_path / "trials", TRIALS[number].name, number)
    put(tmp_path / "trials", f".{TRIALS[3].name}.new", 3)
    (tmp_path / "trials" / "empty").mkdir()
    (tmp_path / "trials" / "a-file").write_text("x")
    assert [trial.planned.index for trial in read_trials(tmp_path)] == [0, 1, 2]
    assert list(read_trials(tmp_path / "nowhere")) == []


def test_records_of_more_trials_than_four_digits_count_come_by_number(tmp_path: Path) -> None:
    many = [replace(TRIALS[0], index=index) for index in (0, 999, 1000, 9999, 10_000, 10_001, 100_000)]
    for trial in many:
        place = tmp_path / "trials" / trial.name
        place.mkdir(parents=True)
        write_trial(place, record_of(trial, 1.0))
    assert [one.planned.index for one in read_trials(tmp_path)] == [one.index for one in many]


def test_rejected_tries_come_by_name_and_try(tmp_path: Path) -> None:
    for number, name in ((1, "b.1"), (2, "a.2"), (3, "a.1")):
        put(tmp_path / "rejected", name, number)
    assert [place.name for place in rejected_folders(tmp_path)] == ["a.1", "a.2", "b.1"]
    assert [trial.planned.index for trial in read_rejected(tmp_path)] == [3, 2, 1]


def test_a_damaged_record_is_an_error_unless_a_list_takes_it(tmp_path: Path) -> None:
    for kind, read in (("trials", read_trials), ("rejected", read_rejected)):
        for number in range(3):
            put(tmp_path / kind, TRIALS[number].name, number)
        broken = tmp_path / kind / TRIALS[1].name / "trial.json"
        broken.write_text(broken.read_text()[:40])
        with pytest.raises(DamagedError, match=str(broken)):
            list(read(tmp_path))
        damaged: list[DamagedError] = []
        assert [trial.planned.index for trial in read(tmp_path, damaged=damaged)] == [0, 2]
        assert [str(broken) in error.message for error in damaged] == [True]


@pytest.mark.parametrize("major", [VERSION[0] - 1, VERSION[0] + 1])
def test_another_major_version_is_refused_older_or_newer(tmp_path: Path, major: int) -> None:
    write_trial(tmp_path, record_of(TRIALS[0], 1.0))
    file = tmp_path / "trial.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"version": [major, 0]}))
    with pytest.raises(RecordError) as caught:
        read_trial(tmp_path)
    assert caught.value.message == (
        f"cannot read {file}: written in format {major}, this assay reads format {VERSION[0]}"
    )
    assert caught.value.hint == "use the assay that wrote it, or a newer one"
    assert caught.value.exit_code is Exit.INPUT


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "expected a file of schema 'assay.record'"),
        ('{"schema": "assay.activity", "version": [1, 0]}', "expected a file of schema 'assay.record'"),
        ('{"schema": "assay.record"}', "expected a version, [major, minor], got None"),
        ('{"schema": "assay.record", "version": []}', "expected a version, [major, minor], got []"),
        ('{"schema": "assay.record", "version": [1]}', "activity: field required"),
    ],
)
def test_what_is_no_record_is_refused_with_what_was_expected(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "trial.json").write_text(text)
    with pytest.raises(RecordError) as caught:
        read_trial(tmp_path)
    assert caught.value.message == f"cannot read {tmp_path / 'trial.json'}: {said}"
    assert caught.value.hint == "the folder must be one that assay wrote"


def test_what_is_wrong_deep_in_a_record_is_named_by_its_place(tmp_path: Path) -> None:
    write_trial(tmp_path, record_of(TRIALS[0], 1.0))
    file = tmp_path / "trial.json"
    value = json.loads(file.read_text())
    value["usage"]["wall_s"] = "long"
    file.write_text(json.dumps(value))
    with pytest.raises(RecordError, match=r"usage\.wall_s: input should be a valid number"):
        read_trial(tmp_path)


def test_files_say_their_format_and_are_text_for_people(tmp_path: Path) -> None:
    write_trial(tmp_path, record_of(TRIALS[0], 1.0, cause="zu spät"))
    write_activity(tmp_path, plan_of(TRIALS, title="Größe"))
    for name, schema, word in (("trial", "assay.record", "zu spät"), ("activity", "assay.activity", "Größe")):
        text = (tmp_path / f"{name}.json").read_text()
        assert text.startswith(
            f'{{\n "schema": "{schema}",\n "version": [\n  {VERSION[0]},\n  {VERSION[1]}\n ],\n'
        )
        assert text.endswith("}\n")
        assert word in text
    assert read_activity(tmp_path).title == "Größe"


def test_a_file_that_is_replaced_leaves_nothing_beside_it(tmp_path: Path) -> None:
    for content in (b"old", b"new"):
        replace_file(tmp_path / "file", content)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", b"new")]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_a_record_with_a_number_that_is_none_is_refused(tmp_path: Path, number: str) -> None:
    write_trial(tmp_path, record_of(TRIALS[0], 1.5))
    file = tmp_path / "trial.json"
    text = file.read_text()
    assert '"value": 1.5' in text
    file.write_text(text.replace('"value": 1.5', f'"value": {number}'))
    with pytest.raises(RecordError, match=f"expected finite numbers, got {number}"):
        read_trial(tmp_path)


def test_a_record_with_half_a_surrogate_pair_is_refused_and_a_whole_pair_is_read(tmp_path: Path) -> None:
    write_trial(tmp_path, record_of(TRIALS[0], 1.0, cause="CAUSE"))
    file = tmp_path / "trial.json"
    text = file.read_text()
    file.write_text(text.replace("CAUSE", r"\ud83d\ude00"))
    assert read_trial(tmp_path).cause == "\U0001f600"
    file.write_text(text.replace("CAUSE", r"\ud83d"))
    with pytest.raises(RecordError, match="half of a surrogate pair"):
        read_trial(tmp_path)


@pytest.mark.parametrize("value", ["9" * 400, "nan", "-inf", "1e999"])
def test_a_text_that_would_be_a_number_beyond_all_is_damaged(tmp_path: Path, value: str) -> None:
    write_trial(tmp_path, record_of(TRIALS[0], 1.0))
    file = tmp_path / "trial.json"
    said = json.loads(file.read_text())
    said["measurements"][0]["value"] = value
    file.write_text(json.dumps(said))
    with pytest.raises(DamagedError, match="expected finite numbers of at most 64 bits"):
        read_trial(tmp_path)


def test_a_pipe_a_device_and_a_file_without_end_are_no_records(tmp_path: Path) -> None:
    file = tmp_path / "trial.json"
    os.mkfifo(file)
    with pytest.raises(RecordError, match="expected a file, got a folder, a pipe or a device"):
        read_trial(tmp_path)
    file.unlink()
    file.symlink_to("/dev/zero")
    with pytest.raises(RecordError, match="expected a file, got a folder, a pipe or a device"):
        read_trial(tmp_path)
    file.unlink()
    with file.open("wb") as sparse:
        sparse.truncate(2**40)
    with pytest.raises(RecordError, match="expected a record of at most"):
        read_trial(tmp_path)
