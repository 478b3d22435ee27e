"""The version of the package, as it was built."""

from __future__ import annotations

try:
    from assay._version import __version__
except ImportError:  # a tree that was never installed
    __version__ = "0.1.0"

__all__ = ["__version__"]
