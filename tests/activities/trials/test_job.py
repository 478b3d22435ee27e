"""What a trial asks of the probe on an arm: the job, its folders, its network and its program."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assay.activities.trials.job import (
    GRACE_S,
    command_on,
    copy_folder,
    job_spec,
    own_kernel,
    program_of,
    scratch,
)
from assay.model.errors import AssayError
from assay.model.files.native import CHAIN, PROBE
from assay.model.machines.machine import Limits
from assay.model.platforms.data import DataPlace
from assay.model.work.observation import Observation, Profile
from assay.model.work.phase import PhaseRules
from assay.model.work.placement import Pinning, Placement, PlacementSpec, Start
from assay.model.work.variable import Variable
from assay.model.work.workload import File, Program
from assay.probe import Spec
from assay.workloads import command_workload
from tests.activities.jobs import Jobs, acts_of, visit_of

JOB = replace(command_workload("job", ["job", "{directory}"]), time_limit_s=100.0)
HERE = DataPlace("/data", ("/data/f", "/data/g"))
SERVED = DataPlace("root://server", ("root://server/f",), local=False)
NET = {"network": "bench", "server": "10.0.0.1"}
INTO = "/there/t"


def spec_on(visit: Any = None, job: Any = JOB, observation: Observation | None = None) -> Spec:
    return job_spec(visit or visit_of(Jobs()), job, observation or Observation(), INTO)


def test_a_job_of_the_smallest_kind_has_its_command_its_folder_and_its_limits() -> None:
    assert spec_on() == Spec(
        command=("job", f"{INTO}.work"),
        directory=f"{INTO}.work",
        limits=Limits((1,)),
        interval_s=1.0,
        time_limit_s=100.0,
        grace_s=GRACE_S,
    )


def test_a_job_may_write_as_much_as_its_workload_says() -> None:
    assert spec_on().output_limit_bytes == 256 << 20
    assert spec_on(None, replace(JOB, output_limit_bytes=5000)).output_limit_bytes == 5000


def test_what_is_to_be_looked_at_meanwhile_is_asked_for() -> None:
    rules = PhaseRules(events="event")
    spec = spec_on(
        None, replace(JOB, phases=rules), Observation(0.25, ("disks",), ("cycles",), Profile(hz=49))
    )
    assert (spec.interval_s, spec.watch, spec.counters) == (0.25, ("disks",), ("cycles",))
    assert (spec.profile, spec.phases) == (Profile(hz=49), rules)


def test_copies_are_placed_on_the_processors_of_the_arm_and_started_one_after_the_other() -> None:
    wanted = PlacementSpec(2, 3, Pinning.EACH, ((0,),), nice=5, stagger_s=1.5)
    job = replace(JOB, placement=wanted)
    spec = spec_on(visit_of(Jobs(), limits=Limits((4, 6))), job)
    assert spec.placement == Placement(2, 3, ((4,), (6,)), ((0,), (0,)), 5)
    assert spec.start == Start(None, 1.5)
    assert spec.command == ("job", f"{INTO}.work/copy-{{copy}}")
    whole = spec_on(visit_of(Jobs(), limits=Limits()), job)
    assert whole.placement.cpus == ((0,), (1,)), "those of the machine"


def test_an_arm_with_too_few_processors_is_named_with_the_workload() -> None:
    wanted = PlacementSpec(2, pinning=Pinning.EACH)
    with pytest.raises(AssayError, match=r"cannot pin job on local: .* have 1 there"):
        spec_on(None, replace(JOB, placement=wanted))


def test_only_a_job_that_talks_to_a_server_runs_in_the_bench_s_network() -> None:
    reads = replace(JOB, command=("cat", "{data-files}"))
    cases = [
        (JOB, None, None),
        (replace(JOB, needs_network=True), None, "bench"),
        (JOB, SERVED, None),
        (reads, HERE, None),
        (reads, SERVED, "bench"),
    ]
    for job, data, network in cases:
        assert spec_on(visit_of(Jobs(), data=data, **NET), job).network_namespace == network


def test_only_variables_that_have_a_value_are_told() -> None:
    variables = (Variable("A", "it is needed", value="1"), Variable("B", "it is needed"))
    assert spec_on(None, replace(JOB, environment=variables)).environment == {"A": "1"}


def test_limits_of_reads_hold_for_the_disks_of_the_data_of_a_job_that_reads_them() -> None:
    data = replace(HERE, disks=("/dev/loop7",))
    reads = replace(JOB, command=("cat", "{data-files}"))
    limited = Limits((1,), read_bytes_per_s=9)
    cases = [
        (limited, reads, data, ("/dev/loop7",)),
        (limited, JOB, data, ()),
        (limited, JOB, None, ()),
        (Limits((1,)), reads, data, ()),
    ]
    for limits, job, place, disks in cases:
        asked = spec_on(visit_of(Jobs(), limits=limits, data=place), job).limits
        assert asked == replace(limits, disks=disks)


def test_words_of_a_command_are_what_they_stand_for_on_the_arm() -> None:
    said = ("{probe}", "{server}", "{data}", "{data-files}", "{pack}")
    job = replace(JOB, command=said, pack="/home/packs/abc")
    away = visit_of(Jobs(), data=HERE, **NET)
    assert command_on(away, job, "/w") == (
        "/there/probe-1", "10.0.0.1", "/data", "/data/f", "/data/g", "/there/packs/abc",
    )  # fmt: skip
    here = visit_of(Jobs(), data=HERE, here=True, **NET)
    assert command_on(here, job, "/w")[-1] == "/home/packs/abc"


def test_the_reference_chain_is_brought_to_an_arm_that_runs_it_and_to_no_other() -> None:
    jobs = Jobs()
    place = f"/there/chain-{CHAIN.sha256()[:4]}"
    assert command_on(visit_of(jobs), replace(JOB, command=("{chain}", "sim")), "/w") == (place, "sim")
    assert acts_of(jobs, "carry") == [("there", "carry", "chain")]
    in_words = replace(JOB, command=("sh", "-c", "{chain} sim | cat"))
    assert command_on(visit_of(jobs), in_words, "/w")[2] == f"{place} sim | cat"
    jobs.acts.clear()
    command_on(visit_of(jobs), JOB, "/w")
    assert jobs.acts == []


def test_each_of_several_copies_has_a_folder_of_its_own() -> None:
    assert scratch(INTO) == f"{INTO}.work"
    assert copy_folder(JOB, INTO, 0) == f"{INTO}.work"
    two = replace(JOB, placement=PlacementSpec(copies=2))
    assert copy_folder(two, INTO, 1) == f"{INTO}.work/copy-1"


def test_the_program_is_looked_up_by_its_name_or_in_the_folder_of_the_first_copy() -> None:
    jobs = Jobs()
    two = replace(JOB, placement=PlacementSpec(copies=2))
    for job, program, looked in (
        (JOB, "job", "job"),
        (JOB, "/opt/job", "/opt/job"),
        (JOB, "./job", f"{INTO}.work/./job"),
        (two, "bin/job", f"{INTO}.work/copy-0/bin/job"),
    ):
        jobs.acts.clear()
        found = program_of(visit_of(jobs), replace(job, program=program), INTO)
        assert jobs.acts == [("there", "digest", looked)]
        assert found == Program(File("job", looked, "0"))


def test_a_script_is_looked_up_with_its_interpreter() -> None:
    jobs = Jobs()
    command = ("python3", "/x/job.py", "/x/data")
    program_of(visit_of(jobs), replace(JOB, command=command, program="python3"), INTO)
    assert jobs.acts == [("there", "digest", "python3 /x/job.py")]


def test_the_chain_s_program_is_known_by_its_content_and_a_kernel_of_the_probe_s_has_none() -> None:
    jobs = Jobs()
    chain = program_of(visit_of(jobs), replace(JOB, command=("{chain}", "sim"), program="chain"), INTO)
    assert chain == Program(File("chain", f"/there/chain-{CHAIN.sha256()[:4]}", CHAIN.sha256()))
    assert program_of(visit_of(jobs), replace(JOB, program=None), INTO) is None
    assert acts_of(jobs, "digest") == []


def test_the_probe_is_the_program_of_its_kernels() -> None:
    assert own_kernel("/there/probe-1") == Program(File("probe-1", "/there/probe-1", PROBE.sha256()))
