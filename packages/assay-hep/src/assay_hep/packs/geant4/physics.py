"""What particles do, and where they start."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import geant4_pybind as g

from . import geometry


class _Particles(g.G4VPhysicsConstructor):  # type: ignore[misc]
    """Those that Geant4's optical physics gives processes to, which must be known before (else it aborts)."""

    def ConstructParticle(self) -> None:
        for kind in (g.G4OpticalPhoton, g.G4Electron, g.G4Positron, g.G4Gamma):
            kind.Definition()

    def ConstructProcess(self) -> None:
        """Add nothing."""


class Physics(g.G4VModularPhysicsList):  # type: ignore[misc]
    """Optical photons alone, or electrons and their light: standard electromagnetic processes and
    scintillation.

    Args:
        electrons: With electrons, which need Geant4's tables (``G4LEDATA``).
    """

    def __init__(self, *, electrons: bool) -> None:
        super().__init__()
        first = g.G4EmStandardPhysics() if electrons else _Particles("particles")
        self._kept = (first, g.G4OpticalPhysics())
        for one in self._kept:
            self.RegisterPhysics(one)

    def SetCuts(self) -> None:
        """Leave them as they are."""


COMMANDS = (
    "/process/optical/boundary/setInvokeSD true",
    "/process/optical/processActivation Cerenkov false",
)
"""Photomultipliers hear of photons that they detect; light is that of scintillation alone, so that it is
known.
"""
_LIGHT = (
    "/gps/particle opticalphoton",
    "/gps/ene/type Lin",
    f"/gps/ene/min {geometry.LOWEST_EV} eV",
    f"/gps/ene/max {geometry.HIGHEST_EV} eV",
    "/gps/ene/gradient 0",
    "/gps/ene/intercept 1",
)
_ELECTRONS = ("/gps/particle e-", "/gps/ene/type Mono", f"/gps/ene/mono {geometry.ELECTRON_MEV} MeV")


class Source(g.G4VUserPrimaryGeneratorAction):  # type: ignore[misc]
    """Starts particles in all directions from the place of an event.

    Args:
        seed: Of places and of Geant4's random numbers.
        photons: In an event; ``None`` starts one electron.
        began: Told the radius of each event, in metres.
    """

    def __init__(self, seed: int, photons: int | None, began: Callable[[float], None]) -> None:
        super().__init__()
        self._seed, self._began, self._source = seed, began, g.G4GeneralParticleSource()
        kind = _ELECTRONS if photons is None else _LIGHT
        number = 1 if photons is None else photons
        apply((*kind, "/gps/pos/type Point", "/gps/ang/type iso", f"/gps/number {number}"))

    def GeneratePrimaries(self, event: Any) -> None:
        """Start the particles of an event."""
        number = event.GetEventID()
        place = geometry.event_place(self._seed, number)
        g.HepRandom.setTheSeed(geometry.event_seed(self._seed, number))
        centre = g.G4ThreeVector(*(g.m * length for length in place))
        self._source.GetCurrentSource().GetPosDist().SetCentreCoords(centre)
        self._source.GeneratePrimaryVertex(event)
        self._began(sum(length**2 for length in place) ** 0.5)


def apply(commands: tuple[str, ...]) -> None:
    """Give commands to Geant4's own interpreter."""
    interpreter = g.G4UImanager.GetUIpointer()
    for command in commands:
        interpreter.ApplyCommand(command)
