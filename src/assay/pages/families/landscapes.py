"""What a page says of landscapes, as data: one metric of a workload over file sizes and record sizes."""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

from dataclasses import dataclass

from assay.model.figures.estimate import Verdict
from assay.pages.say import say


@dataclass(frozen=True)
class LandscapeCell:
    """One file size with one record size."""

    workload: str = say("Name of the workload, `iozone-s64m-r4k`.")
    size_bytes: int = say("Size of the file.")
    record_bytes: int | None = say("What is moved at once; null where the workload tells of none.")
    baseline_value: float | None = say("Geometric mean on the baseline over blocks; null = not measured.")
    treatment_value: float | None = say("Geometric mean on the treatment over blocks; null = not measured.")
    loss: float | None = say("Loss of throughput, a fraction; null where it was not measured.")
    low: float | None = say("Lower end of its interval; null below two blocks.")
    high: float | None = say("Upper end of its interval; null below two blocks.")
    verdict: Verdict = say("What the interval says.")
    blocks: int = say("Blocks that it rests on.")
    not_comparable: str | None = say("Why its figures cannot be compared, one sentence; null where they can.")
    reason: str | None = say("Why it was not measured, one sentence; null where it was.")

    @property
    def shown(self) -> bool:
        """Whether there is a loss that can be compared."""
        return self.loss is not None and self.not_comparable is None

    @property
    def holds_zero(self) -> bool:
        """Whether the interval of its loss holds zero, or is not known."""
        return self.low is None or self.high is None or self.low <= 0 <= self.high


@dataclass(frozen=True)
class Landscape:
    """One metric of a workload over the sizes and records at which it ran."""

    workload: str = say(
        "Name of the workload's family, with what tells it apart where it ran in several ways: "
        "`fio, cold files`."
    )
    metric: str = say("Name of the metric, of IOzone and Bonnie++ an operation.")
    unit: str = say("Its unit.")
    treatment: str | None = say("Label of the treatment where there are several; null where there is one.")
    cells: tuple[LandscapeCell, ...] = say("Its points: smallest file first, then smallest record.")

    @property
    def sizes(self) -> tuple[int, ...]:
        """File sizes, smallest first."""
        return tuple(sorted({cell.size_bytes for cell in self.cells}))

    @property
    def records(self) -> tuple[int | None, ...]:
        """Record sizes, smallest first."""
        return tuple(sorted({cell.record_bytes for cell in self.cells}, key=lambda size: size or 0))

    @property
    def measured(self) -> bool:
        """Whether any cell has a loss that can be compared."""
        return any(cell.shown for cell in self.cells)
