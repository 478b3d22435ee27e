"""``assay evaluate``: measure, now."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from assay.cli.booked import booked
from assay.cli.commands.evaluate_words import (
    check_engine_words,
    check_plan_words,
    check_words,
    scene_named,
    settings_of,
    words_of,
)
from assay.cli.commands.machine_nodes import ENGINES, JOB, take_nodes
from assay.cli.detach import detach_option, resume_detached
from assay.cli.names import SCALE, SCENE, SETTING, WHO, WORKLOAD
from assay.cli.observing import Processors, Seconds, goal_options, observing_options, profile_of
from assay.cli.outcome import say_resume, show_outcome
from assay.cli.output import document, home, json_option, print_json, say
from assay.cli.plan_text import prediction_text, tell_plan
from assay.cli.stores import open_store
from assay.model.errors import AssayError, Exit
from assay.model.machines.processors import Controller

if TYPE_CHECKING:
    from assay.cli.progress import Lines, Live
    from assay.model.activity import ActivityPlan
    from assay.scenes import Scene
    from assay.store.store import Store

T = TypeVar("T")


@click.command("evaluate", epilog="Example: assay evaluate quick")
@click.argument("scene", required=False, type=SCENE)
@click.option(
    "--command",
    "program",
    metavar="COMMAND",
    help="Measure this command line of your own instead of a scene.",
)
@click.option(
    "--input",
    "inputs",
    metavar="PATH",
    multiple=True,
    help="File or folder that the command needs, put where it starts.",
)
@click.option(
    "--against",
    metavar="MACHINE",
    help="Compare this machine of the inventory instead of the scene's treatment.",
)
@click.option(
    "--on",
    "who",
    metavar="WHO",
    type=WHO,
    help="Measure on these machines, each against itself: names, groups, node[01-50], @tag.",
)
@click.option(
    "--engine",
    type=click.Choice([*ENGINES, "script"]),
    help="WHO are nodes of this batch system: wn01, wn[01-50], a partition, @feature; without --on all of "
    "its nodes. A job holds each. 'script' prints a job to submit by hand.",
)
@click.option("--job", "job", **JOB)  # type: ignore[arg-type]
@click.option(
    "--drain",
    type=click.Choice(ENGINES),
    help="With --on: drain the machines' nodes in this batch system first, wait until no job is on them. "
    "'htcondor' takes --when-idle.",
)
@click.option(
    "--when-idle", is_flag=True, help="With --drain: leave each node to its jobs until it has none."
)
@click.option(
    "--scale", metavar="NAME", type=SCALE, help="Scale of the scene, from minutes to the publication's size."
)
@click.option(
    "--set",
    "settings",
    metavar="FACTOR=LEVEL[,LEVEL…]",
    type=SETTING,
    multiple=True,
    help="Give the treatment this setting; several levels are a sweep (assay factors list).",
)
@click.option(
    "--memory", metavar="SIZE", help="Memory of the guest, like 4GiB: the same as --set memory.size=4GiB."
)
@click.option(
    "--baseline",
    type=click.Choice(["guest"]),
    help="Compare with the guest as the scene has it, instead of with this machine.",
)
@click.option(
    "--workload",
    "workloads",
    metavar="NAME",
    type=WORKLOAD,
    multiple=True,
    help="Measure these ready workloads instead of the scene's (assay workload list).",
)
@click.option("--blocks", type=click.IntRange(3, 1000), help="Number of blocks, instead of the scene's.")
@click.option(
    "--seed", type=click.IntRange(0, 2**32 - 1), help="Seed of the order of trials, to repeat a plan."
)
@goal_options
@observing_options
@click.option(
    "--wait-quiet",
    "wait_quiet_s",
    type=Seconds(),
    help="Wait so long at most for others to leave the processors alone (60 s); '0 s' does not look.",
)
@click.option(
    "--processors",
    "--cores",
    type=Processors(),
    help="Processors of every arm: all, all-cores, how many, or a list like 0,2-5.",
)
@click.option(
    "--controller",
    type=click.Choice([where.value for where in Controller]),
    help="Where assay runs meanwhile; shared where all processors are asked for.",
)
@click.option(
    "--as",
    "recorded",
    metavar="RECORDED",
    type=click.Path(exists=True, path_type=Path),
    help="With --dry-run: plan for a recorded machine instead of this one: a self-test's file, or a folder.",
)
@click.option(
    "--wait",
    "waits",
    is_flag=True,
    help="Wait for machines that another activity measures, instead of refusing.",
)
@detach_option
@click.option("--dry-run", is_flag=True, help="Say what would run, how long and how much disk, and stop.")
@click.option(
    "--show-scene", is_flag=True, help="Print the scene that all these options amount to, and stop."
)
@json_option
def command(
    scene: str | None,
    program: str | None,
    inputs: tuple[str, ...],
    against: str | None,
    who: str | None,
    engine: str | None,
    job: tuple[str, ...],
    drain: str | None,
    scale: str | None,
    blocks: int | None,
    seed: int | None,
    hz: int | None,
    wait_quiet_s: float | None,
    controller: str | None,
    recorded: Path | None,
    settings: tuple[str, ...],
    memory: str | None,
    baseline: str | None,
    workloads: tuple[str, ...],
    *,
    when_idle: bool,
    system: bool,
    waits: bool,
    detached: bool,
    dry_run: bool,
    show_scene: bool,
    as_json: bool,
    **placed: Any,
) -> int:
    """Measure what a platform costs a workload on this machine.

    SCENE is the name of a scene (see assay scene list; NAME@2 is version 2 of one of your own) or the path
    of a scene file.
    Exit code 0 when every metric was measured, whatever the verdict.
    """
    from assay.activities import evaluate
    from assay.activities.plan.disk_room import check_disk
    from assay.activities.plan.goal_ahead import check_goal
    from assay.cli.progress import watcher
    from assay.scenes import Asked, Wanted, alter_scene, asked_scene, command_scene

    several = who is not None or engine in ENGINES
    check_words(scene, program, inputs=inputs, scale=scale, against=against, several=several)
    check_engine_words(who, engine, job, drain, when_idle=when_idle)
    check_plan_words(blocks, recorded, placed, several=several, dry_run=dry_run)
    chosen = (
        scene_named(scene, scale)
        if scene is not None
        else command_scene(words_of(program or ""), inputs=inputs, folder=Path.cwd())
    )
    chosen = asked_scene(chosen, Asked(settings_of(settings, memory), baseline, workloads))
    where = None if controller is None else Controller(controller)
    wanted = Wanted(
        against, blocks, seed=seed, profile=profile_of(hz, system=system), controller=where, **placed
    )
    chosen = alter_scene(chosen, wanted)
    chosen = _patient(chosen, wait_quiet_s, as_text=several or engine == "script" or show_scene)
    if show_scene or engine == "script":
        _print_scene(chosen, as_job=not show_scene, as_json=as_json)
        return Exit.DONE
    store = open_store()
    if engine is not None:
        who = _taken(store, engine, who, job)
    if who is not None:
        from assay.cli.on_machines import evaluate_on
        from assay.model.fleet import Drain

        return evaluate_on(
            chosen,
            who,
            store,
            command=program,
            drain=None if drain is None else Drain(drain, when_idle),
            dry_run=dry_run,
            waits=waits,
            detached=detached,
            as_json=as_json,
        )
    with _recorded(recorded) as machine:
        plan = evaluate.prepare(chosen, home=home(), store=store, command=program, recorded=machine)
        if machine is not None:
            return tell_plan(
                plan, chosen.takes_s, check_goal(plan), as_json=as_json, recorded=machine, named=recorded
            )
    check_disk(plan, home())
    ahead = check_goal(plan)
    if dry_run:
        return tell_plan(plan, chosen.takes_s, ahead, as_json=as_json)
    with watcher() as shown:
        for doubt in ahead:
            shown.warn(f"{doubt.sentence} {doubt.next}")
        evaluate.ensure_image(plan, home=home(), watcher=shown)
        folder = booked(lambda: evaluate.create(plan, home=home(), store=store), shown, waits=waits)
        shown.step(f"activity {plan.id}: {len(plan.trials)} trials in {plan.blocks} blocks, seed {plan.seed}")
        if plan.goal.adaptive:
            shown.step(prediction_text(plan))
        if not detached:
            _follow(plan, folder, shown, waits=waits)
    if detached:
        return resume_detached(plan.id, folder, as_json=as_json)
    return show_outcome(folder, as_json=as_json)


def _follow(plan: ActivityPlan, folder: Path, shown: Lines | Live, *, waits: bool) -> None:
    """Conduct an activity; what is finished when it is stopped is shown as any other outcome."""
    from assay.activities import evaluate

    try:
        booked(
            lambda: evaluate.follow(plan, folder, home=home(), store=open_store(), watcher=shown),
            shown,
            waits=waits,
        )
    except (AssayError, OSError):
        say_resume(plan.id)
        raise
    except KeyboardInterrupt:
        pass


def _print_scene(scene: Scene, *, as_job: bool, as_json: bool) -> None:
    """Print a scene, or the job that evaluates it."""
    from assay.scenes.changes.script import job_script

    if as_job and as_json:
        print_json("job-script", scene=scene.name, text=job_script(scene))
    elif as_job:
        document(job_script(scene))
    elif as_json:
        print_json("scene", name=scene.name, title=scene.title, digest=scene.digest, text=scene.source)
    else:
        document(scene.source)


def _taken(store: Store, engine: str, who: str | None, job: tuple[str, ...]) -> str:
    """Take nodes of a batch system into the inventory, all of them without ``who``; return their names."""
    from assay.machines.who import folded

    _, names = take_nodes(store, engine, who, job)
    if who is None:
        say(f"all nodes of {engine}: {len(names)}")
    return folded(names)


def _patient(scene: Scene, wait_quiet_s: float | None, *, as_text: bool) -> Scene:
    """Return a scene that waits so long for others, also where another process reads its text."""
    from assay.scenes.changes.write import write_scene

    if wait_quiet_s is None:
        return scene
    goal = replace(scene.design.goal, wait_quiet_s=wait_quiet_s)
    patient = replace(scene, design=replace(scene.design, goal=goal))
    return replace(patient, source=write_scene(patient)) if as_text else patient


@contextmanager
def _recorded(path: Path | None) -> Iterator[Path | None]:
    """Give the folder of the recorded machine that is planned for; ``None`` where none is asked for."""
    from assay.selftest.bundle import recorded_machine

    if path is None:
        yield None
        return
    with recorded_machine(path) as folder:
        yield folder
