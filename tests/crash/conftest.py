"""Beds in memory where there is one: thousands of small files are written."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash.activity import Bed, plan_for

MEMORY = Path("/dev/shm")


@pytest.fixture
def bed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bed]:
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        yield Bed(Path(folder), monkeypatch, plan_for("job"))
