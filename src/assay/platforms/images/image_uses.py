"""What images are for: the packages that they have beside a site's, and the scenes whose guests
booted them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.model.files.activities import activity_folders
from assay.platforms.durable import read_json
from assay.platforms.images.recipe import PACKAGES
from assay.platforms.images.stored import Image, list_images


@dataclass(frozen=True)
class Use:
    """One activity whose guests boot an image.

    Attributes:
        image: Digest of the image.
        scene: Name of the activity's scene.
        over: It has ended and is not resumed.
    """

    image: str
    scene: str
    over: bool


def own_packages(image: Image) -> tuple[str, ...]:
    """Return the packages that were asked for beside those of every guest."""
    return tuple(sorted(set(image.packages) - set(PACKAGES)))


def image_uses(home: Path) -> tuple[Use, ...]:
    """Return the uses of images by all activities of a home."""
    return tuple(use for folder in activity_folders(home) for use in _uses(home, folder))


def scenes_of(uses: tuple[Use, ...], image: Image) -> tuple[str, ...]:
    """Return the scenes whose guests booted an image, sorted."""
    return tuple(sorted({use.scene for use in uses if use.image == image.digest}))


def _uses(home: Path, folder: Path) -> Iterator[Use]:
    file = folder / "activity.json"
    if not file.is_file():
        return
    plan = read_json(file) or {}
    if not (
        images := frozenset(_images(plan))
    ):  # damaged, or written by a newer version: what it names is spared
        text = file.read_text(errors="replace")
        images = frozenset(image.digest for image in list_images(home) if image.digest in text)
    state = _part(read_json(folder / "report.json"), "result").get("state", "interrupted")
    yield from (Use(image, str(plan.get("scene", "")), state != "interrupted") for image in sorted(images))


def _images(plan: Mapping[str, Any]) -> Iterator[str]:
    more = plan.get("more")
    for arm in (plan.get("baseline"), plan.get("treatment"), *(more if isinstance(more, list) else ())):
        guest = _part(arm, "guest")
        if isinstance(image := guest.get("image"), str):
            yield image


def _part(value: object, name: str) -> Mapping[str, Any]:
    part = value.get(name) if isinstance(value, Mapping) else None
    return part if isinstance(part, Mapping) else {}
