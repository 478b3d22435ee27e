"""A place where trials run for one visit: a machine or a freshly booted guest, with its probe."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from assay.activities.visits.balloon import read_back
from assay.activities.visits.host_watch import HostPost
from assay.activities.visits.lost import explain_lost_guest
from assay.activities.visits.settings import seen_in_force
from assay.factors.base.factor import Settings
from assay.factors.catalogue import verify_inside
from assay.machines import open_door
from assay.model.activity import PlannedArm
from assay.model.files.packages import install_command
from assay.model.machines.clock import ClockReading
from assay.model.machines.fingerprint import flatten
from assay.model.machines.machine import Facts, Fingerprint, Limits, Machine, Reach
from assay.model.platforms.container import Container
from assay.model.platforms.data import DataPlace
from assay.model.platforms.platform import GuestWeight, HypervisorCpu, Platform, SeenFactor
from assay.model.platforms.plugin_place import SeenPluginPlace
from assay.model.work.page_cache import CacheState
from assay.model.work.workload import Program
from assay.platforms.containers.container import RunningContainer
from assay.platforms.existing.guest import ExistingGuest
from assay.platforms.guests.guest import Guest
from assay.platforms.guests.provider import Carried
from assay.platforms.host.settings import HeldSettings
from assay.platforms.process import ProcessMark, spent_cpu_s
from assay.probe import Door, HashedFile, Probe, ProgramMissingError
from assay.workloads.tools.hep.definition import ENGINES

if TYPE_CHECKING:
    from assay.machines.ssh.door import SshDoor
    from assay.probe.door import Channel

CONNECT_S = 15.0
"""A machine that has not let us in by then is not reachable."""
GUEST_CONNECT_S = 60.0
"""Under emulation on a busy host, the login's arithmetic alone takes seconds."""
SETTLE_S = 5.0
"""Linux takes up the TSC as its clock a second or more after the boot (``arch/x86/kernel/tsc.c``,
``tsc_refine_calibration_work``)."""
_LOOK_S = 0.5


def _no_door(*_words: object, **_options: object) -> NoReturn:
    msg = "BUG: a visit that nothing can be run on"
    raise ValueError(msg)


@dataclass
class Visit:
    """Where the trials of a visit run.

    Attributes:
        machine: Name of the machine for the record.
        probe: The probe there.
        put: Copies a file or folder of this machine to it.
        fingerprint: What it is.
        limits: What trials may use of it.
        boot: Identity of the boot.
        directory: Folder there for this activity.
        jobs: Folder of the trials' own folders, where these do not lie in ``directory``.
        own_clock: Its clock is not the controller's.
        network: Network namespace of the client there; ``None`` is its ordinary network.
        server: Address of the network server; ``None`` where there is none.
        guest: The guest, if it is one of ours.
        existing: The guest, if it is one that somebody else made.
        platform: The guest as read back after its start.
        host: The probe on the guest's host; ``None`` outside a guest.
        post: From where a guest is watched on its host; ``None`` outside a guest, and where it cannot be.
        cache: State of the workloads' files at the start, whatever they say; ``None`` leaves it to them.
        container: The container, if it is one.
        contained: The container as the kernel showed it after its start.
        held: The host's settings that this visit holds; ``None`` where a cut-off visit is looked at again.
        host_settings: They, as seen in force at its start.
        held_facts: Facts of a machine under them; ``None`` where it is as its fingerprint says.
        run: Runs a command there to its end and returns what it printed (``probe.Door.run``).
        talk: Starts a program there that is talked with line by line (``probe.Door.open``); of containers
            and guests that others made there is none.
        data: Where the activity's data are for the trials; ``None`` where there are none.
        scratch: The file system of the jobs' folders, as seen at the visit's start; empty where nothing is
            said of it.
        clients: Processes of this machine that carry mounts for the trials.
        beside: The other guests of a layout, or machines of an arm, which do the work of a trial together
            with this one.
        joined: It is one of several machines that do a trial together.
        prepared: Folders of preparations, and inputs, that were seen to be whole there.
        here: Its file system is the controller's own.
        packs: Folders of packs that are there.
        first_clock: The first comparison of its clock in this visit, or since it was opened: a rate over a
            longer time is known better. ``None`` before it, and where its clock is the controller's.
        inputs: The activity's own copies of its inputs, by their path.
        preparing_s: Time that packs and preparations have taken there in this visit.
        plugin: The place of a plug-in as seen after its start, if it is one.
        enclosed: It is entered once, by the command that starts the probe.
        batch_job: The batch system and the id of the job that holds it; ``None`` where none does.
        hashed: Its disk's files that were hashed in an earlier visit; ``None`` where it is no guest of ours.
    """

    machine: str
    probe: Probe
    put: Callable[[Path, str], None]
    fingerprint: Fingerprint
    limits: Limits
    boot: str
    directory: str
    own_clock: bool
    network: str | None = None
    server: str | None = None
    guest: Guest | None = None
    existing: ExistingGuest | None = None
    platform: Platform | None = None
    host: Probe | None = None
    post: HostPost | None = None
    cache: CacheState | None = None
    container: RunningContainer | None = None
    contained: Container | None = None
    held: HeldSettings | None = None
    host_settings: tuple[SeenFactor, ...] = ()
    held_facts: Facts | None = None
    run: Callable[..., bytes] = _no_door
    talk: Callable[[Sequence[str]], Channel] = _no_door
    data: DataPlace | None = None
    scratch: tuple[SeenFactor, ...] = ()
    jobs: str | None = None
    clients: tuple[ProcessMark, ...] = ()
    beside: tuple[Visit, ...] = ()
    joined: bool = False
    prepared: set[str] = field(default_factory=set)
    here: bool = False
    packs: set[str] = field(default_factory=set)
    first_clock: ClockReading | None = None
    inputs: Mapping[str, Path] = field(default_factory=dict)
    preparing_s: float = 0.0
    hashed: dict[str, HashedFile] | None = None
    batch_job: str | None = None
    plugin: SeenPluginPlace | None = None
    enclosed: bool = False

    @property
    def facts(self) -> Facts:
        """Return what the doubts need of it, with what its visit holds in force."""
        return self.held_facts or self.fingerprint.facts

    @property
    def below(self) -> str | None:
        """Return the hypervisor that its kernel sees below itself; ``None`` is "none seen"."""
        name = self.fingerprint.groups.get("virtualisation", {}).get("hypervisor")
        return None if name is None else str(name)

    def clock(self) -> ClockReading | None:
        """Compare its clock with the controller's, where it is another."""
        if not self.own_clock:
            return None
        reading = self.probe.compare_clock()
        self.first_clock = self.first_clock or reading
        return reading

    def hypervisor_cpu(self) -> HypervisorCpu | None:
        """Read what its QEMU process has used so far, if it is a guest."""
        return self.carried.hypervisor_cpu() if self.carried else None

    def weight(self) -> GuestWeight | None:
        """Read what it holds of its host now, if it is a guest."""
        return self.carried.weight() if self.carried else None

    @property
    def carried(self) -> Carried | None:
        """Return the guest that it is, whoever made it."""
        return self.guest or self.existing

    @property
    def runs_programs(self) -> bool:
        """Tell whether a program can be run beside the probe: in a container it cannot."""
        return self.container is None and not self.enclosed

    def container_cpu_s(self) -> float | None:
        """Read the CPU seconds that all of it has had so far, if it is a container."""
        return self.container.cpu_s() if self.container else None

    def client_cpu_s(self) -> float | None:
        """Read the CPU seconds that the clients of mounts have had, in clock ticks; ``None`` without one,
        and where one is gone.
        """
        spent = [spent_cpu_s(client) for client in self.clients]
        told = [seconds for seconds in spent if seconds is not None]
        return sum(told) if spent and len(told) == len(spent) else None

    def mark_pending(self, *, pending: bool) -> None:
        """Say on a guest whether it holds a record not yet collected: cleaning up then spares it."""
        if self.guest is not None:
            self.guest.mark_pending(pending)

    def program(self, name: str, script: str | None = None) -> Program:
        """Look an executable up: as it is now, since it may have been changed between two trials.

        Args:
            name: Its name or path.
            script: What it interprets, if that is a file.

        Raises:
            MissingError: It is not there.
        """
        return self.probe.digest(name, script, self.hashed)


@contextmanager
def machine_visit(arm: PlannedArm, activity: str, *, home: Path) -> Iterator[Visit]:
    """Open a machine for a visit, this one or another by SSH.

    Raises:
        UnreachableError: It cannot be reached, or its host key is refused.
    """
    with open_probe(arm.machine, home) as (probe, door):
        yield visit_behind(door, probe, arm, activity)


def visit_behind(door: Door, probe: Probe, arm: PlannedArm, activity: str) -> Visit:
    """Return a machine that has been opened for a visit."""
    fingerprint = probe.fingerprint()
    return Visit(
        machine=arm.machine.name,
        probe=probe,
        put=door.put,
        run=door.run,
        talk=door.open,
        fingerprint=fingerprint,
        limits=arm.limits,
        cache=arm.cache,
        boot=fingerprint.facts.boot_id or arm.machine.name,
        directory=f"{door.folder}/{activity}",
        own_clock=arm.machine.reach is not Reach.LOCAL,
        batch_job=door.batch_job,
        here=arm.machine.reach is Reach.LOCAL and not (arm.container or arm.domain or arm.plugin),
    )


@contextmanager
def guest_visit(
    guest: Guest, label: str, activity: str, *, home: Path, through: SshDoor | None = None
) -> Iterator[Visit]:
    """Open a booted guest for a visit.

    Args:
        guest: The guest.
        label: What its arm is called.
        activity: Identity of the activity.
        home: Folder of all state.
        through: Door of the machine that carries it, where that is another one.

    Raises:
        UnreachableError: It does not answer, or shows another host key than its image's.
        PlatformError: It does not run as it was asked to.
    """
    with (
        explain_lost_guest(guest),
        open_probe(guest.machine, home, connect_timeout_s=GUEST_CONNECT_S, through=through) as (probe, door),
    ):
        first_clock = probe.compare_clock()
        platform = read_back(guest, door)
        fingerprint, inside = _settled(probe, dict(guest.spec.settings))
        yield Visit(
            machine=label,
            probe=probe,
            put=door.put,
            run=door.run,
            talk=door.open,
            fingerprint=fingerprint,
            limits=Limits(),
            boot=fingerprint.facts.boot_id or guest.name,
            directory=f"{door.folder}/{activity}",
            own_clock=True,
            first_clock=first_clock,
            guest=guest,
            hashed=_hashed_of(guest.spec.image.digest),
            platform=replace(platform, factors=(*platform.factors, *inside)),
        )


@cache
def _hashed_of(image: str) -> dict[str, HashedFile]:
    """Return the files of an image that its guests have hashed: all boot from the same disk, and emulation is
    slow.
    """
    del image
    return {}


def _settled(probe: Probe, settings: Settings) -> tuple[Fingerprint, tuple[SeenFactor, ...]]:
    """Return a guest's fingerprint and the levels of its own kernel, once these are in force.

    Raises:
        PlatformError: one is not, after the time that the kernel has to choose its clock.
    """
    until = time.monotonic() + SETTLE_S
    while True:
        fingerprint = probe.fingerprint()
        checks = verify_inside(settings, flatten(fingerprint))
        if all(one.ok for one in checks) or time.monotonic() >= until:
            return fingerprint, seen_in_force(checks)
        time.sleep(_LOOK_S)


def look_at(machine: Machine, programs: Mapping[str, str | None], *, home: Path) -> Facts:
    """Return what a machine is, after making sure that it has the programs.

    Args:
        machine: Which one.
        programs: What to look for, with the Debian package that has it where that is known.
        home: Folder of all state.

    Raises:
        ProgramMissingError: A program is not there.
        UnreachableError: The machine cannot be reached.
    """
    with open_probe(machine, home) as (probe, _):
        return facts_with(probe, machine.name, programs)


def facts_with(probe: Probe, machine: str, programs: Mapping[str, str | None]) -> Facts:
    """Return what an opened machine is, after making sure that it has the programs; raises as ``look_at``."""
    for program, package in programs.items():
        try:
            probe.find(program)
        except ProgramMissingError as error:
            others = (one for one in ENGINES if program in ENGINES and _has(probe, one))
            how = install_command(package, has=partial(_has, probe)) if package else None
            raise ProgramMissingError(program, machine, install=how, engine=next(others, None)) from error
    return probe.facts()


def _has(probe: Probe, program: str) -> bool:
    try:
        probe.find(program)
    except ProgramMissingError:
        return False
    return True


@contextmanager
def open_probe(
    machine: Machine, home: Path, *, connect_timeout_s: float = CONNECT_S, through: SshDoor | None = None
) -> Iterator[tuple[Probe, Door]]:
    """Open a machine's door and the probe behind it.

    Raises:
        UnreachableError: It cannot be reached, or its host key is refused.
    """
    door = open_door(machine, home=home, connect_timeout_s=connect_timeout_s, through=through)
    with attached(door) as probe:
        yield probe, door


@contextmanager
def attached(door: Door) -> Iterator[Probe]:
    """Open the probe behind a door, and close both at the end.

    Raises:
        UnreachableError: It does not answer.
    """
    try:
        probe = Probe.attach(door)
        try:
            yield probe
        finally:
            probe.close()
    finally:
        door.close()
