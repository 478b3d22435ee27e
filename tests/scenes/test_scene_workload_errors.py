"""Wrong workloads of a scene, and what is said of how they run."""

from pathlib import Path

import pytest

from assay.scenes import SceneError, load_scene
from assay.workloads import WORKLOADS
from tests.scenes.wrong import GOOD, refuse, refuse_changed


@pytest.mark.parametrize(
    ("workloads", "message"),
    [
        ("[]", "5:12: expected at least one item, got an empty list"),
        ("flops", "5:12: expected a list, got 'flops'"),
        ("", "5:1: expected a list, got nothing"),
        (
            "[flop]",
            f"5:13: expected one of {', '.join(WORKLOADS)}, got 'flop'",
        ),
        ("[flop]", "nearest: 'flops'"),
        ("[5]", "got 5"),
        ("[{use: fioo}]", "5:19: expected one of sysbench-cpu"),
        (
            "[{foo: 1}]",
            "expected a ready workload's name, {use: NAME, parameters: …} or {name: …, command: …}",
        ),
        ("[flops, flops]", "5:20: expected each workload once, got 'flops' again"),
        ("[{use: fio}, fio]", "5:25: expected each workload once, got 'fio' again"),
        ("[{use: fio, parameters: {runtime: 3}}]", "5:46: expected a time with its unit from 1 s to 1 h"),
        (
            "[{use: fio, parameters: {runtime: 1.5 s}}]",
            "expected a time of whole seconds, like '3 s', got '1.5 s'",
        ),
        ("[{use: fio, parameters: {size: 1 KiB}}]", "expected a size with its unit from 16 MiB"),
        (
            "[{use: fio, parameters: {block: 1 MiB}}]",
            (
                "expected one of runtime, size, record, events, photons, output, users, image, score, "
                "engine, threads, copies, arguments, got the unknown key"
            ),
        ),
        (
            "[{use: chain, parameters: {output: none}}]",
            "expected a parameter of chain (events, size), got 'output'",
        ),
        ("[{use: chain-detsim, parameters: {output: no}}]", "'none'"),
        ("[{use: stream, parameters: {runtime: 3 s}}]", "5:40: expected a parameter of stream (it has none)"),
        ("[{use: flops, parameters: {size: 1 GiB}}]", "expected a parameter of flops (runtime), got 'size'"),
        (
            "[{use: fio, command: fio}]",
            "expected one of use, name, parameters, placement, cache, got the unknown key 'command'",
        ),
        (
            "[{name: fio, command: fio}]",
            "5:20: expected a name of its own, got 'fio', which is a ready workload",
        ),
        ("[{name: Job, command: x}]", "expected a name of lower-case letters, digits and hyphens"),
        ("[{name: job}]", "5:13: expected the key 'command', got none"),
        ("[{name: job, command: 5}]", "expected a program and its arguments, got 5"),
        ("[{name: job, command: ''}]", "expected a program and its arguments, got ''"),
        ('[{name: job, command: "a \'b"}]', "expected a program and its arguments with closed quotes"),
        ("[{name: job, command: a | b}]", "without the shell's '|', got 'a | b'"),
        ("[{name: job, command: x, time-limit: 10}]", "expected a time with its unit"),
        ("[{name: job, command: x, output-limit: 3}]", "expected a size with its unit from 4 KiB to 64 TiB"),
        ("[{name: job, command: x, output-limit: 4095 B}]", "expected a size with its unit from 4 KiB"),
        ("[{name: job, command: x, time_limit: 10 s}]", "'time_limit'; nearest: 'time-limit'"),
        ("[{name: job, command: ./x}]", "5:34: expected a program that an input brings, got './x'"),
        ("[{name: job, command: ./}]", "5:34: expected a program that an input brings, got './'"),
        (
            "[{name: job, command: /bin/true, cache: {state: cold, files: [.]}}]",
            "expected an absolute path or a file that an input of job brings, got '.'",
        ),
        ("[{name: job, command: x, inputs: y}]", "expected a list, got 'y'"),
    ],
)
def test_a_wrong_workload_is_refused(workloads: str, message: str) -> None:
    assert message in refuse_changed("[flops]", workloads).message


def test_an_input_that_is_not_there_is_refused_at_its_item(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("x")
    scene = tmp_path / "trial.yaml"
    scene.write_text(
        GOOD.replace(
            "[flops]", "\n  - name: job\n    command: ./there\n    inputs:\n      - there\n      - gone"
        )
    )
    with pytest.raises(SceneError) as caught:
        load_scene(scene)
    assert (caught.value.line, caught.value.column) == (10, 9)
    assert f"got 'gone', and {tmp_path}/gone is not there" in caught.value.message


def test_two_inputs_of_one_name_would_overwrite_each_other(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "job").write_text("x")
    source = GOOD.replace("[flops]", "[{name: job, command: ./job, inputs: [a/job, b/job]}]")
    assert "got 'job' again" in refuse(source, file=str(tmp_path / "trial.yaml")).message


@pytest.mark.parametrize(
    ("placement", "message"),
    [
        ("{copys: 2}", "got the unknown key 'copys'; nearest: 'copies'"),
        ("{copies: 0}", "6:21: expected a whole number from 1 to 4096, or a list of different ones, got 0"),
        ("{pinning: eech}", "or one of these for each copy, got 'eech'; nearest: 'each'"),
        ("{pinning: [[0], []]}", "6:22: expected 'none', 'each', or a list of processors"),
        ("{memory-nodes: [0.5]}", "expected a list of memory nodes, or one of these for each copy"),
        ("{nice: 20}", "expected a whole number from -20 to 19"),
        ("{stagger: 3}", "expected a time with its unit from 0 s to 1 h"),
        (
            "{copies: 3, pinning: [[0], [1]]}",
            "6:1: expected pinning for each of 3 copies of flops, got 2 lists",
        ),
    ],
)
def test_a_wrong_placement_is_refused(placement: str, message: str) -> None:
    assert message in refuse(f"{GOOD}placement: {placement}\n").message


def test_copies_of_what_talks_to_one_server_are_refused_where_they_are_asked_for() -> None:
    error = refuse_changed("[flops]", "[iperf3]\nplacement: {copies: 2}")
    assert error.message == (
        "trial.yaml:6:1: expected one copy of iperf3, whose server talks to one client at a time, got 2"
    )
    error = refuse_changed("[flops]", "[{use: iperf3, placement: {copies: 2}}]")
    assert error.message.startswith("trial.yaml:5:27: expected one copy of iperf3")


@pytest.mark.parametrize(
    ("workload", "name"),
    [
        ("tcp-rr", "tcp-rr"),
        ("tcp-crr", "tcp-crr"),
        ("{name: mine, command: '{probe} kernel tcp-rr --server {server}'}", "mine"),
    ],
)
def test_more_copies_than_the_probes_server_serves_at_once_are_refused(workload: str, name: str) -> None:
    error = refuse_changed("[flops]", f"[{workload}]\nplacement: {{copies: 65}}")
    assert error.message == (
        f"trial.yaml:6:1: expected at most 64 copies of {name}, whose server serves no more at once, got 65"
    )


@pytest.mark.parametrize(
    ("phases", "message"),
    [
        ("{}", "5:35: expected marks, events or announce, got none of them"),
        ("{mark: {a: b}}", "got the unknown key 'mark'; nearest: 'marks'"),
        ("{marks: {a b: c}}", "5:52: expected a phase's name of letters, digits, '-' and '_', got 'a b'"),
        ("{marks: {loop: '('}}", "expected a regular expression: missing ), unterminated subpattern"),
        ("{events: '(?=x)'}", "expected a regular expression without '(?=', got '(?=x)'"),
        ("{events: '(a)\\1'}", "expected a regular expression without '\\1'"),
        ("{events: 3}", "expected a regular expression, got 3"),
        ("{announce: 3}", "expected true or false, got 3"),
        ("{marks: {wall: x}}", "got 'wall': it is a figure of the job"),
        (
            "{marks: {a-b: x, a_b: y}}",
            "expected a phase whose 'a_b_time' is no other's, got 'a_b': it is that of 'a-b'",
        ),
    ],
)
def test_wrong_phases_are_refused(phases: str, message: str) -> None:
    assert message in refuse_changed("[flops]", f"[{{name: a, command: a, phases: {phases}}}]").message


def test_phases_belong_to_programs_of_one_s_own() -> None:
    error = refuse_changed("[flops]", "[{use: flops, phases: {announce: true}}]")
    assert (
        "expected one of use, name, parameters, placement, cache, got the unknown key 'phases'"
        in error.message
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("watch: [presure]", "6:9: expected one of cpus, delay"),
        ("watch: [presure]", "got 'presure'; nearest: 'pressure'"),
        ("watch: pressure", "6:8: expected a list, got 'pressure'"),
        ("counters: [cycle]", "got 'cycle'; nearest: 'cycles'"),
        ("profile: 0", "6:10: expected a whole number from 1 to 1000, got 0"),
        ("profile: {hertz: 99}", "6:11: expected one of hz, scope, got the unknown key 'hertz'"),
        ("profile: {scope: machin}", "expected one of job, machine, got 'machin'; nearest: 'machine'"),
        ("interval: 1 ms", "6:11: expected a time with its unit from 10 ms to 1 h"),
    ],
)
def test_a_wrong_observation_is_refused(line: str, message: str) -> None:
    assert message in refuse(f"{GOOD}{line}\n").message


@pytest.mark.parametrize(
    ("cache", "message"),
    [
        ("cool", "5:33: expected one of cold, warm, read-ahead, as-is, got 'cool'; nearest: 'cold'"),
        (
            "[cold]",
            "5:33: expected cold, warm, read-ahead, as-is or {state: …, files: […], drop: …}, got a list",
        ),
        ("{state: as-is}", "5:41: expected one of cold, warm, read-ahead, got 'as-is'"),
        ("{files: [/a]}", "5:33: expected the key 'state', got none"),
        ("{state: cold, drop: 1}", "5:53: expected true or false, got 1"),
        ("{state: cold, file: a}", "5:47: expected one of state, files, drop, got the unknown key 'file'; "),
        (
            "{state: cold, files: [a]}",
            "5:55: expected an absolute path or a file that an input of flops brings",
        ),
    ],
)
def test_an_impossible_state_of_the_page_cache_is_refused(cache: str, message: str) -> None:
    error = refuse_changed("[flops]", f"[{{use: flops, cache: {cache}}}]")
    assert f"trial.yaml:{message}" in error.message


def test_a_file_of_the_scene_wide_cache_must_be_brought_by_each_workload() -> None:
    error = refuse(GOOD + "cache: {state: cold, files: [/a, b]}\n")
    assert (
        "trial.yaml:6:34: expected an absolute path or a file that an input of flops brings" in error.message
    )
