"""What pydantic found wrong -> a problem at its place, in the words of the scene file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from assay.factors.catalogue import FACTORS
from assay.factors.start.starts import WORDS as START_WORDS
from assay.scenes.forms.form import FORMS, known_words
from assay.scenes.text.errors import Problem
from assay.scenes.text.tree import Path, Tree
from assay.scenes.values.expected import ExpectedError, nearest
from assay.scenes.values.settings import is_generic
from assay.scenes.values.words import LATER, NOT_YET, OF_MACHINES

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

CATALOGUE = "or what 'assay factors list' lists"
_EXPECTED = {
    "model_type": "a mapping of words to values",
    "dict_type": "a mapping of words to values",
    "list_type": "a list",
    "bool_type": "true or false",
    "too_short": "at least one item",
}


def place_of(error: ErrorDetails, tree: Tree) -> tuple[int, int]:
    """Return line and column of a finding."""
    path = _path(error["loc"], tree)
    return tree.keys.get(path) or tree.places.get(path, (1, 1))


def to_problem(error: ErrorDetails, tree: Tree) -> Problem:
    """Return one finding of pydantic as a problem of the scene file."""
    path = _path(error["loc"], tree)
    cause = error.get("ctx", {}).get("error")
    if error["loc"][-1:] == ("[key]",) and isinstance(cause, ExpectedError):
        return tree.problem(path, f"expected {cause.expected}, got '{path[-1]}'", key=True)
    if error["type"] == "extra_forbidden":
        return _unknown_key(path, tree, known=known_words(error["loc"][:-1]))
    if error["type"] == "missing":
        return tree.problem(path, f"expected the key '{error['loc'][-1]}', got none")
    if isinstance(cause, ExpectedError):
        return tree.problem(path, _spell(cause, tree.got(path)), hint=cause.hint)
    return tree.problem(path, f"expected {_EXPECTED.get(error['type'], error['msg'])}, got {tree.got(path)}")


def _path(loc: Iterable[str | int], tree: Tree) -> Path:
    """Follow pydantic's place as far as the file goes; its names for choices are in angle brackets."""
    path: Path = ()
    for step in loc:
        if (*path, step) in tree.places or (*path, step) in tree.keys:
            path = (*path, step)
    return path


def _unknown_key(path: Path, tree: Tree, *, known: Sequence[str]) -> Problem:
    word = str(path[-1])
    if path[-2:-1] == ("factors",) and word in START_WORDS:
        sentence = f"expected a factor of this treatment ({_spelt(known)}), got '{word}'"
        return tree.problem(path, sentence, hint=f"layout: {{guests: 4, {START_WORDS[word]}: …}}", key=True)
    if path[-2:-1] == ("factors",) and (home := _home(word)) is not None:
        sentence = f"expected a factor of this treatment ({_spelt(known)}), got '{word}'"
        return tree.problem(path, sentence, hint=f"'{word}' belongs to a treatment with '{home}'", key=True)
    if word in LATER:
        return tree.problem(path, f"expected one of {_spelt(known)}, got '{word}': {NOT_YET}", key=True)
    sentence = f"expected one of {_spelt(known)}, got the unknown key '{word}'"
    return tree.problem(path, sentence + _nearest_key(word, known), key=True)


def _spelt(known: Sequence[str]) -> str:
    """Spell what is known at a place; the catalogue of factors is too long for a message."""
    own = [word for word in known if not is_generic(word) or word in OF_MACHINES]
    return ", ".join([*own, CATALOGUE] if len(own) < len(known) else own)


def _home(factor: str) -> str | None:
    """Return the kind of treatment that a factor belongs to; ``None`` where it is no factor."""
    if factor == "runsc.platform":
        return "platform: runsc"
    return "machine: NAME" if factor in OF_MACHINES else "platform: guest" if factor in FACTORS else None


def _nearest_key(word: str, known: Sequence[str]) -> str:
    """Spell the key's own place if it has one, the nearest key that is known here, or one that is known
    elsewhere.
    """
    homes = {key: place for place in FORMS if place for key in known_words(place)}
    if word not in homes and (near := nearest(word, known)):
        return f"; nearest: '{near}'"
    if near := nearest(word, homes):
        return f"; nearest: '{near}', which belongs to {homes[near][0]}"
    return ""


def _spell(cause: ExpectedError, got: str) -> str:
    near = f"; nearest: '{cause.nearest}'" if cause.nearest else ""
    return f"expected {cause.expected}, got {got}{near}"
