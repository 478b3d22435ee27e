"""The spec of a guest beside its disk, so that another process can take it up after a crash."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from assay.platforms.durable import read_json, write_json
from assay.platforms.filesystems.share import SharedFolder
from assay.platforms.guests.spec import Accelerator, GuestSpec
from assay.platforms.images.stored import Image, read_image

SPEC = "spec.json"


def write_spec(spec: GuestSpec) -> None:
    """Write a guest's spec into its folder; its image by the folder where it lies."""
    write_json(spec.folder / SPEC, spec_facts(spec))


def spec_facts(spec: GuestSpec) -> dict[str, Any]:
    """Return what is kept of a guest's spec."""
    facts = asdict(spec) | {"image": str(spec.image.folder), "folder": str(spec.folder)}
    if spec.share is not None:
        facts["share"] = asdict(spec.share) | {"folder": str(spec.share.folder)}
    return facts


def spec_of(facts: Mapping[str, Any], image: Image, folder: Path) -> GuestSpec:
    """Return the spec that facts were kept of.

    Args:
        facts: Of ``spec_facts``.
        image: Its image.
        folder: The guest's.
    """
    accelerator = Accelerator(**facts["accelerator"])
    read_back = {"image": image, "accelerator": accelerator, "cpus": tuple(facts["cpus"]), "folder": folder}
    read_back["settings"] = tuple((name, level) for name, level in facts.get("settings", ()))
    if (share := facts.get("share")) is not None:
        read_back["share"] = SharedFolder(**{**share, "folder": Path(share["folder"])})
    return GuestSpec(**{**facts, **read_back})


def read_spec(folder: Path) -> GuestSpec | None:
    """Return the spec in a guest's folder; ``None`` where there is none or its image is gone."""
    facts = read_json(folder / SPEC)
    image = None if facts is None else read_image(Path(facts["image"]))
    if facts is None or image is None:
        return None
    return spec_of(facts, image, folder)


def write_origin(folder: Path, saved: str) -> None:
    """Remember beside a guest's spec that it comes from a saved state of this digest."""
    write_json(folder / "origin.json", {"saved": saved})


def read_origin(folder: Path) -> str | None:
    """Return the digest of the saved state that a guest comes from; ``None`` for one that booted."""
    facts = read_json(folder / "origin.json", "saved")
    return None if facts is None else str(facts["saved"])


def read_activity(folder: Path) -> str | None:
    """Return the activity that the guest of a folder belongs to; ``None`` where that is not known."""
    facts = read_json(folder / SPEC, "activity")
    return None if facts is None else str(facts["activity"])
