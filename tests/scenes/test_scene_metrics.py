"""Own metrics and success in a scene: read, refused with their place, written back, and in the plan."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.model.metric import Direction, Metric
from assay.model.units import BYTES
from assay.model.work.reading import Of, Reading, Success
from assay.model.work.workload import Workload
from assay.scenes import Scene, SceneError, Wanted, alter_scene, find_scene, read_scene
from assay.scenes.changes.write import write_scene
from assay.workloads import Sizes

HEAD = "scene: a\ntitle: A\nbaseline: {machine: local}\ntreatment: {machine: local}\n"
ARM = Sizes(cache_bytes=None, memory_bytes=8 * BYTES["GiB"], cpus=4)
RATE = "{pattern: 'rate ([0-9.]+)', unit: events/s, direction: higher}"
FULL = """\
workloads:
  - name: job
    command: job
    metrics:
      rate: {pattern: 'rate ([0-9.]+)', unit: events/s, direction: higher, of: last}
      bytes_out: {pointer: /io/written, file: out/report.json, unit: MB, direction: lower, timed: false}
    success: {exit: [0, 3], pattern: ^done, absent: ERROR, log: run.log, files: [out/hits.root]}
"""


def scene(workloads: str, *, file: str = "a.yaml") -> Scene:
    return read_scene(f"{HEAD}{workloads}\n".encode(), file=file)


def prepare(workloads: str) -> Workload:
    (made,) = scene(workloads).prepare(ARM)
    return made


def refuse(own: str, *, file: str = "a.yaml") -> str:
    with pytest.raises(SceneError) as refused:
        scene(f"workloads: [{{name: job, command: job, {own}}}]", file=file)
    return refused.value.message


def test_own_figures_and_success_are_in_the_workload_of_the_plan() -> None:
    made = prepare(FULL)
    rate = Metric("rate", "events/s", Direction.HIGHER)
    size = Metric("bytes_out", "MB", Direction.LOWER, timed=False)
    assert made.readings == (
        Reading(rate, pattern="rate ([0-9.]+)", of=Of.LAST),
        Reading(size, pointer="/io/written", file="out/report.json"),
    )
    assert [one.name for one in made.metrics] == ["wall_time", "cpu_time", "rate", "bytes_out"]
    assert made.success == Success((0, 3), "^done", "ERROR", "run.log", ("out/hits.root",))


def test_own_figures_stand_before_those_of_the_phases() -> None:
    made = prepare(
        f"workloads: [{{name: job, command: job, metrics: {{rate: {RATE}}}, phases: {{marks: "
        "{end: ^End}}}]"
    )
    assert [one.name for one in made.metrics] == ["wall_time", "cpu_time", "rate", "init_time", "end_time"]


def test_what_is_written_of_a_scene_says_the_same() -> None:
    first = scene(FULL)
    again = read_scene(write_scene(first).encode(), file="a.yaml")
    assert again.workloads == first.workloads
    assert again.digest == first.digest
    altered = alter_scene(first, Wanted(blocks=5))
    assert read_scene(altered.source.encode(), file="a.yaml").workloads == first.workloads


def test_a_scene_that_says_nothing_of_them_keeps_its_digest() -> None:
    silent = scene("workloads: [{name: job, command: job}]")
    said = scene("workloads: [{name: job, command: job, metrics: {}}]")
    assert (
        silent.digest
        == said.digest
        != scene(f"workloads: [{{name: job, command: job, metrics: {{rate: {RATE}}}}}]").digest
    )
    assert (
        find_scene("noise-floor").digest == "23c2556d0e5e899bcc53090443be28cbad43ce3d8471da908dc91c56bc1142be"
    )


def test_a_figure_of_a_tool_is_named_by_its_metric_and_its_labels() -> None:
    text = (
        "workloads: [{name: job, command: job, parser: fio, metrics: {seq_write: "
        "{figure: bw_bytes, labels: {job: seq_write, operation: write}, unit: B/s, direction: higher}}}]"
    )
    made = prepare(text)
    (reading,) = made.readings
    assert made.reader == "fio"
    assert reading.figure == "bw_bytes"
    assert reading.labels == (("job", "seq_write"), ("operation", "write"))
    assert read_scene(write_scene(scene(text)).encode(), file="a.yaml").workloads == scene(text).workloads


def test_one_exit_code_needs_no_list() -> None:
    made = prepare("workloads: [{name: job, command: job, success: {exit: 3}}]")
    assert made.success == Success((3,))


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ("metrics: {Rate: 1}", (
"a.yaml:5:49: expected a metric's name of lower-case letters, digits and '_', a letter first, got 'Rate'"
)),
        ("metrics: [rate]", "expected a mapping of words to values, got a list"),
        ("metrics: {rate: {pattern: '(1', unit: s, direction: lower}}",
         (
"a.yaml:5:65: expected a regular expression: missing ), unterminated subpattern at position 0, got '(1'"
)),
        ("metrics: {rate: {pattern: 'rate [0-9]+', unit: s, direction: lower}}",
         "expected a regular expression with one group, which is the number (it has 0), got 'rate [0-9]+'"),
        ("metrics: {rate: {pattern: '([a-z]+) ([0-9]+)', unit: s, direction: lower}}", "(it has 2)"),
        ("metrics: {rate: {pattern: '(?<=a)(1)', unit: s, direction: lower}}", "without '(?<='"),
        ("metrics: {rate: {pointer: a/b, unit: s, direction: lower}}",
         "a.yaml:5:65: expected a JSON Pointer, like '/results/0/rate': it begins with '/', got 'a/b'"),
        ("metrics: {rate: {pointer: /a~2, unit: s, direction: lower}}",
        "after '~' comes 0 (for '~') or 1 (for '/')"),
        ("metrics: {rate: {pointer: /a, unit: s}}", "expected the key 'direction', got none"),
        ("metrics: {rate: {pointer: /a, direction: lower}}", "expected the key 'unit', got none"),
        ("metrics: {rate: {pointer: /a, unit: s, direction: hihger}}",
         "expected one of higher, lower, got 'hihger'; nearest: 'higher'"),
        ("metrics: {rate: {pointer: /a, unit: 1, direction: lower}}",
         "expected a unit of at most 24 letters, like 'events/s', or '1' for a plain number, got 1"),
        ((
"metrics: {rate: {pointer: /a, unit: 'a very long unit of measurement', direction: lower}}"
), "at most 24 letters"),
        ("metrics: {rate: {pointer: /a, unit: \"a\\nb\", direction: lower}}", "at most 24 letters"),
        ("metrics: {rate: {pointr: /a, unit: s, direction: lower}}",
         (
"expected one of pattern, pointer, figure, labels, file, unit, direction, timed, of, "
"got the unknown key 'pointr'; nearest: 'pointer'"
)),
        ("metrics: {rate: {pattern: '(1)', unit: s, direction: lower, of: lst}}",
         "expected one of first, last, sum, mean, got 'lst'; nearest: 'last'"),
        ("metrics: {rate: {unit: s, direction: lower}}",
         "a.yaml:5:49: expected one of pattern, pointer, figure for 'rate', got none"),
        ("metrics: {rate: {pattern: '(1)', pointer: /a, unit: s, direction: lower}}",
         "expected one of pattern, pointer, figure for 'rate', got pattern and pointer"),
        ("metrics: {rate: {pointer: /a, unit: s, direction: lower, of: last}}",
         "expected 'of' where several numbers may be found, got a pointer, which finds one"),
        ("metrics: {rate: {figure: bw, unit: s, direction: lower}}",
         "expected 'parser' beside 'metrics' for a figure, got none"),
        ("metrics: {rate: {pointer: /a, labels: {job: a}, unit: s, direction: lower}}",
         "expected 'figure' that labels are for, got none"),
        ("metrics: {wall_time: {pointer: /a, unit: s, direction: lower}}",
         "a.yaml:5:49: expected a name of its own, got 'wall_time', which is a figure of every job"),
        ("metrics: {end_time: {pointer: /a, unit: s, direction: lower}}, phases: {marks: {end: ^End}}",
         "expected a name of its own, got 'end_time', which is a figure of its phases"),
        ("metrics: {events_per_s: {pointer: /a, unit: s, direction: lower}}, phases: {announce: true}",
         "expected a name of its own, got 'events_per_s', which is the rate of its events"),
        ("metrics: {rate: {pointer: /a, file: /etc/passwd, unit: s, direction: lower}}",
         "expected a file in the scratch folder, relative to it, got '/etc/passwd'"),
        ("metrics: {rate: {pointer: /a, file: ../a, unit: s, direction: lower}}", "got '../a'"),
        ("parser: no-such-tool", "expected a tool whose output can be read"),
        ("parser: foi", "got 'foi'; nearest: 'fio'"),
        ("parser: fio",
        "a.yaml:5:39: expected a metric with 'figure' that the parser 'fio' is for, got none"),
        ("success: {}", "a.yaml:5:39: expected exit, pattern, absent or files, got none of them"),
        ("success: {log: run.log}", "expected 'pattern' or 'absent' that the log is for, got none"),
        ("success: {exit: 256}",
        "expected a whole number from 0 to 255, or a list of different ones, got 256"),
        ("success: {exit: []}",
        "expected a whole number from 0 to 255, or a list of different ones, got an empty list"),
        ("success: {absnt: x}",
         "expected one of exit, pattern, absent, log, files, got the unknown key 'absnt'; nearest: 'absent'"),
        ('success: {pattern: "a\\nb"}', "expected a regular expression of one line"),
        ("success: {pattern: '('}", "expected a regular expression: missing )"),
        ("success: {files: [/tmp/a]}", "expected a file in the scratch folder, relative to it, got '/tmp/a'"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused_at_its_place(own: str, message: str) -> None:
    assert message in refuse(own)


def test_success_at_the_top_of_a_scene_is_told_where_it_belongs() -> None:
    with pytest.raises(
        SceneError, match="unknown key 'success'; nearest: 'success', which belongs to workloads"
    ):
        scene("workloads: [flops]\nsuccess: {exit: 3}")


@pytest.mark.parametrize(
    "own",
    [
        "metrics: {rate: {pointer: /a, file: run/out.json, unit: s, direction: lower}}",
        "success: {files: [run/out.json]}",
        "success: {pattern: x, log: run/out.json}",
    ],
)
def test_a_file_that_an_input_brings_is_no_output(own: str, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "out.json").write_text("{}")
    said = refuse(f"inputs: [run], {own}", file=str(tmp_path / "a.yaml"))
    assert "expected a file that the program writes, got 'run/out.json', which the input 'run' brings" in said


def test_a_file_in_a_folder_that_an_input_brings_may_be_written(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    scene(
        "workloads: [{name: job, command: job, inputs: [run], success: {files: [run/out.json]}}]",
        file=str(tmp_path / "a.yaml"),
    )
