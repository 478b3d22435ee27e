"""The reference HEP chain: each of its steps, and all in turn."""

from __future__ import annotations

from functools import partial

from assay.workloads.tool import ReadyWorkload, Tool
from assay.workloads.tools.chain import definition
from assay.workloads.tools.chain.report import digest, parse

_TITLES = {
    "chain-phygen": "The reference chain's generator of particles.",
    "chain-detsim": "The reference chain's detector simulation: optical photons, one by one.",
    "chain-elecsim": "The reference chain's electronics simulation: waveforms, the most output of all.",
    "chain-elecsim-no-output": "The reference chain's electronics simulation with nothing written.",
    "chain-pmtrec": "The reference chain's waveform reconstruction: charge and time by deconvolution.",
    "chain-evtrec": "The reference chain's event reconstruction: vertex and energy by likelihood.",
    "chain-analysis": "A pass over many reconstructed events of the reference chain.",
    "chain-powheg": "An event generator that writes text by many small appends.",
    "chain": "The reference chain, from particles to reconstructed events.",
    "chain-gen-sim-digi-reco": (
        "The reference chain under a collider experiment's names, with many small files."
    ),
}

CHAIN = Tool(
    "chain",
    workloads=tuple(
        ReadyWorkload(
            name,
            title,
            partial(definition.workload, name),
            partial(parse, name),
            parameters=definition.parameters(name),
            digest=partial(digest, name),
            usage=True,
            disk_bytes=definition.disk_bytes,
        )
        for name, title in _TITLES.items()
    ),
)
