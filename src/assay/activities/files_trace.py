"""A trial of each workload of a result on both arms under strace: what its job asks of its files.

The traced activity is a result of its own; which one it is lies in the result's folder as ``files.json``,
written before it begins, so that it is gone on with and never made twice.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from assay.activities.evaluate import create, ensure_image, follow, prepare, resume
from assay.activities.events import Watcher
from assay.activities.plan.reread import reread_scene
from assay.model.activity import ActivityPlan, is_activity_id
from assay.model.errors import AssayError
from assay.model.files.json_text import parse_json
from assay.model.goal import Goal
from assay.model.work.reading import Success
from assay.model.work.workload import Workload
from assay.pages.files import FilesPage
from assay.results.files import TRACE, files_page
from assay.scenes import Design, Scene
from assay.scenes.values.scene import Guest
from assay.store.record import read_activity, read_trials, replace_file
from assay.store.rows import ActivityRow
from assay.store.store import Store

FILE = "files.json"
PROGRAM = "strace"
COMMAND = (
    PROGRAM,
    "-f",
    "--seccomp-bpf",
    "-qq",
    "-y",
    "-ttt",
    "-T",
    "-s",
    "0",
    "-e",
    "trace=%file,%desc",
    "-o",
)
"""Follows children; with paths of descriptors, moments and durations; without what is read and written. Other
calls do not stop the job (seccomp, since strace 5.3).

Limits: the kernel's tracepoints would stop it for no call, but of a path they hold an address and of a
descriptor its number: without a probe or a BPF program of its own they do not say which file it is.
"""
INTO = f"|gzip -1 >{TRACE}"
SLOWER = 20.0
"""A trial may take so many times its time limit: each call that is traced stops the job twice."""


def traced_files(folder: Path, *, home: Path, store: Store, watcher: Watcher) -> FilesPage:
    """Return what the workloads of a result ask of their files; they are traced first where they were not.

    Args:
        folder: The result's folder.
        home: Folder of all state.
        store: Inventory of machines.
        watcher: Is told of each act.

    Raises:
        AssayError: The result is a sweep, or an arm is neither a machine nor a guest, or strace is missing.
        KeyboardInterrupt: Stopped; it is gone on with by the same call.
    """
    plan = read_activity(folder)
    row = _row(_kept(folder), store)
    if row is None:
        place = _begin(plan, folder, home=home, store=store, watcher=watcher)
    else:
        place = row.folder
        if _is_left(place):
            resume(row, home=home, store=store, watcher=watcher)
    return _page(plan.id, folder, place)


def kept_files(folder: Path, *, store: Store) -> FilesPage | None:
    """Return what a result's workloads ask of their files, as it was traced; ``None`` where it was not traced
    to the end.
    """
    row = _row(_kept(folder), store)
    return (
        None if row is None or _is_left(row.folder) else _page(read_activity(folder).id, folder, row.folder)
    )


def _is_left(place: Path) -> bool:
    return len(list(read_trials(place, damaged=[]))) < len(read_activity(place).trials)


def _page(result: str, folder: Path, place: Path) -> FilesPage:
    """Return the page of a result from the activity that traced it."""
    traced, records = read_activity(place), tuple(read_trials(place, damaged=[]))
    untraced = tuple(read_trials(folder, damaged=[]))
    return files_page(traced, records, place, result=result, untraced=untraced)


def _begin(plan: ActivityPlan, folder: Path, *, home: Path, store: Store, watcher: Watcher) -> Path:
    if plan.more:
        msg = f"cannot trace the files of result {plan.id}: it has {len(plan.treatments)} treatments"
        raise AssayError(msg, hint="evaluate the scene with one level of each factor, and trace that result")
    scene = _scene(reread_scene(plan), plan.id)
    made = prepare(scene, home=home, store=store, command=plan.command)
    if not all(arm.on_machine or arm.guest is not None for arm in (made.baseline, made.treatment)):
        msg = (
            f"cannot trace the files of result {plan.id}: an arm is neither a machine nor a guest of assay's"
        )
        raise AssayError(msg)
    made = replace(made, workloads=tuple(map(_traced, made.workloads)))
    ensure_image(made, home=home, watcher=watcher)
    replace_file(folder / FILE, json.dumps({"activity": made.id}).encode() + b"\n")
    place = create(made, home=home, store=store)
    watcher.step(f"activity {made.id}: {len(made.trials)} trials under strace")
    follow(made, place, home=home, store=store, watcher=watcher)
    return place


def _scene(scene: Scene, result: str) -> Scene:
    """Return the scene with one block, and with strace in its guests' image."""
    was = scene.design
    goal = Goal(wait_quiet_s=was.goal.wait_quiet_s, require_quiet=was.goal.require_quiet)
    design = Design(1, was.confidence, was.margin, was.seed, goal)
    base = scene.baseline_guest
    return replace(
        scene,
        title=f"Files of {result}",
        design=design,
        treatment=_with_strace(scene.treatment) if isinstance(scene.treatment, Guest) else scene.treatment,
        baseline_guest=base if base is None else _with_strace(base),
        published=(),
    )


def _with_strace(guest: Guest) -> Guest:
    return replace(guest, packages=tuple(sorted({*guest.packages, PROGRAM})))


def _traced(workload: Workload) -> Workload:
    """Return a workload whose job runs under strace, and whose trace is brought home with its files."""
    exits = (0,) if workload.success is None else workload.success.exit
    return replace(
        workload,
        command=(*COMMAND, INTO, *workload.command),
        program=PROGRAM,
        package=PROGRAM,
        time_limit_s=workload.time_limit_s * SLOWER,
        success=Success(exit=exits, log=TRACE),
    )


def _kept(folder: Path) -> str | None:
    """Return the activity that traced a result; ``None`` where there is none that can be read."""
    try:
        kept = parse_json((folder / FILE).read_bytes())
    except (OSError, ValueError):
        return None
    activity = kept.get("activity") if isinstance(kept, dict) else None
    return activity if isinstance(activity, str) and is_activity_id(activity) else None


def _row(activity: str | None, store: Store) -> ActivityRow | None:
    return None if activity is None else store.own_activity(activity)
