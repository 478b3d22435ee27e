"""Conducts the lanes of an activity on several machines, all at once, each to its own end."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from assay.activities.ending import ending
from assay.activities.evaluate import create, ensure_image, follow, require_ready
from assay.activities.events import Watcher
from assay.activities.fleet.drains import Drains
from assay.activities.fleet.failures import failure_of, stop_of, wait_before
from assay.activities.fleet.watch import FleetWatch, LaneWatch
from assay.activities.interrupts import SIGNALS, Interrupts
from assay.activities.keeping import patiently
from assay.machines.batch.engine import QueuedError
from assay.machines.batch.engines import engine_of
from assay.model.activity import ActivityPlan, ActivityState
from assay.model.errors import AssayError
from assay.model.files.activities import FOLDER, LANES
from assay.model.files.marker import make_marked
from assay.model.fleet import Fleet, Lane
from assay.model.units import format_seconds
from assay.platforms.claims import claim, release
from assay.platforms.errors import ClaimedError
from assay.platforms.filesystems.host_filesystem import remove_folder
from assay.store.fleet import lane_folder, write_fleet, write_stop
from assay.store.readers import keep_folder
from assay.store.record import read_activity, sync_folder
from assay.store.store import Store

LOOK_S = 0.5
"""A thread that waits for others hears a signal at the latest after this."""


def create_fleet(fleet: Fleet, *, home: Path, store: Store) -> Path:
    """Make an activity on several machines durable: its folder, and its row; lanes come with their plans.

    Raises:
        ClaimedError: Another activity runs here.
    """
    claim(home, fleet.id, here=fleet.measures_here)
    folder = home / FOLDER / fleet.id
    make_marked(folder)
    make_marked(folder / LANES)
    keep_folder(folder / LANES)
    write_fleet(folder, fleet)
    for above in (folder.parent, home):
        sync_folder(above)
    store.add_fleet(fleet, folder)
    return folder


BOOKED_S = 15.0
"""A machine that another activity measures is looked at again after this, where it is waited for."""
QUEUED_S = 5.0
"""A node whose job waits in the queue is asked for again after this."""


@dataclass
class _Lane:
    """A lane while it is conducted."""

    lane: Lane
    watch: LaneWatch
    interrupts: Interrupts = field(default_factory=lambda: Interrupts(hears=False))


class FleetConductor:
    """Runs what is left of all lanes; one process at a time conducts an activity.

    Args:
        fleet: The activity.
        folder: Its folder.
        home: Folder of all state.
        store: Takes the rows.
        watcher: Is told of each act.
        plan: Returns the plan of a lane that has none yet.
    """

    def __init__(
        self,
        fleet: Fleet,
        folder: Path,
        *,
        home: Path,
        store: Store,
        watcher: Watcher,
        plan: Callable[[Lane], ActivityPlan],
    ) -> None:
        self._fleet, self._folder = fleet, folder
        self._home, self._store, self._plan = home, store, plan
        self._waits = False
        self._watch = FleetWatch(watcher)
        self._machines = {machine.name: machine for machine in store.machines()}
        metals = {name: machine.metal for name, machine in self._machines.items()}
        self._metals = {lane.machine: metals.get(lane.machine, lane.machine) for lane in fleet.lanes}
        self._turns = {metal: threading.Lock() for metal in self._metals.values()}
        self._drains = None if fleet.drain is None else Drains(fleet.drain, home=home)
        self._making = threading.Lock()  # images are built, and folders made, one after the other

    def run(self, lanes: tuple[Lane, ...] | None = None, *, waits: bool = False) -> ActivityState:
        """Run lanes to their ends and return where the activity stands.

        Args:
            lanes: Which; ``None`` is all of them.
            waits: A machine that another activity measures is waited for, however long that takes.

        Raises:
            KeyboardInterrupt: Stopped; all finished trials are safe and the rest can be resumed.
        """
        self._waits = waits
        claim(self._home, self._fleet.id, here=self._fleet.measures_here)
        going = [_Lane(lane, self._watch.lane(lane.machine)) for lane in lanes or self._fleet.lanes]
        warn = self._watch.lane(self._fleet.id).warn
        with (
            ending(lambda: release(self._home, self._fleet.id), warn),
            ending(self._note_state, warn),
            self._drains or nullcontext(),
            self._listening(going),
        ):
            self._store.set_fleet_state(self._fleet.id, ActivityState.RUNNING, ended_ns=None)
            self._run_all(going)
        if any(one.interrupts.asked for one in going):
            raise KeyboardInterrupt
        return patiently(lambda: self._store.fleet_state(self._fleet, self._folder))

    def _note_state(self) -> None:
        state = patiently(lambda: self._store.fleet_state(self._fleet, self._folder))
        patiently(lambda: self._store.set_fleet_state(self._fleet.id, state, ended_ns=time.time_ns()))

    def _run_all(self, going: list[_Lane]) -> None:
        with ThreadPoolExecutor(max_workers=len(going), thread_name_prefix="lane") as pool:
            running = [pool.submit(self._to_its_end, one) for one in going]
            waiting = {*running}
            while waiting:  # in steps: a thread that waits without end hears no signal
                _, waiting = wait(waiting, timeout=LOOK_S)
        for done in running:
            done.result()

    @contextmanager
    def _listening(self, going: list[_Lane]) -> Iterator[None]:
        """Ask every lane to stop when a signal comes."""

        def hear(_number: int, _frame: FrameType | None) -> None:
            for one in going:
                one.interrupts.stop()

        former = {number: signal.signal(number, hear) for number in SIGNALS}
        try:
            yield
        finally:
            for number, handler in former.items():
                signal.signal(number, handler)

    def _to_its_end(self, one: _Lane) -> None:
        """Run a lane until it has ended, is stopped, or is taken out."""
        write_stop(self._folder, one.lane, None)
        with ending(lambda: self._give_back(one.lane), one.watch.warn):
            self._again_and_again(one)

    def _give_back(self, lane: Lane) -> None:
        """Give a node back that a batch system has given, or that was drained."""
        machine = self._machines.get(lane.machine)
        if machine is not None and self._drains is not None:
            self._drains.give_back(machine)
        if machine is not None and engine_of(machine) is not None:
            from assay.machines.batch.held import release as give_back

            give_back(machine, home=self._home)

    def _again_and_again(self, one: _Lane) -> None:
        tries = 0
        while not one.interrupts.asked:
            before = self._records(one.lane)
            try:
                with self._turn(one):
                    self._once(one)
            except KeyboardInterrupt:
                return
            except AssayError as error:
                tries = 1 if self._records(one.lane) > before else tries + 1
                if not self._goes_on(one, error, tries):
                    return
            else:
                return

    @contextmanager
    def _turn(self, one: _Lane) -> Iterator[None]:
        """Keep to one at a time of machines that have the same processors: a machine, and guests of it.

        Raises:
            KeyboardInterrupt: It is asked to stop while it waits.
        """
        metal = self._metals[one.lane.machine]
        turn = self._turns[metal]
        if not turn.acquire(blocking=False):
            one.watch.step(f"waits for another on {metal}")
            while not turn.acquire(timeout=LOOK_S):
                if one.interrupts.asked:
                    raise KeyboardInterrupt
        try:
            yield
        finally:
            turn.release()

    def _goes_on(self, one: _Lane, error: AssayError, tries: int) -> bool:
        """Wait before a lane is tried again; tell whether it is."""
        if isinstance(error, QueuedError):
            one.watch.step(error.message)
            return self._slept(one, QUEUED_S)
        booked = self._waits and isinstance(error, ClaimedError)
        wait_s = BOOKED_S if booked else wait_before(failure_of(error), tries)
        if wait_s is None:
            write_stop(self._folder, one.lane, stop_of(error, tries))
            one.watch.warn(f"taken out: {error.message}")
            return False
        one.watch.warn(f"{error.message}; tried again in {format_seconds(wait_s)}")
        return self._slept(one, wait_s)

    @staticmethod
    def _slept(one: _Lane, wait_s: float) -> bool:
        """Wait; tell whether nobody has asked to stop."""
        try:
            one.interrupts.sleep(wait_s)
        except KeyboardInterrupt:
            return False
        return True

    def _records(self, lane: Lane) -> int:
        """Return how many records a lane has."""
        return len([*(lane_folder(self._folder, lane) / "trials").glob("[!.]*")])

    def _once(self, one: _Lane) -> None:
        """Go on with a lane, which is planned first where it is not yet."""
        if self._drains is not None and (machine := self._machines.get(one.lane.machine)) is not None:
            self._drains.take(machine)
        folder = lane_folder(self._folder, one.lane)
        known = (folder / "activity.json").exists()
        plan = read_activity(folder) if known else self._plan(one.lane)
        with self._making:
            self._make_ready(plan, folder, one, known=known)
        follow(plan, folder, home=self._home, store=self._store, watcher=one.watch, interrupts=one.interrupts)

    def _make_ready(self, plan: ActivityPlan, folder: Path, one: _Lane, *, known: bool) -> None:
        """Make a lane's folder, and the images of its guests; of one that was cut off what is missing."""
        if not known:
            remove_folder(folder)
            ensure_image(plan, home=self._home, watcher=one.watch)
            create(plan, home=self._home, store=self._store, within=folder.parent)
            return
        require_ready(plan, folder, home=self._home, watcher=one.watch)
        if plan.id not in self._store.ids():
            self._store.import_folder(folder)
