"""The loss of one machine: over its blocks, or over its sessions where these scatter more."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from assay.model.doubt import Raised, raised
from assay.model.figures.estimate import Estimate, Looks, Verdict
from assay.stats.centre import Centre, Values, mean_of, scatters
from assay.stats.groups import Keys, grouped
from assay.stats.mean import student
from assay.stats.replication.components import Components, Floor, chance_of, components
from assay.stats.replication.paired import ONCE, OPEN, estimate_of, loss_of, paired_loss
from assay.stats.replication.resolution import Resolution
from assay.stats.verdicts.sequence import METHOD, confidence_sequence
from assay.stats.verdicts.verdict import verdict_of

SESSIONS_DIFFER = 0.05
"""Chance below which sessions are said to differ more than their blocks explain."""
BEYOND_FLOOR = 0.01
"""Chance below which they differ more than their blocks and the site's floor explain."""
HIDDEN = raised("no-scatter", case="one-arm")
"""One arm's clock is too coarse to tell its noise."""
ENOUGH = 3
"""Sessions from which their own scatter is trusted to be in the interval."""


class HeldBy(StrEnum):
    """What of an interval holds that sessions differ: nothing can where there are two of them."""

    SESSIONS = "sessions"
    NOTHING = "nothing"
    FLOOR = "floor"
    BLOCKS = "blocks"


@dataclass(frozen=True)
class Asked:
    """How a loss is asked for; as of ``paired_loss``.

    Attributes:
        floor: The site's A/A floor; ``None`` where it is not known.
        resolution: How finely the values were told; ``None`` where nothing is seen of it.
        together: It is one of several that are judged together, at a confidence above that of one.
        alone: As of ``paired_loss``.
    """

    confidence: float = 0.95
    margin: float = 0.0
    floor: Floor | None = None
    looks: Looks = Looks.ONCE
    strictest: float | None = None
    resolution: Resolution | None = None
    together: bool = False
    alone: bool = False

    def lasting(self, sessions: float) -> float:
        """Return the half-width that enters an interval over blocks and that further blocks do
        not take away.
        """
        floor = self.floor.half(sessions, confidence=self.confidence) if self.floor else 0.0
        return math.hypot(floor, self.shift)

    def fading(self, blocks: int) -> float:
        """Return the half-width that enters it besides, by the rounding of single blocks."""
        if self.resolution is None or blocks < 2:
            return 0.0
        return self.resolution.fading(blocks, confidence=self.confidence)

    @property
    def shift(self) -> float:
        """How far a coarse clock may have shifted all values, log units."""
        return self.resolution.shift if self.resolution else 0.0


@dataclass(frozen=True)
class SessionLoss:
    """A loss, the scatter of its blocks, and whether its interval is over sessions."""

    estimate: Estimate
    components: Components
    over_sessions: bool


def session_loss(
    values: Values, sessions: Keys, asked: Asked, parts: Components | None = None
) -> SessionLoss:
    """Estimate the loss of a machine from the blocks of its sessions.

    Below three sessions the interval is over blocks, and a doubt says so where sessions differ. From three on
    it is that of the larger of the mean squares between sessions and between their blocks, with its degrees
    of freedom: where it is the former, of one mean a session. Of several rows that are judged together it is
    always the former, unless the site's floor is known: at the confidence that each of them needs, chance
    would choose the shorter interval too often. Where the site's A/A floor is known, it is in the interval
    over blocks, and sessions count once each only where they differ more than blocks and floor explain (F
    test at 1 %).

    Args:
        values: Log slowdown of each block, in the order in which they were measured.
        sessions: The session of each.
        asked: How the loss is asked for.
        parts: Where their scatter comes from (``parts_of``), if that is known already.

    Source:
        Cluster means: A. Donner, N. Klar, "Design and Analysis of Cluster Randomization Trials" (2000),
        section 7.2; the coverage of the rule: ``docs/evidence/sessions.md``.

    Limits:
        With three sessions of equal size it covers 93 to 97 %, whatever they share; with 10, 1 and 1 blocks
        88 to 98 %. A floor speaks for the arms that it was measured with: guests may share more in a session
        than the host does. One that is a tenth of what it should be leaves a coverage of 78 to 95 %, with two
        sessions of 45 to 59 % (``docs/evidence/sessions.md``).
    """
    parts = parts or parts_of(values, sessions)
    count = max(1, parts.sessions)
    estimate = block_loss(values, effective(sessions), asked)
    over = count >= ENOUGH and _between_counts(parts, len(values), asked) and scatters(values)
    if over:
        centres = [mean_of(group) for group in grouped(values, sessions)]
        estimate = _over_sessions(estimate, centres, len(values), asked)
    doubts = (*estimate.doubts, _doubt(parts, asked, over=over)) if differ(parts, values) else estimate.doubts
    return SessionLoss(unless_hidden(replace(estimate, doubts=doubts), asked.resolution), parts, over)


def parts_of(values: Values, sessions: Keys) -> Components:
    """Return where the scatter of blocks comes from, of none at all too."""
    return components(values, sessions) if len(values) else Components(0, None, None, None)


def effective(sessions: Keys) -> float:
    """Return how many sessions of equal size would average as much of what their blocks share: n^2 over the
    sum of the squares of their sizes; 1 of none.

    Source:
        L. Kish, "Survey Sampling" (1965), section 11.7: the effect of unequal weights.
    """
    sizes = Counter(sessions).values()
    return sum(sizes) ** 2 / sum(size * size for size in sizes) if sizes else 1.0


def block_loss(values: Values, sessions: float, asked: Asked) -> Estimate:
    """Estimate the loss over blocks, with the floor of so many sessions and the resolution in the
    interval.
    """
    estimate = paired_loss(
        values,
        confidence=asked.confidence,
        margin=asked.margin,
        floor=asked.lasting(sessions),
        rounding=asked.fading(len(values)),
        looks=asked.looks,
        strictest=asked.strictest,
        alone=asked.alone,
    )
    return unless_hidden(estimate, asked.resolution)


def unless_hidden(estimate: Estimate, resolution: Resolution | None) -> Estimate:
    """Return a loss without a verdict where a tick hides what was measured, with the doubt; else as it is."""
    if resolution is None or not resolution.hidden:
        return estimate
    doubts = (*(doubt for doubt in estimate.doubts if doubt != HIDDEN), HIDDEN)
    return replace(estimate, verdict=Verdict.INCONCLUSIVE, blocks_more=None, doubts=doubts)


def differ(parts: Components, values: Values) -> bool:
    """Tell whether sessions differ more than their blocks explain (F test at 5 %)."""
    return parts.chance is not None and scatters(values) and parts.chance < SESSIONS_DIFFER


def _between_counts(parts: Components, blocks: int, asked: Asked) -> bool:
    if parts.between is None or parts.block is None or parts.size is None:
        return False
    if asked.floor is None:
        return asked.together or parts.between > parts.block**2
    explained = parts.block**2 + parts.size * 2 * asked.floor.sigma**2
    return chance_of(parts.between, explained, parts.sessions - 1, blocks - parts.sessions) < BEYOND_FLOOR


def _over_sessions(over_blocks: Estimate, centres: Sequence[float], blocks: int, asked: Asked) -> Estimate:
    """Estimate from one mean a session; blocks do not bring a verdict here, further sessions would."""
    mean = student(centres, asked.confidence).widened(asked.shift)
    name = f"over {len(centres)} sessions: {mean.method}"
    wide = estimate_of(blocks, mean, mean, confidence=asked.confidence, verdict=Verdict.INCONCLUSIVE)
    if asked.looks is Looks.EVERY:
        return _at_each_look(over_blocks, replace(wide, method=name), centres, asked)
    verdict = verdict_of(loss_of(mean.low), loss_of(mean.high), asked.margin)
    return replace(wide, verdict=verdict, method=f"{name}; {ONCE}")


def _at_each_look(over_blocks: Estimate, wide: Estimate, centres: Sequence[float], asked: Asked) -> Estimate:
    """Return what holds at every look: the sequence of session means or that of blocks, whichever reaches
    farther.
    """
    low, high = confidence_sequence(centres, asked.confidence)
    if over_blocks.method.endswith(OPEN) or not math.isfinite(high - low):
        return replace(wide, method=f"{wide.method}; {OPEN}")
    value = mean_of(centres)
    means = Centre(value, min(low, value), max(high, value), METHOD).widened(asked.shift)
    low = min(loss_of(means.low), _or(over_blocks.low, -math.inf))
    high = max(loss_of(means.high), _or(over_blocks.high, math.inf))
    method = (
        f"over {len(centres)} sessions: {METHOD} of their means, or that of their blocks, whichever is wider"
    )
    return replace(wide, low=low, high=high, verdict=verdict_of(low, high, asked.margin), method=method)


def _or(end: float | None, otherwise: float) -> float:
    return otherwise if end is None else end


def _doubt(parts: Components, asked: Asked, *, over: bool) -> Raised:
    return raised(
        "sessions-differ",
        sessions=parts.sessions,
        chance=parts.chance,
        between=parts.session or 0,
        within=parts.block or 0,
        held_by=held_by(parts.sessions, asked.floor, over=over),
    )


def held_by(sessions: int, floor: Floor | None, *, over: bool) -> HeldBy:
    """Return what of an interval holds that sessions differ."""
    if over:
        return HeldBy.SESSIONS
    if sessions < ENOUGH:
        return HeldBy.NOTHING
    return HeldBy.FLOOR if floor else HeldBy.BLOCKS
