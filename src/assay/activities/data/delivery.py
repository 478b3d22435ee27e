"""The activity's data brought to each arm for a visit, and taken away at its end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from assay.activities.data.scratch import scratch_levels, scratch_on, scratch_room, wants_scratch
from assay.activities.data.together import brought_together
from assay.activities.data.ways import DataWays
from assay.activities.events import Watcher
from assay.activities.interrupts import Interrupts
from assay.activities.visits.visit import Visit
from assay.factors.data.share import NINE_P, SHARES
from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.platforms.data import LOCAL, access, of_scratch, scratch_access, served_ways
from assay.platforms.bench_network.daemons import Site
from assay.platforms.bench_network.network import BenchNetwork
from assay.platforms.data_servers.files import lay_data, make_data_folder
from assay.platforms.data_servers.serve import data_folder, end_data, end_left_data, serve
from assay.platforms.filesystems.scratch_disk import require_room


def needs_network(plan: ActivityPlan) -> bool:
    """Tell whether a workload wants the bench network, or an arm reads the data from a server on it."""
    return bool(_served(plan)) or any(workload.needs_network for workload in plan.workloads)


def _served(plan: ActivityPlan) -> tuple[str, ...]:
    levels = [arm.data if plan.data else of_scratch(arm.data) for arm in plan.arms if not arm.beside]
    return tuple(sorted({way for own in levels for way in served_ways(own)}))


class DataEnvironment:
    """The data on this machine and their servers, for the time of an activity."""

    def __init__(
        self, plan: ActivityPlan, home: Path, watcher: Watcher, stack: ExitStack, interrupts: Interrupts
    ) -> None:
        self._plan, self._home, self._watcher = plan, home, watcher
        self._stack, self._interrupts = stack, interrupts
        self._ways = DataWays(data_folder(home, plan.id))

    def open(self, network: BenchNetwork | None, cpus: tuple[int, ...]) -> None:
        """Lay the data out and start the servers that an arm reads them from.

        Raises:
            MissingError: there is no room for them or for what jobs write, or a server is not installed.
            PlatformError: a server does not start.
        """
        end_left_data(self._home, self._plan.id)
        folder = self._ways.folder
        served = _served(self._plan)
        if self._plan.data is None and not served and not wants_scratch(self._plan):
            return
        make_data_folder(folder)
        self._stack.callback(end_data, folder, home=self._home)
        require_room(folder, scratch_levels(self._plan), scratch_room(self._plan))
        ways = {LOCAL if arm.beside else access(arm.data) for arm in self._plan.arms}
        shared = NINE_P in ways  # QEMU is another user
        if served and network is not None:
            writable = {scratch_access(arm.data) for arm in self._plan.arms} & {*served}
            site = Site(folder, network, cpus, tuple(sorted(writable)))
            self._ways = DataWays(folder, site)
            self._watcher.step(f"serving the data by {', '.join(served)}")
            self._stack.enter_context(serve(site, served, self._plan.data, shared=shared))
        elif self._plan.data is not None and ways & {LOCAL, *SHARES}:
            self._watcher.step("laying out the data")
            lay_data(self._plan.data, folder / "files", shared=shared)

    def come_from_elsewhere(self, arm: PlannedArm) -> bool:
        """Tell whether an arm has its data by another way than as a copy on its own disk, or writes so."""
        return {access(arm.data) if self._plan.data else LOCAL, scratch_access(arm.data)} != {LOCAL}

    @contextmanager
    def brought(self, visit: Visit, arm: PlannedArm) -> Iterator[None]:
        """Let a visit see the data as its arm shall, and write where it shall.

        Raises:
            MissingError: the arm lacks a program for it.
            PlatformError: what it sees is not what was asked for.
        """
        with (
            scratch_on(visit, arm, self._ways.folder, scratch_room(self._plan)),
            self._read(visit, arm),
            self._written(visit, arm),
        ):
            yield

    @contextmanager
    def _written(self, visit: Visit, arm: PlannedArm) -> Iterator[None]:
        visits = (visit, *visit.beside)
        try:
            for one in visits:
                self._ways.let_write(one, arm)
            yield
        finally:
            with self._interrupts.held():
                for one in visits:
                    self._ways.end_writing(one, arm)

    @contextmanager
    def _read(self, visit: Visit, arm: PlannedArm) -> Iterator[None]:
        if self._plan.data is None:
            yield
            return
        visits, stack = (visit, *visit.beside), ExitStack()
        try:
            if self._plan.several_machines:
                stack.enter_context(brought_together(self._ways.files, visits, arm, self._plan.data))
            else:
                for one in visits:
                    one.data = self._ways.bring(one, arm, self._plan.data)
            yield
        finally:
            for one in visits:
                one.data, one.clients = None, ()
            with self._interrupts.held():
                stack.close()
                self._ways.take_away(arm)
