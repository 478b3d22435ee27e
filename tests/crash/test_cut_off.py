"""An activity is cut off after every single act, by a kill or a power cut, and resumed from what is left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from assay.model.goal import Shape
from assay.model.platforms.container import PlannedContainer, Runtime
from assay.model.platforms.layout import Layout
from assay.model.trial import Arm
from tests.crash.activity import Bed, cuts, plan_for, whole_run
from tests.crash.disk import Moment, Tree, at
from tests.crash.machines import World
from tests.crash.proof import check_cut, check_resumed
from tests.in_gate import in_gate


def prove(bed: Bed, moments: list[Moment]) -> int:
    """Resume from every cut; return how many there were."""
    count = 0
    for act, image, world in cuts(moments):
        folder = at(image, "activities", bed.plan.id)
        try:
            if isinstance(folder, dict):
                check_cut(folder, world, bed.plan)
            else:
                assert not world.listed, "the activity's folder is gone"
            if world.listed and isinstance(folder, dict):
                check_resumed(folder, world, bed.resume(image, world), bed.plan)
                count += 1
        except Exception as error:
            error.add_note(f"cut off after: {act}; machines: {world}; left: {shown(image)}")
            raise
    return count


def shown(image: Tree) -> object:
    return {name: shown(one) if isinstance(one, dict) else len(one) for name, one in image.items()}


def whole(moment: Moment) -> tuple[Tree, World]:
    """Return what a kill of the controller leaves: all that was written."""
    return next(moment.images()), moment.outside


@pytest.mark.parametrize("number", in_gate([3, 1], 1))
def test_an_activity_that_is_stopped_in_the_middle_of_a_trial(bed: Bed, number: int) -> None:
    moments = bed.record(whole_run, waiting=stop_at(number))
    assert prove(bed, moments) > 20
    left, world = whole(moments[-1])
    assert at(left, "activities", bed.plan.id, "inflight.json") is None
    assert (world.jobs, world.guests) == ({}, {}), "nobody wants what was stopped"


def stop_at(number: int) -> Callable[[], None]:
    """Return what is called where a job is waited for, and stops the activity at the n-th."""
    waits = iter(range(1, 100))

    def waiting() -> None:
        if next(waits) == number:
            raise KeyboardInterrupt

    return waiting


def test_an_activity_whose_last_trial_is_a_guest_s(bed: Bed) -> None:
    bed.plan = plan_for("job", Shape.PAIRS)
    assert bed.plan.trials[-1].arm is Arm.TREATMENT
    assert prove(bed, bed.record(whole_run)) > 100


@pytest.mark.parametrize("at_work", ["/host/", "/guest/"])
@pytest.mark.long
def test_a_resume_that_brings_a_trial_home_is_itself_cut_off(bed: Bed, at_work: str) -> None:
    run = bed.record(whole_run)
    image, world = whole(next(one for one in run if one.act.startswith(f"start {at_work}")))
    assert prove(bed, bed.record(Bed.conduct, image, world)) > 80


@pytest.mark.long
def test_an_activity_with_a_rejected_trial_and_a_guest(bed: Bed) -> None:
    assert prove(bed, bed.record(whole_run)) > 200


def test_trials_whose_preparation_fails(bed: Bed) -> None:
    bed.plan = plan_for("made")
    assert prove(bed, bed.record(whole_run)) > 100


@pytest.mark.long
def test_a_trial_of_several_guests_is_run_again_and_never_half_kept(bed: Bed) -> None:
    plan, two = plan_for("two", Shape.PAIRS), PlannedContainer(Runtime.RUNC, layout=Layout(guests=2))
    bed.plan, bed.several = replace(plan, treatment=replace(plan.treatment, container=two)), True
    assert prove(bed, bed.record(whole_run)) > 100
