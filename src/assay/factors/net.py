"""Factors of a guest's network."""

from __future__ import annotations

from assay.factors.factor import Factor

FACTORS: tuple[Factor, ...] = ()
