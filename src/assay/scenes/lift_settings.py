"""Whether a setting of a guest is in a scene, and the scene without it, or with another level of it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from assay.factors.catalogue import FACTORS
from assay.scenes.lift import only_guests
from assay.scenes.scene import Guest, Scene

OWN_CPU = ("cpu.mode", "cpu.model", "cpu.feature")
"""What gives a guest another processor than its host's."""
PAGES = ("memory.hugepages", "2 MiB")
"""The level that puts a guest's memory into huge pages of a pool."""


def has_setting(group: Collection[str], what: str) -> Callable[[Scene], str | None]:
    """Return what tells why a guest has none of some factors to lift.

    Args:
        group: Names of the factors, or groups of them (``net``).
        what: They in words, "CPU model of its own".
    """

    def missing(scene: Scene) -> str | None:
        if not isinstance(scene.treatment, Guest):
            return only_guests(scene)
        there = any(_within(name, group) for name, _ in scene.treatment.settings)
        return None if there else f"the guest has no {what}"

    return missing


def without_setting(group: Collection[str]) -> Callable[[Scene], Scene]:
    """Return the change of a scene that leaves factors of its guest as they are found."""

    def lifted(scene: Scene) -> Scene:
        if not isinstance(scene.treatment, Guest):
            return scene
        kept = tuple(level for level in scene.treatment.settings if not _within(level[0], group))
        return replace(scene, treatment=replace(scene.treatment, settings=kept))

    return lifted


def lacks_setting(name: str, level: str, what: str) -> Callable[[Scene], str | None]:
    """Return what tells why a guest cannot be given a level: it is no guest, or has ``what`` already."""

    def there(scene: Scene) -> str | None:
        if not isinstance(scene.treatment, Guest):
            return only_guests(scene)
        has = dict(scene.treatment.settings).get(name) == level
        return f"the guest has {what} already" if has else None

    return there


def with_setting(name: str, level: str) -> Callable[[Scene], Scene]:
    """Return the change of a scene that gives its guest a level of a factor."""

    def lifted(scene: Scene) -> Scene:
        if not isinstance(scene.treatment, Guest):
            return scene
        settings = {**dict(scene.treatment.settings), name: level}
        ordered = tuple((known, settings[known]) for known in FACTORS if known in settings)
        return replace(scene, treatment=replace(scene.treatment, settings=ordered))

    return lifted


def _within(name: str, group: Collection[str]) -> bool:
    return name in group or name.partition(".")[0] in group
