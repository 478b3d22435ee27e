"""A container of hep-workloads: real software of an experiment, by the published contract of its driver.

``ENGINE run … IMAGE -W -c COPIES -t THREADS -e EVENTS`` writes ``WORKLOAD_summary.json`` to ``/results``,
which is the trial's scratch folder. The image must be on the machine, or where the engine gets it from: a
trial that fetches it is longer, its score is not. The score is events a second of all copies together, by the
container's own clock.

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

from assay.model.metric import Direction, Measurement, Metric
from assay.model.work.reading import Reading, Success
from assay.model.work.workload import Workload
from assay.workloads.parameters import ContainerRun, Parameters
from assay.workloads.sizes import Sizes

NAME = "hep-workload"
SCORE = Metric("score", "events/s", Direction.HIGHER)
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
        metrics=(SCORE,),
        program=engine,
        package=PACKAGES.get(engine),
        seconds=SECONDS,
        time_limit_s=TIME_LIMIT_S,
        note=f"{run.image}, score {run.score}; copies: {copies}, threads of each: "
        f"{run.threads}{_outside(engine)}",
        readings=(Reading(SCORE, figure="wl_score", labels=(("score", run.score),), file=summary),),
        reader=READER,
        success=Success(files=(summary,)),
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
