"""What a scene says of design, placement, phases, page cache and observation, as values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.model.goal import Goal, Headline, Shape
from assay.model.work.disturbance import Cause
from assay.model.work.needs import Needs
from assay.model.work.observation import Observation, Profile, Scope
from assay.model.work.page_cache import CacheSpec, CacheState
from assay.model.work.phase import Mark, PhaseRules
from assay.model.work.placement import PlacementSpec
from assay.scenes.values.scene import Design
from assay.scenes.values.words import AS_IS

if TYPE_CHECKING:
    from assay.scenes.forms.design import DesignForm
    from assay.scenes.forms.form import SceneForm
    from assay.scenes.forms.processors import NeedsForm
    from assay.scenes.forms.workload import CacheForm, PhasesForm, PlacementForm


BLOCKS = 3
"""Of a design that says nothing: the fewest that give an interval worth the name."""
MOST_BLOCKS = 100
"""Of a design that says only what it wants: enough for half a percentage point on an ordinary machine."""
LEAST_BLOCKS, LEAST_FOR_PRECISION = 5, 10
"""A verdict's sequence is finite from 5 blocks on, of several metrics later; a width that stops a run needs
10 to be trusted.

Source: the simulations under ``docs/evidence``.
"""


def to_needs(form: NeedsForm | None) -> Needs:
    """Return the least that the machine must have."""
    if form is None:
        return Needs()
    return Needs(form.cores, form.memory, form.disk, form.nodes, form.kvm, tuple(form.tools))


def to_design(form: DesignForm) -> Design:
    """Return how precisely is asked; whoever names a goal wants to stop when it is reached."""
    adaptive = any((form.maximum_blocks, form.precision, form.time_budget))
    least = LEAST_FOR_PRECISION if form.precision else LEAST_BLOCKS
    goal = Goal(
        adaptive=adaptive,
        precision=form.precision,
        minimum_blocks=form.minimum_blocks or (least if adaptive else Goal.minimum_blocks),
        time_budget_s=form.time_budget,
        sessions=form.sessions,
        session_gap_s=form.session_gap,
        shape=Shape(form.shape) if form.shape else Shape.AUTO if adaptive else Shape.DOUBLE,
        reference=form.reference,
        score=form.score,
        rerun=tuple(dict.fromkeys(Cause(word) for word in form.rerun)),
        headline=Headline(form.headline),
        wait_quiet_s=form.wait_quiet,
        require_quiet=form.require_quiet,
    )
    most = form.maximum_blocks or max(MOST_BLOCKS, goal.minimum_blocks)
    blocks = most if adaptive else form.blocks or BLOCKS
    return Design(blocks, form.confidence, form.margin, form.seed, goal)


def to_copies(own: PlacementForm | None, scene: PlacementForm) -> tuple[int, ...]:
    """Return a workload's numbers of copies where these are several."""
    copies = (own.copies if own else None) or scene.copies or ()
    return copies if len(copies) > 1 else ()


def to_placement(own: PlacementForm | None, scene: PlacementForm) -> PlacementSpec:
    """Return a workload's placement: what it leaves out is the scene's, and then the default.

    Of several numbers of copies (``to_copies``) it holds none.
    """
    fields = scene.model_dump(exclude_none=True)
    if own is not None:
        fields |= own.model_dump(exclude_none=True)
    if copies := fields.pop("copies", None):
        fields["copies"] = copies[0] if len(copies) == 1 else 1
    if "stagger" in fields:
        fields["stagger_s"] = fields.pop("stagger")
    return PlacementSpec(**fields)


def to_phases(form: PhasesForm | None) -> PhaseRules | None:
    """Return how a workload's phases are told."""
    if form is None:
        return None
    marks = tuple(Mark(phase, pattern) for phase, pattern in form.marks.items())
    return PhaseRules(marks, form.events, form.log, form.announce)


def to_cache(form: str | CacheForm | None) -> CacheSpec | None:
    """Return the state of files that is asked for; ``None`` for none."""
    if form is None or form == AS_IS:
        return None
    if isinstance(form, str):
        return CacheSpec(CacheState(form))
    files = None if form.files is None else tuple(form.files)
    return CacheSpec(CacheState(form.state), files, form.drop)


def to_observation(form: SceneForm) -> Observation:
    """Return what is looked at in every trial; what is named twice is looked at once."""
    watch, counters = tuple(dict.fromkeys(form.watch)), tuple(dict.fromkeys(form.counters))
    return Observation(form.interval, watch, counters, _to_profile(form))


def _to_profile(form: SceneForm) -> Profile | None:
    if form.profile is None or isinstance(form.profile, int):
        return None if form.profile is None else Profile(form.profile)
    return Profile(form.profile.hz, Scope(form.profile.scope))
