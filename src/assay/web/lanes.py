"""The machines of an activity as its pages list them: some at a time, and how many are in which state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from assay.activities.following import LaneNow
from assay.web.lines import moment

PER_PAGE = 100
"""Machines in one table."""
State = Literal["out", "failed", "running", "interrupted", "partial", "waiting", "complete"]
"""States of a machine's part, those first in which something went wrong or goes on."""


@dataclass(frozen=True)
class LaneLine:
    """How one machine's part stands.

    Attributes:
        activity: Its id, which has a page of its own where it is one of several; ``None`` before it is
            planned.
        now: How it stands.
        begun: When what runs now began, ISO 8601 in UTC; ``None`` where nothing runs.
    """

    activity: str | None
    now: LaneNow
    begun: str | None


@dataclass(frozen=True)
class InState:
    """How many machines are in a state.

    Attributes:
        state: The state.
        machines: How many they are.
    """

    state: str
    machines: int


def states_of(lanes: Sequence[LaneNow]) -> tuple[InState, ...]:
    """Return how many machines are in which state, in the order of ``State``."""
    counts = Counter(lane.state for lane in lanes)
    return tuple(InState(state, counts[state]) for state in sorted(counts, key=_place))


def first_lanes(lanes: Sequence[LaneNow]) -> Sequence[LaneNow]:
    """Return the machines of a table that all others follow.

    As many as one table holds stay in the order of the plan, so that none moves while it is looked at.
    """
    if len(lanes) <= PER_PAGE:
        return lanes
    return sorted(lanes, key=lambda lane: _place(lane.state))[:PER_PAGE]


def lane_lines(lanes: Sequence[LaneNow], ids: Mapping[str, str]) -> tuple[LaneLine, ...]:
    """Return lines of machines.

    Args:
        lanes: How they stand.
        ids: The activity of each machine's part, as far as it is planned.
    """
    return tuple(
        LaneLine(ids.get(lane.machine), lane, None if lane.begun_ns is None else moment(lane.begun_ns))
        for lane in lanes
    )


def _place(state: str) -> int:
    return get_args(State).index(state)
