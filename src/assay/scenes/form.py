"""The scene file's form: every word of now, its kind, its default. Imports pydantic: only ``load`` may."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Discriminator, Field, Tag

from assay.model.observation import HZ, Scope
from assay.scenes.base_form import Form
from assay.scenes.container_form import (
    ContainerFactors,
    ContainerForm,
    GvisorFactors,
    GvisorForm,
    UmlFactors,
    UmlForm,
    container_tag,
)
from assay.scenes.data_form import Data, DataForm
from assay.scenes.design_form import DesignForm
from assay.scenes.fields import Counter, Hz, Interval, Line, Name, ScopeWord, Watched
from assay.scenes.guest_form import BaselineForm, GuestFactors, GuestForm
from assay.scenes.layout_form import LayoutForm
from assay.scenes.machine_form import MachineFactors, MachineForm
from assay.scenes.workload_form import (
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


def _treatment_tag(value: object) -> str | None:
    words = {"platform", "machine"} & set(value) if isinstance(value, dict) else set()
    if len(words) != 1:
        return None
    return (isinstance(value, dict) and container_tag(value.get("platform"))) or f"<{words.pop()}>"


def _profile_tag(value: object) -> str | None:
    return "<profile>" if isinstance(value, dict) else "<hz>"


TREATMENT_EXPECTED = "either {platform: guest, factors: …} or {machine: NAME, factors: …}"
_Treatment = Annotated[
    Annotated[GuestForm, Tag("<platform>")]
    | Annotated[ContainerForm, Tag("<container>")]
    | Annotated[GvisorForm, Tag("<gvisor>")]
    | Annotated[UmlForm, Tag("<uml>")]
    | Annotated[MachineForm, Tag("<machine>")],
    Discriminator(_treatment_tag, custom_error_type="either", custom_error_message=TREATMENT_EXPECTED),
]
_Profile = Annotated[
    Annotated[Hz, Tag("<hz>")] | Annotated[ProfileForm, Tag("<profile>")], Discriminator(_profile_tag)
]


class SceneForm(Form):
    """A scene: what is compared with what, by which workloads, how precisely."""

    scene: Name = Field(description="name of the scene")
    title: Line = Field(description="one line for people")
    baseline: BaselineForm
    treatment: _Treatment
    workloads: list[Workload] = Field(min_length=1, description="what runs in every trial's place")
    design: DesignForm = DesignForm()
    placement: PlacementForm = PlacementForm()
    watch: list[Watched] = Field(default=[], description="groups of series to sample beside the core set")
    counters: list[Counter] = Field(default=[], description="event counters over each trial")
    profile: _Profile | None = Field(default=None, description="stacks to sample: samples a second, like 99")
    interval: Interval = Field(default=1.0, description="time between samples, like '100 ms'")
    cache: Cache = CACHE
    data: Data | None = Field(
        default=None,
        description="what workloads read: a file or folder, relative to this file, or what to make",
    )


FORMS: dict[tuple[str, ...], type[BaseModel]] = {
    (): SceneForm,
    ("baseline",): BaselineForm,
    ("baseline", "factors"): GuestFactors,
    ("treatment", "<platform>"): GuestForm,
    ("treatment", "<platform>", "factors"): GuestFactors,
    ("treatment", "<platform>", "layout", "<layout>"): LayoutForm,
    ("treatment", "<platform>", "layout", "<layouts>"): LayoutForm,
    ("treatment", "<container>"): ContainerForm,
    ("treatment", "<container>", "factors"): ContainerFactors,
    ("treatment", "<gvisor>"): GvisorForm,
    ("treatment", "<gvisor>", "factors"): GvisorFactors,
    ("treatment", "<uml>"): UmlForm,
    ("treatment", "<uml>", "factors"): UmlFactors,
    ("treatment", "<machine>"): MachineForm,
    ("treatment", "<machine>", "factors"): MachineFactors,
    ("workloads", "<use>"): ReadyForm,
    ("workloads", "<use>", "parameters"): ParametersForm,
    ("workloads", "<use>", "placement"): PlacementForm,
    ("workloads", "<own>"): OwnForm,
    ("workloads", "<own>", "placement"): PlacementForm,
    ("workloads", "<own>", "phases"): PhasesForm,
    ("cache", "<cache>"): CacheForm,
    ("workloads", "<use>", "cache", "<cache>"): CacheForm,
    ("workloads", "<own>", "cache", "<cache>"): CacheForm,
    ("design",): DesignForm,
    ("data", "<data>"): DataForm,
    ("placement",): PlacementForm,
    ("profile", "<profile>"): ProfileForm,
}
"""The form at each place of a scene, by pydantic's names for the way there."""


def known_words(place: tuple[str | int, ...]) -> tuple[str, ...]:
    """Return the words that a scene knows at a place, given as pydantic gives it."""
    form = FORMS[tuple(step for step in place if isinstance(step, str))]
    return tuple(field.alias or name for name, field in form.model_fields.items())
