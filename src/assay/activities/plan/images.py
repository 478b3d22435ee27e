"""Which image each guest of a scene boots, and what has to be built for it first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import median

from assay.activities.events import Watcher
from assay.factors.data.share import NINE_P
from assay.model.activity import ActivityPlan, PlannedGuest
from assay.model.errors import AssayError, MissingError
from assay.model.platforms.data import access
from assay.platforms.images.content import image_by_digest
from assay.platforms.images.image import Image, build_image, list_images, named_image, site_packages
from assay.platforms.images.packages import resolve
from assay.platforms.images.recipe import Recipe, current_recipe
from assay.platforms.images.sources import kept_lists
from assay.scenes import Guest

FULL_KERNEL = "linux-image-amd64"
"""Debian's kernel with all its drivers and file systems."""
BUILD_S = 36.0
"""Of an image of few packages on a quiet machine of two processors (``build``), where none was built here
yet.
"""


@dataclass(frozen=True)
class Build:
    """An image that is built before an activity's first trial.

    Attributes:
        digest: Of its recipe.
        packages: What it has beside the site's packages.
        seconds: How long that is expected to take.
        basis: Where that figure is from, a few words.
        release: Codename of its release; ``None`` is the machine's.
    """

    digest: str
    packages: tuple[str, ...]
    seconds: float
    basis: str
    release: str | None = None


@dataclass(frozen=True)
class Images:
    """The images of a home."""

    home: Path

    def digest(self, wanted: Guest) -> str:
        """Return the digest of the image that a guest boots; one that is to be built can be built.

        Raises:
            UnknownNameError: There is no image of that name or digest.
            UnknownPackageError: APT knows one of its packages not.
        """
        if wanted.image is not None:
            return named_image(self.home, wanted.image).digest
        recipe = self._recipe(wanted)
        if (wanted.packages or wanted.release) and recipe.digest not in self._there:
            resolve(recipe)
        return recipe.digest

    def recipe(self, wanted: PlannedGuest) -> Recipe | None:
        """Return the recipe of a guest's image; ``None`` for one that could not be built today."""
        try:
            recipe = self._recipe(wanted)
        except AssayError:
            return None  # no APT here, say, where the image was added or brought
        return recipe if recipe.digest == wanted.image else None

    def builds(self, plan: ActivityPlan) -> tuple[Build, ...]:
        """Return what has to be built for an activity."""
        lacking = {wanted.image: wanted for wanted in guests_of(plan) if wanted.image not in self._there}
        seconds, basis = self._expected
        return tuple(
            Build(digest, wanted.packages, seconds, basis, wanted.release)
            for digest, wanted in lacking.items()
        )

    def ensure(self, wanted: PlannedGuest, watcher: Watcher) -> Image:
        """Return a guest's image, built now where it is one that is built today.

        Raises:
            MissingError: It is not there and cannot be built.
        """
        recipe = None if wanted.image in self._there else self.recipe(wanted)
        if recipe is None:
            return image_by_digest(self.home, wanted.image)
        watcher.step(f"building the guest image{image_words(wanted.packages, wanted.release)}", fraction=0.0)
        return build_image(
            self.home,
            recipe,
            progress=lambda text, fraction: watcher.step(text, fraction=fraction),
            log=None,
        )

    def _recipe(self, wanted: Guest | PlannedGuest) -> Recipe:
        packages = (*site_packages(self.home), *wanted.packages)
        lists = kept_lists(self.home / "work" / "apt.bin")
        return current_recipe(packages, release=wanted.release, apt_options=lists)

    @property
    def _there(self) -> frozenset[str]:
        return frozenset(image.digest for image in list_images(self.home))

    @cached_property
    def _expected(self) -> tuple[float, str]:
        built = [image.built_s for image in list_images(self.home) if image.name is None]
        if not built:
            return BUILD_S, "a quiet machine of two processors"
        return median(built), "the images built here"


def image_words(packages: Sequence[str], release: str | None) -> str:
    """Return what an image is beside the site's, `` of trixie with bc``; empty where it is that."""
    of = f" of {release}" if release else ""
    return f"{of} with {', '.join(packages)}" if packages else of


def check_kernels(plan: ActivityPlan, images: Images) -> None:
    """Refuse a guest that shall have the data by 9p and boots Debian's cloud kernel, which has no 9p.

    What an added image boots is not known before.

    Raises:
        MissingError: It does.
    """
    there = {image.digest: image for image in list_images(images.home)}
    for arm in plan.arms:
        if arm.guest is None or access(arm.data) != NINE_P:
            continue
        image, recipe = there.get(arm.guest.image), images.recipe(arm.guest)
        kernel = image.kernel_release if image else recipe.kernel if recipe else ""
        if "cloud" in kernel:
            msg = f"cannot use data.access=9p for {arm.label}: Debian's cloud kernel has no 9p"
            raise MissingError(msg, hint=f"packages: [{FULL_KERNEL}] in the scene's guest")


def guests_of(plan: ActivityPlan) -> tuple[PlannedGuest, ...]:
    """Return every guest of a plan, those of one image once each."""
    arms = plan.arms
    return tuple(dict.fromkeys(arm.guest for arm in arms if arm.guest is not None))
