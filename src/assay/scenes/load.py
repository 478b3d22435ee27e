"""From a scene file to a scene."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.model.errors import UnknownNameError
from assay.model.machines.processors import Controller, ProcessorsSpec
from assay.model.platforms.container import PlannedContainer, Runtime
from assay.model.platforms.layout import Layout
from assay.scenes.changes.scaled import labelled, scale_problems, scaled_tree
from assay.scenes.changes.several import read_several
from assay.scenes.reading.container_run import to_container, to_copies_inside
from assay.scenes.reading.data import Levels, data_levels, to_data, with_data_of
from assay.scenes.reading.origins import of_baseline, origin_problems
from assay.scenes.reading.readings import to_readings, to_success
from assay.scenes.reading.scripts import script_problems, to_scripts
from assay.scenes.reading.specs import (
    to_cache,
    to_copies,
    to_design,
    to_needs,
    to_observation,
    to_phases,
    to_placement,
)
from assay.scenes.reading.treatments import given_levels, guest_levels, to_guest, to_treatments
from assay.scenes.text.errors import Problem, SceneError
from assay.scenes.values.chosen import Own, Ready
from assay.scenes.values.domain_words import domain_problems
from assay.scenes.values.processors import to_processors
from assay.scenes.values.scene import Guest, Scene, Treatment
from assay.scenes.values.swept import combinations
from assay.workloads import Parameters

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

    from assay.scenes.forms.form import SceneForm
    from assay.scenes.forms.workload import OwnForm
    from assay.scenes.text.tree import Tree

LARGEST_BYTES = 128 * 1024
"""A scene is written by people; anything larger is another file."""


def load_scene(path: Path, *, scale: str | None = None) -> Scene:
    """Return the scene in a file, at one of its scales or as written.

    Raises:
        SceneError: it cannot be read, or something in it is wrong.
        UnknownNameError: it has no such scale.
    """
    return read_scene(source_of(path), file=str(path), scale=scale)


def read_scene(source: bytes, *, file: str, scale: str | None = None) -> Scene:
    """Return the scene that a file's content says; all of its scales are checked.

    Args:
        source: The content, UTF-8.
        file: Its name for messages; relative inputs start in its folder.
        scale: One of its scales; ``None`` is as written.

    Raises:
        SceneError: every wrong place with its line and column, as far as reading came.
        UnknownNameError: it has no such scale.
    """
    from assay.scenes.text.tree import read_tree

    text = text_of(source, file)
    tree = read_tree(text, file)
    scene = _read(tree, text)
    at = {name: labelled(_read(scaled_tree(tree, name), text), name) for name, _ in scene.scales}
    if scale is None:
        return scene
    if scale not in at:
        kind, hint = f"scale of {scene.name}", f"assay scene show {scene.name}: the scene and its scales"
        raise UnknownNameError(kind, scale, at, hint=hint)
    return at[scale]


def _read(tree: Tree, text: str) -> Scene:
    return read_several(tree, lambda one: _read_one(one, text))


def _read_one(tree: Tree, text: str) -> Scene:
    from assay.scenes.checks.plugin import plugin_problems
    from assay.scenes.checks.sweep import sweep_problems

    form = _fill_form(tree)
    problems = [*plugin_problems(form.treatment, tree)] or [*sweep_problems(form.treatment, tree)]
    if problems:
        raise SceneError(tree.file, problems)
    scene = _to_scene(form, text, tree.file)
    _check(scene, tree)
    return scene


def source_of(path: Path) -> bytes:
    """Return the content of a file of no more than ``LARGEST_BYTES``.

    Raises:
        SceneError: It is no such file, or cannot be read.
    """
    try:
        if path.exists() and not path.is_file():
            raise SceneError(str(path), [Problem(0, 0, "expected a file, got a folder or a device")])
        with path.open("rb") as stream:
            source = stream.read(LARGEST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        hint = "scenes that come with assay: assay scene list"
        raise SceneError(str(path), [Problem(0, 0, reason, hint)]) from error
    if len(source) > LARGEST_BYTES:
        raise SceneError(str(path), [Problem(0, 0, "expected a scene of at most 128 KiB, got a larger file")])
    return source


def text_of(source: bytes, file: str) -> str:
    """Return a file's content as text.

    Raises:
        SceneError: It is no UTF-8.
    """
    try:
        return source.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = source[: error.start]
        line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        sentence = f"expected UTF-8 text, got the byte 0x{source[error.start]:02x}"
        raise SceneError(file, [Problem(line, column, sentence)]) from error


def _fill_form(tree: Tree) -> SceneForm:
    from pydantic import ValidationError

    from assay.scenes.forms.form import SceneForm
    from assay.scenes.forms.messages import to_problem

    try:
        return SceneForm.model_validate(tree.value)
    except ValidationError as error:
        problems = {to_problem(finding, tree) for finding in _first(error, tree)}
        raise SceneError(tree.file, list(problems), more=error.error_count() - MOST_FINDINGS) from error


MOST_FINDINGS = 200
"""Findings that are put into words, the first of the file: few of them are shown, and each is looked up."""


def _first(error: ValidationError, tree: Tree) -> list[ErrorDetails]:
    from assay.scenes.forms.messages import place_of

    details = error.errors(include_url=False, include_input=False)
    if len(details) <= MOST_FINDINGS:
        return details
    return sorted(details, key=lambda one: place_of(one, tree))[:MOST_FINDINGS]


def _check(scene: Scene, tree: Tree) -> None:
    from assay.scenes.checks.beside import beside_problems
    from assay.scenes.checks.checks import find_problems
    from assay.scenes.checks.data import data_problems
    from assay.scenes.checks.design import design_problems
    from assay.scenes.checks.layout import layout_problems
    from assay.scenes.checks.place import place_problems
    from assay.scenes.checks.published import published_problems

    folder = Path(scene.file).absolute().parent
    problems = [*find_problems(scene.workloads, tree, folder=folder), *design_problems(scene, tree)]
    problems += [*domain_problems(tree), *scale_problems(scene, tree)]
    problems += layout_problems(scene, tree)
    problems += [*place_problems(scene, tree), *beside_problems(scene, tree)]
    problems += [*data_problems(scene, tree, folder=folder), *origin_problems(scene, tree)]
    problems += published_problems(scene, tree)
    problems += script_problems(scene.scripts, tree, folder=folder)
    if problems:
        raise SceneError(scene.file, problems)


def _to_scene(form: SceneForm, source: str, file: str) -> Scene:
    from assay.scenes.forms.published import published_spec

    treatment, *more = (_at_home(one, form.baseline.machine) for one in to_treatments(form.treatment))
    processors, of_baseline = _to_processors(form)
    return Scene(
        name=form.scene,
        title=form.title,
        baseline=form.baseline.machine,
        treatment=treatment,
        more=tuple(more),
        workloads=tuple(_to_workload(workload, form) for workload in form.workloads),
        design=to_design(form.design),
        source=source,
        file=file,
        observation=to_observation(form),
        usage=tuple(dict.fromkeys(form.usage)),
        baseline_guest=_to_baseline_guest(form),
        baseline_container=_to_baseline_container(form),
        data=to_data(form.data),
        baseline_data=_to_baseline_data(form),
        scale=form.scale,
        scales=tuple((name, scale.about) for name, scale in form.scales.items()),
        published=tuple(map(published_spec, form.published)),
        takes_s=form.takes,
        processors=processors,
        baseline_processors=of_baseline,
        controller=None if form.controller is None else Controller(form.controller),
        host_memory_bytes=form.host_memory,
        needs=to_needs(form.needs),
        scripts=to_scripts(form.scripts),
        baseline_beside=tuple(form.baseline.beside),
    )


def _at_home(treatment: Treatment, baseline: str) -> Treatment:
    """Return a treatment that names no machine where that is the baseline's."""
    if isinstance(treatment, Guest) and treatment.machine == baseline:
        return replace(treatment, machine=None)
    return treatment


def _to_processors(form: SceneForm) -> tuple[ProcessorsSpec | None, ProcessorsSpec | None]:
    """Return the processors of the treatments, and those of the baseline where it has others.

    An arm that says none has the scene's; where there are none either, the other arm's.
    """
    whole = to_processors(form.processors, form.threads)
    treatment, baseline = (
        to_processors(arm.processors, arm.threads) or whole for arm in (form.treatment, form.baseline)
    )
    treatment, baseline = treatment or baseline, baseline or treatment
    return treatment, None if baseline == treatment else baseline


def _to_baseline_container(form: SceneForm) -> PlannedContainer | None:
    """Return the container that is the baseline: the treatment's own, or a plain one of another runtime."""
    if form.baseline.platform in {None, "guest"}:
        return None
    own, treatment = Runtime(form.baseline.platform), to_treatments(form.treatment)[0]
    if isinstance(treatment, PlannedContainer) and treatment.runtime is own:
        return replace(treatment, layout=Layout())
    return PlannedContainer(own)


def _to_baseline_guest(form: SceneForm) -> Guest | None:
    """Return the guest that is the baseline: with factors of its own, or the treatment's."""
    if form.baseline.platform != "guest":
        return None
    from assay.scenes.forms.layout import layouts

    own, first = form.baseline.factors, to_treatments(form.treatment)[0]
    treatment = replace(first, layout=Layout(), machine=None) if isinstance(first, Guest) else Guest()
    guest = (
        treatment if own is None else with_data_of(to_guest(next(combinations(guest_levels(own)))), treatment)
    )
    laid_out = replace(guest, layout=next(layouts(form.baseline.layout)))
    return of_baseline(laid_out, form.baseline, treatment)


def _to_baseline_data(form: SceneForm) -> Levels | None:
    """Return how a machine as baseline comes by the data; ``None`` is "as the treatment does"."""
    if form.baseline.platform is not None or form.baseline.factors is None:
        return None
    return data_levels(tuple(next(combinations(given_levels(form.baseline.factors))).items())) or None


def _to_workload(workload: object, scene: SceneForm) -> Ready | Own:
    from assay.scenes.forms.workload import OwnForm, ReadyForm

    if isinstance(workload, OwnForm):
        return _to_own(workload, scene)
    if isinstance(workload, ReadyForm):
        given = workload.parameters
        sizes, records = _several(given.size), _several(given.record)
        parameters = Parameters(
            runtime_s=given.runtime,
            size_bytes=None if sizes else given.size,
            record_bytes=None if records else given.record,
            container=to_container(given),
            photons=given.photons,
            no_output=given.output is not None,
            users=given.users,
        )
        placement = to_placement(workload.placement, scene.placement)
        copies = to_copies(workload.placement, scene.placement)
        cache = to_cache(workload.cache or scene.cache)
        return Ready(
            workload.use,
            parameters,
            placement,
            cache,
            given.events or (),
            copies,
            sizes,
            records,
            workload.name,
            to_copies_inside(given),
        )
    placement, copies = to_placement(None, scene.placement), to_copies(None, scene.placement)
    return Ready(str(workload), placement=placement, cache=to_cache(scene.cache), copies=copies)


def _several(value: object) -> tuple[int, ...]:
    """Return a list of two or more; empty for one value or none."""
    return value if isinstance(value, tuple) else ()


def _to_own(form: OwnForm, scene: SceneForm) -> Own:
    return Own(
        form.name,
        form.command,
        inputs=tuple(form.inputs),
        time_limit_s=form.time_limit,
        placement=to_placement(form.placement, scene.placement),
        phases=to_phases(form.phases),
        cache=to_cache(form.cache or scene.cache),
        events=form.events or (),
        copies=to_copies(form.placement, scene.placement),
        prepare=form.prepare or (),
        metrics=to_readings(form.metrics),
        parser=form.parser,
        success=to_success(form.success),
        output_limit_bytes=form.output_limit,
    )
