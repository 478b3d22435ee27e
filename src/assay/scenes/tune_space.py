"""The space of a search whose evaluations happen elsewhere, as a YAML file::

factors:
  - {name: disk.cache, levels: [writeback, none], default: writeback, cost: 1}
  - {name: threads, levels: [1, 2, 4]}
exclude: [{disk.cache: none, threads: 4}]
budget: 48
direction: lower
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import TypeGuard

from assay.model.errors import choices
from assay.scenes.load import source_of, text_of
from assay.scenes.text.errors import Problem, SceneError
from assay.scenes.text.tree import Path, Tree, read_tree
from assay.tune.coding import MOST_COLUMNS
from assay.tune.search import Direction, Wanted, least_budget
from assay.tune.space import Level, Space, TunedFactor

WORDS = ("factors", "exclude", "budget", "direction", "confirm", "fidelities")
FACTOR_WORDS = ("name", "levels", "default", "cost")
MOST_LEVELS, MOST_FACTORS, MOST_BUDGET = 64, 100, 10_000


class SpaceError(SceneError):
    """A space that cannot be used; the message has one line a problem."""

    what = "space"


def load_space(path: FilePath) -> tuple[Space, Wanted]:
    """Return the space in a file, and what is asked of a search in it.

    Raises:
        SpaceError: It cannot be read, or something in it is wrong, each with its place.
    """
    try:
        text = text_of(source_of(path), str(path))
    except SceneError as error:
        problems = [Problem(one.line, one.column, one.sentence) for one in error.problems]
        raise SpaceError(str(path), problems) from error
    return read_space(text, str(path))


def read_space(text: str, file: str) -> tuple[Space, Wanted]:
    """Return the space and what is asked of a search in it.

    Args:
        text: The file's text.
        file: Its name for messages.

    Raises:
        SpaceError: Something in it is wrong, each with its place.
    """
    if not text.strip():
        raise SpaceError(file, [Problem(1, 1, "expected factors and a budget, got an empty file")])
    try:
        reading = _Reading(read_tree(text, file))
    except SceneError as error:
        raise SpaceError(file, error.problems) from error
    found = reading.space(), reading.wanted()
    if reading.problems:
        raise SpaceError(file, reading.problems)
    return found


@dataclass
class _Reading:
    """Reads the values of a tree, and gathers what is wrong."""

    tree: Tree
    problems: list[Problem] = field(default_factory=list)

    def space(self) -> Space:
        """Return the factors, and what is left out."""
        whole = self._mapping((), self.tree.value, WORDS)
        listed = self._list(("factors",), whole.get("factors"), "one or more factors")
        factors = tuple(self._factor(("factors", at), one) for at, one in enumerate(listed))
        names = [factor.name for factor in factors]
        for at, name in enumerate(names):
            if name in names[:at]:
                self._wrong(("factors", at, "name"), f"expected each name once, got '{name}' again")
        if len(factors) > MOST_FACTORS:
            self._wrong(("factors",), f"expected at most {MOST_FACTORS} factors, got {len(factors)}")
        if (more := sum(len(factor.levels) - 1 for factor in factors)) > MOST_COLUMNS:
            sentence = f"expected at most {MOST_COLUMNS} levels beside the defaults, got {more}"
            self._wrong(("factors",), sentence)
        if not self.problems:
            space = Space(factors)
            exclude = tuple(self._excluded(space, whole.get("exclude")))
            return self._possible(Space(factors, exclude))
        return Space((TunedFactor("?", (0, 1)),))

    def wanted(self) -> Wanted:
        """Return what is asked of the search."""
        whole = self.tree.value if isinstance(self.tree.value, dict) else {}
        direction = whole.get("direction", "lower")
        if direction not in list(Direction):
            self._expected(("direction",), "lower or higher")
            direction = "lower"
        confirm = whole.get("confirm", True)
        if not isinstance(confirm, bool):
            self._expected(("confirm",), "true or false")
        least, budget = least_budget(confirm=bool(confirm)), whole.get("budget")
        if not _is_whole(budget) or not least <= budget <= MOST_BUDGET:
            other = least_budget(confirm=False)
            also = f", or from {other} with confirm: false" if confirm else ""
            self._expected(("budget",), f"evaluations from {least} to {MOST_BUDGET}{also}")
            budget = least
        return Wanted(budget, Direction(direction), confirm=bool(confirm), fidelities=self._fidelities(whole))

    def _factor(self, path: Path, value: object) -> TunedFactor:
        words = self._mapping(path, value, FACTOR_WORDS)
        name = words.get("name")
        if not isinstance(name, str) or not name:
            self._expected((*path, "name"), "a name")
        levels = self._levels((*path, "levels"), words.get("levels"))
        default = 0
        if "default" in words and levels:
            default = self._level((*path, "default"), words["default"], levels) or 0
        cost = self._number((*path, "cost"), words["cost"]) if "cost" in words else 0.0
        if cost is None or cost < 0:
            self._expected((*path, "cost"), "a number from 0")
        return TunedFactor(str(name), levels, default, cost or 0.0)

    def _levels(self, path: Path, value: object) -> tuple[Level, ...]:
        listed = self._list(path, value, "two or more levels")
        levels: list[Level] = []
        for at, one in enumerate(listed):
            level = self._scalar((*path, at), one)
            if level is None:
                self._expected((*path, at), "a text, a number or a truth value")
            elif any(_same(level, other) for other in levels):
                self._wrong((*path, at), f"expected each level once, got {self.tree.got((*path, at))} again")
            else:
                levels.append(level)
        if listed and not 2 <= len(levels) <= MOST_LEVELS and not self.problems:
            self._wrong(path, f"expected 2 to {MOST_LEVELS} levels, got {len(levels)}")
        return tuple(levels)

    def _level(self, path: Path, value: object, levels: tuple[Level, ...]) -> int | None:
        """Return the number of a level; ``None`` and a problem where it is none."""
        level = self._scalar(path, value)
        for at, one in enumerate(levels):
            if level is not None and _same(level, one):
                return at
        known = [str(one) for one in levels]
        self._wrong(path, f"unknown level {self.tree.got(path)}{choices(str(level), known)}")
        return None

    def _excluded(self, space: Space, value: object) -> Iterator[Mapping[int, int]]:
        if value is None:
            return
        places = {factor.name: at for at, factor in enumerate(space.factors)}
        for number, one in enumerate(self._list(("exclude",), value, "combinations")):
            path = ("exclude", number)
            words = self._mapping(path, one, tuple(places))
            part = {
                places[name]: self._level((*path, name), level, space.factors[places[name]].levels) or 0
                for name, level in words.items()
                if name in places
            }
            if not part:
                self._expected(path, "levels by factor")
            if all(space.default[at] == level for at, level in part.items()):
                self._wrong(path, "expected combinations without the default, which is always measured")
            yield part

    def _possible(self, space: Space) -> Space:
        import numpy as np

        default = np.array([space.default], dtype=np.int16)
        if not self.problems and len(space.candidates(np.random.default_rng(0), default)) < 2:
            self._wrong(("exclude",), "expected some combination beside the default to be left")
        return space

    def _fidelities(self, whole: Mapping[str, object]) -> tuple[float, ...]:
        if "fidelities" not in whole:
            return (1.0,)
        path = ("fidelities",)
        listed = self._list(path, whole["fidelities"], "shares of a full evaluation")
        shares = [self._number((*path, at), one) for at, one in enumerate(listed)]
        good = sorted({share for share in shares if share is not None and 0 < share <= 1}, reverse=True)
        if len(good) != len(shares) or good[:1] != [1.0]:
            self._wrong(path, "expected different shares above 0, 1.0 among them, like [0.1, 1.0]")
            return (1.0,)
        return tuple(good)

    def _mapping(self, path: Path, value: object, known: tuple[str, ...]) -> dict[str, object]:
        if not isinstance(value, dict):
            self._expected(path, f"a mapping of {', '.join(known)}")
            return {}
        for word in value:
            if word not in known:
                problem = f"unknown word '{word}'{choices(word, known)}"
                self.problems.append(self.tree.problem((*path, word), problem, key=True))
        return value

    def _list(self, path: Path, value: object, what: str) -> list[object]:
        if isinstance(value, list) and value:
            return value
        self._expected(path, f"a list of {what}")
        return []

    def _scalar(self, path: Path, value: object) -> Level | None:
        if isinstance(value, float):  # not told by the tree: its text is
            return self._number(path, value)
        return value if isinstance(value, str | int) else None

    def _number(self, path: Path, value: object) -> float | None:
        if _is_whole(value):
            return float(value)
        try:
            number = float(self.tree.got(path)) if isinstance(value, float) else math.nan
        except ValueError:
            return None
        return number if math.isfinite(number) else None

    def _expected(self, path: Path, what: str) -> None:
        self._wrong(path, f"expected {what}, got {self.tree.got(path)}")

    def _wrong(self, path: Path, sentence: str) -> None:
        place = path
        while place and place not in self.tree.places:
            place = place[:-1]
        self.problems.append(self.tree.problem(place, sentence))


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _same(one: Level, other: Level) -> bool:
    """Tell whether two levels are one; 1 is not ``true``."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)
