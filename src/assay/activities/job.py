"""What a trial asks of the probe: a job, its folders and inputs, its program."""

from __future__ import annotations

from pathlib import Path

from assay.activities.arms import comes_along
from assay.activities.placement import place
from assay.activities.stage import Stage
from assay.model.observation import Observation
from assay.model.placement import Start
from assay.model.workload import File, Program, Workload
from assay.probe import Spec, probe_sha256
from assay.workloads import fill

GRACE_S = 5.0
"""A job that is told to stop has this long before it is killed."""


def job_spec(stage: Stage, workload: Workload, observation: Observation, into: str) -> Spec:
    """Return what the probe is asked to run."""
    wish = workload.placement
    cpus = stage.limits.cpus or stage.facts.cpus
    return Spec(
        command=command_on(stage, workload, copy_folder(workload, into, "{copy}")),
        directory=scratch(into),
        limits=stage.limits,
        network_namespace=stage.network if workload.needs_network or _by_url(stage, workload) else None,
        interval_s=observation.interval_s,
        time_limit_s=workload.time_limit_s,
        grace_s=GRACE_S,
        placement=place(wish, cpus, workload=workload.name, where=stage.machine),
        start=Start(stagger_s=wish.stagger_s),
        watch=observation.watch,
        counters=observation.counters,
        profile=observation.profile,
        phases=workload.phases,
    )


def command_on(stage: Stage, workload: Workload, scratch: str) -> tuple[str, ...]:
    """Return the workload's argument list as it runs on a stage."""
    return fill(
        workload.command,
        probe=stage.probe.path,
        directory=scratch,
        server=stage.server,
        data=stage.data,
    )


def _by_url(stage: Stage, workload: Workload) -> bool:
    """Tell whether a workload asks a server for the data itself."""
    return workload.needs_data and stage.data is not None and not stage.data.local


def lay_out(stage: Stage, workload: Workload, into: str) -> None:
    """Make the folder of each copy and bring its inputs: what it writes to them is its own."""
    for copy in range(workload.placement.copies):
        folder = copy_folder(workload, into, copy)
        stage.probe.make(folder)
        for path in workload.inputs:
            stage.put(Path(path), f"{folder}/{Path(path).name}")


def scratch(into: str) -> str:
    """Return the scratch folder of a job: all copies work in it."""
    return f"{into}.work"


def copy_folder(workload: Workload, into: str, copy: int | str) -> str:
    """Return where a copy runs: the probe gives several copies a folder each (``docs/probe.md``)."""
    return scratch(into) if workload.placement.copies == 1 else f"{scratch(into)}/copy-{copy}"


def program_of(stage: Stage, workload: Workload, into: str) -> Program | None:
    """Look up the workload's executable; one with a slash is a file of the trial's own folder."""
    if workload.program is None:
        return None
    if not comes_along(workload.program):
        return stage.program(workload.program)
    return stage.program(f"{copy_folder(workload, into, 0)}/{workload.program}")


def own_kernel(path: str) -> Program:
    """Return the probe as the executable of its own kernels; it is static and shipped by its content."""
    return Program(File(Path(path).name, path, probe_sha256()))
