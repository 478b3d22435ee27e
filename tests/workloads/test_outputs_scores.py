"""Scores: DB12, HEPscore, hep-workloads, HEP-SPEC06 and SPEC CPU, STREAM."""

import pytest

from assay.workloads.errors import OutputError
from assay.workloads.saved_outputs import read_output
from tests.workloads.captures_scores import CAPTURES, distinct, figures, only, read, reason, value

TOOLS = {
    "db12": "db12-*",
    "hepscore": "hepscore-*",
    "hep-workloads": "hep-workloads-*",
    "hs06": "hs06-*",
    "stream": "stream-*",
}
SUITES = ("2.0rc0", "3.1")
ALL = [(tool, path.name) for tool, pattern in TOOLS.items() for path in sorted(CAPTURES.glob(pattern))]


@pytest.mark.parametrize(
    ("tool", "capture"),
    [*ALL, *((tool, f"suite-{version}-report.json") for tool in ("hepscore", "hs06") for version in SUITES)],
)
def test_every_figure_of_a_capture_is_told_from_the_others(tool: str, capture: str) -> None:
    output = read(tool, capture)
    assert output.measurements or output.refused
    assert distinct(output)


def test_db12_under_python_3_9_is_comparable() -> None:
    score = only(read("db12", "db12-1.0.4-single-python3.9.txt"), "norm")
    assert (score.value, score.unit, score.comparable) == (18.66456361724501, "DB12", True)


def test_db12_under_another_python_says_why_it_is_not_comparable() -> None:
    output = read("db12", "db12-1.0.4-multiple-python3.11.txt")
    assert "the python version 3.11 has not been analyzed" in reason(output, "sum")
    assert value(output, "sum") == 70.48760133524083
    assert value(output, "raw", copy="2") == 35.7653791130186
    assert value(output, "copies") == 2


@pytest.mark.parametrize(
    "capture",
    ["db12-1.0.4-multiple.json", "db12-1.0.4-single.json", "db12-1.0.4-wholenode-no-correction.txt"],
)
def test_db12_that_does_not_tell_its_python_is_not_comparable(capture: str) -> None:
    output = read("db12", capture)
    scores = [figure for figure in output.measurements if figure.unit == "DB12"]
    assert scores
    assert not any(figure.comparable for figure in scores)


def test_db12_of_a_copy_without_a_result_and_an_overflow_are_refused() -> None:
    output = read_output("db12", b"2 10.0 5.0 inf 0.0\n0.0 10.0\n")
    assert [refused.metric for refused in output.refused] == ["geometric_mean", "raw"]
    assert reason(output, "sum") == "a copy that gave no result counts as 0 in it"


def test_hepscore_has_its_score_its_runs_and_what_it_chose() -> None:
    output = read("hepscore", "hepscore-2.0.json")
    assert output.version == "2.0.0"
    score = only(output, "score")
    assert (score.value, score.unit) == (127.25, "HEPscore23")
    assert value(output, "wl_score", run="1", score="gen-sim") == 1.8125
    assert value(output, "wl_score_chosen", score="gen-sim") == 1.8125
    assert value(output, "wl_score_ref", score="gen-sim") == 14.5
    assert value(output, "weight") == 1.0
    assert "fetch and unpack its image" in reason(output, "duration", run="0")
    assert value(read("hepscore", "hepscore-1.0.json"), "score_per_core") == 0.392


@pytest.mark.parametrize(
    ("capture", "version", "unit", "score", "figures_"),
    [
        ("1.0.0rc4-19", "1.0.0.0rc4.dev2", "HEPscore19", 25.112, 21),
        ("1.0.0rc9-ci", "1.0.0.0rc9.dev12", "HEPscoreCI", 26.042, 20),
    ],
)
def test_real_runs_of_hepscore_have_their_score_in_the_unit_of_their_name(
    capture: str, version: str, unit: str, score: float, figures_: int
) -> None:
    output = read("hepscore", f"hepscore-{capture}.json")
    assert (output.version, len(output.measurements), output.refused) == (version, figures_, ())
    assert (only(output, "score").value, only(output, "score").unit) == (score, unit)
    assert value(output, "wl_score_chosen", score="sim") == pytest.approx(score / 10)
    assert value(output, "wl_score", run="1", score="sim") == 2.6042
    assert {figure.metric for figure in output.measurements if not figure.comparable} == {"duration"}


def test_a_failed_hepscore_has_no_score_and_no_figures_of_its_bad_runs() -> None:
    output = read("hepscore", "hepscore-2.0-failed.json")
    assert not figures(output, "score")
    reported = [(refused.metric, refused.labels.get("run")) for refused in output.refused]
    assert ("score", None) in reported
    assert ("wl_score", "1") in reported
    assert not figures(output, "wl_score", run="2")
    assert len(figures(output, "wl_score", run="0")) == 3


def test_a_profile_that_is_not_known_does_not_cost_the_others() -> None:
    report = b'{"profiles": {"whetstone": {"score": 1.2}, "DB12": {"value": 12.3, "unit": "DB12"}}}'
    output = read_output("hepscore", report)
    assert [one.value for one in output.measurements] == [12.3]
    (refused,) = output.refused
    assert dict(refused.labels) == {"profile": "whetstone"}
    assert refused.reason == "a profile of the suite that is not known here"


def test_the_suites_report_is_read_with_all_its_profiles() -> None:
    output = read("hepscore", "suite-3.1-report.json")
    assert value(output, "value", profile="DB12") == 20.815
    assert "not corrected" in reason(output, "value", profile="DB12")
    assert value(output, "score", profile="hs06_64") == 55.1
    assert only(output, "score", profile="spec2017").unit == "SPEC2017"
    assert value(output, "power_consumption", statistic="mean") == 210
    assert only(output, "power_consumption", sample="1").unit == "W"


def test_a_real_report_of_suite_2_whose_runs_of_hepscore_were_left_out_is_read() -> None:
    output = read("hepscore", "suite-2.0rc0-report.json")
    assert (output.version, len(output.measurements), output.refused) == ("1.0.0.0rc4.dev2", 169, ())
    assert only(output, "value", profile="DB12").unit == "est. HS06"
    assert value(output, "score_per_core") == 13.686
    assert value(output, "wl_score_chosen", benchmark="lhcb-gen-sim-bmk", score="gen-sim") == 234.8757
    assert (value(output, "score", profile="hs06_64"), value(output, "copies", profile="hs06_64")) == (
        684.89, 48,
    )  # fmt: skip
    hs06 = read("hs06", "suite-2.0rc0-report.json")
    assert len(hs06.measurements) == 3 * (4 + 48)
    assert value(hs06, "avg_core_score", profile="hs06_32") == 10.84
    assert value(hs06, "ratio", profile="spec2017", benchmark="508.namd_r", copy="16") == 1.35


def test_a_summary_of_hep_workloads_is_read_in_all_its_forms() -> None:
    new, old, oldest = (
        read("hep-workloads", f"hep-workloads-{form}.json") for form in ("2", "1-cpu-score", "0-flat")
    )
    assert value(new, "wl_score", score="gen-sim") == 1.8125
    assert value(new, "wl_stat", score="gen", statistic="count") == 4
    assert only(old, "wl_stat", score="CPU_score", statistic="avg").unit == "events/CPU-s"
    assert (oldest.version, value(oldest, "copies"), value(oldest, "wl_score")) == ("ci1.1", 2, 2.25)


@pytest.mark.parametrize(
    ("capture", "version", "figures_", "score", "rate", "count"),
    [
        ("ci1.1-atlas-kv", "ci1.1", 9, "sim", 2.2321, None),
        ("ci2.0-atlas-kv", "ci2.0", 9, "sim", 2.6042, 2),
        ("2.1-cms-reco", "v2.1", 14, "reco", 5.3813, 16),
        ("2.1-belle2", "v2.1", 27, "gen", 631.17883157734491, 64),
    ],
)
def test_real_summaries_of_hep_workloads_are_read(
    capture: str, version: str, figures_: int, score: str, rate: float, count: int | None
) -> None:
    output = read("hep-workloads", f"hep-workloads-{capture}.json")
    assert (output.version, len(output.measurements), output.refused) == (version, figures_, ())
    assert (value(output, "wl_score", score=score), only(output, "wl_score", score=score).unit) == (
        rate, "events/s",
    )  # fmt: skip
    counts = {figure.value for figure in figures(output, "wl_stat", statistic="count")}
    assert counts == ({count} if count else set())
    assert all(figure.comparable for figure in output.measurements)


def test_a_workload_that_did_not_end_well_has_no_figures() -> None:
    output = read("hep-workloads", "hep-workloads-2-failed.json")
    assert not figures(output, "wl_score")
    assert {refused.reason for refused in output.refused} == {
        "the workload says 'ERROR: parseResults failed'"
    }
    minus = b'{"run_info": {}, "report": {"wl-scores": {"sim": -1}, "log": "ok"}, "app": {}}'
    assert [refused.metric for refused in read_output("hep-workloads", minus).refused] == ["wl_score"]


def test_a_workload_that_failed_before_it_had_a_score_is_refused_with_its_words() -> None:
    output = read_output(
        "hep-workloads", b'{"run_info": {"copies": 2}, "report": {"wl-scores": {}, "log": "ERROR: no CVMFS"}}'
    )
    assert [(refused.metric, refused.reason) for refused in output.refused] == [
        ("wl_score", "the workload says 'ERROR: no CVMFS'")
    ]
    assert not figures(output, "wl_score")


def test_spec_results_are_read_from_the_suite_and_from_its_own_files() -> None:
    block, table, text = (
        read("hs06", f"hs06-{form}") for form in ("suite-block.json", "cpu2006.csv", "cpu2006.txt")
    )
    assert (value(block, "score"), only(block, "score").unit) == (43.9, "HS06")
    assert value(block, "ratio", benchmark="453.povray", copy="2") == 11.2
    for output in (table, text):
        assert value(output, "ratio", benchmark="447.dealII", table="full") == 22.3
        assert only(output, "run_time", benchmark="444.namd", table="selected").unit == "s"
        reported = {r.labels["benchmark"]: r.reason for r in output.refused if "benchmark" in r.labels}
        assert reported == {"450.soplex": "SPEC says 'runtime error'", "453.povray": "SPEC says 'not run'"}


def test_stream_has_rates_and_times_and_says_that_it_validated() -> None:
    c, fortran = read("stream", "stream-5.10.txt"), read("stream", "stream-5.6-fortran.txt")
    assert (c.version, fortran.version) == ("5.10", "5.6")
    assert (value(c, "rate", kernel="triad"), only(c, "rate", kernel="triad").unit) == (13231.8, "MB/s")
    assert value(c, "threads_counted") == value(fortran, "threads") == 2
    assert value(fortran, "rate", kernel="copy") == 18214.9031
    assert value(fortran, "array_size") == value(c, "array_size")


def test_real_outputs_of_stream_5_9_and_5_10_are_read() -> None:
    old, new = (read("stream", f"stream-{run}.txt") for run in ("5.9-gcc-1-thread", "5.10-gcc-8-threads"))
    assert (old.version, new.version) == ("5.9", "5.10")
    assert (len(old.measurements), len(new.measurements)) == (24, 27)
    assert value(old, "rate", kernel="copy") == 9663.6238
    assert (value(old, "total_memory"), only(old, "total_memory").unit) == (722.7, "MiB")
    assert (value(new, "rate", kernel="add"), value(new, "max_time", kernel="add")) == (6132.5, 0.039464)
    assert (value(old, "threads_requested"), value(new, "threads_counted")) == (1, 8)
    assert all(figure.comparable for output in (old, new) for figure in output.measurements)


def test_stream_whose_arrays_were_wrong_has_no_rate() -> None:
    output = read("stream", "stream-5.10-failed.txt")
    assert not figures(output, "rate")
    assert [refused.labels["kernel"] for refused in output.refused] == ["copy", "scale", "add", "triad"]
    assert "Failed Validation on array a[]" in output.refused[0].reason


def test_stream_with_too_few_clock_ticks_is_not_comparable() -> None:
    text = (CAPTURES / "stream-5.10.txt").read_text().replace("(= 14834 clock ticks)", "(= 12 clock ticks)")
    assert "too coarse" in reason(read_output("stream", text.encode()), "rate", kernel="add")


@pytest.mark.parametrize(
    ("tool", "output", "problem"),
    [
        ("db12", b"", "got nothing"),
        ("db12", b"Traceback (most recent call last):\n", "line 1: expected a line of db12"),
        ("db12", b"3 30.0 10.0 10.0 10.0\n10.0 10.0\n", "expected the scores of 3 copies"),
        ("db12", b"WARNING:root:Trying to apply a correction...\n", "expected one score"),
        ("db12", b"{}", "expected 'raw'"),
        ("hepscore", b"{}", "expected 'benchmarks'"),
        ("hepscore", b'{"profiles": {"surprise": {}}}', "expected a profile of the suite"),
        ("hepscore", b'{"benchmarks": {', "expected whole JSON"),
        ("hep-workloads", b'{"report": {}}', "expected 'report.wl-scores'"),
        ("hep-workloads", b'{"wl-scores": {"sim": "fast"}}', "expected a number at wl-scores.sim"),
        ("hep-workloads", b'{"wl-scores": {"sim": NaN}}', "expected numbers"),
        ("hs06", b"hello\n", "expected results of SPEC CPU"),
        ("hs06", b'{"hs06": {"score": "high"}}', "expected a number at hs06.score"),
        ("stream", b"hello\n", "line 1: expected a line of stream"),
        ("stream", b"Function    Best Rate MB/s  Avg time     Min time     Max time\n", "expected the rates"),
    ],
)
def test_what_is_not_known_is_refused_with_its_line(tool: str, output: bytes, problem: str) -> None:
    with pytest.raises(OutputError) as caught:
        read_output(tool, output)
    assert problem in caught.value.message


def test_a_stream_that_was_cut_before_it_validated_is_refused() -> None:
    cut = (CAPTURES / "stream-5.10.txt").read_text().split("Solution")[0]
    with pytest.raises(OutputError, match="expected 'Solution Validates'"):
        read_output("stream", cut.encode())


def test_a_table_of_spec_that_is_no_csv_is_refused() -> None:
    with pytest.raises(OutputError, match="expected CSV"):
        read_output("hs06", b"\r" + (CAPTURES / "hs06-cpu2006.csv").read_bytes())


@pytest.mark.parametrize(
    ("written", "reported"), [('"nan"', "nan"), ("1e999", "inf"), ('"inf"', "inf"), ("-1", "-1")]
)
def test_a_figure_of_a_workload_that_is_no_finite_number_is_refused(written: str, reported: str) -> None:
    text = (
        '{"copies": 1, "wl-scores": {"sim": 2.25}, "wl-stats": {"avg": WRITTEN, "median": 1.5}, "log": "ok"}'
    )
    output = read_output("hep-workloads", text.replace("WRITTEN", written).encode())
    assert [one.value for one in output.measurements if one.metric != "copies"] == [2.25, 1.5]
    assert [one.reason for one in output.refused] == [f"the workload wrote {reported}"]
