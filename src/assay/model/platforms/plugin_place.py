"""A place of a kind that a plug-in adds (``assay.places``)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PluginPlace:
    """What the scene asks for.

    Attributes:
        kind: Name of the kind, as in ``platform: NAME``.
        levels: Levels of its factors, in their one spelling; in the order of the kind's factors.
    """

    kind: str
    levels: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class SeenPluginPlace:
    """A place as its plug-in saw it after its start.

    Attributes:
        kind: Name of the kind.
        title: The kind in a few words, ``namespaces by unshare``.
        version: What made it, in its own word of its version.
        levels: Levels in force.
    """

    kind: str
    title: str
    version: str
    levels: tuple[tuple[str, str], ...]
