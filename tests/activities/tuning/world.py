"""A home in which nothing runs: what a guest takes comes from its settings, by a truth that is known."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.activities import evaluate, extend
from assay.activities.plan.arms import Arms
from assay.activities.plan.layout import with_job_times
from assay.activities.tuning import conduct, laid_out, lost
from assay.activities.tuning.guests import levels_of
from assay.activities.tuning.kept import find_tuning, keep_tuning
from assay.activities.tuning.kills import Done, Following, Wanted
from assay.activities.tuning.laid_out import TuningSpec, lay_out
from assay.activities.tuning.tuner import check_again, tune
from assay.design import plan_trials
from assay.factors.start.starts import start_levels
from assay.model.activity import ActivityPlan, ActivityState, PlannedArm, PlannedGuest, visits_of
from assay.model.errors import MissingError
from assay.model.machines.machine import Limits, Machine
from assay.model.metric import Measurement
from assay.model.trial import Arm, State
from assay.pages.tuning import Kill, Tuning
from assay.scenes import Scene, read_scene
from assay.scenes.changes.write import write_scene
from assay.scenes.values.scene import Guest
from assay.store.record import write_trial
from assay.store.store import Store
from assay.workloads import Sizes, command_workload
from assay.workloads.command import JOB, WALL
from tests.activities.test_prove import Nobody
from tests.builders import plan_of, record_of

SCENE = """\
scene: badly
title: A guest that starts badly
baseline: {machine: local}
treatment:
  platform: guest
  factors: {memory.size: 1 GiB, disk.cache: directsync, disk.bus: ide, disk.discard: unmap}
workloads: [{name: spin, command: spin}, {name: twist, command: twist}]
design: {seed: 11}
"""
SEVERAL = """\
scene: crowd
title: Four guests that start together
baseline: {machine: local}
treatment:
  platform: guest
  factors: {cpu.vcpus: 4, memory.size: 2 GiB, disk.cache: none}
  layout: {guests: 4}
workloads: [{name: spin, command: spin}]
placement: {copies: 4}
design: {seed: 11}
"""
Truth = Callable[[str, Mapping[str, str]], float | None]
"""Of a workload in a guest with these settings: the logarithm of its time; ``None``: it fails."""


def won_back(workload: str, levels: Mapping[str, str]) -> float:
    """Two settings cost a lot, one nothing."""
    del workload
    return 0.2 * (levels["disk.cache"] == "directsync") + 0.1 * (levels.get("disk.bus") == "ide")


def trap(workload: str, levels: Mapping[str, str]) -> float:
    """What helps one workload costs the other."""
    cached = levels["disk.cache"] != "directsync"
    return 0.2 * (not cached) if workload == "spin" else 0.15 * cached


def nothing(workload: str, levels: Mapping[str, str]) -> float:
    """Nothing does anything."""
    del workload, levels
    return 0.0


def keeps_all(wanted: Wanted) -> Kill:
    """No acknowledged byte is lost."""
    return Kill(wanted.after_s, 10 * 4096, 0, 0)


class AnyHost:
    """A host on which all can be had."""

    accelerator, root, of_system, cpus, nodes = "tcg", True, True, (0, 1), (0,)
    memory_bytes, disk, scheduling_disk = 1 << 36, "vda", "vda"
    libvirt, qemu, devices = (9, 0, 0), (7, 2, 22), frozenset[str]()

    def read(self, path: str) -> str | None:
        del path
        return None

    def writable(self, path: str) -> bool:
        del path
        return True

    def has(self, program: str) -> bool:
        del program
        return True


@dataclass
class World:
    """A home, and what is measured in it.

    Attributes:
        home: The folder.
        store: Its store.
        truth: What each guest takes.
        noise: Standard deviation of the logarithm of a value.
        noises: The same of workloads that scatter otherwise, by name.
        job: The logarithm of the mean time of a copy, where copies start apart on some arm; ``None`` is that
            of the whole.
        text: The scene.
        stop_after: So many trials are measured, then it is as if killed; ``None`` never.
        losses: What comes of each kill of QEMU.
        stop_kills_after: The same as ``stop_after`` of kills of QEMU.
        kills: Those that were made.
        tidied: How often what a former process left of them was ended.
    """

    home: Path
    store: Store
    truth: Truth = won_back
    noise: float = 0.01
    job: Truth | None = None
    text: str = SCENE
    stop_after: int | None = None
    watcher: Nobody = field(default_factory=Nobody)
    losses: Callable[[Wanted], Kill] = keeps_all
    stop_kills_after: int | None = None
    kills: list[Wanted] = field(default_factory=list)
    tidied: int = 0
    measured: list[tuple[str, str]] = field(default_factory=list)
    ids: Iterator[int] = field(default_factory=itertools.count)
    noises: dict[str, float] = field(default_factory=dict)
    hosts: dict[str, Any] = field(default_factory=dict)
    """Machines that are not like any other, by name."""
    elsewhere: dict[str, Truth] = field(default_factory=dict)
    """What guests take on other machines, by name."""
    lacking: set[str] = field(default_factory=set)
    """Machines on which no guest can be made."""
    refused: dict[str, str] = field(default_factory=dict)
    """Levels with which no guest can be planned."""

    def scene(self, text: str | None = None) -> Scene:
        return read_scene((text or self.text).encode(), file=str(self.home / "badly.yaml"))

    def laid_out(self, **wanted: Any) -> Tuning:
        given = {"names": ("disk.cache", "disk.bus", "disk.discard"), "given": {}, "allowed": ("migration",)}
        spec = TuningSpec(**({**given, "evaluations": 60, "seed": 3} | wanted))
        return lay_out(
            self.scene(),
            spec,
            command=None,
            home=self.home,
            store=self.store,
            carriers=lambda name: nullcontext(self.hosts.get(name, AnyHost())),  # type: ignore[arg-type]
        )

    def tuned(self, tuning: Tuning) -> Tuning:
        """Keep a search and make what is left of it."""
        keep_tuning(tuning, self.home)
        return self.on(tuning)

    def on(self, tuning: Tuning) -> Tuning:
        """Make what is left of a search."""
        return tune(
            tuning,
            self.scene(),
            home=self.home,
            store=self.store,
            carriers=lambda name: nullcontext(self.hosts.get(name, AnyHost())),  # type: ignore[arg-type]
            watcher=self.watcher,  # type: ignore[arg-type]
        )

    def checked(self, tuning: Tuning) -> Tuning:
        """Measure again what is recommended."""
        return check_again(
            tuning,
            self.scene(),
            home=self.home,
            store=self.store,
            watcher=self.watcher,  # type: ignore[arg-type]
        )

    def kept(self, tuning: Tuning) -> Tuning:
        return find_tuning(tuning.id, self.home)

    def prepare(self, scene: Scene, *, home: Path, store: Store, command: str | None) -> ActivityPlan:
        del home, store
        guests = [scene.baseline_guest, scene.treatment, *scene.more]
        for guest in guests:
            if isinstance(guest, Guest) and dict(guest.settings).items() >= self.refused.items() > set():
                msg = f"cannot plan {self.refused}"
                raise MissingError(msg)
        if scene.baseline in self.lacking:
            msg = f"{scene.baseline} has no libvirt"
            raise MissingError(msg)
        machine = Machine(scene.baseline)
        arms = [_arm(at, guest, machine) for at, guest in enumerate(guests) if isinstance(guest, Guest)]
        workloads = tuple(
            replace(
                command_workload(one.name, (one.name,)),
                placement=one.placement,
                events=(one.events or (None,))[0],
                seconds=60.0 * (one.events or (1000,))[0] / 1000,
            )
            for one in scene.workloads
        )
        long = replace(scene, design=replace(scene.design, blocks=3))  # a file of fewer blocks is refused
        again = read_scene(write_scene(long).encode(), file=scene.file)
        assert (again.baseline_guest, again.treatments) == (scene.baseline_guest, scene.treatments)
        workloads = with_job_times(workloads, Arms(arms[0], arms[1], Sizes(None, 1, 1), more=tuple(arms[2:])))
        seed = scene.design.seed or 0
        trials = plan_trials(
            [one.name for one in workloads], blocks=scene.design.blocks, seed=seed, visits=visits_of(arms[1:])
        )
        return plan_of(
            trials, id=f"{next(self.ids):08x}", created_ns=next(self.ids), scene=scene.name,
            title=scene.title, scene_text=scene.source, scene_digest=scene.digest, seed=seed,
            command=command, workloads=workloads, baseline=arms[0], treatment=arms[1],
            more=tuple(arms[2:]), blocks=scene.design.blocks,
        )  # fmt: skip

    def follow(self, plan: ActivityPlan, folder: Path, **_: Any) -> ActivityState:
        failed = 0
        for planned in plan.trials:
            place = folder / "trials" / planned.name
            if place.exists():
                continue
            if self.stop_after is not None and len(self.measured) >= self.stop_after:
                raise KeyboardInterrupt
            self.measured.append((plan.id, planned.name))
            arm = plan.baseline if planned.arm is Arm.BASELINE else plan.treatments[planned.level]
            assert arm.guest is not None
            levels = {
                "disk.cache": arm.guest.disk_cache,
                **start_levels(arm.layout),
                **dict(arm.guest.settings),
            }
            truth = self.elsewhere.get(plan.baseline.machine.name, self.truth)
            log = truth(planned.workload, levels)
            record = record_of(planned, None, activity=plan.id)
            if log is None:
                failed += 1
                record = replace(record, state=State.FAILED, cause="it failed", measurements=())
            else:
                rng = np.random.default_rng(len(self.measured))
                workload = next(one for one in plan.workloads if one.name == planned.workload)
                noise = self.noises.get(planned.workload, self.noise)
                value = 10 * math.exp(log + rng.normal(0, noise)) * (workload.events or 1000) / 1000
                own = self.job(planned.workload, levels) if self.job else log
                assert own is not None
                values = {JOB: 10 * math.exp(own + rng.normal(0, self.noise)), WALL: value}
                measured = [Measurement(one, values[one]) for one in workload.metrics if one in values]
                record = replace(record, measurements=tuple(measured))
            place.mkdir(parents=True)
            write_trial(place, record)
        return ActivityState.PARTIAL if failed else ActivityState.COMPLETE

    def kill_guests(self, plan: ActivityPlan, following: Following, done: Done, **_: Any) -> None:
        if following() is None:
            self.tidied += 1
        while (wanted := following()) is not None:
            if self.stop_kills_after is not None and len(self.kills) >= self.stop_kills_after:
                raise KeyboardInterrupt
            assert wanted.level is None or plan.treatments[wanted.level].guest is not None
            self.kills.append(wanted)
            done(wanted, self.losses(wanted))

    def resume(self, row: Any, **_: Any) -> ActivityState:
        return self.follow(evaluate.read_activity(row.folder), row.folder)


def _arm(at: int, guest: Guest, machine: Machine) -> PlannedArm:
    planned = PlannedGuest(1, guest.memory_bytes, guest.disk_cache, "image", guest.settings, guest.layout)
    label = "guest" if at == 0 else f"guest {at}: {levels_of(guest)}"
    return PlannedArm(label, machine, Limits((1,)), guest=planned)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """Return a home in which trials are made up."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # hundreds of small records
    made = World(tmp_path, Store(tmp_path))
    monkeypatch.setattr(conduct, "prepare", made.prepare)
    monkeypatch.setattr(laid_out, "prepare", made.prepare)
    monkeypatch.setattr(conduct, "follow", made.follow)
    monkeypatch.setattr(conduct, "resume", made.resume)
    monkeypatch.setattr(lost, "kill_guests", made.kill_guests)
    monkeypatch.setattr(extend, "require_ready", lambda *_, **__: None)
    monkeypatch.setattr(extend, "look_around", lambda *_, **__: "node")
    monkeypatch.setattr(conduct, "ensure_image", lambda plan, **_: None)
    monkeypatch.setattr(evaluate, "check_disk", lambda plan, home: None)
    return made
