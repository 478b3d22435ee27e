"""The detector as Geant4 builds it: scintillator in water, photomultipliers that count who hits them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import geant4_pybind as g

from . import geometry

_ENERGIES_EV = (1.5, 2.7, 3.2, 4.5)
_ELEMENTS = (("H", 1, 1.008), ("C", 6, 12.011), ("O", 8, 15.999))


class Hits(g.G4VSensitiveDetector):  # type: ignore[misc]
    """Counts the photons that each photomultiplier detects.

    Attributes:
        counts: By number of the photomultiplier, since the event began.
    """

    def __init__(self) -> None:
        super().__init__("pmts")
        self.counts: Counter[int] = Counter()

    def ProcessHits(self, step: Any, _history: Any) -> bool:
        """Count a photon that was detected."""
        self.counts[step.GetPostStepPoint().GetTouchable().GetCopyNumber()] += 1
        return True


class Detector(g.G4VUserDetectorConstruction):  # type: ignore[misc]
    """Makes volumes, materials and surfaces.

    Args:
        hits: Told of each photon that is detected.
        scintillates: Electrons in it make light.
    """

    def __init__(self, hits: Hits, *, scintillates: bool) -> None:
        super().__init__()
        self._hits, self._scintillates, self._kept = hits, scintillates, list[Any]()

    def Construct(self) -> Any:
        """Make all volumes and return the outermost."""
        self._elements = {
            symbol: g.G4Element(symbol, symbol, charge, mass * g.g / g.mole)
            for symbol, charge, mass in _ELEMENTS
        }
        water, scintillator = self._water(), self._scintillator()
        world = _orb("world", geometry.WORLD_M, water)
        everything = _put(world, None, (0.0, 0.0, 0.0), 0)
        inner = _orb("scintillator", geometry.SCINTILLATOR_M, scintillator)
        self._pmt = _orb("pmt", geometry.PMT_M, water)
        self._kept += [world, inner, everything, _put(inner, world, (0.0, 0.0, 0.0), 0)]
        self._kept += [
            _put(self._pmt, world, place, number) for number, place in enumerate(geometry.pmt_places())
        ]
        cathode = g.G4OpticalSurface("cathode", g.unified, g.polished, g.dielectric_metal)
        seen = _table(REFLECTIVITY=0.0, EFFICIENCY=geometry.EFFICIENCY)
        cathode.SetMaterialPropertiesTable(seen)
        self._kept += [cathode, seen, g.G4LogicalSkinSurface("cathode", self._pmt, cathode)]
        return everything

    def ConstructSDandField(self) -> None:
        """Let photomultipliers tell what they detect."""
        g.G4SDManager.GetSDMpointer().AddNewDetector(self._hits)
        self.SetSensitiveDetector(self._pmt, self._hits)

    def _water(self) -> Any:
        table = _table(RINDEX=geometry.WATER_INDEX, ABSLENGTH=geometry.WATER_ABSORPTION_M * g.m)
        return self._material("water", 1.0, {"H": 2, "O": 1}, table)

    def _scintillator(self) -> Any:
        table = _table(
            RINDEX=geometry.SCINTILLATOR_INDEX,
            ABSLENGTH=geometry.SCINTILLATOR_ABSORPTION_M * g.m,
            RAYLEIGH=geometry.SCINTILLATOR_RAYLEIGH_M * g.m,
        )
        if self._scintillates:
            emitted = _by_energy((0.0, 1.0, 1.0, 0.0))
            table.AddProperty("SCINTILLATIONCOMPONENT1", *emitted)
            table.AddConstProperty("SCINTILLATIONYIELD", geometry.LIGHT_PER_MEV / g.MeV)
            table.AddConstProperty("SCINTILLATIONTIMECONSTANT1", 5.0 * g.ns)
            table.AddConstProperty("RESOLUTIONSCALE", 1.0)
        return self._material("scintillator", 0.86, {"C": 18, "H": 30}, table)

    def _material(self, name: str, density: float, atoms: dict[str, int], table: Any) -> Any:
        made = g.G4Material(name, density * g.g / g.cm3, len(atoms))
        for symbol, number in atoms.items():
            made.AddElement(self._elements[symbol], number)
        made.SetMaterialPropertiesTable(table)
        self._kept += [made, table]
        return made


def _orb(name: str, radius_m: float, material: Any) -> Any:
    return g.G4LogicalVolume(g.G4Orb(name, radius_m * g.m), material, name)


def _put(volume: Any, mother: Any, place_m: tuple[float, float, float], number: int) -> Any:
    place = g.G4ThreeVector(*(g.m * length for length in place_m))
    return g.G4PVPlacement(None, place, volume, str(volume.GetName()), mother, pMany=False, pCopyNo=number)


def _table(**properties: float) -> Any:
    """Return a table of properties that are the same for all energies of light."""
    table = g.G4MaterialPropertiesTable()
    for name, value in properties.items():
        table.AddProperty(name, *_by_energy((value,) * len(_ENERGIES_EV)))
    return table


def _by_energy(values: tuple[float, ...]) -> tuple[Any, Any]:
    energies = g.G4doubleVector([energy * g.eV for energy in _ENERGIES_EV])
    return energies, g.G4doubleVector(list(values))
