"""What every test of the built probe needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.probe_native.driver import PROBE

SPIN = """
import os, sys, time
def spin(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: pass
def done():
    os.write(1, f"{time.process_time()}\\n".encode())
    os._exit(0)
"""


@pytest.fixture(autouse=True, scope="session")
def _built() -> None:
    if not PROBE.exists():
        pytest.fail(f"the probe is not built: {PROBE} (make setup builds it)")


@pytest.fixture
def spin(tmp_path: Path) -> str:
    """Folder of a module that burns CPU time, for PYTHONPATH."""
    (tmp_path / "burn.py").write_text(SPIN)
    return str(tmp_path)
