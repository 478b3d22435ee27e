"""A farm's jobs beside a result: what is found of a loss that is known, and what is not said."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assay.exchange.errors import TableError
from assay.exchange.jobs.nodes import NodeLine
from assay.model.errors import AssayError, UnknownNameError
from assay.pages.production import Accounting, LeftOutJobs, Prediction, ProductionRow, Spread
from assay.report.render.json import to_json
from assay.report.render.production import text_production
from assay.results.outcome import build_page
from assay.results.production.lab import prediction_of
from assay.results.production.nodes import FarmNode, FarmNodes
from assay.results.production.production import Asked, Lab, production_page
from tests.contracts import fits
from tests.exchange.jobs.told import HEADING, line
from tests.report.pages import PAGES
from tests.results.production.farms import CLASS, Farm, said
from tests.results.test_outcome import PLAN, records

PRODUCED = 1 - 1 / 1.1
EVENTS, NAMED = Asked(events="Comment"), Asked(name="reco-*")


def lab(loss: float, half: float = 0.01, *, margin: float = 0.05, emulated: bool = False) -> Lab:
    spread = Spread(loss, loss - half, loss + half)
    return Lab(Prediction("r1", "reco", "wall", spread, 0.95, f"AMD {CLASS}", None, None), margin, emulated)


def row_of(*files: Path, asked: Asked = EVENTS, beside: Lab | None = None) -> ProductionRow:
    (row,) = production_page(files, said(), asked, beside).rows
    return row


def test_a_known_loss_is_found_with_its_interval(tmp_path: Path) -> None:
    row = row_of(Farm().file(tmp_path))
    assert row.loss is not None
    assert row.loss.low is not None
    assert row.loss.high is not None
    assert row.loss.low < PRODUCED < row.loss.high
    assert row.loss.high - row.loss.low < 0.06
    assert row.standing == "no-prediction"
    assert row.reasons == ()
    assert row.physical is not None
    assert row.virtual is not None
    assert (row.physical.nodes, row.physical.jobs, row.virtual.nodes, row.virtual.jobs) == (8, 160, 6, 120)
    assert row.physical.efficiency is not None
    assert row.physical.efficiency.value == pytest.approx(0.9, abs=0.01)
    assert row.physical.wall_s is not None
    assert row.physical.wall_s.value == pytest.approx(10, rel=0.05)
    assert (row.physical.events, row.physical.first) == (500.0, "2026-05-01T12:00:00")


@pytest.mark.parametrize(("asked", "wall_s"), [(EVENTS, 2.0), (NAMED, 500.0)], ids=["per event", "per job"])
def test_wall_time_is_told_of_events_or_of_jobs(asked: Asked, wall_s: float, tmp_path: Path) -> None:
    row = row_of(Farm().file(tmp_path, ElapsedRaw=500, Comment=250), asked=asked)
    assert row.physical is not None
    assert row.physical.wall_s is not None
    assert row.physical.wall_s.value == pytest.approx(wall_s)
    assert "more CPU time than their cores can give" in row.reasons[-1]


def test_intervals_hold_the_truth_as_often_as_they_say(tmp_path: Path) -> None:
    inside, many = 0, 150
    for seed in range(many):
        farm = Farm(nodes=(4, 6), jobs=3, spread=(0.05, 0.02), seed=seed)
        loss = row_of(farm.file(tmp_path)).loss
        assert loss is not None
        assert loss.low is not None
        assert loss.high is not None
        inside += loss.low < PRODUCED < loss.high
    assert 0.89 <= inside / many <= 0.99


@pytest.mark.parametrize(
    ("beside", "standing"),
    [
        (lab(PRODUCED), "agrees"),
        (lab(PRODUCED, margin=0.001), "not-decided"),
        (lab(0.01), "loses-more"),
        (lab(0.2), "loses-less"),
        (lab(PRODUCED, emulated=True), "not-comparable"),
    ],
)
def test_the_lab_stands_for_production_or_not(beside: Lab, standing: str, tmp_path: Path) -> None:
    row = row_of(Farm().file(tmp_path), beside=beside)
    assert row.standing == standing
    assert row.beyond is not None
    expected = 1 - (1 - PRODUCED) / (1 - beside.prediction.loss.value)
    assert row.beyond.value == pytest.approx(expected, abs=0.03)


def test_a_result_without_an_interval_decides_nothing(tmp_path: Path) -> None:
    beside = lab(0.01)
    for spread in (Spread(0.01, None, None), Spread(0.5, 0.1, 1.0)):
        row = row_of(
            Farm().file(tmp_path), beside=replace(beside, prediction=replace(beside.prediction, loss=spread))
        )
        assert (row.standing, row.reasons) == ("not-decided", ("the result's loss has no interval",))


def test_two_nodes_decide_nothing(tmp_path: Path) -> None:
    row = row_of(Farm(nodes=(2, 9)).file(tmp_path), beside=lab(0.5))
    assert row.standing == "not-decided"
    assert "needs 3 nodes of each kind" in row.reasons[0]
    assert row.loss is not None
    assert row.loss.low is None


def test_nodes_that_agree_to_the_last_digit_have_no_interval(tmp_path: Path) -> None:
    row = row_of(Farm(nodes=(3, 3)).file(tmp_path, ElapsedRaw=9000), beside=lab(0.5))
    assert row.standing == "not-decided"
    assert row.reasons == ("no node differs from another of its kind",)


def test_other_jobs_on_the_other_nodes_are_not_compared(tmp_path: Path) -> None:
    a = Farm(nodes=(5, 0)).file(tmp_path, "a.txt")
    b = Farm(nodes=(0, 5)).file(tmp_path, "b.txt", JobName="sim-77", Start="2026-08-01T00:00:00")
    row = row_of(a, b, beside=lab(PRODUCED))
    assert row.standing == "not-comparable"
    assert row.reasons[0].startswith("the jobs are not the same: 'reco-#' (digits as #) is 100 % of those")
    assert "ran at different times" in row.reasons[1]


def test_a_few_other_jobs_by_chance_are_no_other_mix(tmp_path: Path) -> None:
    a = Farm(jobs=2).file(tmp_path, "a.txt")
    b = Farm(nodes=(1, 0), jobs=3).file(tmp_path, "b.txt", JobName="sim-1")
    assert row_of(a, b).reasons == ()


def test_jobs_of_other_length_are_not_compared(tmp_path: Path) -> None:
    a = Farm(nodes=(5, 0)).file(tmp_path, "a.txt")
    b = Farm(nodes=(0, 5)).file(tmp_path, "b.txt", Comment=1000)
    row = row_of(a, b)
    assert row.standing == "not-comparable"
    assert row.reasons == ("jobs on virtual nodes have 2 times the events of those on physical ones",)


def test_wall_time_of_jobs_of_any_name_is_not_compared(tmp_path: Path) -> None:
    row = row_of(Farm().file(tmp_path), asked=Asked())
    assert (row.standing, row.loss) == ("not-comparable", None)
    assert "--events" in row.reasons[0]
    assert row.efficiency is not None


def test_events_that_one_side_lacks_are_said(tmp_path: Path) -> None:
    a = Farm(nodes=(5, 0)).file(tmp_path, "a.txt")
    b = Farm(nodes=(0, 5)).file(tmp_path, "b.txt", Comment="")
    row = row_of(a, b)
    assert (row.standing, row.loss) == ("not-comparable", None)
    assert row.reasons == ("events of jobs are not told on both kinds of nodes",)


def test_figures_that_are_told_of_some_jobs_only_are_said(tmp_path: Path) -> None:
    a = Farm().file(tmp_path, "a.txt")
    b = Farm(nodes=(8, 6), jobs=5).file(tmp_path, "b.txt", TotalCPU="00:00:00", Comment="")
    reasons = row_of(a, b).reasons
    assert reasons[0] == "the CPU time is told of 80 % of the jobs on physical nodes only"
    assert reasons[3] == "the number of events is told of 80 % of the jobs on virtual nodes only"


def test_another_cpu_efficiency_is_said(tmp_path: Path) -> None:
    for virtual, word in ((0.8, "lower"), (0.95, "higher")):
        row = row_of(Farm(efficiency=(0.9, virtual)).file(tmp_path))
        assert row.efficiency is not None
        assert row.efficiency.value == pytest.approx(virtual - 0.9, abs=0.01)
        assert row.reasons[0].startswith(f"CPU efficiency is {word} on virtual nodes")


def test_jobs_whose_start_is_not_told_ran_at_any_time(tmp_path: Path) -> None:
    assert row_of(Farm().file(tmp_path, Start="Unknown")).reasons == ()


def test_the_text_has_the_initialization_of_the_lab(tmp_path: Path) -> None:
    beside = Lab(prediction_of(PAGES["phases"](), "my-job"), 0.01, emulated=False)
    text = text_production(production_page([Farm().file(tmp_path)], said(), EVENTS, beside))
    assert (
        "initialization in the lab: 32.5 % of the wall time on the baseline, 32.5 % on the treatment" in text
    )
    assert "no: less is lost" in text


def test_other_hardware_is_asked_about(tmp_path: Path) -> None:
    beside = lab(PRODUCED)
    beside = replace(beside, prediction=replace(beside.prediction, hardware="Xeon"))
    assert (
        "measured on Xeon, the class is called EPYC 7763"
        in row_of(Farm().file(tmp_path), beside=beside).reasons[-1]
    )


def test_rows_share_the_errors_and_one_side_alone_is_no_comparison(tmp_path: Path) -> None:
    files = [Farm(nodes=nodes).file(tmp_path, f"{cores}.txt", AllocCPUS=cores)
             for cores, nodes in ((1, (4, 4)), (8, (4, 4)), (16, (4, 0)), (32, (0, 3)))]  # fmt: skip
    page = production_page(files, said(), EVENTS)
    assert page.each == pytest.approx(0.975)
    assert [row.cores for row in page.rows] == [1, 8, 16, 32]
    assert page.rows[2].reasons == ("no such job ran on a virtual node of this class",)
    assert page.rows[3].reasons == ("no such job ran on a physical node of this class",)
    fits(json.loads(to_json(page)), "production-v1")


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    good = Farm(nodes=(3, 3)).text()
    lines = good.splitlines()
    more = [
        lines[1].replace("COMPLETED", "FAILED"),
        lines[1].replace("w0", "other"),
        lines[1].replace("reco", "x"),
    ]
    (tmp_path / "a.txt").write_text("\n".join([*lines, *more, *(["damage"] * 12)]))
    page = production_page([tmp_path / "a.txt"] * 2, said(), NAMED)
    assert {one.why: one.jobs for one in page.left_out} == {
        "failed": 1, "on nodes that are not known": 1, "of other names": 1,
    }  # fmt: skip
    assert page.unknown == ("other",)
    assert (page.damaged, len(page.damages)) == (12, 10)
    assert [(one.kind, one.jobs) for one in page.sources] == [("sacct", 120)]


def test_names_beyond_number_are_one_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.results.production import tally

    monkeypatch.setattr(tally, "MOST_NAMES", 1)
    a = Farm(nodes=(5, 0)).file(tmp_path, "a.txt")
    b = Farm(nodes=(0, 5)).file(tmp_path, "b.txt")
    c = Farm(nodes=(5, 0)).file(tmp_path, "c.txt", JobName="sim")
    assert "'others'" in row_of(a, c, b).reasons[0] or "'reco-#'" in row_of(a, c, b).reasons[0]


def watched(folder: Path, *nodes: str) -> list[Path]:
    """Write prmon's files of a job on each of some nodes, whose initialization takes a fifth."""
    rows = "".join(f"{at}\t{30 * at}\t{6 * at if at < 4 else 240 * (at - 3)}\t0\n" for at in range(1, 21))
    files = []
    for node in nodes:
        (folder / node).mkdir()
        files.append(folder / node / "job.txt")
        files[-1].write_text(f"Time\twtime\tutime\tstime\n{rows}")
        files[-1].with_suffix(".json").write_text('{"Max": {"wtime": 600}, "Avg": {}}')
    return files


def test_prmon_beside_accounting_tells_initialization_alone(tmp_path: Path) -> None:
    files = watched(tmp_path, "w0", "w1", "v0")
    alone = row_of(*files, *(file.with_suffix(".json") for file in files), asked=Asked(events=100.0, cores=8))
    assert alone.physical is not None
    assert (alone.physical.jobs, alone.physical.init_jobs, alone.cores) == (2, 2, 8)
    assert alone.physical.init_share == pytest.approx(90 / 600)
    assert alone.physical.efficiency is not None
    other = Farm(nodes=(1, 0), jobs=3).file(tmp_path, "sacct.json")
    assert production_page([Farm().file(tmp_path), other], said(), EVENTS).sources[1].jobs == 3
    row = row_of(Farm().file(tmp_path), *files)
    assert row.physical is not None
    assert (row.physical.jobs, row.physical.init_jobs) == (160, 2)


def test_files_of_single_jobs_are_one_source_and_may_be_a_folder(tmp_path: Path) -> None:
    farm = tmp_path / "farm"
    farm.mkdir()
    files = watched(farm, "w0", "w1", "v0")
    files[0].with_suffix(".json_snapshot").write_text('{"Max": {"wtime": 30}, "Avg": {}}')
    files[1].with_suffix(".json").write_text('{"Max": {}, "Avg": {}, "probe": {"exit": {"code": 3}}}')
    whole = production_page([farm], said(), Asked())
    assert whole.sources == (Accounting(str(farm), "prmon", 2),)
    assert whole.left_out == (LeftOutJobs("failed", 1),)
    assert production_page(sorted(farm.glob("*/*")), said(), Asked()) == whole
    assert production_page(files[:1], said(), Asked()).sources == (Accounting(str(files[0]), "prmon", 1),)
    # a watcher that was killed as it wrote, and one that found no room
    files[2].with_suffix(".json").write_text("")
    (farm / "v0" / "other.txt").write_text("")
    assert production_page(sorted(farm.glob("*/job.*")), said(), Asked()) == whole
    damaged = production_page([farm], said(), Asked())
    assert (damaged.rows, damaged.damaged) == (whole.rows, 1)
    assert "other.txt:1: expected accounting of jobs, got nothing" in damaged.damages[0]
    with pytest.raises(TableError, match=r"other.txt:1: expected accounting of jobs"):
        production_page(sorted(farm.glob("*/*")), said(), Asked())
    (tmp_path / "none").mkdir()
    with pytest.raises(TableError, match=r"none: expected prmon's files of jobs in it, got none"):
        production_page([tmp_path / "none"], said(), Asked())


def test_a_watched_job_that_failed_by_its_accounting_is_left_out(tmp_path: Path) -> None:
    (file,) = watched(tmp_path, "w0")
    names = ("1.txt", "2.0.0.txt", "3.txt", "4.0@feas.test.txt", "5.0@feas.test.txt", "6.0@feas.test.txt")
    for name in names:
        (tmp_path / "w0" / name).write_bytes(file.read_bytes())
    file.with_suffix(".json").unlink()
    file.unlink()
    states = ((1, "FAILED"), (2, "CANCELLED by 0"), (3, "PREEMPTED"), (3, "COMPLETED"))
    lines = [line(JobID=number, State=state, NodeList="w0") for number, state in states]
    (tmp_path / "sacct.txt").write_text("".join([HEADING, *lines]))
    ads = [{"JobStatus": 3, "GlobalJobId": "feas.test#4.0#1"}, {"JobStatus": 3, "GlobalJobId": "feas.test"}]
    ads += [{"JobStatus": 4, "ExitCode": 3, "GlobalJobId": "feas.test#5.0#1"}]
    (tmp_path / "history.json").write_text(json.dumps(ads))
    page = production_page(
        [tmp_path / "w0", tmp_path / "sacct.txt", tmp_path / "history.json"], said(), Asked()
    )
    assert [(one.kind, one.jobs) for one in page.sources] == [
        ("sacct", 1),
        ("condor_history", 0),
        ("prmon", 2),
    ]
    assert {one.why: one.jobs for one in page.left_out} == {
        "failed": 2, "cancelled": 3, "preempted": 1,
    }  # fmt: skip
    jobcomp = "JobId=3 Name=a JobState=FAILED NodeList=w0 ProcCnt=1 ExitCode=1:0 \n"
    (tmp_path / "jobcomp.txt").write_text(jobcomp)
    page = production_page([tmp_path / "jobcomp.txt", tmp_path / "w0"], said(), Asked())
    assert page.sources[1].jobs == 5


def test_nodes_are_known_by_the_file_then_by_the_inventory() -> None:
    asked, other = [], FarmNode(virtual=True, of_class="B")

    def inventory() -> dict[str, FarmNode]:
        asked.append(1)
        return {"n1": other, "n2": other}

    nodes = FarmNodes([NodeLine("f:2", "n1,m[1-2].x.org", virtual=False, of_class="A")], inventory)
    assert nodes.of("N1.example.org") == FarmNode(virtual=False, of_class="A", on="n1")
    assert nodes.of("m2.x.org") == FarmNode(virtual=False, of_class="A", on="m2.x.org")
    assert not asked
    assert nodes.of("n2") == nodes.of("n2.example.org") == other
    assert nodes.of("n3") is None
    assert asked == [1]


@pytest.mark.parametrize(("word", "message"), [("n[1-", "nodes like"), ("n1,n1", "each node once")])
def test_nodes_that_cannot_be_told_are_refused(word: str, message: str) -> None:
    with pytest.raises(TableError, match=message):
        FarmNodes([NodeLine("f:2", word, virtual=False, of_class="A")], dict)


def test_the_prediction_of_a_result_is_that_of_its_workload() -> None:
    page = build_page(PLAN, records())
    found = prediction_of(page, None)
    assert (found.workload, found.metric) == ("spin", page.estimates[0].metric)
    assert found.loss.value == page.estimates[0].loss
    phased = prediction_of(PAGES["phases"](), "my-job")
    assert (phased.metric, phased.init_baseline) == ("wall", pytest.approx(0.325, abs=0.001))


def test_a_result_that_predicts_nothing_is_refused() -> None:
    quick = PAGES["quick"]()
    with pytest.raises(AssayError, match=r"which loss of result .* it has sysbench-cpu, "):
        prediction_of(quick, None)
    with pytest.raises(UnknownNameError, match="workload 'flop'; nearest: 'flops'"):
        prediction_of(quick, "flop")
    assert prediction_of(quick, "flops").hardware == "AMD EPYC 7763 64-Core Processor"
    empty = replace(quick, estimates=())
    with pytest.raises(AssayError, match="nothing of it was measured"):
        prediction_of(empty, None)
    rows = tuple(replace(quick.estimates[0], treatment=name) for name in ("a", "b"))
    with pytest.raises(AssayError, match="several treatments"):
        prediction_of(replace(quick, estimates=rows), None)
