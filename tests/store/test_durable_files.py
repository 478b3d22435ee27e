"""Files that must survive a power cut: whatever it leaves, they are the old one or the new one, and then the
new one.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.design import plan_trials
from assay.model.machines.machine import Fingerprint
from assay.platforms.durable import read_json, write_json
from assay.store.fingerprints import read_kept_fingerprint, write_fingerprint
from assay.store.record import (
    RecordError,
    read_activity,
    read_trial,
    replace_file,
    sync_folder,
    write_activity,
    write_trial,
)
from tests.builders import FACTS, plan_of, record_of
from tests.crash.disk import Disk, Moment, at, lay

(TRIAL, *_) = plan_trials(("spin",), blocks=1, seed=1)
Act = Callable[[Path], None]


def recorded(home: Path, monkeypatch: pytest.MonkeyPatch, *acts: Act) -> tuple[list[Moment], Moment]:
    """Do something in a folder; return all moments, and the last."""
    home.mkdir()
    disk = Disk(home)
    with monkeypatch.context() as patch:
        disk.record(patch)
        for act in acts:
            act(home)
        disk.tell("the end")
    return disk.moments, disk.moments[-1]


WRITERS: dict[str, tuple[Act, Act]] = {
    "file": (lambda home: replace_file(home / "file", b"old and long"),
    lambda home: replace_file(home / "file", b"new")),
    "state.json": (
        lambda home: write_json(home / "state.json", {"old": [1] * 20}),
        lambda home: write_json(home / "state.json", {"new": 2}),
    ),
    "trial.json": (lambda home: write_trial(home, record_of(TRIAL, 1.0)),
    lambda home: write_trial(home, record_of(TRIAL, 2.0))),
    "activity.json": (lambda home: write_activity(home, plan_of(())),
    lambda home: write_activity(home, plan_of((), seed=6))),
    "seen.json": (
        lambda home: write_fingerprint(home / "seen.json", Fingerprint(FACTS, {}, 5)),
        lambda home: write_fingerprint(home / "seen.json", Fingerprint(FACTS, {}, 6)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_is_the_old_one_or_the_new_one_whenever_the_power_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    old, new = WRITERS[name]
    (tmp_path / "known").mkdir()
    for act, known in ((old, "old"), (new, "new")):
        act(tmp_path / "known")
        (tmp_path / "known" / name).rename(tmp_path / "known" / known)
    contents = {(tmp_path / "known" / known).read_bytes() for known in ("old", "new")}
    assert len(contents) == 2
    moments, end = recorded(tmp_path / "home", monkeypatch, old, new)
    seen = {at(image, name) for moment in moments for image in moment.images()}
    assert seen == {None, *contents}
    assert {at(image, name) for image in end.images()} == {(tmp_path / "known" / "new").read_bytes()}


@pytest.mark.parametrize("name", WRITERS)
def test_once_it_is_written_no_power_cut_takes_it_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    old, new = WRITERS[name]
    first, _ = recorded(tmp_path / "first", monkeypatch, old)
    both, _ = recorded(tmp_path / "both", monkeypatch, old, new)
    for moment in both[len(first) - 1 :]:
        assert all(at(image, name) is not None for image in moment.images())


def test_the_names_of_a_folder_outlast_a_power_cut_once_it_is_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make(home: Path) -> None:
        (home / "made").mkdir()
        (home / "made" / "below").mkdir()

    _, bare = recorded(tmp_path / "bare", monkeypatch, make)
    assert [at(image, "made", "below") for image in bare.images()].count(None) > 0
    _, end = recorded(
        tmp_path / "home", monkeypatch, make, lambda home: sync_folder(home / "made"), sync_folder
    )
    assert list(end.images()) == [{"made": {"below": {}}}]


def test_what_a_cut_leaves_half_written_is_never_taken_for_the_file(tmp_path: Path) -> None:
    lay({"trial.json": b"", ".activity.json.new": b"{}", "state.json": b'{"old": [1'}, tmp_path / "home")
    assert read_json(tmp_path / "home" / "state.json") is None
    assert read_json(tmp_path / "home" / "none.json") is None
    for read in (read_trial, read_activity, lambda home: read_kept_fingerprint(home / "trial.json")):
        with pytest.raises(RecordError, match="cannot read"):
            read(tmp_path / "home")


def test_a_json_file_that_holds_no_object_is_none(tmp_path: Path) -> None:
    (tmp_path / "list.json").write_text("[1]")
    assert read_json(tmp_path / "list.json") is None
    write_json(tmp_path / "made" / "state.json", {"b": 1, "a": "é"})
    assert read_json(tmp_path / "made" / "state.json") == {"a": "é", "b": 1}
    assert list(json.loads((tmp_path / "made" / "state.json").read_text())) == ["a", "b"]
