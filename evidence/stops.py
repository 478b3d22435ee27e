"""The product's course of a campaign for a precision, over many at once.

Its rule for stopping, its predictions and its shares of sessions (``assay.design.stopping``,
``assay.design.predict``, ``assay.activities.schedule``); tests hold the two equal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc, stdtrit

from assay.stats.mean import t_quantile
from assay.stats.replication.components import Floor
from assay.stats.replication.sessions import BEYOND_FLOOR, ENOUGH
from evidence import many
from evidence.noise import Array

TYPICAL_FROM = 6
"""Hodges-Lehmann from so many blocks on, the mean below."""

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Rule:
    """What is wanted.

    Attributes:
        precision: Half-width, a ratio.
        minimum_blocks: Fewer are never enough.
        maximum_blocks: More are never run.
        sessions: The blocks are spread over so many.
        floor: The site's floor is known.
    """

    precision: float
    minimum_blocks: int
    maximum_blocks: int
    sessions: int
    floor: bool = True

    @property
    def floors(self) -> Array:
        """Half-width of a floor of 1, by session from 0."""
        return np.array([Floor(1.0).half(session + 1) for session in range(self.sessions)])


@dataclass(frozen=True)
class Stops:
    """Where each campaign ended; one that did not reach the goal has infinite ends."""

    blocks: Counts
    low: Array
    high: Array


def stops(d: Array, days: Array, sigma: Array, rule: Rule) -> Stops:
    """Run all campaigns block by block.

    Args:
        d: Log slowdowns without what an arm has on one day only, campaigns x blocks.
        days: What is added to them in each session, campaigns x sessions.
        sigma: The site's A/A floor as it is known to each campaign, log units; its half-width over all
            sessions is below the precision; 0 where it is not known.
        rule: What is wanted.
    """
    course = _Course(d, days, sigma, rule)
    for block in range(rule.maximum_blocks):
        course.measure(block)
        if block + 1 >= rule.minimum_blocks:
            course.look(block + 1)
        course.turn(block + 1)
    return course.found


def floors_of(d: Array) -> Array:
    """Return what A/A campaigns of sites x sessions x blocks tell of each site's floor."""
    blocks = d.shape[2]
    between = blocks * d.mean(axis=2).var(axis=1, ddof=1)
    within = d.var(axis=2, ddof=1).mean(axis=1)
    return np.asarray(np.sqrt(np.maximum(between - within, 0.0) / blocks / 2))


class _Course:
    """The campaigns still going, the session of each, and the blocks of its sessions before."""

    def __init__(self, d: Array, days: Array, sigma: Array, rule: Rule) -> None:
        count = len(d)
        self.d, self.days, self.sigma, self.rule = d.copy(), days, sigma, rule
        self.found = Stops(
            np.full(count, rule.maximum_blocks), np.full(count, -np.inf), np.full(count, np.inf)
        )
        self.going = np.arange(count)
        self.session, self.before = np.zeros(count, int), np.zeros(count, int)
        self.labels = np.zeros(d.shape, int)

    def measure(self, block: int) -> None:
        """Add the day to a block's log slowdowns."""
        self.labels[self.going, block] = self.session[self.going]
        self.d[self.going, block] += self.days[self.going, self.session[self.going]]

    def look(self, blocks: int) -> None:
        """End what has reached the precision."""
        session = self.session[self.going]
        d, sigma = self.d[self.going, :blocks], self.sigma[self.going]
        low, high = _ends(d, _floors(self.labels[self.going, :blocks], self.rule.sessions) * sigma)
        if self.rule.sessions >= ENOUGH:
            over, *ends = _over_sessions(d, self.labels[self.going, :blocks], sigma, self.rule)
            low, high = np.where(over, ends[0], low), np.where(over, ends[1], high)
        done = (session + 1 >= self.rule.sessions) & ((high - low) / 2 <= self.rule.precision)
        ended, found = self.going[done], self.found
        found.blocks[ended], found.low[ended], found.high[ended] = blocks, low[done], high[done]
        self.going = self.going[~done]

    def turn(self, blocks: int) -> None:
        """Begin a new session where this one has its even share of the blocks expected to be left."""
        inner = self.going[self.session[self.going] + 1 < self.rule.sessions]
        floor = self.rule.floors[-1] * self.sigma[inner]
        left = _expected(self.d[inner, :blocks], floor, self.rule) - self.before[inner]
        share = np.ceil(left / (self.rule.sessions - self.session[inner]))
        turned = inner[blocks - self.before[inner] >= share]
        self.before[turned], self.session[turned] = blocks, self.session[turned] + 1


def _floors(labels: Counts, sessions: int) -> Array:
    """Return the half-width of a floor of 1 over the sessions of each campaign so far, by their sizes."""
    squares = sum((labels == session).sum(axis=1) ** 2 for session in range(sessions))
    return np.asarray(Floor(1.0).half(1) * np.sqrt(squares) / labels.shape[1])


def _centre(d: Array) -> many.Ends:
    return many.typical(d) if d.shape[1] >= TYPICAL_FROM else many.student(d)


def _ends(d: Array, floor: Array) -> tuple[Array, Array]:
    """Return the interval of the loss with the floor of the sessions so far."""
    value, low, high = _centre(d)
    wide_low, wide_high = value - np.hypot(value - low, floor), value + np.hypot(high - value, floor)
    return many.losses(wide_low), many.losses(wide_high)


def _over_sessions(
    d: Array, labels: Counts, sigma: Array, rule: Rule
) -> tuple[NDArray[np.bool_], Array, Array]:
    """Tell which campaigns have their interval over sessions, and return its ends of the loss."""
    held = np.stack([labels == session for session in range(rule.sessions)])
    sizes, blocks, count = held.sum(axis=2), d.shape[1], labels.max(axis=1) + 1
    sums = (held * d).sum(axis=2)
    means = sums / np.maximum(sizes, 1)
    mean = d.mean(axis=1)
    inner, outer = blocks - count, np.maximum(count - 1, 1)
    within = ((d - np.take_along_axis(means.T, labels, axis=1)) ** 2).sum(axis=1) / np.maximum(inner, 1)
    between = (sizes * (means - mean) ** 2).sum(axis=0) / outer
    size = (blocks - (sizes**2).sum(axis=0) / blocks) / outer
    explained = within + size * 2 * sigma**2
    over = between > within
    if rule.floor:
        over = fdtrc(outer, np.maximum(inner, 1), between / np.maximum(explained, 1e-300)) < BEYOND_FLOOR
    mean = means.sum(axis=0) / count
    apart = (((means - mean) ** 2) * (sizes > 0)).sum(axis=0) / outer
    half = stdtrit(outer, 0.975) * np.sqrt(apart / count)
    return over & (count >= ENOUGH) & (inner > 0), many.losses(mean - half), many.losses(mean + half)


def _expected(d: Array, floor: Array, rule: Rule) -> Array:
    """Return the blocks that each campaign is expected to take in all, with the floor of all sessions."""
    n = d.shape[1]
    if n < 2:
        return np.full(len(d), float(rule.maximum_blocks))
    value, low, high = _centre(d)
    spread = (many.losses(high) - many.losses(low)) / 2 * np.sqrt(n) / t_quantile(0.95, n - 1)
    room = np.sqrt(np.maximum(rule.precision**2 - (floor * np.exp(-value)) ** 2, 0.0))
    counts = np.arange(max(n, rule.minimum_blocks), rule.maximum_blocks)
    errors = np.array([t_quantile(0.95, count - 1) / count**0.5 for count in counts.tolist()])
    more = (errors[None, :] * spread[:, None] > room[:, None]).sum(axis=1)
    return np.asarray(max(n, rule.minimum_blocks) + more, dtype=float)
