"""What a trial asks of the probe: a job, its folders and inputs, its program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assay.activities.plan.packs import pack_place
from assay.activities.plan.placement import place
from assay.activities.plan.programs import comes_along
from assay.activities.trials.script import script_of
from assay.activities.visits.visit import Visit
from assay.model.files.native import CHAIN, PROBE
from assay.model.machines.machine import Limits
from assay.model.platforms.data import DataPlace
from assay.model.work.observation import Observation
from assay.model.work.placement import Start
from assay.model.work.workload import File, Program, Workload
from assay.platforms.data_servers.xrootd import by_http
from assay.probe import Spec
from assay.workloads import fill

GRACE_S = 5.0
"""A job that is told to stop has this long before it is killed."""


def job_spec(visit: Visit, workload: Workload, observation: Observation, into: str) -> Spec:
    """Return what the probe is asked to run."""
    wanted = workload.placement
    cpus = visit.limits.cpus or visit.facts.cpus
    return Spec(
        command=command_on(visit, workload, copy_folder(workload, into, "{copy}")),
        directory=scratch(into),
        limits=_limits(visit, workload),
        network_namespace=visit.network if workload.needs_network or _by_url(visit, workload) else None,
        interval_s=observation.interval_s,
        time_limit_s=workload.time_limit_s,
        grace_s=GRACE_S,
        output_limit_bytes=workload.output_limit_bytes,
        placement=place(wanted, cpus, workload=workload.name, where=visit.machine),
        start=Start(stagger_s=wanted.stagger_s),
        watch=observation.watch,
        counters=observation.counters,
        profile=observation.profile,
        phases=workload.phases,
        environment={one.name: one.value for one in workload.environment if one.value is not None},
    )


def _limits(visit: Visit, workload: Workload) -> Limits:
    """Return the limits of a trial: that of reads holds for the disks of the data, that of writes for its
    folder's.
    """
    if visit.limits.read_bytes_per_s and workload.needs_data and visit.data is not None:
        return replace(visit.limits, disks=visit.data.disks)
    return visit.limits


def command_on(visit: Visit, workload: Workload, scratch: str) -> tuple[str, ...]:
    """Return the workload's argument list as it runs on a visit."""
    return filled(visit, workload.command, scratch, pack=pack_place(visit, workload))


def filled(visit: Visit, command: Sequence[str], scratch: str, *, pack: str | None = None) -> tuple[str, ...]:
    """Return an argument list as it runs on a visit, where the reference chain is brought if it runs that."""
    return fill(
        command,
        probe=visit.probe.path,
        directory=scratch,
        server=visit.server,
        data=_by_http(visit.data) if pack else visit.data,
        chain=chain_on(visit) if any("{chain}" in word for word in command) else None,
        pack=pack,
    )


def _by_http(data: DataPlace | None) -> DataPlace | None:
    """Return the data as packs read them: files of an XRootD server by HTTP."""
    return data and replace(data, files=tuple(map(by_http, data.files)))


def chain_on(visit: Visit) -> str:
    """Return where the reference chain lies on a visit's machine, after bringing it there once."""
    return visit.probe.carry(CHAIN.path(), sha256=CHAIN.sha256())


def _by_url(visit: Visit, workload: Workload) -> bool:
    """Tell whether a workload asks a server for the data itself."""
    return workload.needs_data and visit.data is not None and not visit.data.local


def scratch(into: str) -> str:
    """Return the scratch folder of a job: all copies work in it."""
    return f"{into}.work"


def copy_folder(workload: Workload, into: str, copy: int | str) -> str:
    """Return where a copy runs: the probe gives several copies a folder each (``docs/probe.md``)."""
    return scratch(into) if workload.placement.copies == 1 else f"{scratch(into)}/copy-{copy}"


def program_of(visit: Visit, workload: Workload, into: str) -> Program | None:
    """Look up the workload's executable; one with a slash is a file of the trial's own folder."""
    if workload.command[0] == "{chain}":
        return Program(File("chain", chain_on(visit), CHAIN.sha256()))
    if workload.program is None:
        return None
    script = script_of(workload.command)
    if not comes_along(workload.program):
        return visit.program(workload.program, script)
    return visit.program(f"{copy_folder(workload, into, 0)}/{workload.program}", script)


def own_kernel(path: str) -> Program:
    """Return the probe as the executable of its own kernels; it is static and shipped by its content."""
    return Program(File(Path(path).name, path, PROBE.sha256()))
