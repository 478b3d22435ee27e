"""YAML text -> nodes with their places; what is no YAML, at its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.scenes.text.errors import Problem, SceneError

if TYPE_CHECKING:
    from ruamel.yaml.nodes import Node


def compose(text: str, file: str) -> Node | None:
    """Return the root of a YAML text, ``None`` for an empty one.

    Raises:
        SceneError: not YAML, or more than one document.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError
    from ruamel.yaml.reader import ReaderError

    yaml = YAML(typ="safe", pure=True)
    yaml.composer.warn_double_anchors = False  # each is refused, at its place
    try:
        node: Node | None = yaml.compose(text)
    except MarkedYAMLError as error:
        raise SceneError(file, [_syntax_problem(error)]) from error
    except ReaderError as error:
        line, column = _place(text, error.position)
        raise SceneError(file, [Problem(line, column, _CHARACTER)]) from error
    except RecursionError as error:
        raise SceneError(file, [Problem(1, 1, "expected a scene, got brackets without end")]) from error
    return node


_CHARACTER = "expected text, got a control character"


def _syntax_problem(error: Any) -> Problem:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
    reason = ", ".join(words for words in (error.context, error.problem) if words)
    hint = next((hint for words, hint in _SYNTAX_HINTS.items() if words in reason), None)
    return Problem(line, column, f"expected YAML that can be read: {reason}", hint)


_SYNTAX_HINTS = {
    "mapping values are not allowed": "a text with ': ' in it needs quotes",
    r"'\t'": "indent with spaces, not with tabs",
    "cannot start any token": "a text that starts with a sign needs quotes",
    "another document": "one file holds one scene",
}


def _place(text: str, position: int) -> tuple[int, int]:
    return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)
