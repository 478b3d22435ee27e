"""Which acts of which activities are ends: every kill point once, then others by seed, all phases alike."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

EVALUATE, RESUME = "evaluate", "resume"
KILL, CUT = "SIGKILL", "cut"
"""How an activity is ended at an act; a cut ends its network and leaves it alone."""
MIXED = ("SIGTERM", KILL, "SIGINT", KILL)
"""How at a kill point that was met before."""

Act = Mapping[str, Any]
"""A line of the log of ``campaign.killed``."""
Place = tuple[str, str, Act]
"""A scene, what was done, and one of its acts."""


@dataclass(frozen=True)
class End:
    """One end of a process.

    Attributes:
        verb: What it does, ``EVALUATE`` or ``RESUME``.
        point: Kill point.
        nth: Which of its acts.
        by: Name of a signal, or ``CUT``.
    """

    verb: str
    point: str
    nth: int
    by: str


@dataclass(frozen=True)
class Story:
    """An activity that is ended, resumed and judged.

    Attributes:
        scene: Name of its scene.
        ends: One after the other.
    """

    scene: str
    ends: tuple[End, ...]

    @property
    def key(self) -> dict[str, Any]:
        """Return what tells stories apart, as it stands in a journal."""
        return {"scene": self.scene, "ends": [asdict(end) for end in self.ends]}


def plan(acts: Mapping[tuple[str, str], Sequence[Act]], count: int, *, by: str = KILL) -> list[Story]:
    """Choose stories.

    Args:
        acts: The acts of an undisturbed activity by its scene and what was done: evaluated, or resumed after
            it was killed in a trial.
        count: How many stories; those of every kill point come first.
        by: How an activity is ended; at kill points that were met before, signals are mixed in.

    Returns:
        Every kill point once, then other acts; in both the phases take turns, in an order drawn once and for
        all.
    """
    first, others, known = list[Place](), list[Place](), set[str]()
    for (scene, verb), rows in acts.items():
        for row in rows:
            (others if row["point"] in known else first).append((scene, verb, row))
            known.add(row["point"])
    mixed = itertools.cycle(MIXED if by == KILL else (by,))
    chosen = [(*one, by) for one in turns(first, seed=1)]
    chosen += [(*one, next(mixed)) for one in turns(others, seed=2)]
    stories = [_story(acts, *one) for one in chosen]
    return stories[:count]


def turns(acts: Iterable[Place], *, seed: int) -> Iterator[Place]:
    """Yield acts in a drawn order, so that the phases take turns."""
    by_phase = defaultdict[str, list[Place]](list)
    for one in acts:
        by_phase[one[2]["phase"]].append(one)
    draw = np.random.default_rng(seed)
    drawn = [[rows[i] for i in draw.permutation(len(rows))] for _, rows in sorted(by_phase.items())]
    for row in itertools.zip_longest(*drawn):
        yield from (one for one in row if one is not None)


def _story(acts: Mapping[tuple[str, str], Sequence[Act]], scene: str, verb: str, row: Act, by: str) -> Story:
    end = End(verb, row["point"], row["nth"], by)
    if verb == EVALUATE:
        return Story(scene, (end,))
    return Story(scene, (in_a_trial(acts[scene, EVALUATE]), end))


WAIT = "ask wait "


def in_a_trial(acts: Sequence[Act]) -> End:
    """Return the end from which an activity is resumed: the middle one of the questions for a job
    that runs.
    """
    asked = [row for row in acts if row["point"].startswith(WAIT) and row["phase"] == "in a trial"]
    row = asked[len(asked) // 2]
    return End(EVALUATE, row["point"], row["nth"], KILL)
