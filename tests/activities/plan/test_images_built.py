"""Images of a plan: what their building is expected to take, what is built and what is only found, which
kernels fit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from assay.activities.plan import images as images_of
from assay.activities.plan.images import Build, Images, check_kernels
from assay.model.activity import ActivityPlan, PlannedGuest
from assay.model.errors import MissingError
from assay.platforms.images.image import list_images
from assay.platforms.images.recipe import Recipe
from assay.scenes import Guest
from tests.activities.doubles import Watcher
from tests.builders import plan_of
from tests.platforms.images.test_image_stored import make

SHARED, OWN = (("data.access", "9p"),), (("data.access", "virtiofs"),)


def recipe(
    packages: tuple[str, ...] = (), *, release: str | None = None, apt_options: tuple[str, ...] = ()
) -> Recipe:
    """Return a recipe without asking APT; the full kernel is chosen by its package."""
    full = "linux-image-amd64"
    kernel = full if full in packages else "linux-image-cloud-amd64"
    return Recipe(release or "bookworm", "amd64", (), (), tuple(sorted(packages)), kernel, "f")


@pytest.fixture(autouse=True)
def recipes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images_of, "current_recipe", recipe)
    monkeypatch.setattr(images_of, "site_packages", lambda _home: ("site",))


def wanted(image: str, *packages: str) -> PlannedGuest:
    return PlannedGuest(1, 1 << 30, "none", image, packages=packages)


def plan_with(*wanted_each: PlannedGuest, data: Any = ()) -> ActivityPlan:
    plan = plan_of(())
    first, *more = (replace(plan.treatment, guest=one, data=data) for one in wanted_each)
    return replace(plan, treatment=first, more=tuple(more))


BUILT = recipe(("site", "bc")).digest


def test_a_build_is_expected_to_take_what_those_here_took_in_the_middle(tmp_path: Path) -> None:
    for number, seconds in enumerate((10.0, 90.0, 20.0)):
        make(tmp_path, f"{number}" * 16, built_s=seconds)
    make(tmp_path, "a" * 16, built_s=9000.0, name="golden")
    plan = plan_with(wanted("0" * 16), wanted(BUILT, "bc"), wanted("ffff"))
    basis = "the images built here"
    assert Images(tmp_path).builds(plan) == (
        Build(BUILT, ("bc",), 20.0, basis),
        Build("ffff", (), 20.0, basis),
    )


def test_a_recipe_is_asked_of_apt_only_where_a_scene_has_packages_that_are_not_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Recipe] = []
    monkeypatch.setattr(images_of, "resolve", asked.append)
    images = Images(tmp_path)
    assert images.digest(Guest()) == recipe(("site",)).digest
    assert asked == []
    assert images.digest(Guest(packages=("bc",))) == BUILT
    assert asked == [recipe(("site", "bc"))]
    make(tmp_path, BUILT)
    assert images.digest(Guest(packages=("bc",))) == BUILT
    assert len(asked) == 1


def test_a_recipe_that_is_another_today_or_cannot_be_told_builds_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    images = Images(tmp_path)
    assert images.recipe(wanted(BUILT, "bc")) == recipe(("site", "bc"))
    assert images.recipe(wanted(BUILT)) is None

    def no_apt(_packages: object, **_options: object) -> Recipe:
        raise MissingError("no APT")

    monkeypatch.setattr(images_of, "current_recipe", no_apt)
    assert images.recipe(wanted(BUILT, "bc")) is None


class Builder:
    """Builds images, and tells how far it is."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def build(
        self, home: Path, recipe: Recipe, *, progress: Callable[[str, float], None], log: Path | None
    ) -> str:
        self.asked.append((home, recipe, log))
        progress("unpacking", 0.5)
        return "an image"


@pytest.mark.parametrize(("packages", "words"), [((), ""), (("bc", "jq"), " with bc, jq")])
def test_what_is_not_there_is_built_now_and_its_progress_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packages: tuple[str, ...], words: str
) -> None:
    builder, reported = Builder(), list[Any]()
    monkeypatch.setattr(images_of, "build_image", builder.build)

    class Told(Watcher):
        def step(self, text: str, *, fraction: float | None = None) -> None:
            reported.append((text, fraction))

    of = recipe(("site", *packages))
    assert Images(tmp_path).ensure(wanted(of.digest, *packages), cast("Any", Told())) == cast(
        "Any", "an image"
    )
    assert builder.asked == [(tmp_path, of, None)]
    assert reported == [(f"building the guest image{words}", 0.0), ("unpacking", 0.5)]


def test_what_is_there_is_taken_and_what_cannot_be_built_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder, watcher = Builder(), Watcher()
    monkeypatch.setattr(images_of, "build_image", builder.build)
    make(tmp_path, BUILT)
    (image,) = list_images(tmp_path)
    assert Images(tmp_path).ensure(wanted(BUILT, "bc"), cast("Any", watcher)) == image
    with pytest.raises(MissingError, match="cannot find guest image 0123 under"):
        Images(tmp_path).ensure(wanted("0123"), cast("Any", watcher))
    assert (builder.asked, watcher.steps) == ([], [])


def refused(plan: ActivityPlan, home: Path) -> str | None:
    try:
        check_kernels(plan, Images(home))
    except MissingError as error:
        return f"{error.message} ({error.hint})"
    return None


def test_a_cloud_kernel_that_is_there_or_would_be_built_has_no_9p(tmp_path: Path) -> None:
    make(tmp_path, "c" * 16, kernel_release="6.1.0-cloud-amd64")
    make(tmp_path, "d" * 16, kernel_release="6.1.0-amd64")
    message = "cannot use data.access=9p for other: Debian's cloud kernel has no 9p"
    message += " (packages: [linux-image-amd64] in the scene's guest)"
    full = ("linux-image-amd64",)
    for one, said in (
        (wanted("c" * 16), message),
        (wanted("d" * 16), None),
        (wanted(BUILT, "bc"), message),
        (wanted(recipe(("site", *full)).digest, *full), None),
        (wanted("unknown"), None),
    ):
        assert refused(plan_with(one, data=SHARED), tmp_path) == said
        assert refused(plan_with(wanted("d" * 16), one, data=SHARED), tmp_path) == said
        assert refused(plan_with(one, data=OWN), tmp_path) is None


def test_the_kernel_of_a_guest_as_baseline_is_looked_at_too(tmp_path: Path) -> None:
    make(tmp_path, "c" * 16, kernel_release="6.1.0-cloud-amd64")
    plan = plan_of((), treatment=replace(plan_of(()).treatment, data=SHARED))
    assert refused(plan, tmp_path) is None, "a machine has its own kernel"
    guest = replace(plan.baseline, guest=wanted("c" * 16), data=SHARED)
    assert str(refused(replace(plan, baseline=guest), tmp_path)).startswith(
        "cannot use data.access=9p for host"
    )
