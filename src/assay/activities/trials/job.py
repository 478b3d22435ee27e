"""What a trial asks of the probe: a job, its folders and inputs, its program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assay.activities.places.chain_program import CHAIN, chain_binary, chain_sha256
from assay.activities.places.stage import Stage
from assay.activities.plan.arms import comes_along
from assay.activities.plan.packs import pack_place
from assay.activities.plan.placement import place
from assay.activities.trials.script import script_of
from assay.model.machines.machine import Limits
from assay.model.work.observation import Observation
from assay.model.work.placement import Start
from assay.model.work.workload import File, Program, Workload
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
        limits=_limits(stage, workload),
        network_namespace=stage.network if workload.needs_network or _by_url(stage, workload) else None,
        interval_s=observation.interval_s,
        time_limit_s=workload.time_limit_s,
        grace_s=GRACE_S,
        output_limit_bytes=workload.output_limit_bytes,
        placement=place(wish, cpus, workload=workload.name, where=stage.machine),
        start=Start(stagger_s=wish.stagger_s),
        watch=observation.watch,
        counters=observation.counters,
        profile=observation.profile,
        phases=workload.phases,
        environment={one.name: one.value for one in workload.environment if one.value is not None},
    )


def _limits(stage: Stage, workload: Workload) -> Limits:
    """Return the limits of a trial: that of reads holds for the disks of the data, that of writes for its folder's."""
    if stage.limits.read_bytes_per_s and workload.needs_data and stage.data is not None:
        return replace(stage.limits, disks=stage.data.disks)
    return stage.limits


def command_on(stage: Stage, workload: Workload, scratch: str) -> tuple[str, ...]:
    """Return the workload's argument list as it runs on a stage."""
    return filled(stage, workload.command, scratch, pack=pack_place(stage, workload))


def filled(stage: Stage, command: Sequence[str], scratch: str, *, pack: str | None = None) -> tuple[str, ...]:
    """Return an argument list as it runs on a stage, where the reference chain is brought if it runs that."""
    return fill(
        command,
        probe=stage.probe.path,
        directory=scratch,
        server=stage.server,
        data=stage.data,
        chain=chain_on(stage) if any(CHAIN in word for word in command) else None,
        pack=pack,
    )


def chain_on(stage: Stage) -> str:
    """Return where the reference chain lies on a stage's machine, after bringing it there once."""
    return stage.probe.carry(chain_binary(), sha256=chain_sha256())


def _by_url(stage: Stage, workload: Workload) -> bool:
    """Tell whether a workload asks a server for the data itself."""
    return workload.needs_data and stage.data is not None and not stage.data.local


def scratch(into: str) -> str:
    """Return the scratch folder of a job: all copies work in it."""
    return f"{into}.work"


def copy_folder(workload: Workload, into: str, copy: int | str) -> str:
    """Return where a copy runs: the probe gives several copies a folder each (``docs/probe.md``)."""
    return scratch(into) if workload.placement.copies == 1 else f"{scratch(into)}/copy-{copy}"


def program_of(stage: Stage, workload: Workload, into: str) -> Program | None:
    """Look up the workload's executable; one with a slash is a file of the trial's own folder."""
    if workload.command[0] == CHAIN:
        return Program(File("chain", chain_on(stage), chain_sha256()))
    if workload.program is None:
        return None
    script = script_of(workload.command)
    if not comes_along(workload.program):
        return stage.program(workload.program, script)
    return stage.program(f"{copy_folder(workload, into, 0)}/{workload.program}", script)


def own_kernel(path: str) -> Program:
    """Return the probe as the executable of its own kernels; it is static and shipped by its content."""
    return Program(File(Path(path).name, path, probe_sha256()))
