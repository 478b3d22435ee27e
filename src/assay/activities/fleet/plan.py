"""The plan of an activity on several machines: one scene, one seed, a lane for each machine."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assay.activities.evaluate import prepare
from assay.activities.plan.disk_room import check_disk
from assay.activities.side_by_side import Outcome, side_by_side
from assay.model.activity import ActivityPlan
from assay.model.errors import AssayError
from assay.model.fleet import Drain, Fleet, Lane
from assay.model.machines.machine import Machine, Reach
from assay.scenes import Scene, Wanted, alter_scene, lane_scene, read_scene
from assay.store.store import Store


def lay_out(
    scene: Scene, machines: Sequence[Machine], *, who: str, command: str | None, drain: Drain | None = None
) -> Fleet:
    """Return what an activity on several machines is asked to do; nothing is looked at.

    Args:
        scene: What is compared; where it says ``local``, each lane's machine stands.
        machines: One a lane.
        who: The words that named them.
        command: The user's own command line, where the scene is made from one.
        drain: How their nodes are drained meanwhile.

    Raises:
        AssayError: The scene has a baseline of its own, or this machine is one of several.
    """
    if len(machines) > 1 and any(machine.reach is Reach.LOCAL for machine in machines):
        msg = f"cannot measure on '{who}': this machine conducts the others, and would be disturbed by that"
        raise AssayError(msg, hint="name other machines, or evaluate on this one alone")
    lane_scene(scene, machines[0].name)
    seed = scene.design.seed if scene.design.seed is not None else secrets.randbelow(2**32)
    return Fleet(
        id=secrets.token_hex(4),
        scene=scene.name,
        title=scene.title,
        scene_digest=scene.digest,
        scene_text=scene.source,
        scene_file=str(Path(scene.file).absolute()),
        scale=scene.scale,
        command=command,
        who=who,
        created_ns=time.time_ns(),
        seed=seed,
        lanes=tuple(Lane(machine.name, secrets.token_hex(4)) for machine in machines),
        drain=drain,
    )


def plan_lanes(fleet: Fleet, scene: Scene, *, home: Path, store: Store) -> tuple[Outcome[ActivityPlan], ...]:
    """Look at the machines side by side and plan each lane; nothing is started or kept.

    Returns:
        The plan of each lane, or why it cannot be run there, in the order of the lanes.
    """
    known = {machine.name: machine for machine in store.machines()}
    lanes = {lane.machine: lane for lane in fleet.lanes}
    return side_by_side(
        [known[lane.machine] for lane in fleet.lanes],
        lambda machine: plan_lane(fleet, lanes[machine.name], scene, home=home, store=store),
    )


def plan_lane(fleet: Fleet, lane: Lane, scene: Scene, *, home: Path, store: Store) -> ActivityPlan:
    """Look at a lane's machine and return its plan.

    Raises:
        AssayError: It cannot be run there, with the reason.
    """
    own = lane_scene(alter_scene(scene, Wanted(seed=seed_of(fleet.seed, lane.machine))), lane.machine)
    plan = prepare(own, home=home, store=store, command=fleet.command)
    check_disk(plan, home)
    return replace(plan, id=lane.activity, scale=fleet.scale)


def seed_of(seed: int, machine: str) -> int:
    """Return the seed of a lane: each has an order of its own, always the same for a machine's name.

    In one order on all machines whatever the order does would be the same on each, and no scatter between
    machines would tell of it (docs/decisions/0051).
    """
    digest = hashlib.sha256(f"{seed} {machine}".encode()).digest()
    return int.from_bytes(digest[:4], "big")


def scene_of(fleet: Fleet) -> Scene:
    """Return the scene that an activity on several machines was made from.

    Raises:
        SceneError: This assay does not understand it any more.
    """
    scene = read_scene(fleet.scene_text.encode(), file=fleet.scene_file)
    return replace(scene, scale=fleet.scale)
