"""The packs, as assay's entry points name them."""

from pathlib import Path

from assay.platforms import PackSource

_PROGRAMS, _LOCKS = Path(__file__).parent / "packs", Path(__file__).parent / "locks"

ROOT = PackSource("root", _PROGRAMS, ("numpy>=1.26", "awkward>=2.6", "uproot>=5.3"), _LOCKS)
GEANT4 = PackSource("geant4", _PROGRAMS, ("geant4-pybind>=0.1.3",), _LOCKS)
