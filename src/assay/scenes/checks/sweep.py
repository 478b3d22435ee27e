"""Words of a sweep that do not fit its factors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.scenes.reading.treatments import levels_of, sweep_of
from assay.scenes.text.errors import Problem
from assay.scenes.text.tree import Path, Tree
from assay.scenes.values.expected import nearest
from assay.scenes.values.swept import CROSSWISE, MOST_CROSSED, combinations, crossed_count

if TYPE_CHECKING:
    from assay.scenes.reading.treatments import Levels, TreatmentForm

_ZIP: Path = ("treatment", "zip")
_EXCLUDE: Path = ("treatment", "exclude")


def sweep_problems(form: TreatmentForm, tree: Tree) -> Iterator[Problem]:
    """Yield what is wrong with ``zip`` and ``exclude``, before treatments are made of them.

    Args:
        form: The treatment's, whose factors were found good.
        tree: The scene file.
    """
    levels, sweep = levels_of(form), sweep_of(form)
    if sweep == CROSSWISE:
        return
    lists = {name: chosen for name, chosen in levels.items() if isinstance(chosen, tuple)}
    named = [name for group in sweep.together for name in group]
    problems = [*_together(sweep.together, lists, tree)]
    if twice := next((name for name in named if named.count(name) > 1), None):
        problems.append(tree.problem(_ZIP, f"expected each factor in one group, got '{twice}' twice"))
    for index, one in enumerate(sweep.without):
        problems += _left_out(one, levels, tree, (*_EXCLUDE, index))
    yield from problems
    if problems:
        return
    if crossed_count(levels, sweep) > MOST_CROSSED:
        sentence = (
            f"expected at most {MOST_CROSSED} combinations of levels before some are left out, got more"
        )
        yield tree.problem(("treatment", "factors"), sentence, key=True)
    elif next(combinations(levels, sweep), None) is None:
        yield tree.problem(_EXCLUDE, "expected a combination that is not left out, got none", key=True)


def _together(groups: tuple[tuple[str, ...], ...], lists: Levels, tree: Tree) -> Iterator[Problem]:
    for group in groups:
        if missing := next((name for name in group if name not in lists), None):
            near = f"; nearest: '{found}'" if (found := nearest(missing, [*lists])) else ""
            sentence = f"expected factors that have lists of levels, got '{missing}'{near}"
            yield tree.problem(_ZIP, sentence)
        elif len({len(lists[name]) for name in group}) > 1:
            counts = ", ".join(f"{name} {len(lists[name])}" for name in group)
            yield tree.problem(_ZIP, f"expected lists of one length, got {counts}")


def _left_out(one: Levels, levels: Levels, tree: Tree, place: Path) -> Iterator[Problem]:
    if not one:
        yield tree.problem(place, "expected levels of some factors, got an empty mapping")
    for name, those in one.items():
        chosen = levels.get(name)
        known = chosen if isinstance(chosen, tuple) else (chosen,)
        if not set(those) & set(known):
            sentence = f"expected levels of {name} that the treatment has, got {tree.got((*place, name))}"
            yield tree.problem((*place, name), sentence)
