"""``assay tune``: which settings pay."""

from __future__ import annotations

import os
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.commands.evaluate_words import words_of
from assay.cli.commands.tune_applied import apply, export, rollback
from assay.cli.commands.tune_external import external
from assay.cli.names import FACTOR, SCALE, SCENE, SETTING, TUNING, WHO, WORKLOAD
from assay.cli.output import answer, answer_json, home, json_option, print_json, say
from assay.cli.stores import open_store
from assay.cli.tunings import measured_again, say_on, show_tuning, tuning_json
from assay.model.errors import AssayError, Exit, UnknownNameError

if TYPE_CHECKING:
    from assay.activities.tuning.laid_out import TuningSpec
    from assay.pages.tuning import Tuning

LEAST_SHARE, MOST_SHARE = 0.01, 0.5
"""Of the trials that a search may begin with."""
MOST_FURTHER = 1000
"""Blocks by which a confirmation is extended at once."""


class SceneOrCommand(click.Group):
    """A group whose first word may be a scene: then it is searched."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of the first argument; where it is none, the one that takes a scene."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            args = ["scene", *args]
        return super().resolve_command(ctx, args)


@click.group("tune", cls=SceneOrCommand, epilog="Example: assay tune quick --factors disk --budget 30min")
def command() -> None:
    """Find the settings that pay, and prove it.

    assay tune SCENE is short for assay tune scene SCENE.
    """


for one in (external, export, apply, rollback):
    command.add_command(one)


@command.command("scene", epilog="Example: assay tune scene quick --factors disk,cpu.mode --budget 8h")
@click.argument("scene", required=False, type=SCENE)
@click.option(
    "--command", "program", metavar="COMMAND", help="Tune for this command line instead of a scene."
)
@click.option("--scale", metavar="NAME", type=SCALE, help="Scale of the scene.")
@click.option(
    "--factors",
    metavar="NAME[,NAME…]",
    multiple=True,
    type=FACTOR,
    help="Factors that may be changed, or groups of them (assay factors list --here).",
)
@click.option(
    "--set",
    "given",
    metavar="FACTOR=LEVEL,LEVEL…",
    multiple=True,
    type=SETTING,
    help="A factor with the levels to try.",
)
@click.option(
    "--budget", metavar="TIME|NUMBER", default="1h", show_default=True, help="Time, like 8h, or evaluations."
)
@click.option(
    "--allow",
    metavar="HAZARD[,HAZARD…]",
    multiple=True,
    help="Try settings that may put this at risk: data, migration, isolation, memory, others.",
)
@click.option(
    "--workload",
    "workloads",
    metavar="NAME",
    multiple=True,
    type=WORKLOAD,
    help="Tune for these workloads of the scene; the others are checked in the end.",
)
@click.option(
    "--also", metavar="MACHINE", type=WHO, help="Check what is recommended on this second machine, too."
)
@click.option(
    "--short",
    metavar="SHARE",
    type=click.FloatRange(LEAST_SHARE, MOST_SHARE),
    help="Begin with trials of this share of the events, or of the run time, like 0.1.",
)
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), help="Of all draws, to repeat a search.")
@click.option("--dry-run", is_flag=True, help="Say what would be searched, and stop.")
@json_option
def search(
    scene: str | None,
    program: str | None,
    scale: str | None,
    factors: tuple[str, ...],
    given: tuple[str, ...],
    budget: str,
    allow: tuple[str, ...],
    workloads: tuple[str, ...],
    also: str | None,
    short: float | None,
    seed: int | None,
    *,
    dry_run: bool,
    as_json: bool,
) -> Exit:
    """Search the settings of a scene's guest that pay, and confirm them.

    The scene's guest stands for the settings as they are now. What is found is run anew beside it, and beside
    the default, by all workloads of the scene: what is not confirmed, costs one of them, or is not shown to
    be harmless to all of them, is not recommended.
    """
    from assay.activities.tuning.kept import keep_tuning
    from assay.activities.tuning.laid_out import carrier, lay_out
    from assay.cli.scenes import named_scene
    from assay.report.render.tuning import text_space
    from assay.scenes import command_scene

    if (scene is None) == (program is None):
        msg = "expected a SCENE or --command, and not both (scenes: assay scene list)"
        raise click.UsageError(msg)
    chosen = (
        named_scene(scene, scale=scale)
        if scene is not None
        else command_scene(words_of(program or ""), inputs=(), folder=Path.cwd())
    )
    wanted = replace(_wanted(factors, given, budget, allow, workloads, seed), also=also, short=short)
    store = open_store()
    carriers = partial(carrier, home=home(), store=store)
    tuning = lay_out(chosen, wanted, command=program, home=home(), store=store, carriers=carriers)
    if dry_run:
        if as_json:
            answer_json(tuning_json(tuning))
        else:
            answer(text_space(tuning))
        return Exit.DONE
    keep_tuning(tuning, home())
    say(f"search {tuning.id}: {len(tuning.factors)} factors, {tuning.evaluations} evaluations at most")
    return _conduct(tuning, as_json=as_json)


def _wanted(
    factors: tuple[str, ...],
    given: tuple[str, ...],
    budget: str,
    allow: tuple[str, ...],
    workloads: tuple[str, ...],
    seed: int | None,
) -> TuningSpec:
    """Return what is asked for; raises ``click.UsageError``."""
    from assay.activities.tuning.laid_out import TuningSpec
    from assay.activities.tuning.searched import FEWEST
    from assay.activities.tuning.time_taken import MOST
    from assay.factors.base.factor import Hazard
    from assay.model.units import parse_seconds

    names = tuple(name for text in factors for name in text.split(",") if name)
    hazards = tuple(word for text in allow for word in text.split(",") if word)
    for word in hazards:
        if word not in set(Hazard):
            raise UnknownNameError("hazard", word, [str(one) for one in Hazard])  # noqa: EM101
    levels = dict(map(_levels, given))
    if not names and not levels:
        msg = "expected --factors, or --set with the levels of one (assay factors list --here)"
        raise click.UsageError(msg)
    evaluations = int(budget) if budget.isdecimal() else None
    if evaluations is not None and not FEWEST <= evaluations <= MOST:
        msg = f"expected {FEWEST} to {MOST} evaluations, got {evaluations}"
        raise click.UsageError(msg)
    try:
        seconds = parse_seconds(budget) if evaluations is None else None
    except ValueError as error:
        msg = f"--budget: {error}; or a number of evaluations"
        raise click.UsageError(msg) from error
    return TuningSpec(names, levels, hazards, workloads, evaluations, seconds, seed)


def _levels(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a factor and its levels, each in its one spelling; raises ``click.UsageError``."""
    from assay.factors.base.levels import LevelError
    from assay.factors.catalogue import FACTORS, read_level

    name, mark, levels = text.partition("=")
    if not mark or not levels:
        msg = f"expected a factor and its levels, like --set disk.cache=none,writeback, got '{text}'"
        raise click.UsageError(msg)
    if name not in FACTORS:
        raise UnknownNameError("factor", name, FACTORS, hint="assay factors list")  # noqa: EM101
    try:
        return name, tuple(dict.fromkeys(read_level(name, level) for level in levels.split(",")))
    except LevelError as error:
        nearest = "" if error.nearest is None else f"; nearest: '{error.nearest}'"
        msg = f"--set {name}: expected {error.expected}, got '{levels}'{nearest}"
        raise click.UsageError(msg) from error


@command.command("resume", epilog="Example: assay tune resume last")
@click.argument("search", default="last", type=TUNING)
@json_option
def resume(search: str, *, as_json: bool) -> Exit:
    """Go on with a search that was cut off; no trial is run twice."""
    from assay.activities.tuning.kept import find_tuning

    return _conduct(find_tuning(search, home()), as_json=as_json)


@command.command("extend", epilog="Example: assay tune extend last --blocks 10")
@click.argument("search", default="last", type=TUNING)
@click.option(
    "--blocks",
    type=click.IntRange(1, MOST_FURTHER),
    required=True,
    help="Further blocks of the confirmation.",
)
@json_option
def extend(search: str, blocks: int, *, as_json: bool) -> Exit:
    """Extend the confirmation of a search that has ended with the mix undecided.

    What a change-set costs the mix is judged by all blocks then, in a way that may be looked at again.
    """
    from assay.activities.tuning.further import with_further
    from assay.activities.tuning.kept import find_tuning, keep_tuning

    tuning = with_further(find_tuning(search, home()), blocks)
    keep_tuning(tuning, home())
    return _conduct(tuning, as_json=as_json)


def _conduct(tuning: Tuning, *, as_json: bool) -> Exit:
    """Run what is left of a search, and show what came of it."""
    from assay.activities.tuning.kept import find_tuning
    from assay.activities.tuning.laid_out import carrier
    from assay.activities.tuning.tuner import scene_of, tune
    from assay.cli.progress import watcher

    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # its matrices are small
    scene, store = scene_of(tuning), open_store()
    carriers = partial(carrier, home=home(), store=store)
    with watcher() as shown:
        try:
            tune(tuning, scene, home=home(), store=store, carriers=carriers, watcher=shown)
        except AssayError:
            say_on(tuning)
            raise
        except KeyboardInterrupt:
            say_on(tuning)
            return Exit.INTERRUPTED
    tuning = find_tuning(tuning.id, home())
    show_tuning(tuning, as_json=as_json)
    return Exit.DONE


@command.command("show", epilog="Example: assay tune show last --output tuning.html")
@click.argument("search", default="last", type=TUNING)
@click.option(
    "--output", type=click.Path(path_type=Path), help="Write a page with pictures to this HTML file."
)
@json_option
def show(search: str, output: Path | None, *, as_json: bool) -> None:
    """Show what a search found, what became of it in the confirmation, and the way there."""
    from assay.activities.tuning.kept import find_tuning

    tuning = find_tuning(search, home())
    if output is None:
        show_tuning(tuning, as_json=as_json)
        return
    from assay.cli.whole_file import write_whole
    from assay.report.render.tuning_html import html_tuning

    write_whole(output, [html_tuning(tuning)])


@command.command("list", epilog="Example: assay tune list")
@json_option
def list_(*, as_json: bool) -> None:
    """List the searches, the oldest first."""
    from assay.activities.tuning.kept import tunings_in
    from assay.report.tables.tables import table

    known = tunings_in(home())
    if as_json:
        rows = [
            {"id": one.id, "state": one.state, "created": one.created, "scene": one.scene} for one in known
        ]
        print_json("tunings", tunings=rows)
    elif not known:
        answer("no search yet: assay tune SCENE --factors disk")
    else:
        cells = [(one.id, one.created, one.state, one.scene, ", ".join(one.workloads)) for one in known]
        answer(table(("search", "created", "state", "scene", "for"), cells))


@command.command("verify", epilog="Example: assay tune verify last")
@click.argument("search", default="last", type=TUNING)
@click.option("--measure", is_flag=True, help="Measure again what the change-set saves.")
@json_option
def verify(search: str, *, measure: bool, as_json: bool) -> Exit:
    """Say whether what was applied is still so: in the definition, in the running guest, on the host.

    With --measure the confirmed change-set is run anew beside the guest as it was before, by all workloads
    of the scene; what is applied does not matter to it. Exit code 4 where something is not as it was applied,
    5 where what was measured speaks against the change-set.
    """
    if measure:
        return measured_again(search, as_json=as_json)
    from assay.activities.tuning.applied import looked_at, not_looked_at
    from assay.activities.tuning.kept import find_tuning
    from assay.report.tables.tables import table

    tuning = find_tuning(search, home())
    looked, left = looked_at(tuning, home=home()), not_looked_at(tuning, home=home())
    if as_json:
        print_json("verified", search=tuning.id, settings=[asdict(one) for one in looked], left=left)
    else:
        cells = [(one.name, one.level, one.where, "yes" if one.ok else "no", one.detail) for one in looked]
        answer(table(("factor", "level", "where", "in force", ""), cells))
        for name, reason in left.items():
            say(f"not looked at: {name}: {reason}")
    return Exit.DONE if all(one.ok for one in looked) else Exit.MISSING
