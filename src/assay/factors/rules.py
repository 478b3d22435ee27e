"""Combinations of levels that are refused before anything runs, with the reason."""

from __future__ import annotations

from assay.factors.base import users_own
from assay.factors.base.factor import Rule
from assay.factors.cpu import rules as cpu_rules
from assay.factors.data import rules as data_rules
from assay.factors.disk import image_rules as disk_image_rules
from assay.factors.disk import rules as disk_rules
from assay.factors.host import rules as host_rules
from assay.factors.memory import huge_page_rules, numa_rules
from assay.factors.memory import rules as memory_rules
from assay.factors.net import rules as net_rules
from assay.factors.start import rules as start_rules

RULES: tuple[Rule, ...] = (
    *cpu_rules.RULES,
    *memory_rules.RULES,
    *huge_page_rules.RULES,
    *numa_rules.RULES,
    *disk_image_rules.RULES,
    *disk_rules.RULES,
    *net_rules.RULES,
    *data_rules.RULES,
    *host_rules.RULES,
    *start_rules.RULES,
    *users_own.RULES,
)
