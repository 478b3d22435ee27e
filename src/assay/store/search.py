"""What results are searched for: each question as a condition on the rows of their activities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from assay.model.activity import ActivityState
from assay.model.figures.estimate import Verdict
from assay.store import tables as t
from assay.store.rows import ActivityRow

VERDICTS = {
    "loss": Verdict.LOSS,
    "gain": Verdict.GAIN,
    "equivalent": Verdict.EQUIVALENT,
    "not-decided": Verdict.INCONCLUSIVE,
    "not-measured": Verdict.NOT_MEASURED,
}
"""Verdicts by the words that people search with."""


@dataclass(frozen=True)
class Filter:
    """What results have in common; ``None`` asks for nothing.

    Attributes:
        scene: Name of their scene.
        machine: A machine that they were measured on: its name in the inventory, of results of this home; or
            its host name, alone or with its processor as a result in short has it.
        hardware: In a host name or a processor of theirs, in small or capital letters.
        treatment: Label of their treatment.
        since_ns: Wall clock from which on they were made or imported,
        until_ns: and before which.
        verdict: Verdict of at least one of their estimates.
        state: Where they stand, as their row has it.
        tag: Tag that people gave them.
        text: In their title or headline, in small or capital letters.
    """

    scene: str | None = None
    machine: str | None = None
    hardware: str | None = None
    treatment: str | None = None
    since_ns: int | None = None
    until_ns: int | None = None
    verdict: Verdict | None = None
    state: ActivityState | None = None
    tag: str | None = None
    text: str | None = None

    @property
    def reads_summaries(self) -> bool:
        """Whether it asks for what only a result in short tells."""
        return any(asked is not None for asked in (self.machine, self.hardware, self.verdict, self.text))


@dataclass(frozen=True)
class Found:
    """Results that were searched for.

    Attributes:
        rows: One page of them, the newest first.
        total: How many there are on all pages.
    """

    rows: tuple[ActivityRow, ...]
    total: int


def _keyed(field: str, value: str) -> sa.Select[tuple[str]]:
    key = t.summary_key.c
    return sa.select(key.activity).where(key.field == field, key.value == value)


def ran_on(machine: str) -> sa.ColumnElement[bool]:
    """Return what tells an activity of which a trial ran on a machine: its first that did is enough."""
    its = t.trial.c
    return sa.exists().where(its.activity == t.activity.c.id, its.machine == machine)


def conditions(wanted: Filter, own: Sequence[sa.ColumnElement[bool]]) -> Iterator[sa.ColumnElement[bool]]:
    """Yield what the row of an activity must fulfil.

    Args:
        wanted: What is asked for.
        own: What tells the activities that were measured in this home: of others' machines the inventory's
            names are not known.
    """
    its = t.activity.c
    equal = ((its.scene, wanted.scene), (its.treatment, wanted.treatment), (its.state, wanted.state))
    yield from (column == value for column, value in equal if value is not None)
    if wanted.since_ns is not None:
        yield t.made_ns >= wanted.since_ns
    if wanted.until_ns is not None:
        yield t.made_ns < wanted.until_ns
    if wanted.tag is not None:
        yield its.id.in_(sa.select(t.tag.c.activity).where(t.tag.c.tag == wanted.tag))
    key = t.summary_key.c
    if wanted.verdict is not None:
        yield its.id.in_(_keyed("verdict", wanted.verdict))
    if wanted.machine is not None:
        yield its.id.in_(_keyed("machine", wanted.machine)) | sa.and_(ran_on(wanted.machine), *own)
    if wanted.hardware is not None:
        fits = key.value.icontains(wanted.hardware, autoescape=True)
        yield its.id.in_(sa.select(key.activity).where(key.field == "machine", fits))
    if wanted.text is not None:
        said = t.summary.c.headline.icontains(wanted.text, autoescape=True)
        yield its.title.icontains(wanted.text, autoescape=True) | its.id.in_(
            sa.select(t.summary.c.activity).where(said)
        )
