"""What is drawn, what counts, and what a change of the source does to it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from campaign import equivalent, generated, handmade, mutants_page, native, python_rooms
from campaign.interval import wilson
from campaign.mutant import Mutant, drawn
from campaign.rooms import ENOUGH, LOWEST, SAMPLE
from campaign.verdicts import Verdict

ROOT = Path(__file__).parents[2]
MANY = [Mutant("src/a.py", "f", "x = 1", f"x = {n}", f"a.x_f__mutmut_{n}") for n in range(300)]
BY_HAND = [Mutant("src/a.py", "", "LIMIT = 3", f"LIMIT = {n}") for n in range(2)]


def verdict(mutant: Mutant, what: str) -> Verdict:
    return Verdict(mutant.id, what, "tests/test_a.py::test_f", 0.1, "abc")


def test_the_sample_is_the_same_each_time_and_another_with_another_seed() -> None:
    assert drawn(MANY, 20, seed=1) == drawn(reversed(MANY), 20, seed=1)
    assert drawn(MANY, 20, seed=1) != drawn(MANY, 20, seed=2)


def test_the_first_of_a_sample_are_the_smaller_sample() -> None:
    assert drawn(MANY, 40, seed=1)[:10] == drawn(MANY, 10, seed=1)


def test_a_mutant_keeps_its_place_whatever_else_changes() -> None:
    before = drawn(MANY, 300, seed=1)
    others = [mutant for mutant in MANY if mutant != before[5]]
    assert drawn(others, 300, seed=1) == [*before[:5], *before[6:]]


def test_the_same_change_is_drawn_once() -> None:
    twice = [MANY[1], replace(MANY[1], switch="a.x_f__mutmut_400")]
    assert len(drawn(twice, 10, seed=1)) == 1


@pytest.mark.parametrize(
    ("switch", "function"),
    [
        ("x_student__mutmut_3", "student"),
        ("x__of__mutmut_1", "_of"),
        ("xǁCentreǁhalf__mutmut_12", "Centre.half"),
    ],
)
def test_a_mutant_names_the_function_that_it_changes(switch: str, function: str) -> None:
    assert generated.readable(switch) == function
    assert generated.readable(f"{switch.rpartition('_')[0]}_orig") == function


@pytest.mark.parametrize(
    ("file", "module"),
    [("src/assay/stats/mean.py", "assay.stats.mean"), ("src/assay/stats/__init__.py", "assay.stats")],
)
def test_a_file_is_known_by_the_name_that_it_is_imported_by(file: str, module: str) -> None:
    assert generated.module_of(file) == module


@pytest.mark.parametrize("changed", [{"old": "x = 0"}, {"new": "x = 9"}, {"function": "g"}, {"file": "b.py"}])
def test_a_changed_function_or_change_is_another_mutant(changed: dict[str, str]) -> None:
    assert replace(MANY[1], **changed).id != MANY[1].id


def test_a_mutant_shows_the_lines_that_differ() -> None:
    mutant = Mutant("src/a.py", "f", "def f():\n    return 1", "def f():\n    return 2")
    assert mutant.change == "-     return 1\n+     return 2"


def test_equivalent_ones_are_replaced_by_the_next_of_the_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(python_rooms.SAMPLE, "stats", 5)
    chosen = python_rooms.sample_of([*MANY[:10], *BY_HAND], "stats", [MANY[0].id, MANY[3].id])
    assert chosen == [MANY[1], MANY[2], *MANY[4:7], *BY_HAND]


def test_hand_made_ones_are_counted_beside_the_sample() -> None:
    said = {one.id: verdict(one, "killed") for one in MANY[:8]}
    said |= {MANY[8].id: verdict(MANY[8], "timeout"), MANY[9].id: verdict(MANY[9], "survived")}
    said |= {BY_HAND[0].id: verdict(BY_HAND[0], "survived")}
    found = mutants_page.count([*MANY[:20], *BY_HAND], said)
    assert (found.judged, found.killed, found.timeouts, found.share) == (10, 9, 1, 0.9)
    assert (found.by_hand, found.by_hand_killed) == (1, 0)
    assert (found.low, found.high) == wilson(9, 10)


@pytest.mark.parametrize(("hits", "trials", "low", "high"), [(85, 100, 0.7672, 0.9069), (0, 10, 0.0, 0.2775)])
def test_the_interval_is_wilsons(hits: int, trials: int, low: float, high: float) -> None:
    assert wilson(hits, trials) == pytest.approx((low, high), abs=5e-5)


def test_nothing_looked_at_says_nothing() -> None:
    assert wilson(0, 0) == (0, 1)


def test_a_room_holds_only_with_a_whole_sample_enough_killed_and_its_lower_limit() -> None:
    row = {"room": "parse", "judged": SAMPLE["parse"], "share": ENOUGH, "low": LOWEST}
    for changed, kept in (
        ({}, True),
        ({"judged": 99}, False),
        ({"share": 0.84}, False),
        ({"low": 0.74}, False),
    ):
        assert list(mutants_page.page_of([row | changed]).held.values()) == [kept]


def test_a_page_is_renewed_room_by_room_and_keeps_what_was_before(tmp_path: Path) -> None:
    for room, killed in (("stats", 9), ("design", 8)):
        (tmp_path / room).mkdir()
        reported = [vars(one) for one in MANY[:10]]
        (tmp_path / room / "mutants.json").write_text(json.dumps(reported))
        said = [verdict(one, "killed" if n < killed else "survived") for n, one in enumerate(MANY[:10])]
        (tmp_path / room / "verdicts.jsonl").write_text("".join(json.dumps(vars(one)) + "\n" for one in said))
    assert mutants_page.update(["stats"], tmp_path, tmp_path, before=True) == 0
    assert mutants_page.update(["stats", "design"], tmp_path, tmp_path, before=False) == 1
    stats, design = json.loads((tmp_path / "mutants.json").read_text())["rows"]
    assert (stats["before_killed"], stats["killed"], design["killed"]) == (9, 9, 8)
    assert [one["id"] for one in stats["alive"]] == [MANY[9].id]
    assert MANY[9].id in (tmp_path / mutants_page.ALIVE).read_text()


def test_every_hand_made_one_changes_what_stands_there_once() -> None:
    found = handmade.listed()
    rooms = {Path(one.file).parts[2] for one in found}
    assert rooms == {"stats", "design", "explain", "results", "store", "activities"}
    assert all(one.old != one.new for one in found)
    assert len({one.id for one in found}) == len(found)
    gone = [(one.file, one.old) for one in found if (ROOT / one.file).read_text().count(one.old) != 1]
    assert gone == []


def test_one_whose_text_is_gone_or_stands_twice_is_not_made(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.py").write_text("LIMIT = 3\nTWICE = 1\nTWICE = 1\n")
    gone, twice = replace(BY_HAND[0], old="GONE"), replace(BY_HAND[0], old="TWICE")
    assert handmade.applicable(tmp_path, "src", [BY_HAND[0], gone, twice]) == [BY_HAND[0]]
    assert handmade.applied("LIMIT = 3\n", BY_HAND[1]) == "LIMIT = 1\n"


def test_a_hand_made_one_is_taken_out_again_also_after_an_interruption(tmp_path: Path) -> None:
    path, held = tmp_path / "src/a.py", {"src/a.py": handmade.Held("LIMIT = 3\n", "LIMIT = 3  # mutants\n")}
    (tmp_path / "src/__pycache__").mkdir(parents=True)
    cached = tmp_path / "src/__pycache__/a.cpython-311.pyc"
    path.write_text("LIMIT = 3  # mutants\n")
    with handmade.in_place(BY_HAND[1], held, tmp_path):
        assert path.read_text() == "LIMIT = 1\n"
        cached.write_bytes(b"of the mistake")
    assert path.read_text() == "LIMIT = 3  # mutants\n"
    assert not cached.exists()
    path.write_text("LIMIT = 1\n")
    handmade.write_held(tmp_path / "held.json", held)
    handmade.restore(handmade.read_held(tmp_path / "held.json"), tmp_path)
    assert path.read_text() == "LIMIT = 3  # mutants\n"


def test_every_equivalent_one_has_its_place_and_its_reason() -> None:
    for one in equivalent.listed():
        assert (ROOT / one.file).is_file()
        assert len(one.why) > 10


def test_an_equivalent_one_is_known_by_what_it_changes_wherever_in_its_function() -> None:
    known = equivalent.Equivalent("src/a.py", "f", "True", "None", "both sides are of one length")
    old = "def f():\n    g(True)\n    return True"
    first, last = (
        Mutant("src/a.py", "f", old, new)
        for new in ("def f():\n    g(None)\n    return True", "def f():\n    g(True)\n    return None")
    )
    both = replace(first, new="def f():\n    g(None)\n    return None")
    elsewhere = replace(first, function="g")
    assert equivalent.among([first, last, both, elsewhere], [known]) == [first.id, last.id]


def test_a_mutant_of_the_probe_holds_the_function_before_and_after() -> None:
    source = "fn a() {}\nfn b() -> u8 {\n    1 + 2\n}\n"
    span = {"start": {"line": 2, "column": 1}, "end": {"line": 4, "column": 2}}
    place = {"start": {"line": 3, "column": 7}, "end": {"line": 3, "column": 8}}
    reported = {
        "file": "src/x.rs",
        "function": {"function_name": "b", "span": span},
        "span": place,
        "replacement": "-",
        "name": "src/x.rs:3:7: replace + with - in b",
    }
    mutant = native.mutant_of(reported, source)
    assert (mutant.file, mutant.function) == ("probe/src/x.rs", "b")
    assert mutant.change == "-     1 + 2\n+     1 - 2"


def test_mutants_of_the_probe_outside_of_functions_are_told_apart_by_their_line() -> None:
    source = "const A: u8 = 1 | 2 | 4;\nfn b() {}\n"
    reported = {"file": "src/x.rs", "function": None, "replacement": "^", "name": "x"}
    places = [
        {at: {"line": 1, "column": column + n} for n, at in enumerate(("start", "end"))}
        for column in (17, 21)
    ]
    first, last = (native.mutant_of({**reported, "span": place}, source) for place in places)
    assert (first.new, last.new) == ("const A: u8 = 1 ^ 2 | 4;\n", "const A: u8 = 1 | 2 ^ 4;\n")
    assert first.id != last.id


def test_what_does_not_compile_is_replaced_by_the_next() -> None:
    said = {MANY[0].id: verdict(MANY[0], "unviable"), MANY[1].id: verdict(MANY[1], "killed")}
    assert native.unjudged(MANY[:6], said, 3) == MANY[2:4]
