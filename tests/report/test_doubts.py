"""Each doubt that a room raises has one wording, of the very fields that it is raised with."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.model.doubt import Doubt, raised
from assay.report.doubts import WORDINGS, gains, named, processors, results, shown, storage, trials, worded
from assay.report.doubts.worded import _SUBJECTS

SOURCES = Path(__file__).parents[2] / "src" / "assay"


def raises() -> Iterator[tuple[str, frozenset[str], str]]:
    """Yield the wording, the names of the fields and the place of each doubt that the sources raise."""
    for path in SOURCES.rglob("*.py"):
        module = ast.parse(path.read_text(encoding="utf-8"))
        for node in of_ours(module):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "raised":
                case = [ast.literal_eval(one.value) for one in node.keywords if one.arg == "case"]
                fields = frozenset(one.arg or "**" for one in node.keywords if one.arg != "case")
                for code in codes(node.args[0], module):
                    yield "/".join([code, *case]), fields, f"{path.relative_to(SOURCES)}:{node.lineno}"


def of_ours(node: ast.AST) -> Iterator[ast.AST]:
    """Yield every node but those of functions with a planted mistake, which stand beside the original
    (mutmut).
    """
    yield node
    for below in ast.iter_child_nodes(node):
        if not (isinstance(below, ast.FunctionDef) and re.search(r"__mutmut_\d+$", below.name)):
            yield from of_ours(below)


def codes(node: ast.expr, module: ast.Module) -> list[str]:
    """Return the codes that a doubt may have: one, one of two, or one of the file's own ``CODES``."""
    if isinstance(node, ast.IfExp):
        return [ast.literal_eval(node.body), ast.literal_eval(node.orelse)]
    if isinstance(node, ast.Name):
        (listed,) = (one.value for one in module.body if isinstance(one, ast.Assign) and named_codes(one))
        return list(ast.literal_eval(listed).values())
    return [ast.literal_eval(node)]


def named_codes(node: ast.Assign) -> bool:
    return [target.id for target in node.targets if isinstance(target, ast.Name)] == ["CODES"]


CLAUSES = [of.CLAUSES for of in (gains, processors, results, storage, trials)]
WORDED = {wording: words for table in (WORDINGS, *CLAUSES) for wording, words in table.items()}
"""Of whole doubts, and of what is one of several things that a doubt names."""
RAISED = sorted(raises(), key=lambda one: (one[0], one[2]))


def test_each_doubt_that_is_raised_has_a_wording_and_each_wording_a_doubt() -> None:
    assert {wording for wording, *_ in RAISED} == set(WORDED)


def test_no_wording_stands_in_two_files() -> None:
    tables = [*(of.WORDINGS for of in _SUBJECTS), *CLAUSES]
    assert sum(map(len, tables)) == len(WORDED)


@pytest.mark.parametrize(("wording", "fields", "place"), RAISED)
def test_a_doubt_is_raised_with_the_fields_of_its_wording(
    wording: str, fields: frozenset[str], place: str
) -> None:
    assert fields == set(inspect.signature(WORDED[wording]).parameters), place


def test_a_doubt_without_a_field_of_its_wording_is_no_sentence() -> None:
    assert worded(raised("events-vary", least=7, most=30)).sentence.startswith("Event numbers vary")
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'most'"):
        worded(raised("events-vary", least=7))
    with pytest.raises(TypeError, match="unexpected keyword argument 'often'"):
        worded(raised("events-vary", least=7, most=30, often=2))


def test_a_doubt_that_nobody_words_is_named() -> None:
    with pytest.raises(KeyError, match="throttled/nobody-knows"):
        worded(raised("throttled", case="nobody-knows"))


def test_a_doubt_in_words_keeps_them() -> None:
    doubt = Doubt("no-line", "As an older record says it.")
    assert worded(doubt) is doubt
    assert worded(raised("no-line")).next is None
    assert str(shown(raised("no-line")).next).startswith("See whether one of the times is wrong")


def test_a_doubt_of_one_of_several_has_its_name_before_the_sentence() -> None:
    (doubt,) = named("spin", [raised("one-block")])
    assert doubt.sentence == "spin: One block has no interval: its noise is not known."
    assert str(doubt.next).startswith("Measure both arms")


def test_the_order_in_which_fields_are_given_is_nothing_to_a_doubt() -> None:
    one = raised("events-vary", least=7, most=30)
    assert one == raised("events-vary", most=30, least=7)
    assert (one["least"], one["most"], one.wording) == (7, 30, "events-vary")
