"""What ``assay evaluate --dry-run`` tells of a plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.output import answer, answer_line, home, print_json
from assay.factors.base.number_lists import spell_numbers
from assay.model.activity import ActivityPlan, PlannedArm, Sharing
from assay.model.machines.processors import Controller
from assay.model.units import BYTES, format_bytes, format_seconds

if TYPE_CHECKING:
    from assay.model.doubt import Doubt


def prediction_text(plan: ActivityPlan) -> str:
    """Say how many blocks the goal is expected to take, and how they lie."""
    from assay.activities.plan.prepare import plan_cost, plan_prediction

    predicted, block_s = plan_prediction(plan), plan_cost(plan).seconds / plan.blocks
    shape = f"{plan.goal.shape} blocks, {plan.goal.runs} run{'' if plan.goal.runs == 1 else 's'} a visit"
    if predicted.blocks is None:
        return f"{shape}; blocks that the goal takes: {predicted.basis}"
    time = format_seconds(predicted.blocks * block_s)
    beyond = f": more than the maximum of {plan.blocks}" if predicted.blocks > plan.blocks else ""
    return f"{shape}; the goal takes about {predicted.blocks} blocks by {predicted.basis}, {time}{beyond}"


def tell_plan(
    plan: ActivityPlan,
    takes_s: float | None,
    ahead: Sequence[Doubt],
    *,
    as_json: bool,
    recorded: Path | None = None,
    named: Path | None = None,
) -> int:
    """Print what would run, where, how long and how much disk; return the exit code.

    Args:
        plan: The plan.
        takes_s: What its scene says that it takes.
        ahead: Doubts of the design.
        as_json: As JSON.
        recorded: The recorded machine that it is for.
        named: What that was named by.
    """
    from assay.activities.plan.disk_room import disk_room
    from assay.activities.plan.images import Images, image_words
    from assay.activities.plan.prepare import plan_cost, plan_prediction
    from assay.factors.host_acts import planned_acts
    from assay.platforms.host.recorded_host import RecordedHost
    from assay.platforms.host.this_host import ThisHost
    from assay.report.lists.host_acts import planned_rows, planned_text

    cost, predicted, room = plan_cost(plan), plan_prediction(plan), disk_room(plan, home())
    trials = [
        {
            "index": t.index,
            "block": t.block,
            "arm": str(t.arm),
            "treatment": plan.arm_of(t).label if t.arm == "treatment" else None,
            "replicate": t.replicate,
            "workload": t.workload,
        }
        for t in plan.trials
    ]
    host, arms = ThisHost(home()) if recorded is None else RecordedHost(recorded), plan.arms
    planned = (act for arm in arms for act in planned_acts(dict(arm.host_settings), host))
    acts = tuple(dict.fromkeys(planned))
    builds = Images(home()).builds(plan)
    doubts = (*plan.doubts, *((doubt.code, f"{doubt.sentence} {doubt.next}") for doubt in ahead))
    if as_json:
        print_json(
            "plan", builds=[asdict(build) for build in builds], host_acts=planned_rows(acts),
            scene=plan.scene, scale=plan.scale, seed=plan.seed, blocks=plan.blocks,
            blocks_predicted=predicted.blocks, basis=predicted.basis, shape=str(plan.goal.shape),
            runs=plan.goal.runs, seconds=takes_s or cost.seconds, disk_bytes=room.bytes, trials=trials,
            doubts=[{"code": c, "sentence": s} for c, s in doubts],
            arms=[arm_words(arm) for arm in arms], sharing=plan.sharing and asdict(plan.sharing),
            recorded=named and str(named),
        )  # fmt: skip
        return 0
    answer_line(plan.title + (f", at the scale {plan.scale}" if plan.scale else ""))
    most = "at most " if plan.goal.adaptive else ""
    answer_line(f"{most}{cost.trials} trials in {plan.blocks} blocks, seed {plan.seed}: "
f"{_visits(plan)} a block, {', '.join(w.name for w in plan.workloads)}")  # fmt: skip
    for line in shared_text(plan):
        answer_line(line)
    if plan.goal.adaptive:
        answer(prediction_text(plan))
    guessed = f"about {format_seconds(cost.seconds)} at bare metal speed, beside the making of inputs"
    answer(f"about {format_seconds(takes_s)}, as the scene says" if takes_s else guessed)
    gib = -(-room.bytes // BYTES["GiB"])
    answer(f"at least {gib} GiB must be free under {home()}; what is written there is removed afterwards")
    for build in builds:
        beside = image_words(build.packages, build.release)
        time = format_seconds(build.seconds)
        answer(f"guest image {build.digest}{beside} is built first: about {time}, by {build.basis}")
    if acts:
        answer(planned_text(acts))
    for _, sentence in doubts:
        answer_line(f"doubt: {sentence}")
    return 0


def _visits(plan: ActivityPlan) -> str:
    """Return how often each arm is visited: ``host twice and guest once``."""
    hosts = {arm.over for arm in plan.treatments}
    often = [arm.label for level, arm in enumerate(plan.treatments) if level in hosts]
    once = [arm.label for level, arm in enumerate(plan.treatments) if level not in hosts]
    twice = " twice" if plan.goal.shape == "double" else ""
    between = "; " if any(", " in label for label in (*often, *once)) else ", "
    return f"{between.join([plan.baseline.label, *often])}{twice} and {between.join(once)} once"


def arm_words(arm: PlannedArm) -> dict[str, object]:
    """Return what an arm has of its machine; the memory of a machine without a limit is not told."""
    from assay.activities.plan.layout import shares_of

    shares = shares_of(arm, arm.guest) if arm.guest else ()
    return {
        "label": arm.label,
        "machine": arm.machine.name,
        "processors": sorted(arm.limits.cpus),
        "threads_per_core": arm.threads_per_core,
        "memory_bytes": arm.limits.memory_bytes,
        "with": [{"machine": one.machine.name, "processors": list(one.limits.cpus)} for one in arm.beside],
        "guests": [{"vcpus": len(share.cpus), "memory_bytes": share.memory_bytes} for share in shares],
    }


def _together_text(arm: PlannedArm) -> str:
    """Say which machines do each trial of an arm together."""
    each = ", ".join(f"{one.machine.name} ({spell_numbers(one.limits.cpus)})" for one in arm.each_machine)
    return f"{arm.label}: each trial on all of {each} together"


def shared_text(plan: ActivityPlan) -> list[str]:
    """Say which processors and how much memory each arm has, and what is left of the machine."""
    from assay.activities.plan.sharing import pool_bytes

    sharing = plan.sharing
    if sharing is None:
        return []
    by_processors: dict[tuple[int, ...], list[PlannedArm]] = {}
    for arm in plan.arms:
        by_processors.setdefault(arm.limits.cpus, []).append(arm)
    lines = []
    for cpus, arms in by_processors.items():
        who = "every arm" if len(by_processors) == 1 else ", ".join(arm.label for arm in arms)
        each = f", {arms[0].threads_per_core} of each core" if arms[0].threads_per_core > 1 else ""
        which = f" ({spell_numbers(cpus)}{each})" if cpus else ""
        have = f"{len(cpus)} of {len(sharing.processors)}" if cpus else "all"
        lines.append(f"processors: {have}{which} for {who}")
    lines[-1] += f"; {_left(plan, sharing)}"
    lines += [_together_text(arm) for arm in plan.arms if arm.beside]
    if sharing.guests_bytes:
        pools = pool_bytes(plan.arms)
        of_them = f", {format_bytes(pools)} of it in a pool of huge pages" if pools else ""
        lines.append(
            f"memory: {format_bytes(sharing.guests_bytes)} of {format_bytes(sharing.memory_bytes)} for "
            f"guests{of_them}; the host should keep {format_bytes(sharing.host_bytes)}"
        )
    return lines


def _left(plan: ActivityPlan, sharing: Sharing) -> str:
    """Say which processors no arm has, and where the controller runs."""
    used = {cpu for arm in plan.arms for cpu in arm.limits.cpus}
    idle = sorted(set(sharing.processors) - used - set(sharing.kept))
    where = {
        Controller.OWN_CORE: f"core {spell_numbers(sharing.kept)} is the controller's"
        if sharing.kept
        else "the controller shares the only core",
        Controller.SHARED: "the controller shares them",
        Controller.ELSEWHERE: "the controller is on another machine",
    }[sharing.controller]
    return f"{where}; {spell_numbers(idle)} idle" if idle else where
