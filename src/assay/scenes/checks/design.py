"""What no single word of a design shows: words that contradict each other, a reference that nobody runs."""

from __future__ import annotations

from collections.abc import Iterator

from assay.model.goal import Headline, Shape
from assay.model.platforms.container import PlannedContainer, Runtime
from assay.scenes.checks.data import beyond_data
from assay.scenes.text.errors import Problem
from assay.scenes.text.tree import Path, Tree
from assay.scenes.values.expected import nearest
from assay.scenes.values.scene import Guest, OtherMachine, Scene
from assay.scenes.values.swept import MOST_TREATMENTS

ADAPTIVE = ("maximum-blocks", "minimum-blocks", "precision", "time-budget")
"""Words of a design that may end before its last block."""


def design_problems(scene: Scene, tree: Tree) -> Iterator[Problem]:
    """Yield the problems of a scene's design.

    Args:
        scene: As read.
        tree: The scene file.
    """
    written = tree.value.get("design", {}) if isinstance(tree.value, dict) else {}
    if "blocks" in written and (other := next((word for word in ADAPTIVE if word in written), None)):
        sentence = f"expected either 'blocks', a fixed number, or '{other}', got both"
        yield tree.problem(("design", other), sentence, key=True)
    if scene.design.goal.adaptive and scene.design.blocks < scene.design.goal.minimum_blocks:
        sentence = f"expected at most {scene.design.blocks} minimum-blocks (the maximum)"
        place = "minimum-blocks" if "minimum-blocks" in written else "maximum-blocks"
        yield tree.problem(("design", place), f"{sentence}, got {scene.design.goal.minimum_blocks}")
    if "minimum-blocks" in written and not scene.design.goal.adaptive:
        sentence = "expected 'maximum-blocks', 'precision' or 'time-budget' beside 'minimum-blocks'"
        yield tree.problem(("design", "minimum-blocks"), sentence, key=True)
    goal = scene.design.goal
    if goal.headline is Headline.TOTAL and goal.adaptive and goal.precision is None:
        sentence = (
            "expected 'blocks', a fixed number, or 'precision' beside 'headline: total', which is judged once"
        )
        yield tree.problem(("design", "headline"), sentence)
    if scene.design.blocks < scene.design.goal.sessions:
        sentence = (
            f"expected at most {scene.design.blocks} sessions (one a block), got {scene.design.goal.sessions}"
        )
        yield tree.problem(("design", "sessions"), sentence)
    if scene.baseline_guest is not None and not isinstance(scene.treatment, Guest):
        sentence = "expected no platform of the baseline where the treatment is no guest"
        yield tree.problem(("baseline", "platform"), sentence, key=True)
    if scene.baseline_container is not None:
        yield from _container_problems(scene, scene.baseline_container, tree)
    elif scene.baseline_guest is None and beyond_data(tree, ("baseline", "factors")):
        sentence = (
            "expected 'platform: guest' beside the baseline's factors: the machine itself has those "
            "of data and scratch alone"
        )
        yield tree.problem(("baseline", "factors"), sentence, key=True)
    yield from _reference(scene, tree)
    yield from _sweep(scene, tree)


def _sweep(scene: Scene, tree: Tree) -> Iterator[Problem]:
    place: Path = ("treatment", "factors")
    if len(scene.treatments) > MOST_TREATMENTS:
        sentence = f"expected at most {MOST_TREATMENTS} combinations of levels, got more"
        yield tree.problem(place, sentence, key=True)
    if scene.more and scene.design.goal.shape in {Shape.PAIRS, Shape.CHAINED}:
        sentence = f"expected the shape double or auto with several levels, got '{scene.design.goal.shape}'"
        yield tree.problem(("design", "shape"), sentence)
    if listed := _listed(tree, ("baseline", "factors")):
        yield tree.problem(listed, "expected one level of a baseline, got a list")
    other, listed = scene.treatment, _listed(tree, place)
    if isinstance(other, OtherMachine) and listed and (other.machine != scene.baseline or other.domain):
        sentence = (
            f"expected one level of {other.machine}, got a list: of machines the baseline's own is swept"
        )
        yield tree.problem(listed, sentence)


def _listed(tree: Tree, above: Path) -> Path | None:
    """Return the place of a factor that is given a list."""
    return next((place[:3] for place in tree.places if place[:2] == above and len(place) == 4), None)


def _container_problems(scene: Scene, baseline: PlannedContainer, tree: Tree) -> Iterator[Problem]:
    """Yield what a container as baseline does not go with."""
    if ("baseline", "factors") in tree.keys:
        sentence = (
            f"expected no factors of a baseline that is {baseline.runtime}: it has the treatment's, or none"
        )
        yield tree.problem(("baseline", "factors"), sentence, key=True)
    if isinstance(scene.treatment, OtherMachine):
        sentence = "expected no platform of the baseline where the treatment is a machine"
        yield tree.problem(("baseline", "platform"), sentence, key=True)
    if baseline.runtime is Runtime.UML and scene.treatment != baseline:
        sentence = "expected 'uml' as treatment too: a kernel of one processor is a baseline of nothing else"
        yield tree.problem(("baseline", "platform"), sentence, key=True)


def _reference(scene: Scene, tree: Tree) -> Iterator[Problem]:
    reference, names = scene.design.goal.reference, [member.name for member in scene.members]
    if reference is not None and reference not in names:
        near = nearest(reference, names)
        sentence = f"expected a workload of this scene ({', '.join(names)}), got '{reference}'"
        yield tree.problem(("design", "reference"), f"{sentence}; nearest: '{near}'" if near else sentence)
