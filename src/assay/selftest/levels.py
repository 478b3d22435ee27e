"""Levels of factors that could not be had where assay is built, and so were never run there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from assay.factors.base.evidence import Host
from assay.factors.base.places import Places
from assay.factors.catalogue import FACTORS, acts_left, refused

RECORDING = Path(__file__).with_name("built-on.json")
"""What the machine on which assay is built said of the catalogue (``tools/factor-docs --record``)."""


def never_tried() -> Mapping[str, str]:
    """Return each level, ``cpu.mode=host-model``, or factor with all of its levels, ``host.governor``, that
    was never tried, with the reason; places of a site are not among them, which are used where they are named
    alone.
    """
    refusals: dict[str, str] = json.loads(RECORDING.read_text())["refused"]
    known = ((said, why, FACTORS.get(said.partition("=")[0])) for said, why in refusals.items())
    return {said: why for said, why, one in known if one and not isinstance(one.levels, Places)}


def levels_here(host: Host) -> Iterator[tuple[str, str]]:
    """Yield factor and level of all of them that a paused guest can be tried with on a machine."""
    for said in never_tried():
        name, _, level = said.partition("=")
        for one in (level,) if level else FACTORS[name].levels.choices:
            settings = {name: one}
            if not FACTORS[name].of_host and not refused(settings, host) and not acts_left(settings, host):
                yield name, one
