"""Images that nothing will start from any more."""

from __future__ import annotations

from pathlib import Path

from assay.platforms.durable import read_json
from assay.platforms.images.image_uses import image_uses
from assay.platforms.images.stored import Image, list_images, remove_image
from assay.platforms.saved_states.saved_store import list_saved, remove_saved


def unused_images(home: Path, *, current: str, added: bool) -> tuple[Image, ...]:
    """Return the images that no guest and no unfinished activity stands on and no next evaluation boots.

    Args:
        home: Folder of assay's state.
        current: Digest of the image that the next evaluation boots.
        added: Those that the user added, too; without it only images that were built here.
    """
    unfinished = {use.image for use in image_uses(home) if not use.over}
    used = {current, *_of_guests(home), *unfinished}
    candidates = (image for image in list_images(home) if added or image.name is None)
    return tuple(image for image in candidates if image.digest not in used)


def prune_image(home: Path, image: Image) -> None:
    """Remove an image and the saved states of guests that booted it."""
    for state in list_saved(home):
        if state.image == image.digest:
            remove_saved(home, state.digest)
    remove_image(home, image.digest)


def _of_guests(home: Path) -> set[str]:
    specs = (read_json(path) for path in (home / "guests").glob("*/spec.json"))
    return {Path(str(spec["image"])).name for spec in specs if spec is not None}
