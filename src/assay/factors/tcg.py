"""Factors of QEMU's emulator, TCG."""

from __future__ import annotations

from assay.factors.factor import Factor

FACTORS: tuple[Factor, ...] = ()
