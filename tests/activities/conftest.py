"""What the tests of an environment share."""

from __future__ import annotations

import pytest

from tests.activities.environment_world import World, world_of


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no conductor wait for the tests beside it to leave the machine alone."""
    monkeypatch.setattr("assay.activities.conductor.wait_quiet", lambda *_, **__: ())


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    """Stand in for all that an environment opens."""
    return world_of(monkeypatch)
