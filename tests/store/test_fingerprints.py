"""Fingerprints are kept by machine and time, and found by the beginning of a time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.model.errors import AssayError
from assay.model.machines.machine import Fingerprint
from assay.store.fingerprints import (
    find_kept,
    keep_fingerprint,
    kept_of,
    read_kept_fingerprint,
    recording_place,
)
from assay.store.record import RecordError
from tests.builders import FACTS

DAY_NS = 86_400 * 10**9
SEEN = Fingerprint(FACTS, {"kernel": {"version": "#1", "isolated_cpus": []}}, 1_795_267_100 * 10**9)


def test_a_kept_fingerprint_is_read_back_as_it_was(tmp_path: Path) -> None:
    kept = keep_fingerprint(tmp_path, "node", SEEN)
    assert kept.name == "node@2026-11-21T131820Z"
    assert read_kept_fingerprint(kept.path) == SEEN


def test_the_last_of_a_day_is_found_by_its_date(tmp_path: Path) -> None:
    for later in (0, 60 * 10**9, DAY_NS):
        keep_fingerprint(tmp_path, "node", replace(SEEN, taken_ns=SEEN.taken_ns + later))
    assert find_kept(tmp_path, "node", "2026-11-21").time == "2026-11-21T131920Z"
    assert find_kept(tmp_path, "node", "last").time == "2026-11-22T131820Z"


def test_recorded_machines_are_listed_beside_fingerprints(tmp_path: Path) -> None:
    keep_fingerprint(tmp_path, "node", SEEN)
    recording_place(tmp_path, "node", SEEN.taken_ns + DAY_NS).path.mkdir()
    assert [kept.recorded for kept in kept_of(tmp_path)] == [False, True]
    assert kept_of(tmp_path, "other") == ()


def test_a_time_that_is_not_kept_names_those_that_are(tmp_path: Path) -> None:
    keep_fingerprint(tmp_path, "node", SEEN)
    with pytest.raises(AssayError, match=r"unknown time '2020'.*2026-11-21T131820Z"):
        find_kept(tmp_path, "node", "2020")
    with pytest.raises(AssayError, match="cannot find what was kept of 'other': nothing was"):
        find_kept(tmp_path, "other", "last")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999", "9" * 5000])
def test_a_fingerprint_with_a_number_that_is_none_is_refused(tmp_path: Path, number: str) -> None:
    kept = keep_fingerprint(tmp_path, "node", SEEN)
    content = kept.path.read_text()
    kept.path.write_text(content.replace(f'"taken_ns": {SEEN.taken_ns}', f'"taken_ns": {number}'))
    assert kept.path.read_text() != content
    with pytest.raises(RecordError, match="it is no fingerprint"):
        read_kept_fingerprint(kept.path)


@pytest.mark.parametrize(
    "content", ["", "[]", "[" * 100_000, '{"schema": "assay.fingerprint", "version": [2, 0]}', "{"]
)
def test_a_damaged_or_newer_file_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(content)
    with pytest.raises(RecordError, match="cannot read"):
        read_kept_fingerprint(path)


def test_a_recording_has_a_folder_in_a_home_that_has_nothing_yet(tmp_path: Path) -> None:
    kept = recording_place(tmp_path / "home", "node01", 1_700_000_000_000_000_000)
    assert kept.path.parent == tmp_path / "home/machines/node01"
    assert kept.path.parent.is_dir()
    assert not kept.path.exists()
