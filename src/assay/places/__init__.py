"""Kinds of place beside assay's own, which plug-ins add: what one is made of, and the catalogue of them.

Belongs here: the contract of a kind. Does not belong here: assay's own kinds, and how a place of any kind is
planned and opened (``activities``).
"""

from assay.factors import Levels, Pattern, Size, Whole, Words, spell_bytes
from assay.model.machines.machine import Machine, Reach
from assay.places.definition import Given, Opened, PlaceDefinition, VisitSpec

__all__ = [
    "Given",
    "Levels",
    "Machine",
    "Opened",
    "Pattern",
    "PlaceDefinition",
    "Reach",
    "Size",
    "VisitSpec",
    "Whole",
    "Words",
    "spell_bytes",
]
