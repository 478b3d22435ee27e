"""All rules of advice."""

from __future__ import annotations

from assay.explain.advice.rules_cpu import OF_CPU
from assay.explain.advice.rules_devices import OF_DEVICES

REMEDIES = (*OF_CPU, *OF_DEVICES)
"""By what they are about, for one cause the likeliest first; the order breaks ties of rank."""
