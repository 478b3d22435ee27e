"""From a scene to a plan that can be run: machines looked at, sizes filled in, trials put in order."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.activities.plan.arms import Arms, ImageOf
from assay.activities.plan.data_plan import arms_with_data, check_places, check_spread, data_set, with_sizes
from assay.activities.plan.goal_ahead import metrics_planned
from assay.activities.plan.kinds.table import find_arms
from assay.activities.plan.layout import check_files, part_of, with_job_times
from assay.activities.plan.needs import check_needs
from assay.activities.plan.network import check_cards, check_guests, fitting
from assay.activities.plan.packs import with_packs
from assay.activities.plan.placement import place
from assay.activities.plan.programs import needed_programs
from assay.activities.plan.scripts import planned_scripts
from assay.activities.plan.several_sizes import with_threads
from assay.activities.plan.sharing import memory_doubts, sharing_of, with_threads_per_core
from assay.activities.plan.site_floor import floor_of
from assay.activities.plan.suite_doubts import suite_doubts
from assay.activities.plan.variables import with_variables
from assay.activities.visits.cpu_allocation import check_names
from assay.activities.visits.remote import remote_host
from assay.activities.visits.restored import restored_doubts
from assay.activities.visits.visit import look_at
from assay.design import Cost, expected_cost, plan_trials
from assay.design.ending import wanted_of
from assay.design.predict import Prediction, predict_from_floor
from assay.design.shape import choose_shape
from assay.factors.base.evidence import Host
from assay.model.activity import ActivityPlan, PlannedArm, visits_of
from assay.model.doubt import Raised, raised
from assay.model.errors import AssayError
from assay.model.goal import Goal, Shape
from assay.model.machines.machine import Facts, Reach
from assay.model.platforms.data import DataSet
from assay.model.trial import Arm, PlannedTrial
from assay.model.work.needs import Needs
from assay.model.work.workload import Workload
from assay.platforms.host.recorded_host import RecordedHost
from assay.platforms.host.this_host import ThisHost
from assay.platforms.hypervisor import local_hypervisor
from assay.probe.facts import recorded_fingerprint
from assay.report.doubts import worded
from assay.results.history import switch_cost
from assay.scenes import Guest, Scene
from assay.store.store import Store
from assay.workloads import with_accounting

BOOT_S = 15.0
"""Guess of a guest's boot and its first connection."""


def plan_activity(
    scene: Scene,
    *,
    home: Path,
    store: Store,
    image: ImageOf,
    command: str | None,
    recorded: Path | None = None,
) -> ActivityPlan:
    """Look at the machines and lay out an activity; nothing is started and nothing is kept.

    Args:
        scene: What is compared.
        home: Folder of all state.
        store: Inventory of machines.
        image: Tells the digest of the image that a guest would boot.
        command: The user's own command line, where the scene is made from one.
        recorded: A recorded machine to plan for instead of this one; its programs and disks are not known.

    Raises:
        MissingError: A machine lacks processors, memory or a program.
        UnreachableError: A machine cannot be reached.
    """
    here, host = _baseline_machine(scene, home=home, store=store, recorded=recorded)
    found = find_arms(scene, here, home=home, store=store, image=image, host=host)
    arms = _with_data(scene, found, here, host)
    sharing = sharing_of(scene, arms, here)
    seed = scene.design.seed if scene.design.seed is not None else secrets.randbelow(2**32)
    work = _work(scene, arms, seed=seed, home=home, here=recorded is None)
    goal = _decided(scene, work.workloads, store)
    return ActivityPlan(
        id=secrets.token_hex(4),
        scene=scene.name,
        scale=scene.scale,
        title=scene.title,
        scene_digest=scene.digest,
        scene_text=scene.source,
        command=command,
        created_ns=time.time_ns(),
        seed=seed,
        confidence=scene.design.confidence,
        margin=scene.design.margin,
        blocks=scene.design.blocks,
        baseline=arms.baseline,
        treatment=arms.treatment,
        more=arms.more,
        workloads=work.workloads,
        trials=_trials(scene, goal, work.workloads, arms, seed=seed),
        doubts=tuple(
            (one.code, one.sentence)
            for one in map(
                worded,
                (
                    *_doubts(scene, arms, work, here, home=home if recorded is None else None),
                    *memory_doubts(sharing),
                ),
            )
        ),
        observation=scene.observation,
        goal=goal,
        floor=floor_of(home, here.hostname),
        data=work.data,
        published=scene.published,
        sharing=sharing,
        scripts=planned_scripts(scene, arms),
    )


@dataclass(frozen=True)
class _Work:
    """What runs on all arms, what it reads, and what is left out of the scene."""

    workloads: tuple[Workload, ...]
    data: DataSet | None
    left_out: tuple[Raised, ...]


def _baseline_machine(scene: Scene, *, home: Path, store: Store, recorded: Path | None) -> tuple[Facts, Host]:
    """Return the baseline's machine, which has what the scene needs; of another machine the host is this one.

    Raises:
        AssayError: The scene's baseline is another machine, where a recorded one is to stand for it.
    """
    if recorded is not None:
        if scene.baseline != "local":
            msg = f"cannot plan for {recorded}: the baseline of {scene.name} is {scene.baseline}"
            raise AssayError(msg, hint="a recorded machine stands for 'local'")
        seen, host = recorded_fingerprint(recorded).facts, RecordedHost(recorded)
        check_needs(scene, seen, on=host, home=None)
        return seen, host
    machine, this = store.machine(scene.baseline), ThisHost(home)
    here = look_at(machine, needed_programs(scene), home=home)
    if machine.reach is Reach.LOCAL:
        check_needs(scene, here, on=this, home=home)
    elif scene.needs != Needs():
        with remote_host(machine, home) as there:
            check_needs(scene, here, on=there, home=None)
    return here, this


def _with_data(scene: Scene, found: Arms, here: Facts, host: Host) -> Arms:
    """Return the places that are compared, each with its way to the data."""
    arms = arms_with_data(scene, found, on=host)
    check_names(arms.every)
    return with_threads_per_core(arms, here)


def _work(scene: Scene, arms: Arms, *, seed: int, home: Path, here: bool) -> _Work:
    """Return the workloads with sizes, data, variables and packs filled in, once no arm speaks
    against them; for a recorded machine no pack is looked for.
    """
    workloads, left_out = fitting(scene.prepare(arms.sizes), arms)
    check_cards(workloads, arms)
    check_guests(workloads, arms)
    check_spread(workloads, arms)
    workloads = tuple(with_accounting(one, scene.usage) for one in with_job_times(workloads, arms))
    several = arms.more or scene.baseline_processors
    workloads = with_threads(workloads, arms.every if several else ())
    _check_placements(workloads, arms)
    _check_layouts(workloads, arms)
    data = data_set(scene, seed=seed, home=home if here else None)
    check_files(workloads, arms, data)
    workloads = with_variables(with_sizes(workloads, data), arms, home=home)
    if here:
        check_places(arms)
        workloads = with_packs(workloads, arms, home=home)
    return _Work(tuple(workloads), data, left_out)


def _trials(
    scene: Scene, goal: Goal, workloads: Sequence[Workload], arms: Arms, *, seed: int
) -> tuple[PlannedTrial, ...]:
    return plan_trials(
        [workload.name for workload in workloads],
        blocks=scene.design.blocks,
        seed=seed,
        shape=goal.shape,
        runs=goal.runs,
        visits=visits_of((arms.treatment, *arms.more)),
    )


def _doubts(scene: Scene, arms: Arms, work: _Work, here: Facts, *, home: Path | None) -> Iterator[Raised]:
    """Yield what is doubtful from the start; without a home nothing of this machine."""
    yield from arms.doubts
    yield from restored_doubts(arms.baseline, (arms.treatment, *arms.more))
    if home is not None:
        yield from _doubts_here(arms, work, home)
    yield from work.left_out
    yield from _size_doubts(work.workloads)
    if scene.design.goal.score:
        yield from suite_doubts(arms, here)


def _doubts_here(arms: Arms, work: _Work, home: Path) -> Iterator[Raised]:
    """Yield what this machine makes doubtful."""
    yield from _users_own(arms)
    if arms.baseline.machine.reach is Reach.LOCAL:
        yield from _disk_doubts(home)
    if _with_guest(arms) and any(workload.needs_network for workload in work.workloads):
        yield from _vhost_doubts()


def _decided(scene: Scene, workloads: Sequence[Workload], store: Store) -> Goal:
    """Decide the shape of the blocks where that is left to the switch costs."""
    goal = scene.design.goal
    if goal.shape is not Shape.AUTO:
        return goal
    if scene.more:
        return replace(goal, shape=Shape.DOUBLE)
    boots = isinstance(scene.treatment, Guest) and not scene.treatment.restored  # the only one
    boot_s = BOOT_S if boots else 0.0
    cost = switch_cost(store, scene=scene.name, workloads=workloads, boot_s=boot_s)
    shape, runs = choose_shape(cost)
    return replace(goal, shape=shape, runs=runs)


def plan_prediction(plan: ActivityPlan) -> Prediction:
    """Return how many blocks the goal is expected to take, by the site's A/A campaigns."""
    if not plan.goal.adaptive:
        return Prediction(plan.blocks, "fixed by the design")
    return predict_from_floor(plan.floor, metrics_planned(plan), wanted_of(plan))


def plan_cost(plan: ActivityPlan) -> Cost:
    """Return what the whole plan is expected to take, if it runs to its last block."""
    seconds = {workload.name: workload.seconds for workload in plan.workloads}
    return expected_cost(plan.trials, seconds, visit_s=BOOT_S, booted=booted(plan))


def booted(plan: ActivityPlan) -> frozenset[Arm]:
    """Return the arms that are booted for each visit."""
    return _which(plan, lambda arm: arm.boots)


def fresh(plan: ActivityPlan) -> frozenset[Arm]:
    """Return the arms that begin each visit as they were made: guests of ours, restored ones too."""
    return _which(plan, lambda arm: arm.guest is not None)


def _which(plan: ActivityPlan, holds: Callable[[PlannedArm], bool]) -> frozenset[Arm]:
    """Return of which arms something holds; of the treatments that it does of one."""
    treatments = any(map(holds, plan.treatments))
    return frozenset(
        which for which, found in ((Arm.BASELINE, holds(plan.baseline)), (Arm.TREATMENT, treatments)) if found
    )


def _with_guest(arms: Arms) -> bool:
    """Tell whether a treatment is a guest of ours."""
    return any(arm.guest for arm in (arms.treatment, *arms.more))


def _check_placements(workloads: Sequence[Workload], arms: Arms) -> None:
    """Refuse pinnings that an arm has too few processors for; both have as many."""
    cpus = tuple(range(arms.sizes.cpus))
    for workload in workloads:
        place(workload.placement, cpus, workload=workload.name, where=arms.baseline.label)


def _users_own(arms: Arms) -> tuple[Raised, ...]:
    """Say what guests cannot have where they are made by a plain user's own libvirt."""
    here = _with_guest(arms) and arms.baseline.machine.reach is Reach.LOCAL
    reported = local_hypervisor().reported if here else ""
    return (raised("users-own-libvirt", reported=reported),) if reported else ()


def _check_layouts(workloads: Sequence[Workload], arms: Arms) -> None:
    """Refuse workloads that the guests of a layout cannot share."""
    for arm in arms.every:
        for workload in workloads:
            part_of(workload, arm.parts)


def _disk_doubts(home: Path) -> tuple[Raised, ...]:
    """Say so where the disk that is measured is memory: direct I/O is accepted there and means nothing."""
    mounts = (line.split() for line in Path("/proc/mounts").read_text().splitlines())
    kinds = {mount: kind for _, mount, kind, *_ in mounts}
    place = next(p for p in (home.resolve(), *home.resolve().parents) if str(p) in kinds)
    if kinds[str(place)] not in {"tmpfs", "ramfs"}:
        return ()
    return (raised("disk-is-memory", home=str(home), kind=kinds[str(place)]),)


def _vhost_doubts() -> tuple[Raised, ...]:
    """Say so where the kernel may carry a guest's packets by threads of its own, outside the QEMU process."""
    if not Path("/dev/vhost-net").exists():
        return ()
    return (raised("vhost-not-confined"),)


def _size_doubts(workloads: Sequence[Workload]) -> tuple[Raised, ...]:
    """Say so where a workload had to be made smaller than its rule asks."""
    broken = tuple((workload.name, workload.note) for workload in workloads if not workload.rule_met)
    return (raised("size-rule", broken=broken),) if broken else ()
