"""A container of hep-workloads: real software of an experiment, by the published contract of its driver.

``ENGINE run … IMAGE -W -c COPIES -t THREADS -e EVENTS`` writes ``WORKLOAD_summary.json`` to ``/results``,
which is the trial's scratch folder. The image must be on the machine, or where the engine gets it from: a
trial that fetches it is longer, its score is not. The score is events a second of all copies together, by the
container's own clock. Without copies given one container fills the processors of its arm, as in a whole-node
run of the HEP Benchmark Suite. Guests that share a container run one each, with their part of its copies.

Source: https://gitlab.cern.ch/hep-benchmarks/hep-workloads (``bmk-driver.sh``); HEPscore runs them likewise.
Limits: podman and docker put the container into a control group of their own. It keeps the arm's processors
    under podman, but no quota or limit of the arm holds for it, and the job's CPU time and series are those
    of the engine's command alone; docker's container is its daemon's child and keeps nothing. apptainer's
    stays in the job. A stop reaches a container by the engine's command, which hands SIGTERM on: docker's has
    an init that ends the driver by it (Debian's docker.io depends on one), podman's not, whose ``--init``
    needs catatonit, which Debian's only recommends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from assay.model.metric import Direction, Measurement, Metric, OfCopies
from assay.model.work.placement import PlacementSpec
from assay.model.work.reading import Reading, Success
from assay.model.work.tool_output import Figure, Refused, ToolOutput
from assay.model.work.workload import Workload
from assay.workloads.parameters import ContainerRun, Parameters
from assay.workloads.sizes import Sizes

NAME = "hep-workload"
SCORE = Metric("score", "events/s", Direction.HIGHER)
SLOWEST = Metric("slowest_copy", "events/s", Direction.HIGHER, of_copies=OfCopies.LEAST)
"""Score of the slowest copy, of all containers that ran at once."""
READER = "hep-workloads"
SECONDS = 10.0
"""Until the first trial has told: nothing is asked of a machine for so long, and published containers take
minutes to hours, others seconds.
"""
TIME_LIMIT_S = 6 * 3600.0
PACKAGES = {"podman": "podman", "docker": "docker.io"}
"""apptainer and singularity are not in Debian 12."""

_RUN = {
    "podman": ("--rm", "--network=host", "--volume", "{directory}:/results"),
    "docker": ("--rm", "--init", "--network=host", "--volume", "{directory}:/results"),
    "apptainer": ("-i", "-c", "-e", "-B", "{directory}:/results"),
    "singularity": ("-i", "-c", "-e", "-B", "{directory}:/results"),
}
ENGINES = tuple(_RUN)
_DRIVER = ("-W", "-c", "-t")
"""What the driver is told, the number of copies left out."""
_ASKED = {"copies": "-c", "threads_per_copy": "-t", "events_per_thread": "-e"}
"""What a summary tells of a run, and the driver's argument that asks for it."""
_SCORES = ("wl_score", "wl_stat", SLOWEST.name)
PLACEHOLDER = ContainerRun(image="IMAGE", score="SCORE")
"""Of the workload where a scene says neither: it can be shown, not run."""


def workload(sizes: Sizes, given: Parameters) -> Workload:
    """Return the workload; copies fill the processors where none are given."""
    run = given.container or PLACEHOLDER
    copies = run.copies or max(1, sizes.cpus // run.threads)
    events = () if given.events is None else ("-e", str(given.events))
    size = ("-W", "-c", str(copies), "-t", str(run.threads), *events)
    summary = f"{workload_of(run.image)}_summary.json"
    engine = run.engine[0]
    start = run.engine if "run" in run.engine else (*run.engine, "run")
    return Workload(
        name=NAME,
        command=(*start, *_RUN[engine], run.image, *size, *run.arguments),
        parser=NAME,
        metrics=(SCORE, SLOWEST),
        program=engine,
        package=PACKAGES.get(engine),
        seconds=SECONDS,
        time_limit_s=TIME_LIMIT_S,
        note=f"{run.image}, score {run.score}; copies: {copies}, threads of each: "
        f"{run.threads}{_outside(engine)}",
        readings=(
            Reading(SCORE, figure="wl_score", labels=(("score", run.score),), file=summary),
            Reading(SLOWEST, figure=SLOWEST.name, file=summary),
        ),
        reader=READER,
        success=Success(files=(summary,)),
        placement=PlacementSpec(threads=copies * run.threads),
        copies_inside=copies,
    )


def part(workload: Workload, guests: int) -> Workload | None:
    """Return what each of several guests runs of a container; ``None`` where its copies do not go into them
    evenly.
    """
    copies, rest = divmod(workload.copies_inside, guests)
    if rest:
        return None
    at, placed = _driver(workload.command) + 2, workload.placement
    command = (*workload.command[:at], str(copies), *workload.command[at + 1 :])
    threads = None if placed.threads is None else placed.threads // guests
    return replace(
        workload, command=command, placement=replace(placed, threads=threads), copies_inside=copies
    )


def as_asked(workload: Workload, summary: ToolOutput) -> ToolOutput:
    """Return what a summary says, its slowest copy too; without scores where other work was done than was
    asked for.

    A summary tells copies, threads and events of the run, and of how many copies a score is; what it does not
    tell is not looked at.
    """
    whole = _with_slowest(workload, summary)
    fault = next(_faults(workload, summary), None)
    if fault is None:
        return whole
    lost = tuple(figure for figure in whole.measurements if figure.metric in _SCORES)
    return replace(
        whole,
        measurements=tuple(figure for figure in whole.measurements if figure not in lost),
        refused=(*whole.refused, *(Refused(one.metric, fault, one.labels) for one in lost)),
    )


def _with_slowest(workload: Workload, summary: ToolOutput) -> ToolOutput:
    """Return a summary with the score of its slowest copy as a figure.

    Older summaries have statistics of one score, by another name or by none.
    """
    (score,) = {value for reading in workload.readings for label, value in reading.labels if label == "score"}
    least = {
        figure.labels.get("score"): figure.value
        for figure in summary.measurements
        if figure.metric == "wl_stat" and figure.labels.get("statistic") == "min"
    }
    name = next((name for name in (score, "throughput_score", None) if name in least), None)
    if name in least:
        slowest = Figure(SLOWEST.name, least[name], SLOWEST.unit, SLOWEST.direction)
        return replace(summary, measurements=(*summary.measurements, slowest))
    reasons = (one.reason for one in summary.refused if one.metric in _SCORES)
    why = next(reasons, "its summary has no statistics of the copies")
    return replace(summary, refused=(*summary.refused, Refused(SLOWEST.name, why)))


def _faults(workload: Workload, summary: ToolOutput) -> Iterator[str]:
    """Yield how the run that a summary tells of differs from the one that was asked for."""
    at = _driver(workload.command) + 1
    asked = dict(zip(workload.command[at : at + 6 : 2], workload.command[at + 1 : at + 6 : 2], strict=False))
    for figure in summary.measurements:
        told = "copies" if figure.labels.get("statistic") == "count" else figure.metric
        wanted = asked.get(_ASKED.get(told, ""))
        if wanted is not None and figure.value != int(wanted):
            yield f"expected {wanted} {told.replace('_', ' ')}, as was asked for, got {figure.value:g}"


def _driver(command: tuple[str, ...]) -> int:
    """Return where the arguments of the container's driver begin: the engine's own options stand before."""
    return next(
        at for at, _ in enumerate(command) if (*command[at : at + 2], *command[at + 3 : at + 4]) == _DRIVER
    )


def _outside(engine: str) -> str:
    """Say in each report what the engine's own control group means."""
    if engine not in PACKAGES:
        return ""
    return (
        f"; {engine} runs it in a control group of its own, so that no quota or limit of an arm holds for it"
    )


def parse(output: bytes) -> tuple[Measurement, ...]:
    """Return nothing: what the container prints is a log, its figures are in its summary."""
    del output
    return ()


def workload_of(image: str) -> str:
    """Return the workload that an image holds, as its summary is named: ``…/exp-gen-sim-bmk:v2`` ->
    ``exp-gen-sim``.
    """
    last = image.rsplit("/", 1)[-1].partition("@")[0].rsplit(":", 1)
    name = last[-1] if len(last) > 1 and last[0].endswith(("archive", "dir")) else last[0]
    return re.sub(r"\.(?:sif|tar|tar\.gz)$", "", name).removesuffix("-bmk")
