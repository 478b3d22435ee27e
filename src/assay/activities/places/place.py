"""A place where the trials of an arm run, as the conductor sees it: every kind is opened by the same door."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import ClassVar, Protocol

from assay.activities.visits.visit import Visit
from assay.model.trial import PlannedTrial


class Place(Protocol):
    """Where the trials of one arm run.

    What every kind keeps to (``tests/activities/test_places.py``):

    - ``prepare`` is called once a session, before the first ``open``; ``reopen``, ``end`` and ``clear`` may
      come before it.
    - What ``open`` yields can be used until its context is left. What was made for the visit is gone then,
      whether the visit failed or not and whatever signal comes meanwhile; what stood there before is left as
      it was.
    - ``reopen`` yields what a process that was cut off left, or ``None`` where nothing is left of it. What
      was made for that visit is gone afterwards, unless the error says that its record may still be brought
      home.
    - ``end`` and ``clear`` do nothing where nothing is left.

    Attributes:
        stands: It is there before and after a visit: nothing is made for one.
        watched: It is a guest: its host is watched while a trial runs.
    """

    stands: ClassVar[bool]
    watched: ClassVar[bool]

    def prepare(self) -> None:
        """Make what all its visits of a session share.

        Raises:
            AssayError: It cannot be had here.
        """

    def open(self, trial: PlannedTrial) -> AbstractContextManager[Visit]:
        """Open it for the visit that a trial belongs to.

        Raises:
            UnreachableError: It does not answer.
            PlatformError: It does not start, or is not what was asked for.
        """

    def reopen(self, trial: PlannedTrial, made: str | None) -> AbstractContextManager[Visit | None]:
        """Open what a visit that was cut off left; raises as ``open``.

        Args:
            trial: The trial that was under way.
            made: Name of what was made for that visit; ``None`` where nothing was, or nothing that can be
                taken up.
        """

    def end(self, made: str) -> None:
        """End what was made for a visit that was cut off, by its name."""

    def clear(self) -> None:
        """End all that a former process of this activity left of its visits."""
