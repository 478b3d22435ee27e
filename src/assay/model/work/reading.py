"""How the figures of a user's own program are read, and when it succeeded."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from assay.model.metric import Metric


class Of(StrEnum):
    """Which of several numbers counts."""

    FIRST = "first"
    LAST = "last"
    SUM = "sum"
    MEAN = "mean"


@dataclass(frozen=True)
class Reading:
    """Where one figure stands in what each copy wrote; one of ``pattern``, ``pointer`` and ``figure`` is
    said.

    Attributes:
        metric: What it is.
        pattern: Regular expression with one group, searched in each line; the group is the number.
        pointer: JSON Pointer (RFC 6901) to the number.
        figure: Metric of the workload's reader (``Workload.reader``).
        labels: Labels that the reader's figure has; it may have others.
        file: Where it stands, relative to the copy's folder; ``None`` is standard output.
        of: Which of several; ``None`` refuses several.
    """

    metric: Metric
    pattern: str | None = None
    pointer: str | None = None
    figure: str | None = None
    labels: tuple[tuple[str, str], ...] = ()
    file: str | None = None
    of: Of | None = None


@dataclass(frozen=True)
class Success:
    """When a job that came to its end has succeeded; one that has not is a failed trial, and no figure.

    Attributes:
        exit: Exit codes that are good, 0 to 255.
        pattern: Regular expression that a line must match; ``None`` asks for none.
        absent: Regular expression that no line may match.
        log: File in which they are looked for, relative to the copy's folder; ``None`` is standard output and
            standard error.
        files: Files that must be there and not empty, relative to the copy's folder.
    """

    exit: tuple[int, ...] = (0,)
    pattern: str | None = None
    absent: str | None = None
    log: str | None = None
    files: tuple[str, ...] = ()
