"""Geant4 by the pack ``geant4``: optical photons, or electrons and their light."""

from __future__ import annotations

from functools import partial

from assay.workloads.tool import ReadyWorkload, Tool
from assay.workloads.tools.geant4 import definition

GEANT4 = Tool(
    "geant4",
    workloads=tuple(
        ReadyWorkload(
            name,
            title,
            partial(definition.workload, name),
            partial(definition.parse, name),
            parameters=parameters,
            digest=partial(definition.digest, name),
            usage=True,
        )
        for name, title, parameters in (
            (
                definition.OPTICAL,
                "Optical photons tracked by Geant4 through scintillator, water and photomultipliers.",
                ("events", "photons"),
            ),
            (
                definition.ELECTRON,
                "Electrons and their light in scintillator, tracked by Geant4.",
                ("events",),
            ),
        )
    ),
)
