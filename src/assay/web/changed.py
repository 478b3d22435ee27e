"""What has changed since a week ago: of machines by what was kept of them, of results by their scene."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from assay.activities.changes import Seen, find_changes
from assay.model.errors import AssayError
from assay.pages.numbers import size_text
from assay.pages.summary import Estimate
from assay.report.tables.words import named
from assay.store.fingerprints import kept_of, read_kept_fingerprint
from assay.store.rows import ActivityRow
from assay.store.search import Filter
from assay.web.lines import ResultLine, moment, result_lines
from assay.web.site import Site

WEEK_NS = 7 * 86_400 * 10**9
MOST = 10
"""Changes that are told of each kind; four times as many scenes and treatments are looked at."""
_STEP = re.compile(r"Tuning ([0-9a-f]+): ")


@dataclass(frozen=True)
class MachineChange:
    """What is otherwise on a machine than when it was looked at before.

    Attributes:
        machine: Its name.
        at: When that was seen, ISO 8601 in UTC.
        what: The facts that changed, as ``group.field: before → after``.
    """

    machine: str
    at: str
    what: tuple[str, ...]


@dataclass(frozen=True)
class ResultChange:
    """A metric of which the newest result says otherwise than the last one of before this week.

    Attributes:
        scene: Name of the scene.
        treatment: Label of what is compared.
        metric: The metric, with its workload.
        before: The loss before, with its interval.
        now: The loss now.
        older: Id of the result of before.
        newer: Id of the result of this week.
    """

    scene: str
    treatment: str
    metric: str
    before: str
    now: str
    older: str
    newer: str


def machine_changes(site: Site, now_ns: int) -> tuple[MachineChange, ...]:
    """Return what changed of machines in the last week, the newest first; what cannot be read is left out."""
    names = [entry.name for entry in site.store.entries()]
    found = [change for name in names for change in _of_machine(site.home, name, now_ns)]
    return tuple(sorted(found, key=lambda one: one.at, reverse=True)[:MOST])


def _of_machine(home: Path, machine: str, now_ns: int) -> Iterator[MachineChange]:
    kept = [one for one in kept_of(home, machine) if not one.recorded]
    since = datetime.fromtimestamp((now_ns - WEEK_NS) / 1e9, UTC).strftime("%Y-%m-%dT%H%M%SZ")
    first = next((at for at, one in enumerate(kept) if one.time > since), len(kept))
    for older, newer in pairwise(one.path for one in kept[max(0, first - 1) :]):
        if (change := _between(machine, older, newer)) is not None:
            yield change


@lru_cache(maxsize=10_000)
def _between(machine: str, older: Path, newer: Path) -> MachineChange | None:
    """Return what changed from one look that was kept to the next, which are never written again."""
    try:
        changes = [*find_changes([Seen(read_kept_fingerprint(path)) for path in (older, newer)])]
    except AssayError:
        return None
    words = [f"{one.group}.{one.field}: {one.a} → {one.b}" for of in changes for one in of.differences]
    return MachineChange(machine, moment(changes[0].at_ns), tuple(words)) if words else None


def result_changes(site: Site, now_ns: int) -> tuple[ResultChange, ...]:
    """Return the metrics whose interval lies apart from that of before this week, the newest first."""
    since = now_ns - WEEK_NS
    newest: dict[tuple[str, str], ActivityRow] = {}
    for row in without_steps(site, site.store.search(Filter(since_ns=since), limit=20 * MOST).rows):
        newest.setdefault((row.scene, row.treatment), row)
    found: list[ResultChange] = []
    for (scene, treatment), row in [*newest.items()][: 4 * MOST]:
        wanted = Filter(scene=scene, treatment=treatment, until_ns=since)
        before = [*without_steps(site, site.store.search(wanted, limit=MOST).rows)][:1]
        if before:
            found += _apart(*result_lines(site, [before[0], row]))
    return tuple(found[:MOST])


def _apart(older: ResultLine, newer: ResultLine) -> Iterator[ResultChange]:
    """Yield the metrics of two results whose intervals have no value in common."""
    known = {(one.workload, one.metric, one.treatment, one.against): one for one in older.estimates}
    for now in newer.estimates:
        before = known.get((now.workload, now.metric, now.treatment, now.against))
        if before is not None and _are_apart(before, now):
            name = named(now.workload, now.metric)
            yield ResultChange(
                newer.scene, now.treatment or newer.treatment, name, size_text(before), size_text(now),
                older.id, newer.id,
            )  # fmt: skip


def _are_apart(a: Estimate, b: Estimate) -> bool:
    if a.low is None or a.high is None or b.low is None or b.high is None:
        return False
    return a.high < b.low or b.high < a.low


def without_steps(site: Site, rows: Iterable[ActivityRow]) -> Iterator[ActivityRow]:
    """Yield the activities that are no step of a search for settings: these are on the search's own page."""
    for row in rows:
        step = _STEP.match(row.title)
        if step is None or not (site.home / "tunings" / step[1]).is_dir():
            yield row
