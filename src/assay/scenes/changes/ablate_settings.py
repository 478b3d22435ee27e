"""Whether a setting of a guest is in a scene, and the scene without it, or with another level of it.

Where the baseline is a guest, too, nothing that both have is taken from the treatment, and what is given is
given to
both: what is won back is a part of the loss between them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from assay.scenes.changes.ablate import on_guests, only_guests
from assay.scenes.values.scene import Guest, Scene

OWN_CPU = ("cpu.mode", "cpu.model", "cpu.feature")
"""What gives a guest another processor than its host's."""
PAGES = ("memory.hugepages", "2 MiB")
"""The level that puts a guest's memory into huge pages of a pool."""
_NO_CHANGE = (("cpu.mode", "host-passthrough"), ("cpu.mode", "maximum"), ("cpu.mode", "custom"))
"""Levels of the group that by themselves change nothing: the accelerators' own choice, and the mode of a
model.
"""


def has_setting(group: Collection[str], what: str) -> Callable[[Scene], str | None]:
    """Return what tells why a guest has none of some factors to ablate, or its baseline has them, too.

    Args:
        group: Names of the factors, or groups of them (``net``).
        what: They in words, "CPU model of its own".
    """

    def missing(scene: Scene) -> str | None:
        if not isinstance(scene.treatment, Guest):
            return only_guests(scene)
        own = _own(scene.treatment, group)
        shared = [level for level in own if level in _own(scene.baseline_guest, group)]
        if shared:
            name, level = shared[0]
            return f"the baseline has {name} {level}, too"
        return None if own else f"the guest has no {what}"

    return missing


def without_setting(group: Collection[str]) -> Callable[[Scene], Scene]:
    """Return the change of a scene that leaves factors of its treatment's guest as they are found."""

    def ablated(scene: Scene) -> Scene:
        if not isinstance(scene.treatment, Guest):
            return scene
        kept = tuple(level for level in scene.treatment.settings if not _within(level[0], group))
        return replace(scene, treatment=replace(scene.treatment, settings=kept))

    return ablated


def lacks_setting(name: str, what: str) -> Callable[[Scene], str | None]:
    """Return what tells why a guest cannot be given a level: it is no guest, or has ``what`` already."""

    def there(scene: Scene) -> str | None:
        if not isinstance(scene.treatment, Guest):
            return only_guests(scene)
        return None if _lacks(scene.treatment, name) else f"the guest has {what} already"

    return there


def with_setting(name: str, level: str) -> Callable[[Scene], Scene]:
    """Return the change of a scene that gives its guests, the baseline's too, a level of a factor that they
    lack.
    """

    def given(guest: Guest) -> Guest:
        from assay.factors.catalogue import FACTORS

        if not _lacks(guest, name):
            return guest
        settings = {**dict(guest.settings), name: level}
        ordered = tuple((known, settings[known]) for known in FACTORS if known in settings)
        return replace(guest, settings=ordered)

    return lambda scene: on_guests(scene, given)


def _lacks(guest: Guest, name: str) -> bool:
    return dict(guest.settings).get(name, "none") == "none"


def _own(guest: Guest | None, group: Collection[str]) -> list[tuple[str, str]]:
    """Return the levels of a group that a guest has of its own."""
    levels = guest.settings if guest is not None else ()
    return [level for level in levels if _within(level[0], group) and level not in _NO_CHANGE]


def _within(name: str, group: Collection[str]) -> bool:
    return name in group or name.partition(".")[0] in group
