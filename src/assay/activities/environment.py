"""What an activity needs around its trials: its machines, the benches' network, the data, a visit of each arm
in each block.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

from assay.activities.data.delivery import DataEnvironment, needs_network
from assay.activities.data.scratch import scratch_on, scratch_room, wants_scratch
from assay.activities.data.ways import jobs_folder
from assay.activities.events import Watcher
from assay.activities.interrupts import Interrupts
from assay.activities.places.place import Place
from assay.activities.places.shared import Shared
from assay.activities.places.table import place_of
from assay.activities.plan.network import servers_for
from assay.activities.scripts import ScriptRunner
from assay.activities.trials.inflight import is_collected
from assay.activities.trials.trial import end_left
from assay.activities.visits.controller import confine_controller, controller_cpus
from assay.activities.visits.settings import seen_in_force
from assay.activities.visits.visit import Visit
from assay.factors.host_acts import verify_host
from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.files.activities import activity_folder
from assay.model.files.native import PROBE
from assay.model.machines.machine import Machine, Reach
from assay.model.platforms.platform import SeenFactor
from assay.model.trial import Arm, PlannedTrial
from assay.model.work.scripts import Role
from assay.platforms.bench_network.measured import mtu_of, on_loopback
from assay.platforms.bench_network.network import PLAIN_MTU, BenchNetwork, bench_network
from assay.platforms.containers.leftover import end_containers
from assay.platforms.data_servers.serve import data_folder, end_own_data
from assay.platforms.filesystems.host_filesystem import remove_folder
from assay.platforms.host.settings import HeldSettings, host_settings
from assay.platforms.host.this_host import ThisHost
from assay.platforms.leftovers.quiet import end_guests, remove_guest_folders
from assay.platforms.plugin_places import end_places


class Environment:
    """Opens visits; whatever it made on the way is gone when it is closed."""

    def __init__(self, plan: ActivityPlan, home: Path, watcher: Watcher, interrupts: Interrupts) -> None:
        self._plan, self._home, self._watcher, self._interrupts = plan, home, watcher, interrupts
        self._stack = ExitStack()
        self._shared = Shared(plan, home, watcher, interrupts, self._stack)
        self._data = DataEnvironment(plan, home, watcher, self._stack, interrupts)
        self._scripts = ScriptRunner(plan, activity_folder(home, plan.id), interrupts, watcher)
        self._host_scripts = ExitStack()

    def close(self) -> None:
        """Take everything down that was made, whatever signal comes meanwhile."""
        with self._interrupts.held():
            self._stack.close()

    def open(self) -> None:
        """Make what all visits share: the controller's own cores, the network, the data, the hypervisor."""
        if self._plan.baseline.machine.reach is Reach.LOCAL:  # guests on this machine disturb none on another
            end_guests(self._home, self._plan.id, subreaper=PROBE.path(), collected=is_collected)
        end_containers(self._home, self._plan.id)
        end_places(self._home, self._plan.id)
        self.reach()  # before the controller is confined: their probes must not be
        cpus = controller_cpus(self._plan)
        self._stack.callback(confine_controller, os.sched_getaffinity(0))
        confine_controller(cpus)
        if self._plan.scripts:
            self.take_down_left()
            around = self._scripts.around([self._shared.carrier], Role.HOST, "host", stands=True)
            self._host_scripts = self._stack.enter_context(ExitStack())
            self._host_scripts.enter_context(around)
        if self._plan.baseline.machine.reach is Reach.LOCAL and any(
            place.watched for place in self._places()
        ):
            self._shared.watch()
        if needs_network(self._plan):
            self._watcher.step("making the benches' network")
            self._join_network(self._stack.enter_context(self._bench_network(cpus)))
        self._data.open(self._shared.network, cpus)
        for place in self._places():
            place.prepare()

    def reach(self) -> Visit:
        """Open the machines, make sure that nobody else measures them, and return the baseline's: the guests'
        host.
        """
        carrier, *_ = [self._shared.machine(arm) for arm in self._machines()]
        return carrier

    def opened(self) -> Mapping[Machine, Visit]:
        """Return the machines that stand and have been opened."""
        return {standing.machine: visit for standing, visit in self._shared.machines.items()}

    def _machines(self) -> list[PlannedArm]:
        """Return the arms whose machine is looked at: the baseline's, and every one that carries no guest of
        ours; and the machines beside them, each as an arm of its own.
        """
        arms = [self._plan.baseline, *(arm for arm in self._plan.treatments if arm.guest is None)]
        return [*arms, *(beside for arm in arms for beside in arm.each_machine[1:])]

    def _places(self) -> list[Place]:
        """Return a place of each kind that an arm has, of the first treatment that has it on its machine:
        they share what they need.
        """
        by_kind: dict[tuple[type, Machine], Place] = {}
        for arm in (*self._plan.treatments, self._plan.baseline):
            place = place_of(arm, self._shared)
            by_kind.setdefault((type(place), arm.machine), place)
        return list(by_kind.values())

    def end_left(self) -> None:
        """End what a former process of this activity left, where no trial is left to make use of it."""
        self._shared.put_back()
        self.take_down_left()
        for place in self._places():
            place.clear()
        if self._plan.data is not None or wants_scratch(self._plan) or needs_network(self._plan):
            end_own_data(self._home, self._plan.id)
        self._leave_machines()

    def _leave_machines(self) -> None:
        """Take the activity's folders off machines that it may have left them on."""
        remove_folder(self._home / "work" / self._plan.id)
        for arm in self._machines():
            if arm.machine.reach is not Reach.LOCAL:
                visit = self._shared.machine(arm)
                visit.probe.remove(visit.directory)

    def tidy(self) -> None:
        """Take the activity's folders off the machines: all its records are home."""
        self._host_scripts.close()  # they lie in them
        for visit in self._shared.machines.values():
            visit.probe.remove(visit.directory)
        remove_guest_folders(self._home, self._plan.id)

    @contextmanager
    def visit(self, trial: PlannedTrial) -> Iterator[Visit]:
        """Open a trial's visit: a machine as it stands, a guest freshly booted.

        The host has the settings of the trial's arm meanwhile.
        """
        arm = self._plan.arm_of(trial)
        place = place_of(arm, self._shared)
        with self._holding(arm) as (held, seen), place.open(trial) as visit:
            visit.held, visit.host_settings = held, seen
            # looked at again under them; what was made for the visit was opened under them
            visit.held_facts = visit.probe.facts() if arm.host_settings and place.stands else None
            role = Role.BASELINE if trial.arm is Arm.BASELINE else Role.TREATMENT
            around = [visit, *visit.beside]
            scripts = self._scripts.around(around, role, _visit_name(trial), stands=place.stands)
            with self._data.brought(visit, arm), scripts:
                yield visit

    def begin(self, visit: Visit, trial: PlannedTrial) -> None:
        """Run what is to run before a trial.

        Raises:
            AssayError: It failed.
        """
        role = Role.BASELINE if trial.arm is Arm.BASELINE else Role.TREATMENT
        self._scripts.start([visit, *visit.beside], role, trial.name)

    def take_down_left(self) -> None:
        """Take down what scripts of a killed process had set up on machines that stand."""
        arms = {_visit_name(trial): self._plan.arm_of(trial) for trial in self._plan.trials}
        for role in Role:
            for when in self._scripts.left(role):
                machine = self._shared.machine(arms.get(when, self._plan.baseline))
                self._scripts.take_down_left(machine, role, when)

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
    def revisit(self, trial: PlannedTrial, made: str | None) -> Iterator[Visit | None]:
        """Open the visit that a cut-off process left, or ``None`` if what was made for it is gone; then
        remove that.

        A trial under settings of the host is given up, and the visit is ``None``: another process may have
        put them back while it ran. So is one whose data are not a copy on the arm's own disk: a server ended
        with the process that started it, and the record could not say how the arm came by them.
        """
        arm = self._plan.arm_of(trial)
        place = place_of(arm, self._shared)
        given_up = bool(arm.host_settings) or self._data.come_from_elsewhere(arm)
        if given_up and made is not None:
            place.end(made)
            yield None
            return
        with place.reopen(trial, made) as visit:
            if visit is None:
                yield None
                return
            folder = data_folder(self._home, self._plan.id)
            with scratch_on(visit, arm, folder, scratch_room(self._plan)):
                if given_up:
                    visit.jobs = jobs_folder(visit, arm)
                    end_left(visit, trial)
                yield None if given_up else visit

    def end_guest(self, trial: PlannedTrial, guest: str | None) -> None:
        """End what a cut-off process left of a trial's visit, whose record is home; ``None`` and what is gone
        are none.
        """
        if guest is not None:
            place_of(self._plan.arm_of(trial), self._shared).end(guest)

    def _bench_network(self, cpus: tuple[int, ...]) -> AbstractContextManager[BenchNetwork]:
        guests = [dict(arm.guest_settings) for arm in self._plan.arms]
        loopback, mtu = any(map(on_loopback, guests)), max(map(mtu_of, guests), default=PLAIN_MTU)
        servers = servers_for(self._plan.workloads)
        at_once = max(arm.layout.guests for arm in self._plan.arms)
        return bench_network(
            name=self._plan.id, cpus=cpus, loopback=loopback, guests=at_once, mtu=mtu, servers=servers
        )

    def _join_network(self, network: BenchNetwork) -> None:
        self._shared.network = network
        for standing, visit in self._shared.machines.items():
            if standing.machine.reach is Reach.LOCAL:
                visit.network = network.client_namespace
                visit.server = network.server_address


def _visit_name(trial: PlannedTrial) -> str:
    """Return what a trial's visit is called in the names of files."""
    return f"b{trial.block:03d}-{trial.slot}"
