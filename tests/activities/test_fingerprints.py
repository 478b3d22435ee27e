"""What machines are: seen, recorded, kept and found again; that of each boot lies beside an activity's
records.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.activities import fingerprints
from assay.activities.fingerprints import (
    find_fingerprint,
    keep_visit,
    last_two,
    read_kept,
    record_machine,
    take_fingerprint,
)
from assay.activities.visits.visit import Visit
from assay.model.errors import AssayError
from assay.model.machines.machine import Fingerprint, Limits, Machine
from assay.probe import Probe
from assay.store.fingerprints import keep_fingerprint, read_kept_fingerprint, recording_place
from tests.builders import FACTS

SEEN = Fingerprint(FACTS, {"kernel": {"version": "#1"}}, 5)


def visit(boot: str, fingerprint: Fingerprint) -> Visit:
    return Visit(
        machine="node",
        probe=cast("Probe", None),
        put=lambda _here, _there: None,
        fingerprint=fingerprint,
        limits=Limits(),
        boot=boot,
        directory="/nowhere",
        own_clock=False,
    )


def test_each_boot_is_kept_once_under_its_own_name(tmp_path: Path) -> None:
    for boot, taken_ns in (("one", 1), ("one", 2), ("two", 3)):
        keep_visit(tmp_path, visit(boot, replace(SEEN, taken_ns=taken_ns)))
    kept = {path.stem: read_kept_fingerprint(path).taken_ns for path in (tmp_path / "facts").iterdir()}
    assert kept == {"one": 1, "two": 3}


@pytest.mark.parametrize("boot", ["../../../etc/cron.d/x", "/etc/x", "..", ""])
def test_a_machine_whose_boot_is_a_path_is_refused_and_nothing_written(tmp_path: Path, boot: str) -> None:
    with pytest.raises(AssayError, match="it calls its boot"):
        keep_visit(tmp_path / "folder", visit(boot, SEEN))
    assert list(tmp_path.iterdir()) == []


def test_a_stage_shows_the_facts_of_its_fingerprint() -> None:
    assert visit("one", SEEN).facts == FACTS


class Seen:
    """A machine that is seen, or recorded into a folder of its own that is taken off it again."""

    def __init__(self) -> None:
        self.folder, self.acts = "/there", list[tuple[str, ...]]()
        self.breaks_off = False

    def fingerprint(self) -> Fingerprint:
        return SEEN

    def record(self, into: str) -> None:
        self.acts.append(("record", into))

    def get(self, there: str, here: Path) -> None:
        self.acts.append(("get", there))
        if self.breaks_off:
            msg = "the machine was lost"
            raise AssayError(msg)
        here.mkdir()

    def remove(self, path: str) -> None:
        self.acts.append(("remove", path))


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Seen:
    seen = Seen()

    @contextmanager
    def opened(machine: Machine, home: Path) -> Iterator[tuple[Seen, Seen]]:
        seen.acts.append(("open", machine.name, home.name))
        yield seen, seen

    monkeypatch.setattr(fingerprints, "open_probe", opened)
    return seen


def test_what_is_seen_now_is_kept_under_its_time(tmp_path: Path, machine: Seen) -> None:
    found, kept = take_fingerprint(Machine("node"), home=tmp_path)
    assert found == SEEN
    assert (kept.machine, kept.time, kept.recorded) == ("node", "1970-01-01T000000Z", False)
    assert read_kept(kept) == SEEN
    assert machine.acts == [("open", "node", tmp_path.name)]


def test_a_machine_is_recorded_there_and_brought_home_and_nothing_is_left(
    tmp_path: Path, machine: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fingerprints.time, "time_ns", lambda: 86_400 * 10**9)
    place = record_machine(Machine("node"), into=None, home=tmp_path)
    assert place == tmp_path / "machines" / "node" / "1970-01-02T000000Z"
    assert place.is_dir()
    there = f"/there/recorded-{86_400 * 10**9}"
    recorded = f"{there}/machine"
    assert machine.acts[1:] == [("record", recorded), ("get", recorded), ("remove", there)]
    assert record_machine(Machine("node"), into=tmp_path / "mine", home=tmp_path) == tmp_path / "mine"
    machine.acts.clear()
    machine.breaks_off = True
    with pytest.raises(AssayError, match="lost"):
        record_machine(Machine("node"), into=tmp_path / "other", home=tmp_path)
    assert machine.acts[-1] == ("remove", there)


def test_nothing_is_recorded_into_a_folder_that_is_there(tmp_path: Path, machine: Seen) -> None:
    with pytest.raises(AssayError) as refused:
        record_machine(Machine("node"), into=tmp_path, home=tmp_path)
    assert refused.value.message == f"cannot record node into {tmp_path}: it is there already"
    assert machine.acts == []


def test_a_name_is_a_file_or_a_recorded_machine_or_a_time_or_the_machine_as_it_is_now(
    tmp_path: Path, machine: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded: list[Path] = []
    then = replace(SEEN, taken_ns=7 * 10**9)
    monkeypatch.setattr(fingerprints, "recorded_fingerprint", lambda path: recorded.append(path) or then)
    monkeypatch.chdir(tmp_path)
    store: Any = SimpleNamespace(machine=lambda name: Machine(f"{name} of the inventory"))

    def found(name: str) -> Fingerprint:
        return find_fingerprint(name, home=tmp_path, store=store)

    kept = keep_fingerprint(tmp_path, "node", SEEN)
    keep_fingerprint(tmp_path, "node", replace(then, taken_ns=60 * 10**9))
    assert found(str(kept.path)) == SEEN
    (tmp_path / "tree" / "proc").mkdir(parents=True)
    assert (found("tree"), found("./none")) == (then, then)
    assert recorded == [Path("tree"), Path("none")]
    assert found("node@1970-01-01T000000Z") == SEEN
    assert found("node@last").taken_ns == 60 * 10**9
    assert machine.acts == []
    assert found("node") == SEEN
    assert machine.acts == [("open", "node of the inventory", tmp_path.name)]


def test_the_last_two_are_fingerprints_and_not_recorded_machines(tmp_path: Path) -> None:
    for minute in (1, 2):
        keep_fingerprint(tmp_path, "node", replace(SEEN, taken_ns=minute * 60 * 10**9))
        if minute == 1:
            recording_place(tmp_path, "node", 90 * 10**9).path.mkdir()
            with pytest.raises(AssayError) as refused:
                last_two("node", home=tmp_path)
    assert refused.value.message == (
        "cannot compare 'node' with itself: expected two of its fingerprints, 1 kept"
    )
    assert refused.value.hint == "assay machine facts node"
    assert [kept.time for kept in last_two("node", home=tmp_path)] == [
        "1970-01-01T000100Z",
        "1970-01-01T000200Z",
    ]
    keep_fingerprint(tmp_path, "node", replace(SEEN, taken_ns=180 * 10**9))
    assert [kept.time[-5:] for kept in last_two("node", home=tmp_path)] == ["0200Z", "0300Z"]


def test_a_recorded_machine_is_read_by_the_probe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        fingerprints, "recorded_fingerprint", lambda path: replace(SEEN, taken_ns=len(str(path)))
    )
    kept = recording_place(tmp_path, "node", 0)
    kept.path.mkdir()
    assert read_kept(kept).taken_ns == len(str(kept.path))
