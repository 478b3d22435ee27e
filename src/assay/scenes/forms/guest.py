"""The form of guests and their factors. Imports pydantic: only ``form`` may."""

from __future__ import annotations

from pydantic import Field, create_model

from assay.scenes.forms.base import Form
from assay.scenes.forms.factor_fields import factor_fields
from assay.scenes.forms.fields import (
    DiskCaches,
    GuestWord,
    ImageName,
    MachineName,
    Memory,
    Packages,
    PlatformWord,
    ReleaseName,
    StartWord,
    Vcpus,
)
from assay.scenes.forms.layout import LayoutForm, Layouts
from assay.scenes.forms.machine import BESIDE
from assay.scenes.forms.processors import PROCESSORS, THREADS, Processors, ThreadsWord
from assay.scenes.forms.sweep import EXCLUDE, ZIP, Zip
from assay.scenes.values.words import BOOT

_GuestSettings = create_model("_GuestSettings", __base__=Form, **factor_fields(of_guest=True))


class GuestFactors(_GuestSettings):  # type: ignore[misc, valid-type]  # made of the catalogue
    """Factors of a guest, and of its host while it runs."""

    vcpus: Vcpus = Field(
        default=None,
        alias="cpu.vcpus",
        description="virtual processors; 'auto' is all of the arm's processors; or a list of numbers",
    )
    memory: Memory = Field(
        default=2 * 1024**3, alias="memory.size", description="memory, like '2 GiB', or a list"
    )
    disk_cache: DiskCaches = Field(
        default="none", alias="disk.cache", description="libvirt's cache mode of its disk"
    )


class BaselineForm(Form):
    """Where the work is done without the loss that is looked for."""

    machine: MachineName = Field(
        description="'local' is this machine; another of the inventory carries its guests itself"
    )
    beside: list[MachineName] = BESIDE
    platform: PlatformWord | None = Field(
        default=None,
        description="a guest or container as baseline too: the treatment's own (A/A), "
        "or with its own factors",
    )
    factors: GuestFactors | None = Field(
        default=None, description="those of the baseline's guest; the treatment's where absent"
    )
    layout: LayoutForm | None = Field(
        default=None,
        description="several guests that share what the baseline's has, in one way; one guest where absent",
    )
    image: ImageName = Field(
        default=None, description="image of the baseline's guest; the treatment's where absent"
    )
    packages: Packages = Field(default=None, description="packages beside the site's in the baseline's guest")
    release: ReleaseName = Field(default=None, description="release of the baseline's guest")
    start: StartWord | None = Field(default=None, description="how the baseline's guest starts in each visit")
    processors: Processors = PROCESSORS
    threads: ThreadsWord = THREADS


class GuestForm(Form):
    """A guest on the baseline's machine, or on one that is among the treatments itself."""

    platform: GuestWord = Field(description="a virtual machine made by libvirt")
    machine: MachineName | None = Field(
        default=None,
        description="machine that carries it and that its losses are over: one of the treatments; "
        "the baseline's where absent",
    )
    factors: GuestFactors = GuestFactors()
    zip: Zip = ZIP
    exclude: list[GuestFactors] = EXCLUDE
    layout: Layouts | None = Field(
        default=None, description="several guests that share its processors and its memory; or a list of such"
    )
    image: ImageName = Field(
        default=None, description="name or digest of an image; the one built here where absent"
    )
    packages: Packages = Field(
        default=None,
        description="Debian packages that its image has beside the site's, like glusterfs-client",
    )
    release: ReleaseName = Field(
        default=None,
        description="codename of another release for its image; the machine's where absent",
    )
    start: StartWord = Field(default=BOOT, description="boot in each visit, or restored from a saved state")
    processors: Processors = PROCESSORS
    threads: ThreadsWord = THREADS
