"""What the tests of a venue share."""

from __future__ import annotations

import pytest

from tests.activities.venue_world import World, world_of


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    """Stand in for all that a venue opens."""
    return world_of(monkeypatch)
