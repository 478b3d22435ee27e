"""Campaigns go on where they were interrupted, and what they kept is what they found."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import suppress
from itertools import islice
from pathlib import Path

from campaign import journal, native, tree
from campaign.coverage_map import Map
from campaign.mutant import Mutant
from campaign.verdicts import Verdict, keep, kept, survivors_of

ONE = Verdict("a", "survived", "3 tests", 0.5, "abc")
MUTANTS = [Mutant("src/a.py", "f", "x", str(n), f"a.x_f__mutmut_{n}") for n in range(20)]


def test_the_last_verdict_of_a_mutant_counts(tmp_path: Path) -> None:
    path = tmp_path / "state/verdicts.jsonl"
    later = Verdict("a", "killed", "tests/test_a.py::test_f", 0.2, "abd")
    for one in (ONE, Verdict("b", "timeout", "", 9, "abc"), later):
        keep(path, one)
    assert kept(path) == {"a": later, "b": Verdict("b", "timeout", "", 9, "abc")}


def test_a_line_that_was_cut_off_loses_itself_alone(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.jsonl"
    keep(path, ONE)
    whole = path.read_text()
    for length in range(1, len(whole)):
        path.write_text(whole + whole[:length].replace('"a"', '"b"'))
        keep(path, Verdict("c", "killed", "", 1, "abc"))
        assert set(kept(path)) - {"b"} == {"a", "c"}


def test_an_interrupted_sample_goes_on_with_what_has_no_verdict(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.jsonl"
    for mutant in islice(native.left(MUTANTS, path, 10, ""), 3):
        keep(path, Verdict(mutant.id, "killed", "", 1, "abc"))
    seen = []
    for mutant in islice(native.left(MUTANTS, path, 10, ""), 200):
        seen.append(mutant)
        keep(path, Verdict(mutant.id, "killed", "", 1, "abc"))
    assert seen == MUTANTS[3:10]
    assert set(kept(path)) == {one.id for one in MUTANTS[:10]}


def test_survivors_alone_are_judged_again(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.jsonl"
    for number, what in enumerate(("killed", "survived", "timeout", "unviable", "survived")):
        keep(path, Verdict(MUTANTS[number].id, what, "", 1, "abc"))
    assert survivors_of(MUTANTS, kept(path)) == [MUTANTS[1], MUTANTS[4]]
    assert list(native.left(MUTANTS, path, 10, "survivors")) == [MUTANTS[1], MUTANTS[4]]


MAP = Map(
    seconds={
        "tests/stats/test_a.py::a": 0.5,
        "tests/stats/test_a.py::b": 0.1,
        "tests/other/test_c.py::c": 0.2,
    },
    wall_s={},
    reached={
        "tests/stats/test_a.py::a": ["assay.stats.mean.x_student"],
        "tests/other/test_c.py::c": ["assay.stats.mean.x_student", "assay.stats.mean.x_quantile"],
    },
    imported=[],
    failing=[],
)


def test_a_mutant_is_judged_by_the_files_that_reach_it_the_rooms_own_first() -> None:
    assert MAP.tests_of("assay.stats.mean.x_student", folder="tests/stats") == [
        "tests/stats/test_a.py::b",
        "tests/stats/test_a.py::a",
        "tests/other/test_c.py::c",
    ]
    assert MAP.tests_of("assay.stats.mean.x_quantile", folder="tests/stats") == ["tests/other/test_c.py::c"]


def test_what_no_test_reaches_is_judged_by_the_rooms_tests() -> None:
    own = ["tests/stats/test_a.py::b", "tests/stats/test_a.py::a"]
    assert MAP.tests_of("assay.stats.mean.x_none", folder="tests/stats") == own


def test_a_module_is_judged_by_the_tests_of_its_room_and_those_that_reach_it() -> None:
    assert len(MAP.tests_of_module("assay.stats.mean", folder="tests/stats")) == 3
    assert len(MAP.tests_of_module("assay.stats.me", folder="tests/stats")) == 2


def test_dear_tests_are_left_out_where_the_others_take_long_already() -> None:
    seconds = {
        "tests/a/test_a.py::cheap": 14.5,
        "tests/a/test_a.py::dear": 9.0,
        "tests/a/test_a.py::small": 0.1,
    }
    found = Map(seconds, {}, {}, [], []).tests_of("assay.a.x_f", folder="tests/a")
    assert sorted(found) == ["tests/a/test_a.py::cheap", "tests/a/test_a.py::small"]


def test_what_is_not_a_row_is_passed_by(tmp_path: Path) -> None:
    path = tmp_path / "state.jsonl"
    path.write_text('{"a": 1}\n3\n{"b"')
    journal.add(path, {"c": 2})
    assert journal.rows(path) == [{"a": 1}, {"c": 2}]
    assert json.loads(path.read_text().splitlines()[-1]) == {"c": 2}


def test_what_a_part_has_started_ends_with_it() -> None:
    part = (
        "import campaign.__main__ as m, subprocess as s; m.PARTS['aa'] = lambda _: s.run(['sleep', "
        "'600']); m.main()"
    )
    background = "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); " + part
    for number in (signal.SIGTERM, signal.SIGINT):
        command = [sys.executable, "-c", background, "aa"]
        with subprocess.Popen(command, cwd=tree.ROOT) as running:
            while not (child := _sleeping(running.pid)):
                assert running.poll() is None
            running.send_signal(number)
            assert running.wait(60) == 128 + number
        assert not Path("/proc", child).exists()


def _sleeping(pid: int) -> str | None:
    """Return the child that a process waits for, once that is ``sleep``: it starts others before."""
    task = Path(f"/proc/{pid}/task/{pid}")
    with suppress(OSError):
        child = (task / "children").read_text().strip()
        waits = (task / "wchan").read_text() == "do_wait"
        if child and waits and Path(f"/proc/{child}/comm").read_text() == "sleep\n":
            return child
    return None
