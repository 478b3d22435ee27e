"""Every setting of a virtual platform: its levels, how it is applied, and how it is seen to be in force.

Belongs here: the catalogue, edits of a domain's XML and of a disk's making, the reading of evidence,
the combinations that are refused. Does not belong here: talking to libvirt or QEMU, writing to the host
(``platforms`` does both), what a scene compares (``scenes``). The names below are what a factor is made of.
"""

from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import Act, Cost, Effect, Factor, Hazard
from assay.factors.base.levels import Levels, Pattern, Size, Whole, Words, spell_bytes

__all__ = [
    "Act",
    "Cost",
    "Draft",
    "Effect",
    "Evidence",
    "Factor",
    "Hazard",
    "Host",
    "Levels",
    "Pattern",
    "Size",
    "Whole",
    "Words",
    "spell_bytes",
]
