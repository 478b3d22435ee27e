"""A search before its first step: what may be changed, for which workloads, and how often."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from assay.activities.evaluate import prepare
from assay.activities.plan.prepare import BOOT_S
from assay.activities.tuning.factors import Allowed, Choice, choice_of, may_be
from assay.activities.tuning.guests import levels_of
from assay.activities.tuning.scenes import levels_in, run_scene, tuned_guest
from assay.activities.tuning.searched import FEWEST, fewest_of
from assay.activities.tuning.time_taken import mean_cost, within
from assay.activities.visits.remote import remote_host
from assay.design import expected_cost
from assay.factors.base.evidence import Host
from assay.model.errors import AssayError, UnknownNameError
from assay.model.machines.machine import Reach
from assay.model.trial import Arm
from assay.pages.tuning import Tuning, TuningRun
from assay.platforms.host.this_host import ThisHost
from assay.scenes import Scene
from assay.scenes.changes.write import write_scene
from assay.scenes.values.chosen import name_of
from assay.scenes.values.scene import Guest
from assay.store.store import Store

SHORTEST_S = 5.0
"""A visit with the start of a guest takes so long at least."""
Carriers = Callable[[str], AbstractContextManager[Host]]
"""Opens the machine of a name, to look at it."""


@contextmanager
def carrier(name: str, *, home: Path, store: Store) -> Iterator[Host]:
    """Open a machine of the inventory as a carrier of guests.

    Raises:
        UnknownNameError: There is none of that name.
        MissingError: QEMU or libvirt is not there, or we are not root.
        UnreachableError: It cannot be reached.
    """
    machine = store.machine(name)
    if machine.reach is Reach.LOCAL:
        yield ThisHost(home)
        return
    with remote_host(machine, home) as host:
        yield host


@dataclass(frozen=True)
class TuningSpec:
    """What is asked for.

    Attributes:
        names: Factors that may be changed, or groups of them.
        given: Levels of factors that are said by name.
        allowed: Hazards that may be taken.
        workloads: Workloads to tune for; empty is all of the scene.
        evaluations: Visits in all; ``None`` leaves it to the time.
        budget_s: Seconds in all; ``None`` leaves it to the evaluations.
        seed: Of all that is drawn; ``None`` draws it.
        also: A second machine on which what is recommended is checked; ``None`` for none.
        short: Share of the events or of the time of the trials that it begins with; ``None``: all are whole.
    """

    names: Sequence[str]
    given: Mapping[str, Sequence[str]]
    allowed: tuple[str, ...] = ()
    workloads: tuple[str, ...] = ()
    evaluations: int | None = None
    budget_s: float | None = None
    seed: int | None = None
    also: str | None = None
    short: float | None = None


def lay_out(
    scene: Scene,
    wanted: TuningSpec,
    *,
    command: str | None,
    home: Path,
    store: Store,
    carriers: Carriers,
) -> Tuning:
    """Return a search before its first step; nothing is started or kept.

    Raises:
        AssayError: The scene is of no single guest, nothing can be changed, or the budget is too small.
        UnknownNameError: A name of a factor or of a workload is none.
    """
    guest = tuned_guest(scene)
    known = [name_of(workload) for workload in scene.workloads]
    for name in wanted.workloads:
        if name not in known:
            kind = "workload"
            raise UnknownNameError(kind, name, known, hint=f"assay scene show {scene.name}")
    if wanted.also == scene.baseline:
        msg = f"cannot check the change-set on {wanted.also}: it is where the search runs"
        raise AssayError(msg, hint="--also another machine: assay machine list")
    choice = _choice(scene, wanted, guest, carriers)
    tuning = Tuning(
        id=secrets.token_hex(4),
        state="begun",
        created=now(),
        scene=scene.name,
        title=scene.title,
        scene_text=scene.source if scene.scale is None else write_scene(scene),
        scene_file=str(Path(scene.file).resolve()),
        command=command,
        workloads=wanted.workloads or tuple(known),
        seed=secrets.randbelow(2**31) if wanted.seed is None else wanted.seed,
        evaluations=wanted.evaluations or FEWEST,
        budget_s=wanted.budget_s,
        allowed=tuple(sorted(wanted.allowed)),
        factors=choice.factors,
        exclude=choice.exclude,
        left_out=choice.left_out,
        also=wanted.also,
        short=wanted.short,
        scale=scene.scale,
    )
    planned = partial(expected_visit_s, scene=scene, home=home, store=store, carriers=carriers)
    if tuning.short is not None:
        tuning = replace(tuning, short_cost=planned(tuning, share=tuning.short) / planned(tuning))
    least = fewest_of(tuning)
    if wanted.budget_s is None:
        if tuning.evaluations < least:
            msg = f"cannot tune by {tuning.evaluations} evaluations: {least} are the least here"
            raise AssayError(msg, hint=f"--budget {least}, or without --allow data or --also")
        return tuning
    if wanted.budget_s < least * SHORTEST_S:
        msg = f"cannot tune in {wanted.budget_s:.0f} s: {least} visits of {SHORTEST_S:.0f} s are the least"
        raise AssayError(msg, hint="give it more time: a guest is started for each visit")
    tuning = replace(tuning, evaluations=within(wanted.budget_s, planned(tuning), least))
    if tuning.short is None:
        return tuning
    return replace(tuning, evaluations=within(wanted.budget_s, planned(tuning) * mean_cost(tuning), least))


def _choice(scene: Scene, wanted: TuningSpec, guest: Guest, carriers: Carriers) -> Choice:
    """Return what may be changed on the scene's machine, and on the second one where there is one."""
    with ExitStack() as stack:
        host = stack.enter_context(carriers(scene.baseline))
        names = () if wanted.also is None else (wanted.also,)
        also = {name: stack.enter_context(carriers(name)) for name in names}
        return choice_of(guest, wanted.names, wanted.given, Allowed(host, wanted.allowed, also))


def expected_visit_s(
    tuning: Tuning, *, scene: Scene, home: Path, store: Store, carriers: Carriers, share: float = 1.0
) -> float:
    """Return about how long a visit of the search takes, in seconds, before any was seen.

    Args:
        tuning: The search.
        scene: Its scene.
        home: Folder of all state.
        store: Inventory of machines.
        carriers: Opens the machine that carries the guests.
        share: Share of the events or of the time that workloads run for.
    """
    with carriers(scene.baseline) as host:
        config = _one_change(tuning, scene, host)
    run = TuningRun("search", (config,), (), 1, 0, "", "begun", share=share)
    plan = prepare(run_scene(scene, tuning, run), home=home, store=store, command=tuning.command)
    seconds = {workload.name: workload.seconds for workload in plan.workloads}
    cost = expected_cost(plan.trials, seconds, visit_s=BOOT_S, booted=(Arm.BASELINE, Arm.TREATMENT))
    return cost.seconds / len({(one.block, one.slot) for one in plan.trials})


def _one_change(tuning: Tuning, scene: Scene, host: Host) -> tuple[int, ...]:
    """Return a configuration that differs in one factor, and can be had."""
    current = levels_of(tuned_guest(scene))
    now = [0] * len(tuning.factors)
    for at, factor in enumerate(tuning.factors):
        for level in range(1, len(factor.levels)):
            config = (*now[:at], level, *now[at + 1 :])
            if may_be(current, levels_in(tuning, config), host):
                return config
    msg = "cannot tune: no factor can be changed alone"
    raise AssayError(msg, hint="name the factors that go together in the scene")


def now() -> str:
    """Return the time, ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
