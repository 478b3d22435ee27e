"""Files of the kernel under ``/proc`` and ``/sys``: what they say."""

from __future__ import annotations


def chosen(text: str | None) -> str:
    """Return the word in brackets of a kernel's list, ``always [madvise] never`` -> ``madvise``."""
    words = (text or "").split()
    return next((word.strip("[]") for word in words if word.startswith("[")), (text or "").strip())
