"""Where the figures of a result's page lead: in a file nowhere, on a site to the trials behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from assay.pages.context import TrialPoint
from assay.pages.families.events import EventScan, SizeLoss
from assay.pages.score import Score


class Links(Protocol):
    """Tells the addresses behind figures; ``None`` where there is none."""

    def trials(self, workload: str | None, metric: str | None, treatment: str | None) -> str | None:
        """Return the address of the trials behind a loss and its values."""
        ...

    def size(self, scan: EventScan, size: SizeLoss) -> str | None:
        """Return the address of the trials of one event number of a scan."""
        ...

    def parts(self, score: Score) -> Sequence[tuple[str, str]]:
        """Return what a score is formed of, each by its name and the address of its trials."""
        ...

    def record(self, trial: TrialPoint) -> str | None:
        """Return the address of a trial's record."""
        ...


class Nowhere:
    """The links of a file: none."""

    def trials(self, workload: str | None, metric: str | None, treatment: str | None) -> None:
        """Return nothing; as ``Links``."""

    def size(self, scan: EventScan, size: SizeLoss) -> None:
        """Return nothing; as ``Links``."""

    def parts(self, score: Score) -> tuple[()]:  # noqa: ARG002
        """Return nothing; as ``Links``."""
        return ()

    def record(self, trial: TrialPoint) -> None:
        """Return nothing; as ``Links``."""
