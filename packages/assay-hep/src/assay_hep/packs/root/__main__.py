"""Runs the pack out of an environment that has uproot: ``python -m assay_hep.packs.root``."""

import sys

from .command import run

if __name__ == "__main__":
    sys.exit(run(sys.argv[1:], started=(sys.executable, "-m", "assay_hep.packs.root")))
