"""Every request that changes something: its fields, who may send it, and the command that it is.

A value is never an option: it stands behind ``--name=`` or after ``--``.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, TypeAdapter

from assay.store.tags import PATTERN
from assay.web.access.person import Role

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$", description="A plain name.")]
SceneName = Annotated[
    str, Field(pattern=r"^[a-z][a-z0-9-]{0,62}(@[0-9]{1,6})?$", description="A scene by its name.")
]
Who = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9@][A-Za-z0-9@._,=\[\]-]{0,999}$",
        description="Machines: names, groups, node[01-50], @tag.",
    ),
]
ActivityId = Annotated[str, Field(pattern=r"^[0-9a-f][0-9a-f-]{3,63}$", description="Id of an activity.")]
Words = Annotated[str, Field(max_length=200, pattern=r"^[^\x00-\x1f]*$")]
Duration = Annotated[str, Field(pattern=r"^[0-9]{1,6}(\.[0-9]{1,3})? ?(s|min|h|d)$", description="Like 8 h.")]
Share = Annotated[str, Field(pattern=r"^[0-9]{1,2}(\.[0-9]{1,3})? ?%$", description="Like 2 %.")]
Budget = Annotated[
    str, Field(pattern=r"^[0-9]{1,6}( ?(s|min|h|d))?$", description="Like 8 h, or evaluations.")
]
Blocks = Annotated[int, Field(ge=1, le=1000)]


class Act(BaseModel):
    """A request.

    Attributes:
        role: Who may send it.
        goes_on: Whether it works on after it was begun: nobody waits for its end.
        finds: Whether what it prints is what it has found, whatever its exit code: it has not failed then.
        empties: Whether a field that is empty in a form says so; else it is not given.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    role: ClassVar[Role] = Role.OPERATOR
    goes_on: ClassVar[bool] = False
    finds: ClassVar[bool] = False
    empties: ClassVar[bool] = False

    @abstractmethod
    def words(self) -> list[str]:
        """Return the arguments of ``assay``."""

    def trial_words(self) -> list[str] | None:
        """Return the arguments that only look whether it can begin; ``None`` where there are none."""
        return None

    def machines(self) -> str | None:
        """Return the words that name the machines it is carried out on; ``None`` where it names none."""
        return None


class OfScene(Act):
    """A request of one scene of assay's or of the site's own."""

    scene: SceneName


class EvaluateScene(OfScene):
    """Measure a scene."""

    kind: Literal["evaluate"] = "evaluate"
    on: Who | None = None
    against: Name | None = None
    blocks: Annotated[int, Field(ge=3, le=1000)] | None = None
    precision: (
        Annotated[str, Field(pattern=r"^[0-9]{1,2}(\.[0-9]{1,3})? ?%$", description="Like 2 %.")] | None
    ) = None
    time_budget: Duration | None = None
    drain: Literal["slurm"] | None = None

    def words(self) -> list[str]:
        """Return the arguments of ``assay``."""
        return ["evaluate", "--detach", "--wait", "--json", *self.options(), "--", self.scene]

    def options(self) -> list[str]:
        """Return what its plan depends on, as options."""
        given = {
            "on": self.on,
            "against": self.against,
            "blocks": self.blocks,
            "precision": self.precision,
            "time-budget": self.time_budget,
            "drain": self.drain,
        }
        return [f"--{name}={value}" for name, value in given.items() if value is not None]

    def machines(self) -> str | None:
        """Return the machines that are measured."""
        return self.on or self.against


class PlanScene(EvaluateScene):
    """Say what measuring a scene would take, and measure nothing."""

    kind: Literal["plan"] = "plan"  # type: ignore[assignment]
    finds: ClassVar[bool] = True

    def words(self) -> list[str]:
        """Return the arguments of ``assay``."""
        return ["evaluate", "--dry-run", "--json", *self.options(), "--", self.scene]


class OfActivity(Act):
    """A request of one activity."""

    activity: ActivityId


class StopActivity(OfActivity):
    """Stop an activity; what is finished is kept."""

    kind: Literal["activity-stop"] = "activity-stop"

    def words(self) -> list[str]:
        """Return the arguments of ``assay``."""
        return ["activity", "stop", "--json", "--", self.activity]


class ResumeActivity(OfActivity):
    """Go on with an activity."""

    kind: Literal["activity-resume"] = "activity-resume"

    def words(self) -> list[str]:
        """Return the arguments of ``assay``."""
        return ["activity", "resume", "--detach", "--wait", "--json", "--", self.activity]


class RetryActivity(OfActivity):
    """Go on with the machines that were taken out of an activity."""

    kind: Literal["activity-retry"] = "activity-retry"
    on: Name | None = None

    def words(self) -> list[str]:
        """Return the arguments of ``assay``."""
        on = [] if self.on is None else [f"--on={self.on}"]
        return ["activity", "retry", "--detach", "--wait", "--json", *on, "--", self.activity]


class ExtendActivity(OfActivity):
    """Measure further blocks."""

    kind: Literal["activity-extend"] = "activity-extend"
    blocks: Blocks

    def words(self) -> list[str]:
        """Return the arguments of ``assay``."""
        return [
            "activity",
            "extend",
            f"--blocks={self.blocks}",
            "--detach",
            "--wait",
            "--json",
            "--",
            self.activity,
        ]


Tag = Annotated[str, Field(pattern=PATTERN, description="A tag of a result.")]


class TagResult(OfActivity):
    """Give a result a tag, or take one back."""

    kind: Literal["result-tag"] = "result-tag"
    tag: Tag
    remove: bool = False

    def words(self) -> list[str]:
        """Return the arguments of ``assay``."""
        if self.remove:
            return ["result", "tag", f"--remove={self.tag}", "--json", "--", self.activity]
        return ["result", "tag", "--json", "--", self.activity, self.tag]


Address = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.@:%+$\[\]-]{1,255}$", description="USER@HOST[:PORT]")]
Groups = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9._, -]{0,1000}$", description="Groups, with commas between.")
]
Lines = Annotated[str, Field(max_length=4000, pattern=r"^[^\x00-\x08\x0b\x0c\x0e-\x1f]*$")]
Tags = Annotated[Lines, Field(description="Tags, KEY or KEY=VALUE, one a line.")]
MeantFor = Literal["", "baseline", "candidate", "hypervisor"]


class AddMachine(Act):
    """Add a machine that is reached by SSH."""

    kind: Literal["machine-add"] = "machine-add"
    role: ClassVar[Role] = Role.ADMIN
    finds: ClassVar[bool] = True
    name: Name
    ssh: Address
    groups: Groups = ""
    tags: Tags = ""
    meant_for: MeantFor = ""
    guest_of: Name | Literal[""] = ""
    notes: Lines = ""

    def words(self) -> list[str]:
        """Return the arguments of ``assay``."""
        noted = {"role": self.meant_for, "guest-of": self.guest_of, "notes": _text(self.notes)}
        words = [f"--ssh={self.ssh}", *_each("group", _groups(self.groups)), *_each("tag", _lines(self.tags))]
        words += [f"--{name}={value}" for name, value in noted.items() if value]
        return ["machine", "add", "--json", *words, "--", self.name]


class EditMachine(Act):
    """Change where a machine is and what is noted of it; what is given takes the place of what was."""

    kind: Literal["machine-edit"] = "machine-edit"
    role: ClassVar[Role] = Role.ADMIN
    empties: ClassVar[bool] = True
    name: Name
    ssh: Address | None = None
    groups: Groups | None = None
    tags: Tags | None = None
    meant_for: MeantFor | None = None
    guest_of: Name | Literal[""] | None = None
    notes: Lines | None = None

    def words(self) -> list[str]:
        """Return the arguments of ``assay``; an empty text leaves nothing there."""
        notes = None if self.notes is None else _text(self.notes)
        noted = {"ssh": self.ssh, "role": self.meant_for, "guest-of": self.guest_of, "notes": notes}
        words = [f"--{name}={value}" for name, value in noted.items() if value is not None]
        if self.groups is not None:
            words += _each("group", _groups(self.groups) or [""])
        if self.tags is not None:
            words += _each("tag", _lines(self.tags) or [""])
        return ["machine", "edit", "--json", *words, "--", self.name]


def _each(option: str, values: list[str]) -> list[str]:
    return [f"--{option}={value}" for value in values]


def _groups(text: str) -> list[str]:
    return text.replace(",", " ").split()


def _lines(text: str) -> list[str]:
    return [line for line in _text(text).split("\n") if line.strip()]


def _text(text: str) -> str:
    """Return a text of a form with line ends as everywhere else."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


class OfMachine(Act):
    """A request of one machine."""

    name: Name

    def machines(self) -> str | None:
        """Return that machine."""
        return self.name


class RemoveMachine(OfMachine):
    """Remove a machine from the inventory."""

    kind: Literal["machine-remove"] = "machine-remove"
    role: ClassVar[Role] = Role.ADMIN

    def words(self) -> list[str]:
        """Return the arguments of ``assay``."""
        return ["machine", "remove", "--json", "--", self.name]


class CheckMachine(OfMachine):
    """Check that a machine can serve an evaluation."""

    kind: Literal["machine-check"] = "machine-check"
    finds: ClassVar[bool] = True

    def words(self) -> list[str]:
        """Return the arguments of ``assay``."""
        return ["machine", "check", "--json", "--", self.name]


class UndrainMachine(OfMachine):
    """Give a node back to its batch system that an evaluation has drained which was killed."""

    kind: Literal["machine-undrain"] = "machine-undrain"
    role: ClassVar[Role] = Role.ADMIN

    def words(self) -> list[str]:
        """Return the arguments of ``assay``."""
        return ["machine", "undrain", "--json", "--", self.name]


class KeepFacts(OfMachine):
    """Keep what a machine is now, with its date."""

    kind: Literal["machine-facts"] = "machine-facts"

    def words(self) -> list[str]:
        """Return the arguments of ``assay``."""
        return ["machine", "facts", "--json", "--", self.name]


def scene_name(text: str) -> str:
    """Return what a scene's text says that it is called; ``unnamed`` where it does not say."""
    found = re.search(r"^scene:[ \t]*([A-Za-z0-9][A-Za-z0-9._-]{0,99})[ \t\r]*(#.*)?$", text, re.MULTILINE)
    return "unnamed" if found is None else found[1]


class SaveScene(Act):
    """Keep a scene's text as a further version of it."""

    kind: Literal["scene-save"] = "scene-save"
    text: Annotated[str, Field(min_length=1, max_length=512 * 1024)]
    note: Words = ""

    @property
    def name(self) -> str:
        """What the text says that it is called."""
        return scene_name(self.text)

    def words(self) -> list[str]:
        """Return the arguments of ``assay``, but for who saves it, the name and the file."""
        return ["scene", "save", "--json", *([f"--note={self.note}"] if self.note else [])]


class RemoveScene(Act):
    """Remove an own scene with its versions."""

    kind: Literal["scene-remove"] = "scene-remove"
    role: ClassVar[Role] = Role.ADMIN
    name: Name

    def words(self) -> list[str]:
        """Return the arguments of ``assay``."""
        return ["scene", "remove", "--json", "--", self.name]


class TuneScene(OfScene):
    """Search for the settings that pay."""

    kind: Literal["tune"] = "tune"
    goes_on: ClassVar[bool] = True
    factors: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._,-]{0,999}$")]
    budget: Annotated[
        str, Field(pattern=r"^[0-9]{1,6}( ?(s|min|h|d))?$", description="Like 8h, or evaluations.")
    ]
    allow: Annotated[str, Field(pattern=r"^[a-z,]{0,99}$")] = ""

    def words(self) -> list[str]:
        """Return the arguments of ``assay``."""
        allowed = [f"--allow={self.allow}"] if self.allow else []
        chosen = [f"--factors={self.factors}", f"--budget={self.budget}"]
        return ["tune", "scene", *chosen, *allowed, "--json", "--", self.scene]

    def trial_words(self) -> list[str]:
        """Return the arguments that only look whether it can begin."""
        return [*self.words()[:-2], "--dry-run", "--", self.scene]


class OfSearch(Act):
    """A request of one search for settings."""

    role: ClassVar[Role] = Role.ADMIN
    search: ActivityId


class ResumeSearch(OfSearch):
    """Go on with a search that was cut off."""

    kind: Literal["tune-resume"] = "tune-resume"
    role: ClassVar[Role] = Role.OPERATOR
    goes_on: ClassVar[bool] = True

    def words(self) -> list[str]:
        """Return the arguments of ``assay``."""
        return ["tune", "resume", "--json", "--", self.search]


class MeasureSearch(OfSearch):
    """Measure again what a search has confirmed."""

    kind: Literal["tune-measure"] = "tune-measure"
    role: ClassVar[Role] = Role.OPERATOR
    goes_on: ClassVar[bool] = True

    def words(self) -> list[str]:
        """Return the arguments of ``assay``."""
        return ["tune", "verify", "--measure", "--json", "--", self.search]


class ExtendSearch(OfSearch):
    """Measure further blocks of the confirmation of a search whose mix is undecided."""

    kind: Literal["tune-extend"] = "tune-extend"
    role: ClassVar[Role] = Role.OPERATOR
    goes_on: ClassVar[bool] = True
    blocks: Blocks

    def words(self) -> list[str]:
        """Return the arguments of ``assay``."""
        return ["tune", "extend", f"--blocks={self.blocks}", "--json", "--", self.search]


class ApplySettings(OfSearch):
    """Apply the settings that a search recommends, or, if asked, that are not shown to be harmless."""

    kind: Literal["tune-apply"] = "tune-apply"
    which: Literal["safe", "any"] = "safe"
    domain: Name | None = None
    undecided: bool = False

    def words(self) -> list[str]:
        """Return the arguments of ``assay``."""
        given = [] if self.domain is None else [f"--domain={self.domain}"]
        given += ["--undecided"] if self.undecided else []
        return ["tune", "apply", f"--set={self.which}", *given, "--json", "--", self.search]


class RollBackSettings(OfSearch):
    """Put back what applying a search's settings changed."""

    kind: Literal["tune-rollback"] = "tune-rollback"

    def words(self) -> list[str]:
        """Return the arguments of ``assay``."""
        return ["tune", "rollback", "--json", "--", self.search]


AnyAct = Annotated[
    EvaluateScene | PlanScene | StopActivity | ResumeActivity | RetryActivity | ExtendActivity | TagResult
    | AddMachine | EditMachine | RemoveMachine | CheckMachine | UndrainMachine | KeepFacts | SaveScene
    | RemoveScene | TuneScene | ResumeSearch | MeasureSearch | ExtendSearch | ApplySettings
    | RollBackSettings,
    Discriminator("kind"),
]  # fmt: skip
ACTS: TypeAdapter[AnyAct] = TypeAdapter(AnyAct)
"""Reads any request that was sent on."""
