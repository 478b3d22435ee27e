"""A home with one result, for commands that read one."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.store.record import write_activity, write_trial
from assay.store.store import Store
from tests.results.test_outcome import PLAN, records


@pytest.fixture
def measured(tmp_path: Path) -> Path:
    """Return a home with one result."""
    return home_with_result(tmp_path / "home")


def home_with_result(home: Path) -> Path:
    """Make a home with one result."""
    folder = home / "activities" / PLAN.id
    for record in records():
        place = folder / "trials" / record.planned.name
        place.mkdir(parents=True)
        write_trial(place, record)
    write_activity(folder, PLAN)
    store = Store(home)
    store.import_folder(folder)
    store.close()
    return home
