"""The wheel has the native programs inside, and is tagged for the platform that they are for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PROGRAMS = ("probe/bin/assay-probe", "report/bin/assay-flame", "workloads/bin/chain")
PLATFORM = "manylinux_2_17_x86_64.musllinux_1_1_x86_64"
"""They are static: any C library will do."""


class WheelHook(BuildHookInterface):
    """Refuses a wheel without the programs; an editable installation finds them in the tree once they are
    built.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Look for the programs, and name the platform."""
        if version == "editable":
            return
        package = Path(self.root, "src/assay")
        missing = [name for name in PROGRAMS if not os.access(package / name, os.X_OK)]
        if missing:
            msg = f"cannot build a wheel without {', '.join(missing)}: make wheel"
            raise FileNotFoundError(msg)
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{PLATFORM}"
