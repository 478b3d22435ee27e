"""What is wrong in a scene file, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.model.errors import AssayError

SHOWN = 10
"""More problems than this are the same mistake again, or another file altogether."""


@dataclass(frozen=True, order=True)
class Problem:
    """One wrong place in a scene file.

    Attributes:
        line: Line from 1; 0 where the file as a whole is meant.
        column: Column from 1; 0 where the file as a whole is meant.
        sentence: ``expected <what>, got <what>``, with the nearest known word where there is one.
        hint: What to write or to check; ``None`` where the sentence says it all.
    """

    line: int
    column: int
    sentence: str
    hint: str | None = None


class SceneError(AssayError):
    """A scene that cannot be used; the message has one line a problem, in the order of the file.

    Args:
        file: The scene file as it was named.
        problems: What is wrong, at least one problem; ``line``, ``column`` are those of the first.
        more: Further ones that are counted alone.
    """

    what = "scene"
    """What the file was to be."""

    def __init__(self, file: str, problems: Sequence[Problem], *, more: int = 0) -> None:
        self.file, self.problems = file, tuple(sorted(problems, key=lambda p: (p.line, p.column, p.sentence)))
        first = self.problems[0]
        self.line, self.column = first.line, first.column
        hints = (problem.hint for problem in self.problems if problem.hint is not None)
        super().__init__(_message(self.what, file, self.problems, max(0, more)), hint=next(hints, None))


def _message(what: str, file: str, problems: Sequence[Problem], more: int) -> str:
    lines = [_spell(what, file, problem) for problem in problems[:SHOWN]]
    if (rest := len(problems[SHOWN:]) + more) > 0:
        lines.append(f"{file}: and {rest} more")
    return "\n".join(lines)


def _spell(what: str, file: str, problem: Problem) -> str:
    sentence = "\\n".join(problem.sentence.splitlines())  # a key may hold a line break
    if problem.line == 0:
        return f"cannot read the {what} {file}: {sentence}"
    return f"{file}:{problem.line}:{problem.column}: {sentence}"
