"""Combinations of levels that are refused before anything runs, with the reason."""

from __future__ import annotations

from assay.factors import host_rules
from assay.factors.factor import Rule

RULES: tuple[Rule, ...] = (*host_rules.RULES,)
