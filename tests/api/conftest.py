"""A home with one result, as the commands' tests have it."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.model.files.home import mark_home
from tests.cli.conftest import home_with_result


@pytest.fixture
def measured(tmp_path: Path) -> Path:
    """Return it, marked as a home."""
    home = home_with_result(tmp_path / "home")
    mark_home(home)
    return home
