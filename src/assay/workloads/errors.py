"""What goes wrong when a tool's output is read."""

from __future__ import annotations

from assay.model.errors import AssayError


class OutputError(AssayError):
    """A tool's output does not say what was to be measured; no value is guessed from it.

    Args:
        tool: Whose output it is.
        line: Line of the output from 1 where reading stopped; ``None`` where no line is to blame.
        problem: What was expected and what was there, or the tool's own words.
    """

    def __init__(self, tool: str, line: int | None, problem: str) -> None:
        self.tool, self.line, self.problem = tool, line, problem
        place = f"line {line}: " if line is not None else ""
        super().__init__(
            f"cannot read the output of {tool}: {place}{problem}",
            hint="the trial's record keeps the whole output in its file stdout",
        )
