"""The scene file's form: every word of now, its kind, its default. Imports pydantic: only ``load`` may."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Discriminator, Field, Tag

from assay.model.work.observation import HZ, Scope
from assay.model.work.scripts import TIME_LIMIT_S
from assay.places.catalogue import is_added
from assay.scenes.forms.base import Form
from assay.scenes.forms.container import (
    ContainerFactors,
    ContainerForm,
    GvisorFactors,
    GvisorForm,
    UmlFactors,
    UmlForm,
    container_tag,
)
from assay.scenes.forms.data import Data, DataForm
from assay.scenes.forms.design import DesignForm
from assay.scenes.forms.fields import (
    Accounted,
    Command,
    Counter,
    FilePath,
    Hz,
    Interval,
    Line,
    Name,
    ScopeWord,
    Takes,
    TimeLimit,
    Watched,
)
from assay.scenes.forms.guest import BaselineForm, GuestFactors, GuestForm
from assay.scenes.forms.layout import LayoutForm
from assay.scenes.forms.machine import MachineFactors, MachineForm
from assay.scenes.forms.plugin import PluginForm
from assay.scenes.forms.processors import (
    PROCESSORS,
    THREADS,
    ControllerWord,
    HostMemory,
    NeedsForm,
    Processors,
    ThreadsWord,
)
from assay.scenes.forms.published import PublishedForm
from assay.scenes.forms.reading import MetricForm, SuccessForm
from assay.scenes.forms.workload import (
    CACHE,
    Cache,
    CacheForm,
    OwnForm,
    ParametersForm,
    PhasesForm,
    PlacementForm,
    ReadyForm,
    Workload,
)


class ProfileForm(Form):
    """Stacks to sample."""

    hz: Hz = Field(default=HZ, description="samples a second on each processor")
    scope: ScopeWord = Field(default=str(Scope.JOB), description="the job, or the whole machine")


PLUGIN_TAG = "<plugin>"


def _treatment_tag(value: object) -> str | None:
    words = {"platform", "machine"} & set(value) if isinstance(value, dict) else set()
    platform = value.get("platform") if isinstance(value, dict) else None
    if platform == "guest":
        return "<platform>"
    if len(words) != 1:
        return None
    return container_tag(platform) or (PLUGIN_TAG if is_added(platform) else f"<{words.pop()}>")


def _profile_tag(value: object) -> str | None:
    return "<profile>" if isinstance(value, dict) else "<hz>"


TREATMENT_EXPECTED = "either {platform: guest, factors: …} or {machine: NAME, factors: …}"
_Treatment = Annotated[
    Annotated[GuestForm, Tag("<platform>")]
    | Annotated[ContainerForm, Tag("<container>")]
    | Annotated[GvisorForm, Tag("<gvisor>")]
    | Annotated[UmlForm, Tag("<uml>")]
    | Annotated[PluginForm, Tag(PLUGIN_TAG)]
    | Annotated[MachineForm, Tag("<machine>")],
    Discriminator(_treatment_tag, custom_error_type="either", custom_error_message=TREATMENT_EXPECTED),
]
_Profile = Annotated[
    Annotated[Hz, Tag("<hz>")] | Annotated[ProfileForm, Tag("<profile>")], Discriminator(_profile_tag)
]


_CONTROLLER = Field(
    default=None,
    description="where assay runs meanwhile: own-core; shared, where all processors are asked for; elsewhere",
)
_HOST_MEMORY = Field(
    default=None,
    alias="host-memory",
    description="memory that the host keeps beside its guests; computed where absent",
)
_SCRIPTS = Field(
    default=None, description="commands that set up, check, start and take down what trials need, by role"
)
_NEEDS = Field(default=None, description="the least that the machine must have; else nothing begins")


_TREATMENTS = Field(
    default=None,
    min_length=1,
    description="in the place of 'treatment': several of different kinds over one baseline",
)


class RoleForm(Form):
    """Commands of one role, which run in a folder that holds the inputs; no shell."""

    setup: Command | None = Field(default=None, description="when its machine is opened for trials")
    check: Command | None = Field(
        default=None, description="after that; an exit code that is not 0 ends the evaluation"
    )
    start: Command | None = Field(default=None, description="before each trial")
    teardown: Command | None = Field(default=None, description="at the end, also after a kill")
    inputs: list[FilePath] = Field(
        default=[], description="files and folders to bring, relative to this file"
    )
    time_limit: TimeLimit = Field(
        default=TIME_LIMIT_S, alias="time-limit", description="of each; '10 min' where absent"
    )


class ScriptsForm(Form):
    """Commands that set up, check, start and take down what trials need around them, by role."""

    host: RoleForm | None = Field(default=None, description="the baseline's machine, once")
    baseline: RoleForm | None = Field(default=None, description="where the baseline runs, in each visit")
    treatment: RoleForm | None = Field(default=None, description="where each treatment runs, in each visit")


class ScaleForm(Form):
    """A scale of a scene: each of its words stands in the place of the scene's own."""

    about: Line = Field(description="one line for people: how long it takes, and what it needs")
    baseline: BaselineForm | None = None
    treatment: _Treatment | None = None
    treatments: list[_Treatment] | None = _TREATMENTS
    workloads: list[Workload] | None = Field(default=None, min_length=1)
    design: DesignForm | None = None
    placement: PlacementForm | None = None
    watch: list[Watched] | None = None
    counters: list[Counter] | None = None
    usage: list[Accounted] | None = None
    profile: _Profile | None = None
    interval: Interval | None = None
    cache: Cache = CACHE
    data: Data | None = None
    takes: Takes = Field(default=None, description="about how long it takes at this scale")
    published: list[PublishedForm] | None = None
    scripts: ScriptsForm | None = _SCRIPTS
    processors: Processors = PROCESSORS
    threads: ThreadsWord = THREADS
    controller: ControllerWord = _CONTROLLER
    host_memory: HostMemory = _HOST_MEMORY
    needs: NeedsForm | None = _NEEDS


class SceneForm(Form):
    """A scene: what is compared with what, by which workloads, how precisely."""

    scene: Name = Field(description="name of the scene")
    scale: Name | None = Field(
        default=None, description="the scale that this text was written at; 'scales' has those to choose from"
    )
    scales: dict[Name, ScaleForm] = Field(
        default={}, description="name: words in the place of the scene's own, for assay evaluate --scale NAME"
    )
    title: Line = Field(description="one line for people")
    baseline: BaselineForm
    treatment: _Treatment
    treatments: list[_Treatment] | None = _TREATMENTS
    workloads: list[Workload] = Field(min_length=1, description="what runs in every trial's place")
    processors: Processors = PROCESSORS
    threads: ThreadsWord = THREADS
    controller: ControllerWord = _CONTROLLER
    host_memory: HostMemory = _HOST_MEMORY
    needs: NeedsForm | None = _NEEDS
    design: DesignForm = DesignForm()
    placement: PlacementForm = PlacementForm()
    watch: list[Watched] = Field(default=[], description="groups of series to sample beside the core set")
    counters: list[Counter] = Field(default=[], description="event counters over each trial")
    usage: list[Accounted] = Field(
        default=[], description="figures of the kernel's accounting that get a row of their own"
    )
    profile: _Profile | None = Field(default=None, description="stacks to sample: samples a second, like 99")
    interval: Interval = Field(default=1.0, description="time between samples, like '100 ms'")
    cache: Cache = CACHE
    data: Data | None = Field(
        default=None,
        description="what workloads read: a file or folder, relative to this file, or what to make",
    )
    takes: Takes = Field(default=None, description="about how long it takes, for people; like '5 min'")
    published: list[PublishedForm] = Field(
        default=[], description="published figures that the report shows beside these; docs/published.md"
    )
    scripts: ScriptsForm | None = _SCRIPTS


FORMS: dict[tuple[str, ...], type[BaseModel]] = {
    (): SceneForm,
    ("baseline",): BaselineForm,
    ("baseline", "factors"): GuestFactors,
    ("baseline", "layout"): LayoutForm,
    ("treatment", "<platform>"): GuestForm,
    ("treatment", "<platform>", "factors"): GuestFactors,
    ("treatment", "<platform>", "layout", "<layout>"): LayoutForm,
    ("treatment", "<platform>", "layout", "<layouts>"): LayoutForm,
    ("treatment", "<platform>", "exclude"): GuestFactors,
    ("treatment", "<container>"): ContainerForm,
    ("treatment", "<container>", "exclude"): ContainerFactors,
    ("treatment", "<container>", "factors"): ContainerFactors,
    ("treatment", "<gvisor>"): GvisorForm,
    ("treatment", "<gvisor>", "factors"): GvisorFactors,
    ("treatment", "<gvisor>", "exclude"): GvisorFactors,
    ("treatment", "<uml>"): UmlForm,
    ("treatment", "<uml>", "factors"): UmlFactors,
    ("treatment", "<uml>", "exclude"): UmlFactors,
    ("treatment", PLUGIN_TAG): PluginForm,
    ("treatment", "<machine>"): MachineForm,
    ("treatment", "<machine>", "factors"): MachineFactors,
    ("treatment", "<machine>", "exclude"): MachineFactors,
    ("workloads", "<use>"): ReadyForm,
    ("workloads", "<use>", "parameters"): ParametersForm,
    ("workloads", "<use>", "placement"): PlacementForm,
    ("workloads", "<own>"): OwnForm,
    ("workloads", "<own>", "placement"): PlacementForm,
    ("workloads", "<own>", "phases"): PhasesForm,
    ("workloads", "<own>", "metrics", "<metric>"): MetricForm,
    ("workloads", "<own>", "success"): SuccessForm,
    ("cache", "<cache>"): CacheForm,
    ("workloads", "<use>", "cache", "<cache>"): CacheForm,
    ("workloads", "<own>", "cache", "<cache>"): CacheForm,
    ("design",): DesignForm,
    ("data", "<data>"): DataForm,
    ("published",): PublishedForm,
    ("placement",): PlacementForm,
    ("profile", "<profile>"): ProfileForm,
    ("needs",): NeedsForm,
    ("scripts",): ScriptsForm,
    ("scripts", "host"): RoleForm,
    ("scripts", "baseline"): RoleForm,
    ("scripts", "treatment"): RoleForm,
}
"""The form at each place of a scene, by pydantic's names for the way there."""
_METRICS = ("workloads", "<own>", "metrics")
"""Below it comes a name that the user chose."""


def known_words(place: tuple[str | int, ...]) -> tuple[str, ...]:
    """Return the words that a scene knows at a place, given as pydantic gives it."""
    return tuple(field.alias or name for name, field in _form_at(place).model_fields.items())


def _form_at(place: tuple[str | int, ...]) -> type[BaseModel]:
    """Return the form at a place; a scale has those of a scene, and names are the user's own."""
    steps = tuple(step for step in place if isinstance(step, str))
    if steps[:1] == ("scales",):
        if len(steps) == 2:
            return ScaleForm
        steps = steps[2:]
    steps = tuple("treatment" if step == "treatments" else step for step in steps)
    if steps[:3] == _METRICS and len(steps) == 4:
        return FORMS[(*_METRICS, "<metric>")]
    return FORMS[steps]
