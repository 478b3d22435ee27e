"""The file of a space: what it says, and what is wrong in it, by its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.scenes.tune_space import SpaceError, load_space, read_space
from assay.tune.search import Direction

GOOD = """
factors:
  - {name: disk.cache, levels: [writeback, none], default: none, cost: 0.5}
  - {name: threads, levels: [1, 2, 4], default: 2}
  - name: share
    levels: [0.25, 1.0, yes]
exclude:
  - {disk.cache: writeback, threads: 4}
budget: 48
direction: higher
confirm: false
fidelities: [0.1, 1]
"""


def test_all_of_it_is_read() -> None:
    space, wanted = read_space(GOOD, "space.yaml")
    assert [factor.levels for factor in space.factors] == [
        ("writeback", "none"),
        (1, 2, 4),
        (0.25, 1.0, True),
    ]
    assert space.default == (1, 1, 0)
    assert space.factors[0].cost == 0.5
    assert space.exclude == ({0: 0, 1: 2},)
    assert (wanted.budget, wanted.direction, wanted.confirm) == (48, Direction.HIGHER, False)
    assert wanted.fidelities == (1.0, 0.1)
    assert space.levels(space.default) == {"disk.cache": "none", "threads": 2, "share": 0.25}


def test_least_of_it() -> None:
    space, wanted = read_space("factors: [{name: a, levels: [1, true]}]\nbudget: 9\n", "space.yaml")
    assert space.size == 2
    assert (wanted.direction, wanted.confirm, wanted.fidelities) == (Direction.LOWER, True, (1.0,))


@pytest.mark.parametrize(("budget", "confirm"), [(9, "true"), (4, "false")])
def test_the_least_budget_depends_on_the_confirmation(budget: int, confirm: str) -> None:
    _, wanted = read_space(f"{A}budget: {budget}\nconfirm: {confirm}\n", "space.yaml")
    assert wanted.budget == budget


MANY = f"{{{{name: f{{}}, levels: {list(range(64))}}}}}"
A = "factors: [{name: a, levels: [1, 2, 3]}, {name: b, levels: [x, y]}]\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (" \n", "space.yaml:1:1: expected factors and a budget, got an empty file"),
        ("a: [", "space.yaml:1:"),
        (
            f"factors: [{', '.join(map(MANY.format, range(10)))}]\nbudget: 9",
            "expected at most 600 levels beside the defaults, got 630",
        ),
        ("[]", "space.yaml:1:1: expected a mapping of factors, exclude, budget"),
        (A, "expected evaluations from 9 to 10000, or from 4 with confirm: false, got nothing"),
        (f"{A}budget: 8", ":2:9: expected evaluations from 9 to 10000, or from 4 with confirm: false, got 8"),
        (f"{A}budget: 3\nconfirm: false", ":2:9: expected evaluations from 4 to 10000, got 3"),
        (f"{A}budget: yes", "expected evaluations"),
        (f"{A}budget: 9\ndirection: down", "expected lower or higher, got 'down'"),
        (f"{A}budget: 9\nconfirm: 1", "expected true or false, got 1"),
        (f"{A}budget: 9\nbudgets: 1", ":3:1: unknown word 'budgets'; nearest: 'budget'"),
        (f"{A}budget: 9\nfidelities: [0.1]", "1.0 among them"),
        (f"{A}budget: 9\nfidelities: [1, 0]", "expected different shares above 0"),
        (f"{A}budget: 9\nexclude: [{{c: 1}}]", "unknown word 'c'"),
        (f"{A}budget: 9\nexclude: [{{a: 4}}]", "unknown level 4"),
        (f"{A}budget: 9\nexclude: [{{a: 1, b: x}}]", "without the default"),
        (f"{A}budget: 9\nexclude: [{{a: 2}}, {{a: 3}}, {{b: y}}]", "beside the default"),
        ("factors: []\nbudget: 9", "expected a list of one or more factors, got an empty list"),
        ("factors: [a]\nbudget: 9", "expected a mapping of name, levels, default, cost, got 'a'"),
        ("factors: [{levels: [1, 2]}]\nbudget: 9", "expected a name, got nothing"),
        ("factors: [{name: a, levels: [1]}]\nbudget: 9", "expected 2 to 64 levels, got 1"),
        ("factors: [{name: a, levels: [1, 1.0]}]\nbudget: 9", "expected each level once, got 1.0 again"),
        ("factors: [{name: a, levels: [1, [2]]}]\nbudget: 9", "expected a text, a number or a truth value"),
        ("factors: [{name: a, levels: [1, .nan]}]\nbudget: 9", "expected a text, a number or a truth value"),
        ("factors: [{name: a, levels: [on-disk, x], default: z}]\nbudget: 9", "unknown level 'z'"),
        ("factors: [{name: a, levels: [1, 2], cost: -1}]\nbudget: 9", "expected a number from 0, got -1"),
        ("factors: [{name: a, levels: [1, 2]}, {name: a, levels: [1, 2]}]\nbudget: 9", "'a' again"),
    ],
)
def test_what_is_wrong_is_told_by_its_place(text: str, line: str) -> None:
    with pytest.raises(SpaceError) as error:
        read_space(text, "space.yaml")
    assert line in error.value.message
    assert error.value.message.startswith("space.yaml:")


@pytest.mark.parametrize("what", ["nothing", "folder", "device", "large", "bytes"])
def test_what_is_no_file_of_a_space_is_refused_at_once(tmp_path: Path, what: str) -> None:
    path = tmp_path / "space.yaml"
    if what == "folder":
        path.mkdir()
    elif what == "device":
        path = Path("/dev/zero")
    elif what == "large":
        path.write_text("#" * 200_000)
    elif what == "bytes":
        path.write_bytes(b"factors: \xff")
    with pytest.raises(SpaceError) as error:
        load_space(path)
    assert "scenes that come with" not in (error.value.hint or "")
    assert error.value.message.startswith(("cannot read the space", f"{path}:1:10: expected UTF-8"))
