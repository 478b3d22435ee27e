"""Can machines serve an evaluation?"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from assay.activities.check_scene import needs_check, rights_check, room_for, workloads_for
from assay.activities.plan.programs import needed_programs
from assay.activities.side_by_side import Outcome
from assay.activities.visits.remote import remote_host
from assay.activities.visits.visit import open_probe
from assay.model.errors import AssayError, Exit, MissingError
from assay.model.machines.check import Check, Found
from assay.model.machines.machine import Facts, Machine, Reach
from assay.model.units import format_bytes
from assay.platforms.daemon.daemon import require_libvirt
from assay.platforms.host.this_host import ThisHost
from assay.platforms.images.recipe import PACKAGES
from assay.platforms.remote.host import RemoteHost
from assay.probe import Door, Probe
from assay.scenes import Scene
from assay.store import checks
from assay.workloads import Sizes, library

FREE_BYTES = 2 * 2**30
"""A trial's largest file (1 GiB of fio) and room to spare."""


ARCHITECTURE = "x86_64"
"""What the probe, the programs of packs and the images of guests are built for."""

EVERYWHERE = frozenset((*PACKAGES, "dash"))
"""What every guest has, and so every machine should: packages of the image and an essential one."""


MOST_OFF_S = 5.0
"""A wall clock that is further off dates its records wrongly."""

Checked = Outcome[tuple[Check, ...]]
"""What was found of a machine, or why it could not be looked at."""


def is_good(checked: Checked) -> bool:
    """Tell whether a machine has all that it must have."""
    return checked.value is not None and all(check.good for check in checked.value)


def exit_of(checked: Checked) -> Exit:
    """Return what a command that looked at a machine alone ends with."""
    if checked.error is not None:
        return checked.error.exit_code
    return Exit.DONE if is_good(checked) else Exit.MISSING


def keep_found(checked: Checked, *, home: Path, scene: Scene | None = None) -> None:
    """Keep what was found of a machine, in the place of what was found before.

    Args:
        checked: What was found.
        home: Folder of all state.
        scene: What it was checked for; ``None`` is every ready workload.
    """
    name, error = (None if scene is None else scene.name), checked.error
    why = None if error is None else error.message
    checks.keep_found(home, Found(checked.machine, time.time_ns(), name, why, checked.value or ()))


def check_machine(machine: Machine, *, home: Path, scene: Scene | None = None) -> tuple[Check, ...]:
    """Reach a machine and look for all that a scene, or every ready workload, needs.

    Args:
        machine: Which.
        home: Folder of all state.
        scene: What it is to serve; ``None`` is every ready workload.

    Raises:
        UnreachableError: It cannot be reached, or its host key is refused.
    """
    far = machine.reach is not Reach.LOCAL
    with open_probe(machine, home) as (probe, door):
        facts = probe.facts()
        clock = (_clock(probe),) if far else ()
        programs = _programs(probe) if scene is None else _programs_of(scene, probe)
        needed = FREE_BYTES if scene is None else room_for(workloads_for(scene, facts))
        wanted = () if scene is None else (*_wanted(scene, facts, door, home=None if far else home),)
        found = (*_platform(facts), *clock, _space(probe, door.folder, needed), *wanted, *programs)
    carries = scene is not None and any(one.machine in {None, machine.name} for one in scene.guests)
    return (*found, _hypervisor(machine, home)) if carries else found


def _hypervisor(machine: Machine, home: Path) -> Check:
    """See whether guests can be made there: QEMU, libvirt, and on another machine we are root."""
    try:
        if machine.reach is Reach.LOCAL:
            require_libvirt()
            return Check("hypervisor", good=True, sentence="its libvirt is there")
        with remote_host(machine, home):
            return Check("hypervisor", good=True, sentence="its libvirt answers")
    except MissingError as error:
        return Check("hypervisor", good=False, sentence=error.message)


def _wanted(scene: Scene, facts: Facts, door: Door, *, home: Path | None) -> Iterator[Check]:
    """Look for what one scene needs beside programs; a home is this machine's, which is looked at then."""
    host = ThisHost(home) if home is not None else RemoteHost(door)  # type: ignore[arg-type]  # it only runs commands
    yield from needs_check(scene, facts, on=host, home=home)
    yield from rights_check(scene, facts, workloads_for(scene, facts), root=host.root)


def _clock(probe: Probe) -> Check:
    reading = probe.compare_clock()
    way = "ahead of" if reading.offset_s > 0 else "behind"
    sentence = f"{abs(reading.offset_s):.3g} s {way} this machine's, known to ±{reading.uncertainty_s:.2g} s"
    return Check("clock", abs(reading.offset_s) <= MOST_OFF_S, sentence)


def _platform(facts: Facts) -> Iterator[Check]:
    yield Check("probe", good=True, sentence=f"{facts.hostname}, kernel {facts.kernel}")
    ours = facts.architecture == ARCHITECTURE
    other = "" if ours else f": programs and guests are of {ARCHITECTURE}"
    yield Check("architecture", ours, f"{facts.architecture}{other}")
    cores = len(facts.cpus)
    yield Check("cores", cores > 1, f"{cores}; one is left to the controller or the probe")
    yield Check("memory", facts.memory_bytes >= 2 * 2**30, format_bytes(facts.memory_bytes))
    # a plain user can make none, and is measured all the same, with a doubt
    cgroup_text = f"{facts.cgroup}" if facts.cgroup else "none can be made: limits by affinity only"
    yield Check("cgroup", good=True, sentence=cgroup_text)


def _space(probe: Probe, folder: str, needed: int) -> Check:
    free = probe.space(folder).free_bytes
    lacks = "" if free >= needed else f", {format_bytes(needed)} needed"
    return Check("space", free >= needed, f"{format_bytes(free)} free under {folder}{lacks}")


def _programs_of(scene: Scene, probe: Probe) -> Iterator[Check]:
    """Look for the programs of a scene's workloads."""
    for program, package in needed_programs(scene).items():
        try:
            yield Check(program, good=True, sentence=probe.digest(program).executable.path)
        except MissingError:
            brings = f"its Debian package is {package}" if package else "no Debian package brings it"
            yield Check(program, good=False, sentence=f"not found; {brings}")


def _programs(probe: Probe) -> Iterator[Check]:
    """Look for the workloads' programs; one that no guest's image brings either may be missing."""
    smallest = Sizes(cache_bytes=None, memory_bytes=2**30, cpus=1)
    needed = {w.program: w for w in library(smallest).values() if w.program}
    for program, workload in needed.items():
        try:
            yield Check(program, good=True, sentence=probe.digest(program).executable.path)
        except AssayError:
            package = workload.package
            brings = f"its Debian package is {package}" if package else "no Debian package brings it"
            extra = package not in EVERYWHERE
            alone = f"; only workloads like {workload.name} need it" if extra else ""
            yield Check(program, good=extra, sentence=f"not found; {brings}{alone}", optional=extra)
