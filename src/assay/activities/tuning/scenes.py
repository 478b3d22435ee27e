"""The scene of one step of a search: the guest as it is, and some of its configurations beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.activities.tuning.guests import default_guest, guest_with
from assay.activities.tuning.short import shortened
from assay.model.errors import AssayError
from assay.model.goal import Goal
from assay.pages.tuning import Tuning, TuningRun
from assay.scenes import Design, Scene
from assay.scenes.changes.write import write_scene
from assay.scenes.values.chosen import name_of
from assay.scenes.values.scene import Guest
from assay.scenes.values.swept import MOST_TREATMENTS

DEFAULT: tuple[int, ...] = ()
"""In the place of a configuration: every factor that may be changed at the catalogue's default."""


def tuned_guest(scene: Scene) -> Guest:
    """Return the guest that a scene's settings are of, or the guests of its layout.

    Raises:
        AssayError: It has several treatments, or one that is no guest on the baseline's machine.
    """
    if scene.more or not isinstance(scene.treatment, Guest) or scene.treatment.machine is not None:
        what = (
            "several treatments" if scene.more else "a treatment that is no guest on the baseline's machine"
        )
        msg = f"cannot tune the scene {scene.name}: it has {what}"
        raise AssayError(msg, hint="name one guest with the settings that it has now: assay scene show quick")
    return scene.treatment


def levels_in(tuning: Tuning, config: Sequence[int]) -> dict[str, str]:
    """Return the level of each factor of a configuration."""
    return {factor.name: factor.levels[at] for factor, at in zip(tuning.factors, config, strict=True)}


def run_scene(scene: Scene, tuning: Tuning, run: TuningRun) -> Scene:
    """Return the scene of a run: the guest as it is as the baseline, each configuration a treatment.

    In the search the workloads that are tuned for run alone, otherwise all of them. In a check of the same
    machine the host is as it was when the search was laid out, whatever was applied to it since.
    """
    guest = tuned_guest(scene)
    if run.kind == "check" and not run.machine:
        guest = guest_with(guest, {one.name: one.held for one in tuning.factors if one.held})
    guests = [guest_of(tuning, guest, config) for config in run.configs]
    if len(guests) > MOST_TREATMENTS:
        msg = f"BUG: {len(guests)} configurations in one run"
        raise ValueError(msg)
    was, design = scene.design.goal, scene.design
    goal = Goal(rerun=was.rerun, wait_quiet_s=was.wait_quiet_s, require_quiet=was.require_quiet)
    mix = [one for one in scene.workloads if run.kind != "search" or name_of(one) in tuning.workloads]
    mix = [shortened(one, run.share) for one in mix]
    number = 1 + next((at for at, one in enumerate(tuning.runs) if one.activity == run.activity), 0)
    where = f" on {run.machine}" if run.machine else ""
    what = {"search": f"search, step {number}", "confirm": "confirmation", "check": f"check{where}"}
    changed = replace(
        scene,
        title=f"Tuning {tuning.id}: {what[run.kind]}",
        baseline=run.machine or scene.baseline,
        baseline_guest=guest,
        treatment=guests[0],
        more=tuple(guests[1:]),
        workloads=tuple(mix),
        design=Design(run.blocks, design.confidence, design.margin, run.seed, goal),
        published=(),
        takes_s=None,
        scales=(),
        scale=None,
    )
    return replace(changed, source=write_scene(changed))


def guest_of(tuning: Tuning, guest: Guest, config: Sequence[int]) -> Guest:
    """Return the guest of a configuration: what stays as it is stays unsaid."""
    if tuple(config) == DEFAULT:
        return default_guest(guest, (factor.name for factor in tuning.factors))
    return guest_with(guest, changes_in(tuning, config))


def changes_in(tuning: Tuning, config: Sequence[int]) -> dict[str, str]:
    """Return the levels that a configuration changes."""
    levels = levels_in(tuning, config)
    return {one.name: levels[one.name] for one in tuning.factors if levels[one.name] != one.levels[0]}
