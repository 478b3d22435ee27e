"""What holds for all tests: modules are compiled once, by the tests and by the processes that they start."""

from __future__ import annotations

import os
import sys

sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
