"""Treatments that a service makes, on a machine of the service's choice."""

from __future__ import annotations

from assay.places.catalogue import PLACES
from assay.scenes.values.scene import Scene


def made_elsewhere(scene: Scene) -> bool:
    """Tell whether every treatment is a place that a service makes (``PlaceDefinition.elsewhere``)."""
    kinds = [one.kind for one in scene.plugin_places]
    return len(kinds) == len(scene.treatments) and all(
        kind in PLACES and PLACES[kind].elsewhere for kind in kinds
    )
