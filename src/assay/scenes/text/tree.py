"""YAML as plain values with the place of each."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.scenes.text.errors import Problem, SceneError
from assay.scenes.text.syntax import compose

if TYPE_CHECKING:
    from ruamel.yaml.nodes import MappingNode, Node, ScalarNode

Path = tuple[str | int, ...]
"""Keys and list positions from the root to a value."""

_TAG = "tag:yaml.org,2002:"
_TAGS = frozenset(
    f"{_TAG}{kind}" for kind in ("map", "seq", "str", "int", "float", "bool", "null", "timestamp")
)
_OLD_TRUTHS = frozenset({"yes", "no", "on", "off", "true", "false"})
"""YAML 1.1, which editors still follow, reads these as truth values."""


@dataclass
class Tree:
    """A scene file's values and where they stand.

    Attributes:
        file: Its name.
        value: Mappings, lists, texts, whole numbers; a scalar that YAML reads as something else keeps that.
        places: Line and column from 1 of each value.
        keys: Line and column of each key.
        texts: Each value as it is written, for messages.
    """

    file: str
    value: object = None
    places: dict[Path, tuple[int, int]] = field(default_factory=dict)
    keys: dict[Path, tuple[int, int]] = field(default_factory=dict)
    texts: dict[Path, str] = field(default_factory=dict)

    def problem(self, path: Path, sentence: str, *, hint: str | None = None, key: bool = False) -> Problem:
        """Return a problem at a value, or at its key."""
        place = self.keys.get(path) if key else None
        return Problem(*(place or self.places.get(path, (1, 1))), sentence, hint)

    def got(self, path: Path) -> str:
        """Return a value in the words of a message."""
        return self.texts.get(path, "nothing")


def read_tree(text: str, file: str) -> Tree:
    """Return the values of a YAML text.

    Raises:
        SceneError: not YAML, empty, more than one document, repeated keys, or YAML's own machinery (tags,
            anchors), which a closed vocabulary does not need.
    """
    root = compose(text, file)
    if root is None:
        raise SceneError(file, [Problem(1, 1, "expected a scene, got an empty file", _START)])
    tree, problems = Tree(file), list[Problem]()
    tree.value = _value(root, (), tree, problems)
    if problems:
        raise SceneError(file, problems)
    return tree


_SHOWN = 60
"""Letters of a value in a message, which is one line."""
_START = "start from a ready scene: assay scene show quick"


def _value(node: Node, path: Path, tree: Tree, problems: list[Problem]) -> object:
    from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

    tree.places[path] = _mark(node)
    if node.anchor is not None or str(node.tag) not in _TAGS:
        problems.append(tree.problem(path, "expected plain YAML, got an anchor, an alias or a tag"))
        return None
    if isinstance(node, MappingNode):
        values = dict(_items(node, path, tree, problems))
        tree.texts[path] = f"a mapping of {', '.join(values)}" if values else "an empty mapping"
        return values
    if isinstance(node, SequenceNode):
        tree.texts[path] = "a list" if node.value else "an empty list"
        return [_value(item, (*path, index), tree, problems) for index, item in enumerate(node.value)]
    assert isinstance(node, ScalarNode)  # noqa: S101 - YAML has these three
    if (text := _joined(node.value)) is None:
        problems.append(tree.problem(path, _HALF))
        return None
    node.value = text
    tree.texts[path] = _spell(node)
    return _scalar(node)


def _items(
    node: MappingNode, path: Path, tree: Tree, problems: list[Problem]
) -> Iterator[tuple[str, object]]:
    for key, value in node.value:
        word = _joined(key.value) if isinstance(key.value, str) else "?"
        if word is None:
            problems.append(Problem(*_mark(key), _HALF))
            continue
        place = (*path, word)
        if place in tree.keys:
            first = tree.keys[place][0]
            sentence = f"expected each key once, got '{word}' again (first in line {first})"
            problems.append(Problem(*_mark(key), sentence))
            continue
        tree.keys[place] = _mark(key)
        yield word, _value(value, place, tree, problems)
        if tree.texts.get(place) == "nothing":
            tree.places[place] = tree.keys[place]  # YAML puts what is not there into the next line


_HALF = "expected text, got half of a surrogate pair"


def _joined(text: str) -> str | None:
    r"""Return a text with the pairs that JSON writes as ``\ud83d\ude00`` as one character; ``None`` with half
    a pair.
    """
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        return None


def _scalar(node: ScalarNode) -> object:
    if node.style in {"'", '"', "|", ">"}:
        return node.value
    if node.value.lower() in _OLD_TRUTHS:
        return node.value.lower() in {"yes", "on", "true"}
    kind = str(node.tag).removeprefix(_TAG)
    if kind == "int" and re.fullmatch(r"[-+]?(0|[1-9][0-9]{0,30})", node.value):
        return int(node.value)
    if kind == "float":
        return math.nan  # no word of a scene takes one; messages show what was written
    return None if kind == "null" else node.value


def _spell(node: ScalarNode) -> str:
    words = "".join(letter if letter.isprintable() else "␣" for letter in node.value)
    words = words if len(words) <= _SHOWN else f"{words[:_SHOWN]}…"
    quoted = node.style in {"'", '"', "|", ">"} or isinstance(_scalar(node), str)
    return f"'{words}'" if quoted else words or "nothing"


def _mark(node: Node) -> tuple[int, int]:
    return node.start_mark.line + 1, node.start_mark.column + 1
