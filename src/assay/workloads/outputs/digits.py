"""A number as tools print it in text, short enough to be a finite one."""

from __future__ import annotations

NUMBER = r"\d{1,30}(?:\.\d{1,30})?"
"""No sign, no exponent: what is printed otherwise is another thing."""
