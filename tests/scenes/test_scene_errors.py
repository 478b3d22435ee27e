"""Every wrong scene names its place, what was expected, what was there, and the nearest right word."""

from pathlib import Path

import pytest

from assay.model.errors import Exit, UnknownNameError
from assay.scenes import SceneError, find_scene, load_scene, read_scene
from assay.workloads import NAMES

GOOD = """\
scene: trial
title: A scene for tests
baseline: {machine: local}
treatment: {platform: guest}
workloads: [flops]
"""
MACHINE = "cpu.quota, memory.limit, disk.read-limit, disk.write-limit, page-cache, pause"


def refuse(source: str | bytes, *, file: str = "trial.yaml") -> SceneError:
    content = source if isinstance(source, bytes) else source.encode()
    with pytest.raises(SceneError) as caught:
        read_scene(content, file=file)
    return caught.value


def refuse_changed(line: str, by: str) -> SceneError:
    assert line in GOOD
    return refuse(GOOD.replace(line, by))


def test_the_good_scene_that_the_others_are_made_of_is_good() -> None:
    assert read_scene(GOOD.encode(), file="trial.yaml").name == "trial"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"", "trial.yaml:1:1: expected a scene, got an empty file"),
        (b"# nothing yet\n", "trial.yaml:1:1: expected a scene, got an empty file"),
        (b"- a\n", "trial.yaml:1:1: expected a mapping of words to values, got a list"),
        (b"hello\n", "trial.yaml:1:1: expected a mapping of words to values, got 'hello'"),
        (b"title: gr\xfc\xdfe\n", "trial.yaml:1:10: expected UTF-8 text, got the byte 0xfc"),
        (b"a: 1\nb: \x01\n", "trial.yaml:2:4: expected text, got a control character"),
        (b"[" * 5000, "trial.yaml:1:1: expected a scene, got brackets without end"),
        (b"scene: [a\n", "expected YAML that can be read: while parsing a flow sequence"),
        (
            b"scene: a: b\n",
            "trial.yaml:1:9: expected YAML that can be read: mapping values are not allowed here",
        ),
        (b"scene: a\n\ttitle: b\n", "trial.yaml:2:1: expected YAML that can be read"),
        (b"scene: *x\n", "trial.yaml:1:8: expected YAML that can be read: found undefined alias 'x'"),
    ],
)
def test_a_file_that_is_no_mapping_in_yaml_is_refused_at_its_place(source: bytes, message: str) -> None:
    assert message in refuse(source).message


def test_two_documents_are_not_one_scene() -> None:
    error = refuse(GOOD + "---\nscene: other\n")
    assert error.line == 6
    assert error.hint == "one file holds one scene"


def test_a_key_that_comes_twice_is_refused_at_its_second_place() -> None:
    error = refuse(GOOD + "title: Another\n")
    assert error.message == "trial.yaml:6:1: expected each key once, got 'title' again (first in line 2)"


@pytest.mark.parametrize("workload", ["&a flops", "!own flops", "!!python/name:os.system ''"])
def test_yaml_s_own_machinery_is_refused(workload: str) -> None:
    error = refuse_changed("[flops]", f"[{workload}]")
    assert error.message == "trial.yaml:5:13: expected plain YAML, got an anchor, an alias or a tag"


@pytest.mark.parametrize(
    ("key", "nearest"),
    [
        ("titel", "; nearest: 'title'"),
        ("designs", "; nearest: 'design'"),
        ("blocs", "; nearest: 'blocks', which belongs to design"),
        ("xyzzy", ""),
    ],
)
def test_an_unknown_key_names_the_known_ones_and_the_nearest(key: str, nearest: str) -> None:
    known = "scene, scale, scales, title, baseline, treatment, workloads, design, placement, watch, counters, profile, interval, cache, data, takes, published"
    expected = f"trial.yaml:6:1: expected one of {known}, got the unknown key '{key}'{nearest}"
    assert refuse(f"{GOOD}{key}: 1\n").message == expected


@pytest.mark.parametrize("word", ["setup", "check", "start", "teardown", "zip", "exclude"])
def test_a_later_word_of_the_design_is_told_apart_from_a_mistake(word: str) -> None:
    assert refuse(f"{GOOD}{word}: x\n").message.endswith(f"got '{word}': not yet known in this version")


def test_later_words_are_known_in_deeper_places_too() -> None:
    own = "[{name: a, command: a, environment: [x]}]"
    assert "'environment': not yet known" in refuse_changed("[flops]", own).message


def test_every_problem_has_its_line_in_the_order_of_the_file() -> None:
    error = refuse(GOOD.replace("guest", "gest").replace("flops", "flop") + "design: {blocks: 1}\n")
    assert [line.split(" ")[0] for line in error.message.splitlines()] == [
        "trial.yaml:4:23:",
        "trial.yaml:5:13:",
        "trial.yaml:6:18:",
    ]
    assert (error.file, error.line, error.column, error.exit_code) == ("trial.yaml", 4, 23, Exit.INPUT)


def test_missing_keys_are_named() -> None:
    error = refuse("scene: a\n")
    for key in ("title", "baseline", "treatment", "workloads"):
        assert f"trial.yaml:1:1: expected the key '{key}', got none" in error.message


def test_more_problems_than_anyone_reads_are_counted() -> None:
    error = refuse_changed("[flops]", "[" + ", ".join(["flop"] * 15) + "]")
    assert error.message.splitlines()[-1] == "trial.yaml: and 5 more"
    assert len(error.problems) == 15


@pytest.mark.parametrize(
    ("factors", "column", "message"),
    [
        ("memory.size: 4", 53, "expected a size with its unit from 256 MiB to 64 TiB, like '4 GiB', got 4"),
        ("memory.size: 4 GHz", 53, "got '4 GHz'"),
        ("memory.size: 4 gib", 53, "got '4 gib'"),
        ("memory.size: 1 MiB", 53, "got '1 MiB'"),
        ("memory.size: -4 GiB", 53, "got '-4 GiB'"),
        ("memory.size: ", 40, "got nothing"),
        ("cpu.vcpus: 0", 51, "expected 'auto' or a whole number from 1 to 1024, got 0"),
        ("cpu.vcpus: 1.5", 51, "got 1.5"),
        ("cpu.vcpus: '2'", 51, "got '2'"),
        ("cpu.vcpus: yes", 51, "got yes"),
        (
            "disk.cache: fast",
            52,
            "expected one of none, writeback, writethrough, directsync, unsafe, got 'fast'",
        ),
        ("disk.cache: writebak", 52, "got 'writebak'; nearest: 'writeback'"),
        ("disk.cach: none", 40, "got the unknown key 'disk.cach'; nearest: 'disk.cache'"),
        ("cpu: {vcpus: 2}", 40, "got the unknown key 'cpu'; nearest: 'cpu."),
        (
            "memory.limit: 1 GiB",
            40,
            "memory.size, disk.cache, or what 'assay platform factors' lists), got 'memory.limit'",
        ),
        ("host.thp: sometimes", 50, "expected one of always, madvise, never, got 'sometimes'"),
        ("host.thp: [always, always]", 50, "or a list of different ones, got a list"),
        ("host.thp: []", 50, "or a list of different ones, got an empty list"),
        ("host.thp: [always, often]", 50, "expected one of always, madvise, never, got a list"),
    ],
)
def test_an_impossible_factor_of_a_guest_is_refused(factors: str, column: int, message: str) -> None:
    error = refuse_changed("{platform: guest}", f"{{platform: guest, factors: {{{factors}}}}}")
    assert message in error.message
    assert (error.line, error.column) == (4, column)


@pytest.mark.parametrize(
    ("factors", "message"),
    [
        ("cpu.quota: 150 %", "expected a share above 0 % and at most 100 %, like '95 %', got '150 %'"),
        ("cpu.quota: 0 %", "got '0 %'"),
        ("cpu.quota: 0.5", "got 0.5"),
        ("cpu.quota: half", "got 'half'"),
        (
            "memory.limit: 1 MiB",
            "expected a size with its unit from 4 MiB to 64 TiB, like '4 GiB', got '1 MiB'",
        ),
        (
            "disk.read-limit: 20 MB",
            "expected a rate with its unit from 1 kB/s to 1 TB/s, like '20 MB/s', got '20 MB'",
        ),
        ("disk.write-limit: 1 B/s", "got '1 B/s'"),
        ("page-cache: as-is", "expected one of cold, warm, got 'as-is'"),
        ("pause: 95 %", "expected a share above 0 % and at most 90 %"),
        (
            "disk.cache: none",
            f"expected a factor of this treatment ({MACHINE}, or what 'assay platform factors' lists), got 'disk.cache'",
        ),
    ],
)
def test_an_impossible_factor_of_a_machine_is_refused(factors: str, message: str) -> None:
    error = refuse_changed("{platform: guest}", f"{{machine: local, factors: {{{factors}}}}}")
    assert message in error.message


def test_a_factor_of_another_treatment_says_where_it_belongs() -> None:
    error = refuse_changed("{platform: guest}", "{machine: local, factors: {disk.cache: none}}")
    assert error.hint == "'disk.cache' belongs to a treatment with 'platform: guest'"


def test_a_list_for_the_factors_of_another_machine_is_refused() -> None:
    error = refuse_changed("{platform: guest}", "{machine: node01, factors: {cpu.quota: [10 %, 20 %]}}")
    assert "expected one level of node01, got a list" in error.message


@pytest.mark.parametrize(
    "factor", ["cpu.vcpus: [1, auto]", "memory.size: [2 GiB, 2048 MiB]", "cpu.vcpus: []"]
)
def test_a_list_of_sizes_names_different_ones(factor: str) -> None:
    error = refuse_changed("{platform: guest}", f"{{platform: guest, factors: {{{factor}}}}}")
    assert "expected one level, or a list of different ones that are written out" in error.message


@pytest.mark.parametrize(
    ("treatment", "got"),
    [
        ("3", "3"),
        ("{}", "an empty mapping"),
        ("{platform: guest, machine: local}", "a mapping of platform, machine"),
        ("", "nothing"),
    ],
)
def test_a_treatment_is_a_platform_or_a_machine(treatment: str, got: str) -> None:
    error = refuse_changed("{platform: guest}", treatment)
    assert "expected either {platform: guest, factors: …} or {machine: NAME, factors: …}" in error.message
    assert error.message.endswith(f"got {got}")
    assert error.line == 4


def test_another_machine_is_the_baseline_of_its_own_guests_only() -> None:
    source = GOOD.replace("local", "node7")
    error = refuse(source.replace("{platform: guest}", "{machine: local}"))
    assert error.message == "trial.yaml:3:21: expected 'local' where the treatment is no guest, got 'node7'"
    assert error.hint is not None
    assert "treatment: {platform: guest}" in error.hint


@pytest.mark.parametrize(
    ("design", "column", "message"),
    [
        ("{blocks: 2}", 18, "expected a whole number from 3 to 1000, got 2"),
        ("{blocks: 1001}", 18, "got 1001"),
        ("{blocks: 3.0}", 18, "got 3.0"),
        ("{blocks: 1e3}", 18, "got 1e3"),
        ("{blocks: 0x10}", 18, "got '0x10'"),
        ("{blocks: '3'}", 18, "got '3'"),
        ("{blocks: yes}", 18, "got yes"),
        ("{blocks: [3, 4]}", 18, "got a list"),
        ("{confidence: 0.95}", 22, "expected a share from 50 % to 99.99 %, like '95 %', got 0.95"),
        ("{confidence: 100 %}", 22, "got '100 %'"),
        ("{confidence: 10 %}", 22, "got '10 %'"),
        ("{margin: 0 %}", 18, "expected a share above 0 % and below 100 %, like '95 %', got '0 %'"),
        ("{margin: 100 %}", 18, "got '100 %'"),
        ("{seed: -1}", 16, "got -1"),
        ("3", 9, "expected a mapping of words to values, got 3"),
    ],
)
def test_a_design_out_of_range_is_refused(design: str, column: int, message: str) -> None:
    error = refuse(f"{GOOD}design: {design}\n")
    assert message in error.message
    assert (error.line, error.column) == (6, column)


@pytest.mark.parametrize(
    ("workloads", "message"),
    [
        ("[]", "5:12: expected at least one item, got an empty list"),
        ("flops", "5:12: expected a list, got 'flops'"),
        ("", "5:1: expected a list, got nothing"),
        (
            "[flop]",
            f"5:13: expected one of {', '.join(NAMES)}, got 'flop'",
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
            "expected one of runtime, size, record, events, image, score, engine, threads, copies, arguments, got the unknown key",
        ),
        ("[{use: stream, parameters: {runtime: 3 s}}]", "5:40: expected a parameter of stream (it has none)"),
        ("[{use: flops, parameters: {size: 1 GiB}}]", "expected a parameter of flops (runtime), got 'size'"),
        (
            "[{use: fio, command: fio}]",
            "expected one of use, parameters, placement, cache, got the unknown key 'command'",
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
        ("[{name: job, command: x, time_limit: 10 s}]", "'time_limit'; nearest: 'time-limit'"),
        ("[{name: job, command: ./x}]", "5:34: expected a program that an input brings, got './x'"),
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


@pytest.mark.parametrize("word", ["yes", "no", "on", "true", "1e3", "12", "~"])
def test_what_yaml_takes_for_something_else_is_no_name(word: str) -> None:
    error = refuse_changed("scene: trial", f"scene: {word}")
    assert error.message.endswith(f"got {word}")
    assert word == "~" or error.hint == "write it in quotes, YAML reads it as a number or a truth value"


def test_a_quoted_word_is_a_text_whatever_it_looks_like() -> None:
    source = GOOD.replace("title: A scene for tests", "title: 'yes'").replace("scene: trial", 'scene: "no"')
    scene = read_scene(source.encode(), file="trial.yaml")
    assert (scene.name, scene.title) == ("no", "yes")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[flops]", "[{use: fio, parameters: {runtime: }}]"),
        ("[flops]", "[{use: fio, parameters: {size: null}}]"),
        ("[flops]", "[{use: fio, parameters: }]"),
        ("[flops]", "[{name: a, command: a, inputs: }]"),
        ("[flops]", "[{name: a, command: a, time-limit: ~}]"),
        ("[flops]", "[flops]\ndesign:"),
        ("[flops]", "[flops]\ndesign: {seed: }"),
        ("{platform: guest}", "{platform: guest, factors: }"),
        ("{platform: guest}", "{platform: guest, factors: {cpu.vcpus: }}"),
        ("{platform: guest}", "{machine: local, factors: {cpu.quota: }}"),
    ],
)
def test_a_word_without_its_value_is_not_taken_for_its_default(old: str, new: str) -> None:
    assert refuse_changed(old, new).message.endswith(("got nothing", "got null", "got ~"))


def test_a_long_value_of_many_lines_does_not_break_the_message() -> None:
    error = refuse_changed("[flops]", '["a\\nb\\e[31m' + "x" * 500 + '"]')
    assert "got 'a␣b␣[31mxxx" in error.message
    assert len(error.message) < 100 + len(", ".join(NAMES)) + 100  # the known names, and a piece of the value
    assert error.message.isprintable()


def test_an_empty_title_is_refused_in_its_own_line() -> None:
    assert refuse_changed("title: A scene for tests", "title:").message == (
        "trial.yaml:2:1: expected one line of text, got nothing"
    )


def test_an_unknown_scene_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown scene 'quik'; nearest: 'quick'") as caught:
        find_scene("quik")
    assert caught.value.exit_code is Exit.INPUT


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("gone.yaml", "cannot read the scene gone.yaml: no such file or directory"),
        ("/", "cannot read the scene /: expected a file, got a folder or a device"),
        ("/dev/zero", "cannot read the scene /dev/zero: expected a file, got a folder or a device"),
        ("/proc/1/mem/x.yaml", "cannot read the scene /proc/1/mem/x.yaml: not a directory"),
    ],
)
def test_a_path_that_cannot_be_read_is_said_without_a_line(path: str, words: str) -> None:
    with pytest.raises(SceneError) as caught:
        find_scene(path)
    assert caught.value.message == words
    assert (caught.value.line, caught.value.column) == (0, 0)


def test_a_huge_file_is_not_read_as_a_scene(tmp_path: Path) -> None:
    (tmp_path / "disk.yaml").write_bytes(b"#" * (1024 * 1024 + 1))
    with pytest.raises(SceneError, match="at most 1 MiB"):
        load_scene(tmp_path / "disk.yaml")


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
    assert "expected one of use, parameters, placement, cache, got the unknown key 'phases'" in error.message


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
        ("cool", "5:33: expected one of cold, warm, as-is, got 'cool'; nearest: 'cold'"),
        ("[cold]", "5:33: expected cold, warm, as-is or {state: …, files: […], drop: …}, got a list"),
        ("{state: as-is}", "5:41: expected one of cold, warm, got 'as-is'"),
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
