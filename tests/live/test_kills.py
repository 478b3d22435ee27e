"""A seeded sample of the campaign of kills at counted acts (``campaign/kills.py``), on this machine alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from campaign import kills
from campaign.kills_plan import EVALUATE, Story, plan
from campaign.kills_rooms import Room

pytestmark = [pytest.mark.live, pytest.mark.long]

SEED, SAMPLE = 17, 8


@pytest.fixture(scope="module")
def acts() -> dict[tuple[str, str], Any]:
    """Return the acts of both scenes, counted now."""
    room = Room()
    return {(scene, verb): rows for scene in room.scenes for verb, rows in kills.count(room, scene).items()}


@pytest.fixture(scope="module")
def stories(acts: dict[tuple[str, str], Any]) -> list[Story]:
    """Return all stories."""
    return plan(acts, Room.most)


def test_there_are_hundreds_of_acts_in_every_phase(
    acts: dict[tuple[str, str], Any], stories: list[Story]
) -> None:
    assert sum(map(len, acts.values())) > 500
    kinds = {row["point"].split()[0] for rows in acts.values() for row in rows}
    assert kinds >= {"fsync", "rename", "unlink", "mkdir", "commit", "ask", "answer"}
    phases = {row["phase"] for rows in acts.values() for row in rows}
    assert phases >= {
        "creating",
        "claiming",
        "starting",
        "in a trial",
        "collecting",
        "bringing home",
        "ending",
        "page",
    }
    points = {row["point"] for rows in acts.values() for row in rows}
    assert {story.ends[-1].point for story in stories} == points
    assert len(stories) == Room.most


@pytest.mark.parametrize("number", range(SAMPLE))
def test_nothing_is_lost_repeated_stuck_or_left_behind(
    number: int, acts: dict[tuple[str, str], Any], stories: list[Story]
) -> None:
    story = stories[np.random.default_rng(SEED).permutation(len(stories))[number]]
    row = kills.tell(Room(), story, kills.first_job(acts[story.scene, EVALUATE]))
    assert row["faults"] == {}, row
