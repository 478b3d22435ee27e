"""Any results beside each other: what each loses, whether two differ, and where they ran."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Path, Query

from assay.activities.compared import compared
from assay.model.errors import AssayError
from assay.model.machines.fingerprint import Difference, differences
from assay.model.machines.machine import Fingerprint
from assay.model.trial import Arm
from assay.pages.comparison import ComparisonPage, ComparisonRow
from assay.pages.context import Page
from assay.pages.several import SeveralPage
from assay.report.lists.fingerprint import spell
from assay.report.render import compare as words
from assay.report.render.frame import Document, document
from assay.report.render.several import several_document
from assay.report.tables.several import LOSSES, Metric
from assay.report.tables.system import system_rows
from assay.store.fingerprints import read_kept_fingerprint
from assay.store.record import read_activity, read_trials
from assay.store.search import Filter
from assay.web.found import address, in_figures
from assay.web.late import Late, long_ones_late, one_alone
from assay.web.lines import ResultLine, result_lines
from assay.web.opened import trials_at
from assay.web.route import page
from assay.web.sides import MOST, Side, side_summaries, sides_of, treatments_of
from assay.web.site import At, Site

router = APIRouter(tags=["results"])
LISTED = 100
Chosen = Annotated[
    list[str],
    Query(
        alias="with",
        max_length=MOST,
        description="Ids of results; ID:TREATMENT is one treatment; of several machines an id is all.",
    ),
]
TwoChosen = Annotated[list[str], Query(alias="with", min_length=2, max_length=2, description="Two results.")]
PlaceName = Annotated[str, Path(pattern=r"^(doubts|differences|recipe|results|where|metric-[0-9]{1,4})$")]


@dataclass(frozen=True)
class Differing:
    """A property of where an arm ran that is not the same in all results.

    Attributes:
        arm: ``baseline`` or ``treatment``.
        name: The property.
        values: What it is in each result, in their order.
    """

    arm: str
    name: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Choice:
    """Which treatment of a result is compared.

    Attributes:
        result: Id of the result.
        treatment: Label of the treatment; ``None`` is all.
        treatments: All its treatments where it has several; empty of one that has one.
    """

    result: str
    treatment: str | None
    treatments: tuple[str, ...]


@dataclass(frozen=True)
class Compared:
    """Results beside each other.

    Attributes:
        chosen: What each is asked for by: its id, ``ID:TREATMENT``.
        known: Results to choose from; empty where two or more are chosen.
        several: What each says; ``None`` below two.
        difference: How much more the second loses than the first; ``None`` where there are not two, or both
            are treatments of one result.
        differing: Where they ran, as far as it differs.
        choices: Their treatments.
    """

    chosen: tuple[str, ...]
    known: tuple[ResultLine, ...]
    several: SeveralPage | None
    difference: ComparisonPage | None
    differing: tuple[Differing, ...]
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True)
class ArmFacts:
    """What differs between the machines of one arm.

    Attributes:
        arm: ``baseline`` or ``treatment``.
        differences: Facts that differ; ``None`` where a machine's facts are not kept.
    """

    arm: str
    differences: tuple[Difference, ...] | None


@dataclass(frozen=True)
class Facts:
    """All that the probe saw otherwise in one result than in another.

    Attributes:
        a: Id of the one.
        b: Id of the other.
        arms: Each arm, as its first trial saw it.
    """

    a: str
    b: str
    arms: tuple[ArmFacts, ...]


def _asked(one: Compared) -> str:
    return urlencode([("with", result) for result in one.chosen])


def _drawn(one: Compared) -> Document:
    if one.several is None:
        return document("compare_choose.html", (), page=one)
    return _beside(one, one.several, long_ones_late("/compare", _asked(one)), "compare.html")


def _beside(one: Compared, several: SeveralPage, late: Late, template: str) -> Document:
    made = several_document(several)
    rows = () if one.difference is None else one.difference.rows
    cells = [words.difference_cells(row) for row in rows]
    beside = {
        "compared": one, "compare": words, "late": late, "asked": _asked(one), "differences": cells,
        "difference_links": [_both(one, row) for row in rows], "loss_links": _losses,
        **({"recipe": ()} if any(":" in name for name in one.chosen) else {}),
    }  # fmt: skip
    return replace(made, template=template, words={**made.words, **beside})


LOSS = LOSSES[1:].index("loss")
"""The column of the tables of losses."""


def _losses(metric: Metric) -> list[dict[int, str]]:
    """Return what the losses of one metric open: the trials of each result."""
    return [
        {LOSS: trials_at(one.result.id, replace(row, treatment=row.treatment or one.result.treatment))}
        for one, row in metric.rows
    ]


def _both(one: Compared, row: ComparisonRow) -> dict[int, str]:
    """Return what the two losses of a row of differences open."""
    metric, _, label = row.metric.partition(": ")
    links = {}
    for at, name, loss in zip((2, 3), one.chosen, (row.a, row.b), strict=True):
        result, _, chosen = name.partition(":")
        told = {
            "workload": row.workload,
            "metric": metric,
            "treatment": chosen or label.partition(", over ")[0],
        }
        if loss is not None:
            asked = urlencode({name: value for name, value in told.items() if value})
            links[at] = f"{address(result, 'trials')}?{asked}"
    return links


@page(router, "/compare", _drawn, charts=True)
def compare(site: At, chosen: Chosen = []) -> Compared:  # noqa: B006 - FastAPI copies it
    """Any results beside each other, and whether two differ."""
    sides = sides_of(site, chosen)
    names = tuple(side.name for side in sides)
    if len(sides) < 2:
        known = result_lines(site, site.store.search(Filter(), limit=LISTED).rows)
        return Compared(names, known, None, None, ())
    pages = {row.id: in_figures(site, row) for row in {side.row.id: side.row for side in sides}.values()}
    several = SeveralPage(side_summaries(site, sides, pages))
    differing = tuple(_differing([side.page_of(pages[side.row.id]) for side in sides]))
    choices = tuple(Choice(side.row.id, side.treatment, treatments_of(pages[side.row.id])) for side in sides)
    return Compared(names, (), several, _difference(site, sides), differing, choices)


def _difference(site: Site, sides: Sequence[Side]) -> ComparisonPage | None:
    if len(sides) != 2 or sides[0].row.id == sides[1].row.id:
        return None
    a, b = sides
    return compared(site.store, a.row, b.row, (a.treatment, b.treatment))


def _differing(pages: Sequence[Page]) -> Iterator[Differing]:
    """Yield where the results ran, arm by arm, as far as that differs; of a sweep its first treatment."""
    arms: dict[str, Callable[[Page], str]] = {
        "baseline": lambda one: one.result.baseline,
        "treatment": lambda one: one.estimates[0].treatment or one.result.treatment if one.estimates else "",
    }
    for arm, label in arms.items():
        systems = [next((s for s in one.systems if s.label == label(one)), None) for one in pages]
        held = [system for system in systems if system is not None]
        for name, *cells in system_rows(held):
            if len(held) == len(pages) and len(set(cells)) > 1:
                yield Differing(arm, name, tuple(cells))


def _drawn_part(one: tuple[str, Compared]) -> Document:
    place, whole = one
    assert whole.several is not None  # noqa: S101 - where it is made two were asked for
    return _beside(whole, whole.several, one_alone(place), "compare_part.html")


@dataclass(frozen=True)
class Part:
    """One section of results beside each other.

    Attributes:
        place: Which.
        whole: All of them.
    """

    place: str
    whole: Compared


@page(router, "/compare/parts/{place}", lambda one: _drawn_part((one.place, one.whole)), charts=True)
def part(
    site: At,
    place: PlaceName,
    chosen: Annotated[list[str], Query(alias="with", min_length=2, max_length=MOST)],
) -> Part:
    """One section of results beside each other."""
    return Part(place, compare(site, chosen))


def _drawn_facts(one: Facts) -> Document:
    return document("compare_facts.html", (), page=one, spell=_spelled)


def _spelled(value: Any) -> str:
    text = spell(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


LONGEST = 200
"""Characters of a fact that are shown; the JSON has all of it."""


@page(router, "/compare/facts", _drawn_facts)
def facts(site: At, chosen: TwoChosen) -> Facts:
    """All facts of the machines of two results that differ."""
    sides = sides_of(site, chosen)
    if len(sides) != 2:
        msg = f"cannot compare the facts of {len(sides)} results: of two"
        raise AssayError(msg)
    a, b = sides
    here, there = _seen(a), _seen(b)
    arms = (ArmFacts(str(arm), _between(here.get(arm), there.get(arm))) for arm in Arm)
    return Facts(a.name, b.name, tuple(arms))


def _between(a: Fingerprint | None, b: Fingerprint | None) -> tuple[Difference, ...] | None:
    return None if a is None or b is None else differences(a, b)


def _seen(side: Side) -> dict[Arm, Fingerprint]:
    """Return what the first trial of each arm saw, as far as that is kept."""
    found: dict[Arm, Fingerprint] = {}
    plan = read_activity(side.row.folder)
    for trial in read_trials(side.row.folder, damaged=[]):
        arm, label = trial.planned.arm, plan.arm_of(trial.planned).label
        kept = side.row.folder / "facts" / f"{trial.boot}.json"
        wanted = arm is Arm.BASELINE or side.treatment in {None, label}
        if wanted and arm not in found and kept.is_file():
            found[arm] = read_kept_fingerprint(kept)
        if len(found) == len(Arm):
            break
    return found
