"""Results in short: made at an activity's end, and of what has none when it is looked at."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from assay.model.errors import AssayError
from assay.pages.version import VERSION
from assay.store.record import OPEN
from assay.store.rows import ActivityRow, KeptSummary

if TYPE_CHECKING:
    from assay.pages.context import Page, TrialPoint
    from assay.pages.summary import Summary
    from assay.pages.system import System
    from assay.store.search import Filter, Found
    from assay.store.store import Store

PAGE = "report.json"
FORMAT = 4
"""The form of a summary, and the rules by which its figures, verdicts and doubts come from records. Whoever
changes one of them increments it: what is kept of each result is then made anew from its records, once.
"""
MADE_BY = f"{'.'.join(map(str, VERSION))} {FORMAT}"
"""The format of the report and of a summary: what another has made is made anew. A new version of assay that
changes neither reads no record again.
"""
FEW = 2000
"""Results of which each is looked for alone; of more all are."""


def summary_of(page: Page) -> Summary:
    """Return a result in short."""
    from assay.pages.summary import Estimate, Summary  # heavy, and no list needs them
    from assay.report.tables.words import headline

    badge, walls = page.badge, [trial.wall_s for trial in page.trials if trial.wall_s is not None]
    names = Estimate.__dataclass_fields__
    return Summary(
        result=page.result,
        headline=headline(page),
        estimates=tuple(Estimate(**{name: getattr(row, name) for name in names}) for row in page.estimates),
        doubts=page.doubts,
        badge=None if badge is None else badge.machine,
        seconds=math.fsum(walls) if walls else None,
        machines=tuple(dict.fromkeys(_name_of(system) for system in page.systems)),
        facts=_facts_digest(page.systems),
        probe_cpu_s=_probe_cpu_s(page.trials),
    )


def _facts_digest(systems: Sequence[System]) -> str | None:
    """Return the digest of where arms ran; ``None`` where none is known."""
    told = json.dumps([asdict(one) for one in systems], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest() if systems else None


def _probe_cpu_s(trials: Sequence[TrialPoint]) -> float | None:
    """Return what the probes of all trials took, CPU seconds; ``None`` where no trial tells it."""
    costs = [
        use.cpu_share * trial.wall_s
        for trial in trials
        for use in (trial.probe, trial.host_probe)
        if use is not None and use.cpu_share is not None and trial.wall_s is not None
    ]
    return math.fsum(costs) if costs else None


def _name_of(system: System) -> str:
    return system.hostname if system.cpu_model is None else f"{system.hostname} ({system.cpu_model})"


def keep_summary(store: Store, page: Page, *, written: Path | None = None) -> KeptSummary:
    """Keep the summary of a page.

    Args:
        store: Keeps it.
        page: The page.
        written: The activity's folder where the page has just been written to it: it is shown from there.
    """
    summary = summary_of(page)
    kept = KeptSummary(
        activity=page.result.id,
        records=sum(trial.state in ("ended", "failed") for trial in page.trials),
        made_by=MADE_BY,
        state=page.result.state,
        started=page.result.started,
        headline=summary.headline,
        content=json.dumps(asdict(summary), allow_nan=False),
        page=None if written is None else hashlib.sha256((written / PAGE).read_bytes()).hexdigest(),
    )
    store.keep_summary(kept)
    return kept


def kept_page(store: Store, row: ActivityRow) -> Page | None:
    """Return a result's page as it was written at the activity's end; ``None`` where there is none, or there
    are other records, another assay, or another file since.
    """
    digest = store.page_digest(row.id, MADE_BY)
    if digest is None:
        return None
    from assay.pages.decode import ContextError
    from assay.report.render.json import from_own_json

    try:
        data = (row.folder / PAGE).read_bytes()
        return from_own_json(data) if hashlib.sha256(data).hexdigest() == digest else None
    except (OSError, ContextError):
        return None


def summaries(
    store: Store,
    rows: Sequence[ActivityRow],
    page: Callable[[ActivityRow], Page],
    warn: Callable[[str, AssayError], None],
) -> Iterator[tuple[str, KeptSummary]]:
    """Yield the results of activities in short, by id; what has none yet is made from its records, and kept.

    Args:
        store: Keeps them.
        rows: The activities.
        page: Returns the page of one, as it stands now.
        warn: Is told of each that cannot be read: it is left out.
    """
    are_few = len(rows) <= FEW
    known = store.summaries(MADE_BY, [row.id for row in rows] if are_few else None)
    is_there: Callable[[str], bool] = os.path.exists if are_few else _Folders()
    for row in rows:
        kept = known.get(row.id)
        if kept is not None and kept.records != row.ended + row.failed and row.controller is None:
            kept = kept if _is_conducted(store, row) else None
        try:
            if row.controller is not None:
                kept = kept or _of_another(row)
            elif kept is None or not is_there(str(row.folder)):
                kept = keep_summary(store, page(row))
        except AssayError as error:  # one damaged or absent folder must not hide the others
            warn(row.id, error)
            continue
        yield row.id, _now(kept, row, store)


def search(
    store: Store,
    wanted: Filter,
    page: Callable[[ActivityRow], Page],
    warn: Callable[[str, AssayError], None],
    *,
    limit: int | None = None,
    offset: int = 0,
) -> Found:
    """Return the results that are wanted, the newest first; what is asked of results in short is asked of
    all: those that are missing are made first.

    Args:
        store: Keeps them.
        wanted: What they have in common.
        page: As of ``summaries``, as of what follows.
        warn: Likewise.
        limit: No more than so many; ``None`` is all.
        offset: How many of the newest are passed over.
    """
    if wanted.reads_summaries:
        for _ in summaries(store, store.without_summary(MADE_BY), page, warn):
            pass
    return store.search(wanted, limit=limit, offset=offset)


def in_short(
    store: Store,
    rows: Sequence[ActivityRow],
    page: Callable[[ActivityRow], Page],
    warn: Callable[[str, AssayError], None],
) -> tuple[Summary, ...]:
    """Return results in short, as ``summaries`` keeps them; where each stands is as of now."""
    from assay.pages.decode import decode
    from assay.pages.summary import Summary

    kept = dict(summaries(store, rows, page, warn))
    made = {name: one.content for name, one in kept.items() if one.content}  # not every store can keep it
    contents = store.contents([name for name in kept if name not in made]) | made
    held = [json.loads(contents[row.id]) for row in rows if row.id in contents]
    for one in held:
        one["result"]["state"] = kept[one["result"]["id"]].state
    return decode(tuple[Summary, ...], held, "summaries")


def _of_another(row: ActivityRow) -> KeptSummary:
    """Return what is known of a result that another controller has not kept in short yet."""
    started = datetime.fromtimestamp(row.created_ns / 1e9, UTC).isoformat(timespec="seconds")
    about = f"{row.ended + row.failed} of {row.trials} trials, with the controller '{row.controller}'"
    return KeptSummary(row.id, row.ended + row.failed, "", str(row.state), started, about)


class _Folders:
    """Tells which folders are there; of thousands that lie beside each other none is looked for alone."""

    def __init__(self) -> None:
        self._names: dict[str, frozenset[str]] = {}

    def __call__(self, folder: str) -> bool:
        above, _, name = folder.rpartition("/")
        if above not in self._names:
            try:
                self._names[above] = frozenset(os.listdir(above))
            except OSError:
                self._names[above] = frozenset()
        return name in self._names[above]


def _is_conducted(store: Store, row: ActivityRow) -> bool:
    """Tell whether a process conducts an activity now: it keeps the activity in short at its looks."""
    from assay.platforms.claims import is_live  # few are open

    return row.is_own and is_live(store.home, row.id)


def _now(kept: KeptSummary, row: ActivityRow, store: Store) -> KeptSummary:
    """Return a summary with where its activity stands now: what is conducted is not interrupted, and the
    other way round.
    """
    if row.controller is not None:
        return replace(kept, state=str(row.state))
    if kept.state not in OPEN or not row.is_own:
        return kept
    return replace(kept, state="running" if _is_conducted(store, row) else "interrupted")
