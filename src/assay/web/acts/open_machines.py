"""Which machines a request is carried out on, and whether they are open to operators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from assay.activities.tuning.kept import find_tuning
from assay.activities.tuning.tuner import scene_of
from assay.machines.who import chosen
from assay.model.machines.machine import Reach
from assay.scenes.find import find_scene, ready_names
from assay.scenes.values.scene import Guest, OtherMachine, Scene
from assay.store.fleet import read_fleet
from assay.store.record import read_activity
from assay.store.rows import FleetRow
from assay.store.store import Store
from assay.web.access.person import Person, RefusedError, Role
from assay.web.acts.requests import (
    Act,
    EvaluateScene,
    OfActivity,
    OfSearch,
    TuneScene,
)

LOCAL = str(Reach.LOCAL)


class OpenMachines:
    """The machines that are open to operators.

    Args:
        store: The inventory, and what was measured.
        who: The words that name them (``machines.who``); ``None`` is no machine.
        scene: Returns a scene by its name; ``None`` finds those of the home, too.
    """

    def __init__(self, store: Store, who: str | None, *, scene: Callable[[str], Scene] | None = None) -> None:
        self._store, self._who = store, who
        self._scene = scene or partial(find_scene, home=store.home)

    def check(self, act: Act, person: Person) -> None:
        """Make sure that all machines of a request are open; as ``carry.Machines``.

        Raises:
            UnknownNameError: There is no machine, scene or activity of a name.
            RefusedError: An operator may not use one of them.
        """
        if person.role >= Role.ADMIN:
            return
        # what names no machine takes this one, a scene that is saved too: its text is commands
        used = self._with_carriers(self._used(act)) or {LOCAL}
        if closed := sorted(used - self._open()):
            msg = f"cannot do that: the machine {closed[0]} is not open to operators"
            hint = "whoever runs this server opens machines to operators (operators_may_use)"
            raise RefusedError(msg, hint=hint)

    def _open(self) -> frozenset[str]:
        return frozenset() if self._who is None else frozenset(self._named(self._who))

    def _named(self, who: str) -> Iterator[str]:
        yield from (entry.name for entry in chosen(who, self._store.entries()))

    def _with_carriers(self, names: Iterable[str]) -> frozenset[str]:
        """Return machines with those that carry them, through which they are reached."""
        carriers = {entry.name: entry.guest_of for entry in self._store.entries()}
        found = frozenset(names)
        more = found | {carrier for name in found if (carrier := carriers.get(name)) is not None}
        return found if more == found else self._with_carriers(more)

    def _used(self, act: Act) -> Iterator[str]:
        """Yield the names of the machines that a request is carried out on."""
        if isinstance(act, EvaluateScene | TuneScene):
            on = act.on if isinstance(act, EvaluateScene) else None
            yield from self._of_scene(self._scene(act.scene), act.scene, on)
        if isinstance(act, OfActivity):
            yield from self._of_activity(act.activity)
        if isinstance(act, OfSearch):
            yield from self._of_search(act.search)
        if (who := act.machines()) is not None:
            yield from self._named(who)

    def _of_scene(self, scene: Scene, name: str, on: str | None) -> Iterator[str]:
        """Yield the machines of a scene; a scene that is the site's own may name files and hypervisors of
        this machine, which takes this machine.
        """
        if name not in ready_names():
            yield LOCAL
        if on is None:
            yield from (scene.baseline, *scene.baseline_beside)
        for one in (scene.treatment, *scene.more):
            if isinstance(one, Guest | OtherMachine) and one.machine is not None:
                yield one.machine
            if isinstance(one, OtherMachine):
                yield from one.beside

    def _of_search(self, search: str) -> Iterator[str]:
        tuning = find_tuning(search, self._store.home)
        yield from self._of_scene(scene_of(tuning), tuning.scene, None)
        if tuning.also is not None:
            yield tuning.also

    def _of_activity(self, activity: str) -> Iterator[str]:
        row = self._store.find(activity)
        if isinstance(row, FleetRow):
            yield from (lane.machine for lane in read_fleet(row.folder).lanes)
            return
        plan = read_activity(row.folder)
        yield from (one.machine.name for arm in plan.arms for one in arm.each_machine)
