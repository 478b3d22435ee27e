"""What a history of HTCondor tells of jobs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from assay.exchange.jobs import condor
from assay.exchange.jobs.job import Damaged, Job, LeftOut
from tests.exchange.jobs.told import CAPTURES, told, told_of
from tests.machines.administrator import command_of


def ad(**changes: Any) -> dict[str, Any]:
    """Return a job of eight cores; ``None`` takes an attribute away."""
    usual = {
        "JobStatus": 4, "ExitCode": 0, "ExitBySignal": False, "LastRemoteHost": "slot1_2@wn01.example.org",
        "RemoteWallClockTime": 1000.0, "RemoteUserCpu": 7000.0, "RemoteSysCpu": 200.0, "CpusProvisioned": 8,
        "RequestCpus": 4, "NumJobStarts": 1, "Cmd": "/opt/reco.sh", "JobStartDate": 5,
    }  # fmt: skip
    return {name: value for name, value in (usual | changes).items() if value is not None}


def read(folder: Path, *ads: object, events: Any = None) -> list[Any]:
    return told_of(folder, json.dumps(ads, indent=2), events, "history.json")


def test_the_real_history_has_four_jobs_that_ended_and_six_that_were_removed() -> None:
    found = told(CAPTURES / "condor_history.json")
    assert [one for one in found if isinstance(one, LeftOut)] == [LeftOut("cancelled")] * 6
    jobs = [one for one in found if isinstance(one, Job)]
    assert {(job.node, job.name, job.cores, job.cpu_s) for job in jobs} == {("feas.test", "sh", 1, None)}
    assert [job.wall_s for job in jobs] == [2.0, 2.0, 3.0, 3.0]  # of their second run alone


def test_the_attributes_that_administrators_are_asked_for_are_all_that_is_read(tmp_path: Path) -> None:
    (names,) = re.findall(r"-attributes (\S+)", command_of("-attributes"))
    ads = json.loads((CAPTURES / "condor_history.json").read_text())
    ads += [ad(NumJobStarts=2, LastRemoteWallClockTime=400.0, GlobalJobId="s.example.org#7.0#1"),
            ad(CumulativeSuspensionTime=100, JobBatchName="prod", CpusProvisioned=None),
            ad(ExitBySignal=True), ad(JobCurrentStartDate=9)]  # fmt: skip
    few = [{name: one[name] for name in names.split(",") if name in one} for one in ads]
    assert [(one, one.number) for one in read(tmp_path, *few) if isinstance(one, Job | LeftOut)] == [
        (one, one.number) for one in read(tmp_path, *ads)
    ]


def test_a_job_has_its_node_without_its_slot(tmp_path: Path) -> None:
    expected = Job("reco.sh", "wn01.example.org", 8, 1000.0, 7200.0, None, 5.0)
    assert read(tmp_path, ad()) == [expected]


def test_suspensions_are_no_wall_time_and_a_restart_counts_its_last_run(tmp_path: Path) -> None:
    jobs = read(
        tmp_path,
        ad(CumulativeSuspensionTime=100),
        ad(NumJobStarts=2, LastRemoteWallClockTime=400.0),
        ad(NumJobStarts=2, LastRemoteWallClockTime=400.0, CumulativeSuspensionTime=100),
        ad(NumJobStarts=2),
    )
    assert [one.wall_s for one in jobs[:2]] == [900.0, 400.0]
    assert jobs[2:] == [LeftOut("without wall time")] * 2


def test_names_cores_and_events_are_where_the_site_has_them(tmp_path: Path) -> None:
    (job,) = read(
        tmp_path, ad(CpusProvisioned="/Expr(Cpus)/", JobBatchName="prod", Events=70), events="Events"
    )
    assert (job.name, job.cores, job.events) == ("prod", 4, 70.0)
    (job,) = read(tmp_path, ad(CpusProvisioned=None, RequestCpus=None, Cmd=None), events="Events")
    assert (job.name, job.cores, job.events) == ("", None, None)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"JobStatus": 3}, "cancelled"),
        ({"JobStatus": 5}, "held"),
        ({"JobStatus": 2}, "not ended"),
        ({"ExitCode": 1}, "failed"),
        ({"ExitBySignal": True, "ExitCode": None}, "failed"),
        ({"LastRemoteHost": None}, "without a node"),
        ({"RemoteWallClockTime": 0}, "without wall time"),
    ],
)
def test_a_job_that_did_not_end_well_is_left_out(changes: dict[str, Any], why: str, tmp_path: Path) -> None:
    assert read(tmp_path, ad(**changes)) == [LeftOut(why)]


@pytest.mark.parametrize(
    "wrong",
    [ad(JobStatus=None), ad(RemoteWallClockTime="long"), ad(RemoteUserCpu=-1), ad(ExitCode=True), [1], 5],
)
def test_a_damaged_object_costs_no_other(wrong: object, tmp_path: Path) -> None:
    text = f"[\n{json.dumps(wrong)},\n{json.dumps(ad())}\n]"
    found = told_of(tmp_path, text)
    assert isinstance(found[-1], Job)
    if not isinstance(wrong, list):
        assert isinstance(found[0], Damaged)
        assert found[0].place.endswith(":2")


@pytest.mark.parametrize("broken", ['{"JobStatus": ', '{"JobStatus": NaN}', "nonsense", '{"a": "\x01"}'])
def test_reading_goes_on_behind_what_is_no_json(broken: str, tmp_path: Path) -> None:
    text = f"[\n{json.dumps(ad())},\n{broken},\n{json.dumps(ad())}\n]\n"
    found = told_of(tmp_path, text)
    assert [type(one) for one in found] == [Job, Damaged, Job]
    assert found[1].place.endswith(":3")  # type: ignore[union-attr]


def test_a_file_that_ends_in_an_object_says_so(tmp_path: Path) -> None:
    whole = json.dumps([ad(), ad()])
    found = told_of(tmp_path, whole[:-40])
    assert [type(one) for one in found] == [Job, Damaged]


def test_nesting_without_end_is_damage_and_no_crash(tmp_path: Path) -> None:
    (found,) = told_of(tmp_path, '{"JobStatus": ' + "[" * 200_000)
    assert isinstance(found, Damaged)


def test_several_arrays_and_lines_of_objects_are_read_piece_by_piece(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for size in (1, 7, 1000):
        monkeypatch.setattr(condor, "CHUNK", size)
        text = (
            "\ufeff"
            + json.dumps([ad(), ad()], indent=1)
            + "\n"
            + json.dumps([ad()])
            + "\n"
            + json.dumps(ad())
        )
        assert told_of(tmp_path, text) == [told_of(tmp_path, json.dumps(ad()))[0]] * 4


def test_an_object_that_never_ends_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(condor, "CHUNK", 100)
    monkeypatch.setattr(condor, "LONGEST", 1000)
    text = '[{"JobStatus": "' + "x" * 5000 + "\n" + json.dumps(ad()) + "]"
    found = told_of(tmp_path, text)
    assert isinstance(found[0], Damaged)
    assert isinstance(found[-1], Job)
