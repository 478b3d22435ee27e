"""Values as text for golden files: rounded numbers, no field that is ``None`` or empty.

The files are rewritten by ``REGENERATE=1 pytest tests/results``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

ROUNDING = 1e-12
"""Smaller numbers are what a difference of equal ones leaves."""
FOLDER = Path(__file__).parent / "golden"


def as_seen(name: str, value: object) -> None:
    """Compare a value with its golden file; rewrite the file instead where REGENERATE=1."""
    path, text = FOLDER / f"{name}.json", json.dumps(plain(value), indent=1, ensure_ascii=False) + "\n"
    if os.environ.get("REGENERATE") == "1":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert path.read_text() == text, f"{path} differs; look, then: REGENERATE=1 pytest tests/results"


def plain(value: Any) -> Any:
    """Return a value as JSON has it, with six digits a number."""
    if is_dataclass(value):
        return plain({field.name: getattr(value, field.name) for field in fields(value)})
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items() if part is not None and part != ()}
    if isinstance(value, Enum):
        return str(value)
    if isinstance(value, float):
        return float(f"{value:.6g}") if abs(value) > ROUNDING else 0.0
    return [plain(part) for part in value] if isinstance(value, tuple | list) else value
