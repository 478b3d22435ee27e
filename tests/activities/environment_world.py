"""What stands in for all that an environment opens: it notes what is done with it, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.activities import environment as environments
from assay.activities.environment import Environment
from assay.activities.interrupts import Interrupts
from assay.activities.places import container, guest, guest_group, saved_state, shared
from assay.activities.visits.visit import Visit
from assay.design import plan_trials
from assay.model.activity import ActivityPlan, PlannedArm, PlannedGuest
from assay.model.machines.machine import Machine, Reach
from assay.model.trial import Arm
from assay.model.work.page_cache import CacheState
from assay.platforms.bench_network.bench_links import bench_names
from assay.platforms.guests.spec import Accelerator
from assay.platforms.host.settings import HeldSettings
from tests.activities.doubles import Door, Probe, Watcher, visit_at
from tests.builders import WORKLOAD, plan_of

TRIALS = plan_trials(("spin",), blocks=1, seed=1)
OTHER = replace(next(trial for trial in TRIALS if trial.arm is Arm.TREATMENT), block=4)
BASE = replace(OTHER, arm=Arm.BASELINE)
FAR = Machine("far", Reach.SSH, "far.site")
WANTED = PlannedGuest(1, 1 << 30, "none", "aaaa")
HOST = plan_of(TRIALS).baseline
GUEST = replace(HOST, label="guest", guest=WANTED, cache=CacheState.WARM)
NETWORK = bench_names("assay-x", guests=2)
TCG = Accelerator("tcg", "guests are emulated")
NET = replace(WORKLOAD, needs_network=True)
MODULES = (environments, shared, container, guest, guest_group, saved_state)
"""Where an environment and its places open what they need."""


@dataclass
class World:
    """All that an environment opens: what was done is noted in order, and what is left at the end."""

    acts: list[Any] = field(default_factory=list)
    probes: dict[str, Probe] = field(default_factory=dict)
    found: Any = None
    reported: str = ""

    def inside(self, what: str, answer: Any = None) -> Callable[..., Any]:
        @contextmanager
        def act(*words: Any, **options: Any) -> Iterator[Any]:
            self.acts.append((what, *words, options))
            try:
                yield answer
            except GeneratorExit:
                raise  # nobody left it: its environment was dropped
            except BaseException:
                self.acts.append(f"leave {what}")
                raise
            self.acts.append(f"leave {what}")

        return act

    def noted(self, what: str, answer: Any = None) -> Callable[..., Any]:
        return lambda *words, **options: self.acts.append((what, *words, options)) or answer

    @contextmanager
    def machine(self, arm: PlannedArm, activity: str, *, home: Path) -> Iterator[Visit]:
        self.acts.append(f"open {arm.label}")
        probe = self.probes.setdefault(arm.label, Probe())
        far = arm.machine.reach is not Reach.LOCAL
        existing = SimpleNamespace(pid=99, platform=lambda: "read back") if arm.domain else None
        yield visit_at(
            Door({"stat": "8\n"}, name=arm.label),
            probe,
            own_clock=far,
            existing=existing,
            limits=arm.limits,
            cache=arm.cache,
        )
        self.acts.append(f"close {arm.label}")

    def names(self) -> list[str]:
        return [act if isinstance(act, str) else act[0] for act in self.acts]

    def of(self, what: str) -> list[Any]:
        return [act for act in self.acts if act[0] == what]


class Made:
    """A guest or a container that was made."""

    pid, spec = 77, SimpleNamespace(name="box")

    def __init__(self, world: World, name: str = "made") -> None:
        self._world, self.name = world, name

    def destroy(self) -> None:
        self._world.acts.append(f"destroy {self.name}")

    remove = destroy

    def end(self) -> None:
        """Nothing: that it is gone is what counts."""


def world_of(monkeypatch: pytest.MonkeyPatch) -> World:
    """Return the world of environments from now on."""
    made = World()
    doubles: dict[str, Any] = {
        "end_guests": made.noted("end guests"),
        "end_own_guests": made.noted("end own guests"),
        "end_containers": made.noted("end containers"),
        "end_own_containers": made.noted("end own containers"),
        "end_own_data": made.noted("end data"),
        "confine_controller": lambda cpus: made.acts.append(("confine", set(cpus))),
        "controller_cpus": lambda _plan: (5,),
        "open_probe": made.inside("watching", ("watching probe", "door")),
        "bench_network": made.inside("network", NETWORK),
        "libvirt_connection": made.inside("libvirt", "connection"),
        "hypervisor_of": lambda _connection: SimpleNamespace(reported=made.reported),
        "image_by_digest": lambda _home, digest: f"image {digest}",
        "choose_accelerator": made.noted("accelerator", TCG),
        "PROBE": SimpleNamespace(path=lambda: Path("/probe")),
        "machine_visit": made.machine,
        "existing_visit": made.machine,
        "host_settings": made.inside("settings", HeldSettings()),
        "verify_host": lambda *_: (),
        "make_container": made.noted("container", Made(made, "container")),
        "container_visit": made.inside("inside", visit_at(Door(name="box"), Probe())),
        "guest_visit": made.inside("inside", visit_at(Door(name="guest"), Probe())),
        "several_visits": made.inside("several", visit_at(Door(name="guests"), Probe())),
        "restored_guest": made.noted("restore", Made(made, "restored")),
        "pick_port": lambda: 20_001,
        "pick_ports": lambda count: list(range(20_001, 20_001 + count)),
    }
    for name, double in doubles.items():
        users = [module for module in MODULES if hasattr(module, name)]
        assert users, f"nothing opens {name}"
        for module in users:
            monkeypatch.setattr(module, name, double)
    provider = SimpleNamespace(make=made.noted("boot", Made(made, "booted")), find=lambda _: made.found)
    monkeypatch.setattr(
        guest, "LibvirtProvider", lambda *words: made.acts.append(("provider", *words)) or provider
    )
    monkeypatch.setattr(
        "assay.activities.plan.guest_specs.image_by_digest", lambda _home, digest: f"image {digest}"
    )
    return made


def environment_of(
    plan: ActivityPlan, watcher: Watcher | None = None, *, home: Path = Path("/h")
) -> Environment:
    return Environment(plan, home, cast("Any", watcher or Watcher()), Interrupts())


def guests(**changes: Any) -> ActivityPlan:
    return replace(plan_of(TRIALS, treatment=GUEST), **changes)


def opened(plan: ActivityPlan, watcher: Watcher | None = None) -> Environment:
    environment = environment_of(plan, watcher)
    environment.open()
    return environment
