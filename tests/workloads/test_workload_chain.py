"""Workloads of the reference chain: commands, what is made before them, and their reports."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from assay.model.units import BYTES
from assay.workloads import (
    WORKLOADS,
    OutputError,
    Parameters,
    Sizes,
    measure,
    result_digest,
    tells_result,
    with_parameters,
)
from assay.workloads.tools.chain.definition import disk_bytes
from assay.workloads.tools.chain.report import parse
from assay.workloads.tools.chain.steps import NAMES
from tests.workloads.test_workload_library import USAGE

SIZES = Sizes(cache_bytes=None, memory_bytes=2 * BYTES["GiB"], cpus=2)
DIGEST = "608c66aef3343a93"


def report(step: str, **changes: Any) -> bytes:
    said = {
        "chain": step,
        "version": "0.1.0",
        "events": 10,
        "digest": DIGEST,
        "seconds": {"init": 0.02, "event_loop": 0.25},
        "events_per_s": 40.0,
    }
    lines = f"init begins\nevent loop begins\nevent 10\nevent loop ends\nend\n{json.dumps(said | changes)}\n"
    return lines.encode()


def steps(*names: str, **changes: Any) -> bytes:
    each = [
        {"chain": name, "events_per_s": 10.0 * place, "seconds": {"init": 0.1, "event_loop": 0.5}}
        for place, name in enumerate(names, 1)
    ]
    return report("run", steps=each, **changes)


def words(name: str, **given: Any) -> list[str]:
    workload = with_parameters(name, Parameters(**given), sizes=SIZES)
    return [" ".join(command) for command in (*workload.prepare, workload.command)]


def test_a_step_finds_what_the_steps_before_it_made() -> None:
    here = "--directory {directory} --threads 2"
    assert words("chain-elecsim-no-output", events=40, size_bytes=512 * 2**20) == [
        "{chain} tables --directory {directory} --tables 536870912",
        f"{{chain}} phygen {here} --events 40 --every 40",
        f"{{chain}} detsim {here}",
        f"{{chain}} elecsim --no-output {here} --every 2",
    ]


def test_a_step_that_writes_may_be_told_to_write_nothing() -> None:
    can = {name for name in NAMES if "output" in WORKLOADS[name].parameters}
    steps_that_write = {"phygen", "detsim", "elecsim", "pmtrec", "evtrec", "powheg"}
    assert can == {f"chain-{name}" for name in steps_that_write}
    for name in can:
        silent = with_parameters(name, Parameters(no_output=True), sizes=SIZES)
        plain = with_parameters(name, Parameters(), sizes=SIZES)
        assert [word for word in silent.command if word != "--no-output"] == list(plain.command)
        assert (silent.command.count("--no-output"), silent.prepare) == (1, plain.prepare)
        assert disk_bytes(silent) == (disk_bytes(plain)[0], 0)
        assert disk_bytes(plain)[1] > 0


def test_what_is_prepared_for_a_later_step_begins_as_for_an_earlier_one_so_that_it_is_made_once() -> None:
    prepared = [
        with_parameters(f"chain-{step}", Parameters(events=100), sizes=SIZES).prepare
        for step in ("phygen", "detsim", "elecsim", "pmtrec", "evtrec")
    ]
    for earlier, later in pairwise(prepared):
        assert later[: len(earlier)] == earlier


def test_the_generator_needs_no_tables_and_the_whole_chain_nothing_else() -> None:
    assert WORKLOADS["chain-powheg"].parameters == ("events", "output")
    assert len(words("chain-powheg")) == 1
    assert words("chain-gen-sim-digi-reco", events=7)[1:] == [
        "{chain} run --as gen-sim-digi-reco --directory {directory} --threads 2 --events 7 --every 1"
    ]


def test_no_events_are_some_that_can_be_asked_for() -> None:
    assert " --events 0 " in words("chain-phygen", events=0)[-1]
    found = parse("chain-phygen", report("phygen", events=0, events_per_s=None))
    assert [figure.value for figure in found] == [None]


def test_a_step_is_expected_to_take_its_tables_and_its_events() -> None:
    one = replace(SIZES, cpus=1)
    given = [Parameters(events=events, size_bytes=500 * BYTES["MiB"]) for events in (10, 4000)]
    few, many = (with_parameters("chain-evtrec", each, sizes=one).seconds for each in given)
    assert few == pytest.approx(0.58, abs=0.01)
    assert many == pytest.approx(22.5, abs=0.1)


def test_a_report_yields_the_rate_and_the_job_its_times() -> None:
    workload = with_parameters("chain-elecsim", Parameters(), sizes=SIZES)
    found = measure(workload, outputs=[report("elecsim")], usage=USAGE)
    values = {figure.metric.name: figure.value for figure in found}
    assert values == {
        "events_per_s": 40.0,
        "wall_time": 2.5,
        "cpu_time": 1.75,
        "init_time": None,
        "event_loop_time": None,
    }
    assert {figure.metric for figure in found} == set(workload.metrics)


def test_the_whole_chain_yields_the_rate_of_each_step_and_that_of_all_loops_together() -> None:
    found = parse("chain", steps("phygen", "detsim", "elecsim", "pmtrec", "evtrec"))
    assert [(figure.metric.name, figure.value) for figure in found] == [
        ("events_per_s", 4.0),
        ("detsim_events_per_s", 20.0),
        ("elecsim_events_per_s", 30.0),
        ("pmtrec_events_per_s", 40.0),
        ("evtrec_events_per_s", 50.0),
    ]


@pytest.mark.parametrize(
    ("name", "output", "problem"),
    [
        ("chain-detsim", b"", "expected a JSON object, got nothing"),
        ("chain-detsim", b"init begins\n", "expected a JSON object, got 'init begins'"),
        ("chain-detsim", report("elecsim"), "expected the report of 'detsim', got 'elecsim'"),
        ("chain-detsim", report("detsim", digest=None), "expected a digest of 16 hexadecimal digits"),
        ("chain-detsim", report("detsim", digest="608C66AEF3343A93"), "expected a digest of 16"),
        ("chain-detsim", report("detsim", events_per_s="fast"), "expected a number at events_per_s"),
        ("chain-detsim", report("detsim", events_per_s=-1), "expected a number of at least 0"),
        ("chain-detsim", report("detsim")[:-20], "expected whole JSON"),
        ("chain", steps("phygen", "detsim"), "expected the step 'elecsim', got phygen, detsim"),
        ("chain", report("run"), "expected the step 'detsim', got no steps"),
        ("chain-gen-sim-digi-reco", steps("detsim"), "expected the step 'sim', got detsim"),
    ],
)
def test_an_output_that_is_not_that_report_is_refused(name: str, output: bytes, problem: str) -> None:
    with pytest.raises(OutputError, match=problem):
        parse(name, output)


def test_copies_that_came_to_different_results_have_no_figures() -> None:
    workload = with_parameters("chain-detsim", Parameters(), sizes=SIZES)
    other = report("detsim", digest="0" * 16)
    with pytest.raises(OutputError, match=f"the same result of all copies, got {'0' * 16} and {DIGEST}"):
        measure(workload, outputs=[report("detsim"), other], usage=USAGE)


def test_only_the_chain_tells_of_its_result() -> None:
    workload = with_parameters("flops", Parameters(), sizes=SIZES)
    assert not tells_result(workload)
    assert result_digest(workload, []) is None
