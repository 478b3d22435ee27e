"""Geant4's own tracking: optical photons, or electrons and their light, in a sphere of scintillator.

The program is the pack ``geant4``, which holds the light that it detected to what such a detector sees: other
light fails the trial. A copy is a process of one thread: of several threads only one at a time would get into
Python. ``docs/geant4.md`` says what is simulated.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.model.metric import Direction, Measurement, Metric
from assay.model.work.phase import FIRST_PHASE, PhaseRules
from assay.model.work.variable import Variable
from assay.model.work.workload import Workload
from assay.workloads.command import CPU, WALL
from assay.workloads.document import Document, read_document
from assay.workloads.parameters import Parameters
from assay.workloads.phases import EVENTS, phase_time
from assay.workloads.same_result import one_digest, report_digest
from assay.workloads.sizes import Sizes

OPTICAL, ELECTRON = "geant4-optical", "geant4-electron"
SCHEMA = "assay.geant4/1."
PHOTONS = Metric("photons_per_s", "photons/s", Direction.HIGHER)
"""Optical photons that started in a second of the event loop."""
EVENTS_GIVEN, PHOTONS_GIVEN = 20, 5000
"""Where none are given: about a second of a processor of 2023."""
PHOTON_S, ELECTRON_S = 1.1e-5, 0.12
"""Of one photon, and of one electron of 1 MeV with its 10,000 photons: for the plan's times only."""
DATA = Variable(
    "GEANT4_DATA_DIR", "without it geant4-pybind asks for, or downloads, Geant4's data sets of some gigabytes"
)
"""That it is set is enough for optical photons, which read no data."""
TABLES = Variable(
    "G4LEDATA", "electrons need Geant4's data set G4EMLOW, which assay does not bring", folder=True
)


def workload(name: str, sizes: Sizes, given: Parameters) -> Workload:
    """Return a workload of Geant4; each copy simulates all events, and all come to the same result."""
    del sizes  # of one thread, whatever the arm
    events = EVENTS_GIVEN if given.events is None else given.events
    photons = given.photons or PHOTONS_GIVEN
    optical = name == OPTICAL
    words = ("optical", "--photons", str(photons)) if optical else ("electron",)
    return Workload(
        name=name,
        command=("python3", "{pack}/run.py", *words, "--events", str(events), "--seed", "1"),
        parser=name,
        metrics=(*_rates(name), WALL, CPU, phase_time(FIRST_PHASE), phase_time("event-loop")),
        program="python3",
        package="python3",
        seconds=0.5 + events * (photons * PHOTON_S if optical else ELECTRON_S),
        time_limit_s=3600.0,
        phases=PhaseRules(announce=True),
        pack="geant4",
        environment=(DATA,) if optical else (DATA, TABLES),
    )


def _rates(name: str) -> tuple[Metric, ...]:
    return (EVENTS, PHOTONS) if name == OPTICAL else (EVENTS,)


def parse(name: str, output: bytes) -> tuple[Measurement, ...]:
    """Return the rates of a report over its event loop; without events they are ``None``.

    Raises:
        OutputError: not the pack's report of that workload, or a figure is missing.
    """
    report = _report(name, output)
    report_digest(report)
    seconds = report.number("seconds", "event_loop")
    counts = [report.number("events"), *([report.number("photons")] if name == OPTICAL else [])]
    return tuple(
        Measurement(metric, count / seconds if count and seconds else None)
        for metric, count in zip(_rates(name), counts, strict=True)
    )


def digest(name: str, outputs: Sequence[bytes]) -> str:
    """Return the digest of which photomultiplier detected how many photons of each event.

    Raises:
        OutputError: a report lacks it, or two copies differ.
    """
    return one_digest(name, (_report(name, output) for output in outputs))


def _report(name: str, output: bytes) -> Document:
    report = read_document(output, tool="the pack geant4")
    if not str(report.at("schema")).startswith(SCHEMA):
        report.fail(f"expected a report of {SCHEMA}x, got '{report.at('schema')}'")
    particle = "opticalphoton" if name == OPTICAL else "e-"
    if (got := report.at("particle")) != particle:
        report.fail(f"expected a report of '{particle}', got '{got}'")
    return report
