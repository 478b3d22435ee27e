"""Runs the pack out of an environment that has geant4-pybind: ``python -m assay_hep.packs.geant4``."""

import sys

from .command import run

if __name__ == "__main__":
    sys.exit(run(sys.argv[1:], started=()))
