"""Combinations of levels that are refused before anything runs, with the reason."""

from __future__ import annotations

from assay.factors import (
    cpu_rules,
    data_rules,
    disk_image_rules,
    disk_rules,
    host_rules,
    huge_page_rules,
    memory_rules,
    net_rules,
    numa_rules,
    users_own,
)
from assay.factors.factor import Rule

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
    *users_own.RULES,
)
