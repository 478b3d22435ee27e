"""What goes wrong when a tool's output is read."""

from __future__ import annotations

from assay.model.errors import AssayError


class OutputError(AssayError):
    """A tool's output does not say what was to be measured; no value is guessed from it.

    Args:
        tool: Whose output it is.
        line: Line of the output from 1 where reading stopped; ``None`` where no line is to blame.
        problem: What was expected and what was there, or the tool's own words.
        file: Where the output was kept, ``runs/fio.json``; ``None`` where it came from a trial.
    """

    def __init__(self, tool: str, line: int | None, problem: str, *, file: str | None = None) -> None:
        self.tool, self.line, self.problem, self.file = tool, line, problem, file
        super().__init__(f"cannot read {_place(tool, line, file)}: {problem}")

    def of(self, file: str) -> OutputError:
        """Return the same error of a file that a person named."""
        return OutputError(self.tool, self.line, self.problem, file=file)


def _place(tool: str, line: int | None, file: str | None) -> str:
    if file is not None:
        return file if line is None else f"{file}:{line}"
    return f"the output of {tool}" if line is None else f"the output of {tool}: line {line}"
