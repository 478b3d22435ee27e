"""Records of a guest that loses, and of the machine that carries it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.design import plan_trials
from assay.model.activity import ActivityPlan, PlannedArm, PlannedGuest
from assay.model.machines.clock import Instant
from assay.model.machines.machine import Facts, Fingerprint, Limits, Machine
from assay.model.metric import Measurement
from assay.model.platforms.layout import Layout
from assay.model.platforms.platform import Platform, SeenFactor
from assay.model.trial import Arm, CopyUsage, PlannedTrial, Trial, Usage
from assay.model.work.host_watch import HostWatch
from assay.model.work.phase import PhaseTime
from assay.results.series.host_series import EXITS
from assay.scenes import Scene, find_scene, read_scene
from assay.store.fingerprints import write_fingerprint
from assay.workloads import command_workload
from assay.workloads.command import WALL
from tests.builders import FACTS, clock_check, plan_of, record_of

NS = 1_000_000_000
JOB = command_workload("spin", ("spin",))
HOST = Usage(4.0, 3.5, 0.25, 1 << 20, 0, 0, run_queue_s=0.0, block_io_s=0.125)
"""What the job takes on the machine itself."""
CAUSES = {
    "slower-cpu": {"wall_s": 5.0, "user_s": 4.5},
    "kernel-time": {"wall_s": 5.0, "system_s": 1.25},
    "waiting": {"wall_s": 5.0},
    "run-queue": {"wall_s": 5.0, "run_queue_s": 1.0},
    "disk-throughput": {"wall_s": 5.0, "block_io_s": 1.125},
    "memory-limit": {"wall_s": 5.0, "block_io_s": 1.125, "memory_limit_hits": 100},
    "io-wait": {"wall_s": 5.0, "block_io_s": 1.125},
    "cold-start": {"wall_s": 5.0, "user_s": 4.5},
    "cpu-quota": {"wall_s": 5.0, "throttled_s": 1.0, "run_queue_s": 1.0},
    "cold-cache": {"wall_s": 5.0, "block_io_s": 1.125, "read_bytes": 1 << 28},
}
"""What a guest's job takes where a cause holds the loss."""
BYTES = {"read_bytes": 1 << 24, "write_bytes": 1 << 24}


def usage_with(cause: str) -> tuple[Usage, Usage]:
    """Return what the job takes on the machine and in a guest where one cause holds the loss."""
    host = replace(HOST, memory_limit_hits=0)
    if cause in {"disk-throughput", "cold-cache"}:
        host = replace(host, **BYTES, logical_read_bytes=1 << 28, logical_write_bytes=1 << 24)
    return host, replace(host, **CAUSES[cause])


def guest_plan(
    settings: Mapping[str, str], *, vcpus: int = 2, guests: int = 1, plan: ActivityPlan
) -> ActivityPlan:
    """Return a plan whose treatment is a guest with these settings, or several, on two processors."""
    machine = PlannedArm("host", Machine("local"), Limits((0, 1)))
    own = {name: level for name, level in settings.items() if name != "disk.cache"}
    guest = PlannedGuest(vcpus, 2 << 30, settings.get("disk.cache", "none"), "image", tuple(own.items()))
    guest = replace(guest, layout=Layout(guests))
    return replace(plan, baseline=machine, treatment=replace(machine, label="guest", guest=guest))


def quick_with(guests: int) -> Scene:
    """Return the ready scene, or one with several guests in its place."""
    scene = find_scene("quick")
    if guests == 1:
        return scene
    text = scene.source.partition("published:")[0].replace(
        "guest\n", f"guest\n  layout: {{guests: {guests}}}\n"
    )
    before, _, after = text.partition("workloads:")
    workload = f"{{use: stream, placement: {{copies: {guests}}}}}"
    shared = f"{before}workloads: [{workload}]\n{after[after.index('design:') :]}"
    return read_scene(shared.encode(), file="quick.yaml")


def of_scene(plan: ActivityPlan, scene: Scene, command: str | None = None) -> ActivityPlan:
    """Return a plan as it is where this scene was evaluated."""
    kept = replace(plan, scene=scene.name, scale=scene.scale, command=command)
    return replace(kept, scene_text=scene.source, scene_digest=scene.digest)


def plan_with(
    settings: Mapping[str, str] | None = None, *, vcpus: int = 2, blocks: int = 3, guests: int = 1
) -> ActivityPlan:
    """Return a plan of the job in a guest with these settings, or in several."""
    trials = plan_trials(("spin",), blocks=blocks, seed=1)
    plan = of_scene(plan_of(trials, workloads=(JOB,)), quick_with(guests))
    return guest_plan(settings or {}, vcpus=vcpus, guests=guests, plan=plan)


def platform_of(plan: ActivityPlan, arm: PlannedArm, accelerator: str) -> Platform:
    """Return the guest of an arm as it was seen."""
    guest = arm.guest
    assert guest is not None
    seen = tuple(SeenFactor(name, level, "seen") for name, level in guest.settings)
    return Platform(
        "libvirt", accelerator, "why", "q35", "max", guest.vcpus, guest.memory_bytes, "qcow2",
        guest.disk_cache, "image", "QEMU 7.2.22", "libvirt 9.0.0", (0, 1), "", factors=seen,
    )  # fmt: skip


def records_of(
    plan: ActivityPlan,
    host: Usage,
    guest: Usage,
    *,
    accelerator: str = "kvm",
    facts: Facts = FACTS,
    **changes: Any,
) -> list[Trial]:
    """Return the records of all trials; the guest's times grow a little from block to block."""

    def record(planned: PlannedTrial) -> Trial:
        if planned.arm is Arm.BASELINE:
            measured = (Measurement(WALL, host.wall_s),)
            return record_of(planned, None, usage=host, measurements=measured, boot="host-boot")
        arm = plan.treatments[planned.level]
        noise = 1 + 0.001 * planned.block
        used = replace(guest, wall_s=guest.wall_s * noise, user_s=guest.user_s * noise)
        return record_of(
            planned, None, usage=used, measurements=(Measurement(WALL, used.wall_s),), boot="guest-boot",
            platform=platform_of(plan, arm, accelerator), facts=facts, **changes,
        )  # fmt: skip

    return [record(planned) for planned in plan.trials]


def with_phases(record: Trial) -> Trial:
    """Return the record of a job that told of its phases: what a guest takes longer is its start."""
    used = record.usage
    assert used is not None
    init = 0.5 + max(0.0, used.wall_s - HOST.wall_s)
    stays = (("init", init, used.user_s - 3.0), ("event-loop", used.wall_s - init, 3.0))
    phases, at = [], NS
    for name, wall_s, user_s in stays:
        ends = at + round(wall_s * NS)
        waits = {"run_queue_s": 0.0, "block_io_s": 0.0}
        phases.append(
            PhaseTime(0, name, Instant(at, 0), Instant(ends, 0), wall_s, user_s, 0.0, None, **waits)
        )
        at = ends
    return replace(record, phases=tuple(phases))


def watched(record: Trial, folder: Path, totals: Mapping[str, int]) -> Trial:
    """Return the record of a guest that was watched from its host, whose counters grew by these totals.

    Args:
        record: A trial in a guest.
        folder: The activity's folder.
        totals: Over the job, by the kernel's names: exits, and events of ``/proc/vmstat``.
    """
    assert record.usage is not None
    start, wall_s = Instant(NS, 0), record.usage.wall_s
    copy = CopyUsage(0, (0, 1), (), start, Instant(NS + round(wall_s * NS), 0), 0, None, wall_s, 3.5, 0.25, 1)
    place = folder / "trials" / record.planned.name / "host"
    place.mkdir(parents=True)
    moments = [(second * NS, (second - 1) / wall_s) for second in range(8)]
    exits = [name for name in EXITS if name in totals]
    rows = ["mono_ns,real_ns,guest,pid,part," + ",".join(f"{name}_count" for name in exits)]
    events = ["mono_ns,real_ns," + ",".join(name for name in totals if name not in exits)]
    for moment, share in moments:
        counts = (str(round((1 + share) * totals[name])) for name in exits)
        rows.append(f"{moment},0,reco,42,guest,{','.join(counts)}")
        counts = (str(round((1 + share) * value)) for name, value in totals.items() if name not in exits)
        events.append(f"{moment},0,{','.join(counts)}")
    (place / "guests.csv").write_text("\n".join(rows) + "\n")
    (place / "vmstat.csv").write_text("\n".join(events) + "\n")
    return replace(record, clock=clock_check(), copies=(copy,), host_watch=HostWatch(1.0, 42, (0,), (), None))


def write_guest(folder: Path, groups: Mapping[str, Mapping[str, object]]) -> None:
    """Write what the guest is, as a trial in it saw it."""
    (folder / "facts").mkdir(parents=True, exist_ok=True)
    write_fingerprint(folder / "facts" / "guest-boot.json", Fingerprint(FACTS, groups, 5))


def write_host(folder: Path, groups: Mapping[str, Mapping[str, object]], **facts: Any) -> None:
    """Write what the machine is, as a trial on it saw it."""
    (folder / "facts").mkdir(parents=True, exist_ok=True)
    seen = Fingerprint(replace(FACTS, **facts), groups, 5)
    write_fingerprint(folder / "facts" / "host-boot.json", seen)
