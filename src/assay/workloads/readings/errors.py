"""What goes wrong when a figure of a user's own program is read."""

from __future__ import annotations

from assay.model.errors import AssayError


class ReadingError(AssayError):
    """What a copy wrote does not say a figure; no value is guessed from it.

    Args:
        metric: Name of the figure.
        place: Where it was looked for, in words.
        problem: What was expected and what was there.
    """

    def __init__(self, metric: str, place: str, problem: str) -> None:
        self.metric, self.place, self.problem = metric, place, problem
        super().__init__(
            f"cannot read '{metric}' from {place}: {problem}",
            hint="the trial's record keeps what each copy wrote: stdout, stderr, and the files under files/",
        )
