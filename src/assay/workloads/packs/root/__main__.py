"""Runs the pack out of assay's own environment: ``python -m assay.workloads.packs.root``."""

import sys

from .command import run

if __name__ == "__main__":
    sys.exit(run(sys.argv[1:], started=(sys.executable, "-m", "assay.workloads.packs.root")))
