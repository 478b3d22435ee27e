"""Files cold or warm before a trial: in which order things are done, and what is doubted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assay.activities.trials.inflight import Inflight, read_inflight, write_inflight
from assay.activities.trials.page_cache import Prepared, cache_check, cache_doubts, file_set, prepare_cache
from assay.design import plan_trials
from assay.model.platforms.data import DataPlace
from assay.model.work.page_cache import CacheCheck, CacheOrder, CacheSpec, CacheState, ReadAhead, Residency
from assay.model.work.placement import PlacementSpec
from assay.model.work.workload import File, Program
from assay.probe.result import CacheResidency
from tests.builders import WORKLOAD, plan_of, record_of
from tests.results.said_of import method_sentences

COLD, WARM = CacheSpec(CacheState.COLD), CacheSpec(CacheState.WARM)
JOB = replace(WORKLOAD, inputs=("/here/job", "/here/data/"), cache=COLD)
PROGRAM = Program(File("job", "/w.work/job", "a"), (File("libc.so.6", "/lib/libc.so.6", "b"),))
IMAGES = ("/images/disk.raw", "/guests/g/disk.qcow2")


class Machine:
    """Notes what is asked of a machine's page cache; some of its files are mapped by other programs."""

    def __init__(self, name: str, acts: list[Any], mapped: Sequence[str] = ()) -> None:
        self._name, self._acts, self._mapped = name, acts, mapped

    def cache(self, act: str, paths: Sequence[str]) -> Residency:
        self._acts.append((self._name, act, tuple(paths)))
        return Residency(len(paths), 100, sum(path in self._mapped for path in paths))


def visit_of(acts: list[Any], *, guest: bool = False, mapped: Sequence[str] = ()) -> Any:
    files = SimpleNamespace(spec=SimpleNamespace(image_files=[Path(path) for path in IMAGES]))
    host = Machine("host", acts) if guest else None
    there = Machine("there", acts, mapped)
    return SimpleNamespace(probe=there, guest=files if guest else None, host=host, cache=None)


def prepared(visit: Any, wanted: CacheSpec | None, program: Program | None = PROGRAM) -> Prepared | None:
    return prepare_cache(visit, replace(JOB, cache=wanted), into="/w", program=program)


def test_where_no_state_is_asked_for_nothing_is_done() -> None:
    acts: list[Any] = []
    assert prepared(visit_of(acts, guest=True), None) is None
    assert acts == []


def test_the_guest_is_evicted_before_its_image_files_on_the_host() -> None:
    acts: list[Any] = []
    done = prepared(visit_of(acts, guest=True), COLD, program=None)
    assert acts == [("there", "evict", ("/w.work/job", "/w.work/data")), ("host", "evict", IMAGES)]
    assert done == Prepared(
        CacheOrder(CacheState.COLD, ("/w.work/job", "/w.work/data")), (), Residency(2, 100, 0)
    )


def test_a_warm_guests_image_files_are_only_looked_at() -> None:
    acts: list[Any] = []
    prepared(visit_of(acts, guest=True), WARM)
    files = ("/w.work/job", "/w.work/data", "/w.work/job", "/lib/libc.so.6")
    assert acts == [("there", "preload", files), ("host", "residency", IMAGES)]


def test_libraries_that_others_have_mapped_are_named_and_left_out() -> None:
    done = prepared(visit_of([], mapped=["/lib/libc.so.6"]), COLD)
    assert done
    assert done.held == ("/lib/libc.so.6",)
    assert "/lib/libc.so.6" not in done.order.paths
    assert done.host is None


def test_files_that_are_given_stand_alone() -> None:
    wanted = CacheSpec(CacheState.COLD, ("data/events", "/srv/set"), drop=True)
    done = prepared(visit_of([], mapped=["/srv/set"]), wanted)
    assert done == Prepared(CacheOrder(CacheState.COLD, ("/w.work/data/events", "/srv/set"), drop_all=True))
    assert file_set(replace(JOB, cache=None), "/w") == ("/w.work/job", "/w.work/data")


def test_the_state_of_an_arm_goes_before_that_of_the_workload() -> None:
    acts: list[Any] = []
    visit = visit_of(acts)
    visit.cache = CacheState.COLD
    done = prepared(visit, CacheSpec(CacheState.WARM, ("data",)))
    assert (acts, done) == (
        [("there", "evict", ("/w.work/data",))],
        Prepared(CacheOrder(CacheState.COLD, ("/w.work/data",))),
    )
    assert prepared(visit, None, program=None) == Prepared(
        CacheOrder(CacheState.COLD, ("/w.work/job", "/w.work/data"))
    )


def test_each_copys_own_inputs_belong_to_the_files() -> None:
    two = replace(
        JOB, cache=CacheSpec(CacheState.COLD, ("job", "/srv/set")), placement=PlacementSpec(copies=2)
    )
    assert file_set(two, "/w") == ("/w.work/copy-0/job", "/srv/set", "/w.work/copy-1/job")


def test_the_note_of_a_start_brings_it_back_after_a_crash(tmp_path: Path) -> None:
    order = CacheOrder(CacheState.COLD, ("/w/a",), drop_all=True)
    for cache in (None, Prepared(order), Prepared(order, ("/lib/l",), Residency(2, 9, 1))):
        note = Inflight(3, "/w/3", "boot", None, 1, None, None, cache)
        write_inflight(tmp_path, note)
        assert read_inflight(tmp_path) == note


def test_warm_data_that_a_job_asks_a_server_for_are_in_the_server_s_memory() -> None:
    files = ("/srv/a", "/srv/b")
    for local, wanted, acts_below in (
        (False, CacheState.WARM, ["preload", "residency"]),
        (True, CacheState.WARM, ["residency"]),
        (False, CacheState.COLD, ["evict"]),
    ):
        acts: list[Any] = []
        visit = visit_of(acts, guest=True)
        visit.guest = None
        visit.data = DataPlace("root://server", ("root://server/a",), local=local, below=files)
        reads = replace(JOB, command=("read", "{data}"), cache=CacheSpec(wanted, files=()))
        prepare_cache(visit, reads, into="/w", program=None)
        assert [act for where, act, _ in acts if where == "host"] == acts_below


def test_files_that_are_to_be_read_ahead_start_cold_on_both_floors() -> None:
    acts: list[Any] = []
    done = prepared(visit_of(acts, guest=True), CacheSpec(CacheState.READ_AHEAD), program=None)
    files = ("/w.work/job", "/w.work/data")
    assert acts == [("there", "evict", files), ("host", "evict", IMAGES)]
    assert done == Prepared(CacheOrder(CacheState.READ_AHEAD, files), (), Residency(2, 100, 0))


def test_the_record_says_what_reading_ahead_took() -> None:
    order = CacheOrder(CacheState.READ_AHEAD, ("/w/a",))
    took = ReadAhead(0.1, 100, 0.5)
    there = CacheResidency(1, 100, 0, CacheState.READ_AHEAD, drop_all=False, ahead=took)
    check = cache_check(Prepared(order), SimpleNamespace(cache=there))  # type: ignore[arg-type]
    assert check
    assert (check.state, check.ahead) == (CacheState.READ_AHEAD, took)


def test_the_record_says_what_was_found() -> None:
    order = CacheOrder(CacheState.COLD, ("/w/a",))
    result: Any = SimpleNamespace(cache=CacheResidency(1, 100, 4, CacheState.COLD, drop_all=False))
    check = cache_check(Prepared(order, ("/l",), Residency(2, 9, 1)), result)
    assert check == CacheCheck(
        CacheState.COLD, drop=False, machine=Residency(1, 100, 4), host=Residency(2, 9, 1), held=("/l",)
    )
    assert cache_check(None, result) is None
    unprepared = cache_check(Prepared(order), SimpleNamespace(cache=None))  # type: ignore[arg-type]
    assert unprepared
    assert unprepared.machine is None
    assert list(cache_doubts(unprepared)) == []


@pytest.mark.parametrize(
    ("state", "bytes_", "on_host", "codes"),
    [
        (CacheState.COLD, 64 << 20, 1 << 20, []),
        (CacheState.COLD, 64 << 20, 2 << 20, ["image-cache-state"]),
        (CacheState.COLD, 1 << 30, 2 << 20, []),
        (CacheState.WARM, 64 << 20, 2 << 30, []),
        (CacheState.COLD, 0, 0, ["cache-no-files"]),
    ],
)
def test_image_files_in_the_hosts_memory_are_a_doubt_for_cold_alone(
    state: CacheState, bytes_: int, on_host: int, codes: list[str]
) -> None:
    check = CacheCheck(
        state, drop=False, machine=Residency(1, bytes_, 0), host=Residency(2, 4 << 30, on_host)
    )
    assert [doubt.code for doubt in cache_doubts(check)] == codes


def test_the_report_says_how_cold_the_coldest_promise_was() -> None:
    trials = plan_trials(("spin",), blocks=1, seed=1)
    checks = [
        CacheCheck(CacheState.COLD, drop=False, machine=Residency(1, 8 << 20, in_memory), host=host)
        for in_memory, host in ((0, None), (4096, None), (0, Residency(2, 4 << 30, 65536)))
    ]
    records = [record_of(trial, 1.0, cache=check) for trial, check in zip(trials, checks, strict=True)]
    sentences = method_sentences(plan_of(trials), records)
    assert (
        "spin: started cold, with at most 4 KiB of the 8 MiB of its files in memory, "
        "and at most 64 KiB of the guest's image files on its host."
    ) in sentences
    assert not [sentence for sentence in sentences if "The probe itself" in sentence]


def test_the_report_says_apart_what_was_cold_and_what_was_warm() -> None:
    trials = plan_trials(("spin",), blocks=1, seed=1)
    states = (CacheState.COLD, CacheState.WARM, CacheState.WARM)
    checks = [CacheCheck(s, drop=False, machine=Residency(1, 4096, 4096 * (s is s.WARM))) for s in states]
    records = [record_of(trial, 1.0, cache=check) for trial, check in zip(trials, checks, strict=True)]
    sentences = [s for s in method_sentences(plan_of(trials), records) if "started" in s]
    assert sentences == [
        "spin: started cold, with at most 0 B of the 4 KiB of its files in memory.",
        "spin: started warm, with at least 4 KiB of the 4 KiB of its files in memory.",
    ]
