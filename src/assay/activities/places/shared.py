"""What the places of an activity share for a session: machines that stand, the hypervisor, the
bench network.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.activities.clocks import require_clock
from assay.activities.events import Watcher
from assay.activities.interrupts import Interrupts
from assay.activities.machine_claim import claim_machine
from assay.activities.visits.existing import existing_visit
from assay.activities.visits.host_watch import HostPost
from assay.activities.visits.remote import RemoteSite, remote_site
from assay.activities.visits.visit import Visit, machine_visit, open_probe
from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.files.native import PROBE
from assay.model.machines.machine import Machine, Reach
from assay.model.platforms.existing import DomainSpec
from assay.model.trial import PlannedTrial
from assay.platforms.bench_network.network import BenchNetwork
from assay.platforms.daemon.daemon import libvirt_connection
from assay.platforms.guests.guest import Accelerator
from assay.platforms.host.settings import host_settings
from assay.platforms.host.this_host import ThisHost
from assay.platforms.hypervisor import hypervisor_of
from assay.platforms.images.content import image_by_digest
from assay.platforms.libvirt.accelerator import choose_accelerator
from assay.probe import Probe


@dataclass(frozen=True)
class Standing:
    """A machine that stands as it is, for the baseline or for treatments.

    Attributes:
        baseline: It is the baseline's.
        machine: How it is reached.
        domain: The libvirt domain that it is; ``None`` where that is not said.
    """

    baseline: bool
    machine: Machine
    domain: DomainSpec | None


class Shared:
    """Opens each thing once, when it is first asked for, and leaves its end to the session's stack.

    Attributes:
        plan: The activity.
        home: Folder of all state.
        watcher: Is told of each step.
        interrupts: Holds signals while something is ended.
        stack: Ends with the session.
        machines: Machines that stand and have been opened.
        network: The bench network; ``None`` where no workload needs one.
    """

    def __init__(
        self, plan: ActivityPlan, home: Path, watcher: Watcher, interrupts: Interrupts, stack: ExitStack
    ) -> None:
        self.plan, self.home, self.watcher = plan, home, watcher
        self.interrupts, self.stack = interrupts, stack
        self.machines: dict[Standing, Visit] = {}
        self.network: BenchNetwork | None = None
        self._connection: Any = None
        self._accelerator: Accelerator | None = None
        self._remote: dict[Machine, RemoteSite] = {}
        self._watching: Probe | None = None
        self._held = set[Machine]()

    def name(self, block: int) -> str:
        """Return what is made for a visit in a block."""
        return f"assay-{self.plan.id}-b{block}"

    def machine(self, arm: PlannedArm) -> Visit:
        """Return the machine of an arm as it stands, opened and held for this activity.

        Treatments that are one machine share it; the baseline has it for itself.

        Raises:
            UnreachableError: It cannot be reached.
            ClaimedError: Another activity measures it.
            ClockError: It answers too late to be timed.
        """
        standing = Standing(arm is self.plan.baseline, arm.machine, arm.domain)
        known = self.machines.get(standing)
        if known is not None:
            # again: a probe whose connection was cut may have shared its claim with us, and let go of it
            # since
            claim_machine(known.machine, known.probe, self.plan.id, self.home)
            return known
        self.put_back()  # before it is looked at: its facts are those of the machine as it stands
        opened = existing_visit if arm.domain is not None else machine_visit
        visit = self.stack.enter_context(opened(arm, self.plan.id, home=self.home))
        claim_machine(visit.machine, visit.probe, self.plan.id, self.home)
        self._hold_carrier(arm.machine)
        require_clock(visit)
        self.machines[standing] = visit
        return visit

    def _hold_carrier(self, machine: Machine) -> None:
        """Hold the machine that a guest of the inventory is on: who measured that would measure both."""
        carrier = machine.carrier
        if carrier is None or carrier.reach is Reach.LOCAL or carrier in self._held:
            return
        probe, _ = self.stack.enter_context(open_probe(carrier, self.home))
        claim_machine(carrier.name, probe, self.plan.id, self.home)
        self._held.add(carrier)

    @property
    def carrier(self) -> Visit:
        """The baseline's machine, which carries guests."""
        return self.machine(self.plan.baseline)

    def host_of(self, arm: PlannedArm) -> Visit:
        """Return the machine that carries an arm's guests."""
        return self.machine(self.plan.host_of(arm))

    def standing(self, trial: PlannedTrial) -> Visit:
        """Return the machine that a trial runs on itself.

        Treatments that are one machine share it: its limits and the state of its files are those of the
        trial's own.
        """
        arm = self.plan.arm_of(trial)
        visit = self.machine(arm)
        if self.plan.more:
            visit.limits, visit.cache = arm.limits, arm.cache
        return visit

    @contextmanager
    def machines_of(self, trial: PlannedTrial) -> Iterator[Visit]:
        """Yield the machine that a trial runs on itself, with those beside it that do it together with it.

        Raises:
            UnreachableError: One cannot be reached.
            ClaimedError: Another activity measures one.
        """
        arm, visit = self.plan.arm_of(trial), self.standing(trial)
        visit.beside = tuple(map(self.machine, arm.each_machine[1:]))
        every = (visit, *visit.beside)
        for one in every:
            one.joined = bool(visit.beside)
        try:
            yield visit
        finally:
            visit.beside = ()
            for one in every:
                one.joined = False

    def put_back(self) -> None:
        """Put back what a crash left of the host's settings."""
        with host_settings({}, home=self.home, activity=self.plan.id, host=ThisHost(self.home)):
            pass

    def watch(self) -> None:
        """Open a second probe on this machine, from which guests are watched."""
        self._watching, _ = self.stack.enter_context(open_probe(self.plan.baseline.machine, self.home))

    def post(self, arm: PlannedArm, pid: int | None) -> HostPost | None:
        """Return from where a guest is watched on its host: with the controller's processors, once it keeps
        to them.

        Args:
            arm: The guest's.
            pid: Its QEMU process; ``None`` where that is not seen here.
        """
        host = self.host_of(arm)
        if host.own_clock or pid is None:
            return None
        return HostPost(self._watching or host.probe, host.directory, pid)

    def connection(self) -> Any:
        """Return libvirt's connection on this machine."""
        if self._connection is None:
            self._connection = self.stack.enter_context(libvirt_connection(self.home, subreaper=PROBE.path()))
        return self._connection

    def hypervisor(self, image: str) -> Accelerator:
        """Reach this machine's hypervisor, and return what runs guests' instructions there.

        Args:
            image: Digest of an image to try it with.

        Raises:
            AssayError: libvirt or QEMU is not there, or refuses.
        """
        if self._accelerator is None:
            self.watcher.step("reaching the hypervisor")
            if limits := hypervisor_of(self.connection()).reported:
                self.watcher.step(limits)
            self._accelerator = choose_accelerator(
                self.connection(), image_by_digest(self.home, image), folder=self.home / "guests"
            )
            self.watcher.step(self._accelerator.why)
        return self._accelerator

    def site(self, machine: Machine) -> RemoteSite:
        """Return another machine's hypervisor, opened once; raises as ``remote_site``."""
        if machine not in self._remote:
            opened = remote_site(self.plan, machine, self.home, self.watcher)
            self._remote[machine] = self.stack.enter_context(opened)
        return self._remote[machine]
