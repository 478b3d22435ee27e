"""What the reference chain reconstructs of what it simulated: resolution, bias, linearity, vertices."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from assay.model.files.native import CHAIN
from evidence.page import Figures, Page
from evidence.plot import Panel, Point, svg

SEED, EVENTS, POSITRONS = 7, 200, 600
ENERGIES_MEV = (0.5, 1, 2, 4, 6, 8, 10)
RESOLUTION, VERTEX = "energy resolution", "vertex, median distance"
RESOLUTION_BY_PLACE = "energy resolution by radius cubed"
BIAS, BIAS_BY_PLACE, LINEARITY = "energy bias", "energy bias by radius cubed", "charge found by true charge"
WORSE = 1.5
"""Times what photoelectrons alone would give: charges' spread, the light map and the edge of the sphere come
on top.
"""
BIASED, EDGE_BIASED, EDGE, BENT = 0.01, 0.025, 0.9, 0.02
"""Bias that is allowed in all, in the outermost tenth of the volume, and of charges."""
FEWEST = 100
"""Pulses in a range of charges: those that noise made look like a quarter of a photoelectron are too few to
tell.
"""
VERTEX_M = {0.5: 0.15, 1: 0.12, 2: 0.09, 4: 0.06, 6: 0.05, 8: 0.05, 10: 0.05}
TEXT = f"""
Electrons of one kinetic energy each, {EVENTS} evenly in the whole sphere, `chain run --particle electron --seed {SEED}`; and
{POSITRONS} positrons of 0 to 10 MeV for radius and charge. Every figure is from `physics` in the chain's own report
([what it holds](../chain.md#physics)). *±* is the standard error. The chain is deterministic: these figures are the same on every
machine and for any number of threads.

![Energy resolution, bias, linearity and vertex resolution of the reference chain](physics.svg)

*Light allows* is one over the root of the number of photoelectrons: no reconstruction could do better. Shaded: what the figures
are held to beside three standard errors; bias in the outermost tenth of the sphere, where light is totally reflected, to 2.5 %. By radius:
positrons of all energies together, so that this resolution is to be compared along the radius alone.
"""  # noqa: E501


def page() -> Page:
    """All figures, and their plots."""
    with tempfile.TemporaryDirectory() as folder:
        rows = [row for energy in ENERGIES_MEV for row in electrons(energy, folder)]
        rows += positrons(folder)
    held = {
        f"{BIAS} within 1 % beside three standard errors, at every energy": _within(rows, BIAS, BIASED),
        (
            f"{BIAS_BY_PLACE} within 1 %, and 2.5 % in the outermost tenth, beside three standard errors"
        ): _within([row for row in rows if row["at"] < EDGE], BIAS_BY_PLACE, BIASED)
        and _within(rows, BIAS_BY_PLACE, EDGE_BIASED),
        f"{RESOLUTION} at most {WORSE} times what the light allows, and no better than it": all(
            row["allowed"] - 3 * row["error"] <= row["found"] <= WORSE * row["allowed"] + 3 * row["error"]
            for row in _of(rows, RESOLUTION)
        ),
        f"{LINEARITY} within 2 % beside three standard errors": _within(rows, LINEARITY, BENT),
        "vertices within 15 cm at 0.5 MeV, 5 cm from 6 MeV on": all(
            row["found"] <= VERTEX_M[row["at"]] for row in _of(rows, VERTEX)
        ),
    }
    shown = {
        "what": ("figure", ""),
        "at": ("at", ".3g"),
        "unit": ("", ""),
        "found": ("found", ".4f"),
        "error": ("±", ".4f"),
        "allowed": ("light allows", ".4f"),
        "count": ("of", "d"),
    }
    pictures = {"physics.svg": picture(rows)}
    return Page("physics", "Physics of the reference chain", TEXT, rows, shown, held, pictures)


def electrons(energy_mev: float, folder: str, *, events: int = EVENTS) -> list[Figures]:
    """Simulate and reconstruct electrons of one energy and return their figures."""
    words = ("--particle", "electron", "--energy", str(energy_mev))
    physics = _chain(folder, events, *words)
    error, hits = physics["evtrec"]["energy_error"], physics["detsim"]["hits"] / events
    count, sigma = error["count"], error["sigma"]
    common = {"at": energy_mev, "unit": "MeV", "count": count}
    best = hits**-0.5
    vertex = physics["evtrec"]["vertex_m"]["median_distance"]
    return [
        {"what": BIAS, **common, "found": error["mean"], "error": sigma / count**0.5, "allowed": None},
        {
            "what": RESOLUTION,
            **common,
            "found": sigma,
            "error": sigma / (2 * count) ** 0.5,
            "allowed": best,
        },
        {"what": VERTEX, **common, "found": vertex, "error": None, "allowed": None},
    ]


def positrons(folder: str) -> list[Figures]:
    """Simulate and reconstruct positrons of all energies and return figures by radius and by charge."""
    physics = _chain(folder, POSITRONS)
    places = physics["evtrec"]["energy_error_by_volume"]
    charges = [one for one in physics["pmtrec"]["linearity"] if one["count"] >= FEWEST]
    return [
        *(_mean(BIAS_BY_PLACE, one, one["radius_cubed"], "of the sphere's") for one in places),
        *(_spread(RESOLUTION_BY_PLACE, one, one["radius_cubed"], "of the sphere's") for one in places),
        *(_mean(LINEARITY, one, one["true_charge"], "p.e.", truth=1.0) for one in charges),
    ]


def _mean(what: str, said: Mapping[str, Any], at: float, unit: str, *, truth: float = 0.0) -> Figures:
    error = said["sigma"] / said["count"] ** 0.5
    found = {"found": said["mean"] - truth, "error": error, "allowed": None, "count": said["count"]}
    return {"what": what, "at": at, "unit": unit, **found}


def _spread(what: str, said: Mapping[str, Any], at: float, unit: str) -> Figures:
    error = said["sigma"] / (2 * said["count"]) ** 0.5
    found = {"found": said["sigma"], "error": error, "allowed": None, "count": said["count"]}
    return {"what": what, "at": at, "unit": unit, **found}


def _chain(folder: str, events: int, *words: str) -> dict[str, Any]:
    threads = str(len(os.sched_getaffinity(0)))
    command = (
        str(CHAIN.path()),
        "run",
        "--directory",
        folder,
        "--events",
        str(events),
        "--seed",
        str(SEED),
    )
    done = subprocess.run((*command, "--threads", threads, *words), capture_output=True, check=True)
    physics: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])["physics"]
    return physics


def _of(rows: Sequence[Figures], what: str) -> list[Figures]:
    return [row for row in rows if row["what"] == what]


def _within(rows: Sequence[Figures], what: str, most: float) -> bool:
    return all(abs(row["found"]) <= most + 3 * row["error"] for row in _of(rows, what))


def picture(rows: Sequence[Figures]) -> str:
    """Return the plots."""
    by_energy = {"x": "kinetic energy, MeV", "ticks": (0, 2, 4, 6, 8, 10)}
    by_place = {"x": "(radius / radius of the scintillator)³", "ticks": (0, 0.2, 0.4, 0.6, 0.8, 1)}
    best = fmean(row["allowed"] * row["at"] ** 0.5 for row in _of(rows, RESOLUTION))
    allowed = [(step / 10, 100 * best / (step / 10) ** 0.5) for step in range(5, 101)]
    panels = [
        Panel(
            title="Energy resolution",
            y="σ / E, %",
            points=_points(rows, RESOLUTION, 100),
            low=0,
            high=5,
            curve=allowed,
            curve_says="photoelectrons alone",
            **by_energy,
        ),
        Panel(
            title="Vertex resolution",
            y="median distance, cm",
            points=_points(rows, VERTEX, 100),
            low=0,
            high=15,
            **by_energy,
        ),
        Panel(
            title="Energy bias by energy",
            y="(found − true) / true, %",
            points=_points(rows, BIAS, 100),
            low=-3,
            high=3,
            band=(-100 * BIASED, 100 * BIASED),
            **by_energy,
        ),
        Panel(
            title="Energy bias by radius",
            y="(found − true) / true, %",
            points=_points(rows, BIAS_BY_PLACE, 100),
            low=-3,
            high=3,
            band=(-100 * BIASED, 100 * BIASED),
            **by_place,
        ),
        Panel(
            title="Energy resolution by radius",
            y="σ / E, %",
            points=_points(rows, RESOLUTION_BY_PLACE, 100),
            low=0,
            high=5,
            **by_place,
        ),
        Panel(
            title="Linearity of charge",
            x="true charge, photoelectrons",
            y="found / true − 1, %",
            points=_points(rows, LINEARITY, 100),
            low=-3,
            high=3,
            band=(-100 * BENT, 100 * BENT),
            logarithmic=True,
            ticks=(1, 3, 10, 30, 100, 300),
        ),
    ]
    return svg(
        panels, "Energy resolution, vertex resolution, energy bias and linearity of the reference chain"
    )


def _points(rows: Sequence[Figures], what: str, times: float) -> list[Point]:
    return [(row["at"], times * row["found"], times * (row["error"] or 0.0)) for row in _of(rows, what)]
