"""What an activity needs around its trials: the benches' network, the hypervisor, a visit of each arm in each block."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

from assay.activities.clocks import clock_is_off, require_clock
from assay.activities.events import Watcher
from assay.activities.interrupts import Interrupts
from assay.activities.machine_claim import claim_machine
from assay.activities.places.contained import container_visit, make_container
from assay.activities.places.controller import confine_controller, controller_cpus
from assay.activities.places.data import DataEnvironment, needs_network
from assay.activities.places.existing import existing_visit, looked_at_again
from assay.activities.places.guests import several_visits
from assay.activities.places.host_watch import HostPost
from assay.activities.places.remote import RemoteSite, is_remote, remote_site
from assay.activities.places.restored import restored_guest
from assay.activities.places.scratch_place import scratch_on, wants_scratch
from assay.activities.places.settings import seen_in_force
from assay.activities.places.visit import Visit, guest_visit, machine_visit, open_probe
from assay.activities.plan.guest_specs import GuestSpecs
from assay.activities.plan.layout import shares_of
from assay.activities.plan.network import servers_for
from assay.activities.trials.inflight import is_collected
from assay.activities.trials.trial import end_left
from assay.factors.host_acts import verify_host
from assay.model.activity import ActivityPlan, PlannedArm, PlannedGuest
from assay.model.errors import AssayError, NoRoomError
from assay.model.machines.machine import Facts, Reach
from assay.model.platforms.platform import SeenFactor
from assay.model.trial import Arm, PlannedTrial
from assay.platforms.bench_network.measured import mtu_of, on_loopback
from assay.platforms.bench_network.network import PLAIN_MTU, BenchNetwork, bench_network
from assay.platforms.containers.leftover import end_containers, end_own_containers
from assay.platforms.daemon.daemon import libvirt_connection
from assay.platforms.data_servers.serve import data_folder, end_own_data
from assay.platforms.filesystems.host_filesystem import remove_folder
from assay.platforms.guests.guest import Guest, pick_port, pick_ports
from assay.platforms.host.settings import HeldSettings, host_settings
from assay.platforms.host.this_host import ThisHost
from assay.platforms.hypervisor import hypervisor_of
from assay.platforms.images.content import image_by_digest
from assay.platforms.leftovers.quiet import end_guests, end_own_guests, remove_guest_folders
from assay.platforms.provider.accelerator import choose_accelerator
from assay.platforms.provider.libvirt_provider import LibvirtProvider
from assay.probe import Probe, ProbeError, ResultError, probe_binary

BOOTS = 3
"""A guest is booted so often at most until its clock runs as the host's does."""


class Environment:
    """Opens visits; whatever it made on the way is gone when it is closed."""

    def __init__(self, plan: ActivityPlan, home: Path, watcher: Watcher, interrupts: Interrupts) -> None:
        self._plan, self._home, self._watcher, self._interrupts = plan, home, watcher, interrupts
        self._stack = ExitStack()
        self._visits_open: dict[Arm, Visit] = {}
        self._connection: Any = None
        self._accelerator: Any = None
        self._network: BenchNetwork | None = None
        self._remote: RemoteSite | None = None
        self._data = DataEnvironment(plan, home, watcher, self._stack, interrupts)
        self._watching: Probe | None = None

    def close(self) -> None:
        """Take everything down that was made, whatever signal comes meanwhile."""
        with self._interrupts.held():
            self._stack.close()

    def open(self) -> None:
        """Make what all visits share: the controller's own cores, the network, the hypervisor."""
        if not is_remote(self._plan):  # guests on this machine disturb none on another
            self._end_guests()
        end_containers(self._home, self._plan.id)
        self.reach()  # before the controller is confined: their probes must not be
        cpus = controller_cpus(self._plan)
        self._stack.callback(confine_controller, os.sched_getaffinity(0))
        confine_controller(cpus)
        if self._has_guests and self._plan.baseline.machine.reach is Reach.LOCAL:
            self._watching, _ = self._enter(open_probe(self._plan.baseline.machine, self._home))
        if needs_network(self._plan):
            self._watcher.step("making the benches' network")
            self._network = self._enter(self._bench_network(cpus))
            self._join_network(self._network)
        self._data.open(self._network, cpus)
        if is_remote(self._plan):
            self._site().clear()
        elif self._plan.treatment.guest is not None:
            self._watcher.step("reaching the hypervisor")
            self._connection = self.connect()
            if limits := hypervisor_of(self._connection).told:
                self._watcher.step(limits)
            self._accelerator = choose_accelerator(
                self._connection,
                image_by_digest(self._home, self._plan.treatment.guest.image),
                folder=self._home / "guests",
            )
            self._watcher.step(self._accelerator.why)

    def reach(self) -> Visit:
        """Open the machines, make sure that nobody else measures them, and return the baseline's: the guests' host."""
        for arm in Arm:
            if self.arm(arm).guest is None or arm is Arm.BASELINE:
                self._machine(arm)
        return self._visits_open[Arm.BASELINE]

    def end_left(self) -> None:
        """End what a former process of this activity left, where no trial is left to make use of it."""
        self._put_back()
        if is_remote(self._plan):
            self._site().clear()
        elif self._plan.treatment.guest is not None:
            end_own_guests(self._home, self._plan.id, subreaper=probe_binary())
        end_own_containers(self._home, self._plan.id)
        if self._plan.data is not None or wants_scratch(self._plan) or needs_network(self._plan):
            end_own_data(self._home, self._plan.id)
        self._leave_machines()

    def _leave_machines(self) -> None:
        """Take the activity's folders off machines that it may have left them on."""
        remove_folder(self._home / "work" / self._plan.id)
        for which in Arm:
            arm = self.arm(which)
            if arm.machine.reach is not Reach.LOCAL and (arm.guest is None or which is Arm.BASELINE):
                visit = self._machine(which)
                visit.probe.remove(visit.directory)

    def tidy(self) -> None:
        """Take the activity's folders off the machines: all its records are home."""
        for visit in self._visits_open.values():
            visit.probe.remove(visit.directory)
        remove_guest_folders(self._home, self._plan.id)

    def _site(self) -> RemoteSite:
        """Return the other machine's hypervisor, opened once."""
        if self._remote is None:
            self._remote = self._enter(remote_site(self._plan, self._home, self._watcher))
        return self._remote

    def connect(self) -> Any:
        """Return the hypervisor's connection, made once."""
        if self._connection is None:
            self._connection = self._enter(libvirt_connection(self._home, subreaper=probe_binary()))
        return self._connection

    @contextmanager
    def visit(self, trial: PlannedTrial) -> Iterator[Visit]:
        """Open a trial's visit: a machine as it stands, a guest freshly booted.

        The host has the settings of the trial's arm meanwhile.
        """
        arm = self._plan.arm_of(trial)
        with self._holding(arm) as (held, seen), self._opened(trial, arm) as visit:
            visit.held, visit.host_settings = held, seen
            visit.held_facts = _held_facts(arm, visit)
            with self._data.brought(visit, arm):
                yield visit

    @contextmanager
    def _holding(self, arm: PlannedArm) -> Iterator[tuple[HeldSettings, tuple[SeenFactor, ...]]]:
        settings, host = dict(arm.host_settings), ThisHost(self._home)
        stack = ExitStack()
        held = stack.enter_context(
            host_settings(settings, home=self._home, activity=self._plan.id, host=host)
        )
        try:
            yield held, seen_in_force(verify_host(settings, host))
        finally:
            with self._interrupts.held():
                stack.close()

    @contextmanager
    def _opened(self, trial: PlannedTrial, arm: PlannedArm) -> Iterator[Visit]:
        if arm.container is not None:
            with self._contained(arm, trial.block) as visit:
                yield visit
            return
        if arm.guest is None:
            yield looked_at_again(self._standing(trial))
            return
        if arm.guest.layout.guests > 1:
            with self._several(arm, arm.guest, trial.block) as visit:
                yield visit
            return
        for again in range(BOOTS - 1, -1, -1):
            with self._booted(arm, arm.guest, trial.block) as visit:
                if again and (why := clock_is_off(visit)):
                    self._watcher.warn(f"the guest of block {trial.block} is booted again: {why}")
                    continue
                yield visit
                return

    @contextmanager
    def _booted(self, arm: PlannedArm, wanted: PlannedGuest, block: int) -> Iterator[Visit]:
        guest = self._boot(arm, wanted, block)
        try:
            through = self._remote.door if self._remote else None
            with guest_visit(guest, arm.label, self._plan.id, home=self._home, through=through) as visit:
                visit.server = self._network.server_address if self._network else None
                visit.host, visit.cache = self._machine(Arm.BASELINE).probe, arm.cache
                visit.post = self._post(guest.pid)
                yield visit
        finally:
            with self._interrupts.held():
                guest.destroy()

    @contextmanager
    def revisit(self, trial: PlannedTrial, guest: str | None) -> Iterator[Visit | None]:
        """Open the visit that a cut-off process left, or ``None`` if its guest is gone; then remove the guest.

        A trial under settings of the host is given up, and the visit is ``None``: another process may have put
        them back while it ran. So is one whose data are not a copy on the arm's own disk: a server ended with
        the process that started it, and the record could not say how the arm came by them.
        """
        arm = self._plan.arm_of(trial)
        if arm.container is not None:
            yield None  # it ended with the process that started it
            return
        if arm.guest is not None and arm.guest.layout.guests > 1:
            self._end_guests()
            yield None  # a common start cannot be taken up again
            return
        given_up = bool(arm.host_settings) or self._data.come_from_elsewhere(arm)
        if guest is None:
            visit = self._standing(trial)
            with scratch_on(visit, arm, data_folder(self._home, self._plan.id)):
                if given_up:
                    end_left(visit, trial)
                yield None if given_up else visit
            return
        found = self._find(guest)
        if found is None:
            yield None
            return
        ends = True
        try:
            if given_up:
                yield None
                return
            through = self._remote.door if self._remote else None
            with guest_visit(found, arm.label, self._plan.id, home=self._home, through=through) as visit:
                visit.post = self._post(found.pid)
                yield visit
        except AssayError as error:
            # where the way to it is cut, or the room for its record is lacking, that may be whole
            told = self._remote is None or isinstance(error, ProbeError | ResultError)
            ends = told and not isinstance(error, NoRoomError)
            raise
        finally:
            if ends:
                with self._interrupts.held():
                    found.destroy()

    def end_guest(self, guest: str | None) -> None:
        """End a guest that a cut-off process left, whose record is home; ``None`` and one that is gone are none."""
        found = None if guest is None else self._find(guest)
        if found is not None:
            with self._interrupts.held():
                found.destroy()

    def _end_guests(self) -> None:
        end_guests(self._home, self._plan.id, subreaper=probe_binary(), collected=is_collected)

    def _find(self, guest: str) -> Guest | None:
        if is_remote(self._plan):
            return self._site().find(guest)
        return LibvirtProvider(self.connect(), self._home).find(guest)

    def arm(self, arm: Arm) -> PlannedArm:
        """Return the planned side of an arm."""
        return self._plan.baseline if arm is Arm.BASELINE else self._plan.treatment

    @contextmanager
    def _contained(self, arm: PlannedArm, block: int) -> Iterator[Visit]:
        """Open a container that is made for one visit."""
        name, network = f"assay-{self._plan.id}-b{block}", self._network
        joined = network.client_namespace if network else None
        container = make_container(arm, name=name, activity=self._plan.id, home=self._home, network=joined)
        try:
            with container_visit(container, arm.label, self._plan.id, home=self._home) as visit:
                visit.server = network.server_address if network else None
                yield visit
        finally:
            with self._interrupts.held():
                container.remove()

    @property
    def _has_guests(self) -> bool:
        return self._plan.treatment.guest is not None or self._plan.treatment.domain is not None

    def _post(self, pid: int | None) -> HostPost | None:
        """Return from where a guest is watched on its host: with the controller's processors, once it keeps to them.

        Args:
            pid: Its QEMU process; ``None`` where that is not seen here.
        """
        host = self._machine(Arm.BASELINE)
        if host.own_clock or pid is None:
            return None
        return HostPost(self._watching or host.probe, host.directory, pid)

    def _standing(self, trial: PlannedTrial) -> Visit:
        """Return the visit of a machine that is there already, as watched from its host where it is a guest.

        Treatments that are one machine share it: its limits and the state of its files are those of the trial's own.
        """
        visit = self._machine(trial.arm)
        if self._plan.more:
            arm = self._plan.arm_of(trial)
            visit.limits, visit.cache = arm.limits, arm.cache
        if visit.existing is not None:
            visit.post = self._post(visit.existing.pid)
        return visit

    def _machine(self, arm: Arm) -> Visit:
        known = self._visits_open.get(arm)
        if known is not None:
            # again: a probe whose connection was cut may have shared its claim with us, and let go of it since
            claim_machine(known, self._plan.id, self._home)
            return known
        self._put_back()  # before it is looked at: its facts are those of the machine as it stands
        opened = existing_visit if self.arm(arm).domain is not None else machine_visit
        visit: Visit = self._enter(opened(self.arm(arm), self._plan.id, home=self._home))
        claim_machine(visit, self._plan.id, self._home)
        require_clock(visit)
        self._visits_open[arm] = visit
        return visit

    def _put_back(self) -> None:
        """Put back what a crash left of the host's settings."""
        with host_settings({}, home=self._home, activity=self._plan.id, host=ThisHost(self._home)):
            pass

    def _bench_network(self, cpus: tuple[int, ...]) -> AbstractContextManager[BenchNetwork]:
        sides = (self._plan.baseline, *self._plan.treatments)
        guests = [dict(arm.guest.settings) for arm in sides if arm.guest is not None]
        loopback, mtu = any(map(on_loopback, guests)), max(map(mtu_of, guests), default=PLAIN_MTU)
        beside = tuple(servers_for(self._plan.workloads))
        return bench_network(name=self._plan.id, cpus=cpus, loopback=loopback, mtu=mtu, beside=beside)

    def _join_network(self, network: BenchNetwork) -> None:
        for arm, visit in self._visits_open.items():
            if self.arm(arm).machine.reach is Reach.LOCAL:
                visit.network = network.client_namespace
                visit.server = network.server_address

    def _boot(self, arm: PlannedArm, wanted: PlannedGuest, block: int) -> Guest:
        act = "restoring" if wanted.restored else "booting"
        self._watcher.step(f"{act} the guest of block {block}")
        if self._remote is not None:
            return self._remote.boot(arm, wanted, block)
        (share,) = shares_of(arm, wanted)
        name = f"assay-{self._plan.id}-b{block}"
        spec = self._specs.spec(arm, share, name=name, port=pick_port(), network=self._network)
        if wanted.restored:
            return restored_guest(self._connection, spec, self._watcher)
        return LibvirtProvider(self._connection, self._home).make(spec)

    @contextmanager
    def _several(self, arm: PlannedArm, wanted: PlannedGuest, block: int) -> Iterator[Visit]:
        """Boot the guests of a layout and open their visits; the first has the others beside it.

        They are not on the bench network, which has one tap and one address for a guest.
        """
        parts, name = shares_of(arm, wanted), f"assay-{self._plan.id}-b{block}"
        self._watcher.step(f"booting the {len(parts)} guests of block {block}")
        specs = [
            self._specs.spec(arm, share, name=f"{name}-{number}", port=port, network=None)
            for number, (share, port) in enumerate(zip(parts, pick_ports(len(parts)), strict=True))
        ]
        host = self._machine(Arm.BASELINE).probe
        with several_visits(self._connection, specs, arm, host=host, interrupts=self._interrupts) as visit:
            yield visit

    @property
    def _specs(self) -> GuestSpecs:
        return GuestSpecs(self._plan.id, self._home, self._accelerator)

    def _enter(self, context: Any) -> Any:
        return self._stack.enter_context(context)


def _held_facts(arm: PlannedArm, visit: Visit) -> Facts | None:
    """Look at a machine again under the settings of an arm; guests and containers are opened under them."""
    fresh = arm.guest is not None or arm.container is not None
    return visit.probe.facts() if arm.host_settings and not fresh else None
