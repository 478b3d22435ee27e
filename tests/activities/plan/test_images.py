"""Which image each guest boots, what is built first, and what images are for."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from assay.activities.plan.images import BUILD_S, Build, Images, guests_of, image_words
from assay.model.activity import ActivityPlan, PlannedGuest
from assay.model.errors import UnknownNameError
from assay.platforms.images.adopt import Adopted, add_image
from assay.platforms.images.image_uses import image_uses, scenes_of
from assay.platforms.images.packages import UnknownPackageError
from assay.platforms.images.recipe import chosen_kernel, current_recipe
from assay.platforms.images.stored import Image
from assay.platforms.leftovers.prune import unused_images
from assay.scenes import Guest
from tests.builders import plan_of


@pytest.fixture
def added(tmp_path: Path) -> Image:
    disk = tmp_path / "golden.raw"
    disk.write_bytes(b"\0" * 2**21)
    return add_image(tmp_path, Adopted(disk, "golden", None))


def plan_with(*wanted_each: PlannedGuest) -> ActivityPlan:
    """Return a plan whose treatments are these guests."""
    plan = plan_of(())
    first, *more = (replace(plan.treatment, guest=wanted) for wanted in wanted_each)
    return replace(plan, treatment=first, more=tuple(more))


def test_an_image_is_taken_by_its_name_or_its_digest(tmp_path: Path, added: Image) -> None:
    images = Images(tmp_path)
    assert images.digest(Guest(image="golden")) == added.digest
    assert images.digest(Guest(image=added.digest[:6])) == added.digest


def test_an_image_that_is_not_there_names_the_nearest(tmp_path: Path, added: Image) -> None:
    with pytest.raises(UnknownNameError, match="unknown image 'goldn'; nearest: 'golden'"):
        Images(tmp_path).digest(Guest(image="goldn"))


@pytest.mark.long
def test_packages_of_a_scene_make_an_image_of_their_own_beside_the_sites(tmp_path: Path) -> None:
    images = Images(tmp_path)
    assert images.digest(Guest()) == current_recipe().digest
    assert images.digest(Guest(packages=("bc",))) == current_recipe(("bc",)).digest
    assert current_recipe(("fio",)).digest == current_recipe().digest


def test_a_package_that_apt_does_not_know_is_refused_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UnknownPackageError, match=r"'glusterfs-clint'.* nearest: 'glusterfs-client'"):
        Images(tmp_path).digest(Guest(packages=("glusterfs-clint",)))


def test_the_full_kernel_is_chosen_by_its_package_and_is_not_installed_twice() -> None:
    assert chosen_kernel(("bc",), "amd64") == "linux-image-cloud-amd64"
    full = current_recipe(("bc", "linux-image-amd64"))
    assert full.kernel == "linux-image-amd64"
    assert "bc" in full.packages
    assert "linux-image-amd64" not in full.packages
    assert full.digest != current_recipe(("bc",)).digest


def test_a_plan_says_what_is_built_for_it_once_an_image(tmp_path: Path, added: Image) -> None:
    wanted_each = (
        PlannedGuest(1, 1 << 30, "none", added.digest),
        PlannedGuest(1, 1 << 30, "none", "0123", packages=("bc",)),
        PlannedGuest(1, 1 << 30, "unsafe", "0123", packages=("bc",)),
    )
    plan = plan_with(*wanted_each)
    assert guests_of(plan) == wanted_each
    basis = "a quiet machine of two processors"
    assert Images(tmp_path).builds(plan) == (Build("0123", ("bc",), BUILD_S, basis),)
    newer = plan_with(PlannedGuest(1, 1 << 30, "none", "4567", packages=("bc",), release="trixie"))
    (build,) = Images(tmp_path).builds(newer)
    assert image_words(build.packages, build.release) == " of trixie with bc"
    assert image_words((), None) == ""


def test_an_image_is_for_the_scenes_that_booted_it_and_stays_while_one_can_be_resumed(
    tmp_path: Path, added: Image
) -> None:
    folder = tmp_path / "activities" / "0123abcd"
    folder.mkdir(parents=True)
    plan = plan_with(PlannedGuest(1, 1 << 30, "none", added.digest))
    (folder / "activity.json").write_text(json.dumps(asdict(plan), default=str))
    assert scenes_of(image_uses(tmp_path), added) == ("quick",)
    for state, unused in (("interrupted", ()), ("complete", (added,))):
        (folder / "report.json").write_text(json.dumps({"result": {"state": state}}))
        assert unused_images(tmp_path, current="", added=True) == unused


def test_an_image_that_a_damaged_plan_names_is_spared(tmp_path: Path, added: Image) -> None:
    folder = tmp_path / "activities" / "0123abcd"
    folder.mkdir(parents=True)
    (folder / "activity.json").write_text(f'{{"image": "{added.digest}')
    assert unused_images(tmp_path, current="", added=True) == ()
