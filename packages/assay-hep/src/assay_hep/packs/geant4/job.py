"""One job: initialization, then events one after the other, each held against what the light allows."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import geant4_pybind as g

from ..phases import tell
from .detector import Detector, Hits
from .light import Light
from .physics import COMMANDS, Physics, Source, apply

SCHEMA = "assay.geant4/1.0"
_LINES = 20
"""Times that a job tells how far it is: each wakes the probe."""


@dataclass(frozen=True)
class Job:
    """What is simulated.

    Attributes:
        events: How many.
        photons: Optical photons that start in each; ``None`` starts one electron.
        seed: Of all random numbers.
    """

    events: int
    photons: int | None
    seed: int


@dataclass
class _Done:
    light: Light = field(default_factory=Light)
    digest: Any = field(default_factory=hashlib.sha256)


class _Event(g.G4UserEventAction):  # type: ignore[misc]
    """Takes what an event's photomultipliers detected."""

    def __init__(self, hits: Hits, ended: Callable[[], None]) -> None:
        super().__init__()
        self._hits, self._ended = hits, ended

    def BeginOfEventAction(self, _event: Any) -> None:
        self._hits.counts.clear()

    def EndOfEventAction(self, _event: Any) -> None:
        self._ended()


class _Actions(g.G4VUserActionInitialization):  # type: ignore[misc]
    def __init__(self, job: Job, hits: Hits, done: _Done) -> None:
        super().__init__()
        self._job, self._hits, self._done = job, hits, done

    def Build(self) -> None:
        self._event = _Event(self._hits, self._ended)
        self._source = Source(self._job.seed, self._job.photons, self._done.light.began)
        self.SetUserAction(self._source)
        self.SetUserAction(self._event)

    def _ended(self) -> None:
        hits, done = self._hits.counts, self._done
        number = done.light.ended(hits.total())
        counts = ",".join(f"{pmt}:{count}" for pmt, count in sorted(hits.items()))
        done.digest.update(f"{number}={counts};".encode())
        if number == self._job.events or number % max(1, self._job.events // _LINES) == 0:
            tell(f"events {number}")


def simulate(job: Job) -> dict[str, Any]:
    """Run a job and return its report.

    Raises:
        PackError: other light was detected than such a detector sees.
    """
    began, done, hits = time.monotonic(), _Done(), Hits()
    manager = g.G4RunManagerFactory.CreateRunManager(g.G4RunManagerType.Serial)
    manager.SetVerboseLevel(0)
    parts = (
        Detector(hits, scintillates=job.photons is None),
        Physics(electrons=job.photons is None),
        _Actions(job, hits, done),
    )
    for part in parts:
        manager.SetUserInitialization(part)
    apply(COMMANDS)
    manager.Initialize()
    manager.BeamOn(0)  # closes the geometry and makes the tables, which is initialization, too
    tell("phase event-loop")
    started = time.monotonic()
    manager.BeamOn(job.events)
    loop_s = time.monotonic() - started
    tell("phase end")
    light = done.light.checked(job.events, job.photons)
    return {
        "schema": SCHEMA,
        "geant4": str(g.G4Version).strip("$ ").removeprefix("Name: "),
        "particle": "e-" if job.photons is None else "opticalphoton",
        "seed": job.seed,
        "digest": done.digest.hexdigest()[:16],
        **light,
        "seconds": {"init": started - began, "event_loop": loop_s},
    }
