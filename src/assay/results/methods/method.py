"""How a result was measured, in sentences with the figures of its own records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from assay.design.blocks import sessions_of
from assay.design.ending import comparisons_of, judged_rows, metered_of, wanted_of
from assay.design.rerun import is_read
from assay.design.stopping import decides_from, judged, ranks_from
from assay.model.activity import ActivityPlan
from assay.model.figures.estimate import Looks, Verdict
from assay.model.goal import Goal, Headline, Shape
from assay.model.trial import Trial
from assay.model.units import format_seconds
from assay.pages.method.work import Disturbances
from assay.pages.numbers import size_text
from assay.report.method.data import data_sentences
from assay.report.method.disturbances import disturbance_sentences
from assay.report.method.host import host_sentences, host_watch_sentences
from assay.report.method.jobs import (
    cache_sentences,
    copy_sentences,
    exit_sentences,
    phase_sentences,
    probe_sentences,
)
from assay.report.method.machine import baseline_sentences
from assay.report.method.own import own_sentences
from assay.report.method.place import place_sentences
from assay.report.method.same_result import result_sentences
from assay.report.tables.words import verdict_name
from assay.results.doubts.arms_differ import some
from assay.results.losses.same_result import same_results
from assay.results.methods.data import data_of
from assay.results.methods.host import host_settings_of, host_watches_of
from assay.results.methods.jobs import caches_of, copies_of, exits_of, phases_of, probe_of
from assay.results.methods.own import own_of
from assay.results.methods.place import baseline_of, place_of
from assay.stats.replication.paired import TYPICAL_FROM

TOGETHER = (
    "All metrics of a treatment are judged together (Holm): the more there are, the wider is each interval."
)


def method_sentences(plan: ActivityPlan, records: Sequence[Trial]) -> tuple[str, ...]:
    """Return the sentences, in the order in which a reader asks."""
    return tuple(_sentences(plan, records))


def _sentences(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[str]:
    yield from _design(plan, records)
    yield from baseline_sentences(baseline_of(plan, records))
    yield from place_sentences(place_of(plan, records))
    yield from host_sentences(host_settings_of(plan, records))
    yield from data_sentences(data_of(plan, records))
    yield from (f"{w.name}: {w.note}." for w in plan.workloads if w.note)
    yield from copy_sentences(copies_of(plan))
    yield from phase_sentences(phases_of(plan))
    yield from own_sentences(own_of(plan))
    yield from result_sentences(same_results(records))
    yield from cache_sentences(caches_of(plan, records))
    yield from exit_sentences(exits_of(plan, records))
    yield from disturbance_sentences(Disturbances(is_read(plan), plan.goal.rerun))
    yield from probe_sentences(probe_of(records))
    yield from host_watch_sentences(host_watches_of(records))


def _design(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[str]:
    yield f"{_blocks(plan, records)}; {_visits(plan)}, in an order drawn from seed {plan.seed}."
    yield f"{_headline(plan, records)} A loss within ±{100 * plan.margin:.3g} % does not matter (the margin)."
    yield from _extended(plan)
    if plan.goal.shape is Shape.DOUBLE and plan.goal.runs == 1:
        yield f"{plan.baseline.label} against {plan.baseline.label} in the same blocks is this run's noise floor."
    if plan.goal.adaptive:
        yield f"It ends {_goal(plan.goal)}."


def _headline(plan: ActivityPlan, records: Sequence[Trial]) -> str:
    """Say what the loss is one of, and from which interval verdicts are drawn."""
    if plan.goal.headline is Headline.TOTAL:
        return (
            "Loss is 1 - 1/slowdown of the total: the ratio of the sums of the times of all blocks (of a rate, of its "
            f"inverse), slow outliers included, with Fieller's interval of {plan.confidence:.0%}, from which the verdict is "
            f"drawn, once, at the end. {TOGETHER}"
        )
    return (
        "Loss is 1 - 1/slowdown of the typical run, paired by block on log(slowdown): Hodges-Lehmann's centre from "
        f"{_typical_from(plan, records)} blocks on, the mean with fewer. {_looks(plan, records)}"
        f"{_over_sessions(plan, records)}"
    )


def _over_sessions(plan: ActivityPlan, records: Sequence[Trial]) -> str:
    """Say of which metrics the interval is over sessions, and how it is then taken."""
    wanted = wanted_of(plan)
    found = [one for metrics in comparisons_of(plan, records) for one in judged(metrics, wanted)]
    named = zip(metered_of(plan, records), found, strict=True)
    over = [f"{w} {m}" for (w, m, _), one in named if one.estimate.method.startswith("over ")]
    if not over:
        return ""
    which = "all metrics" if len(over) == len(found) else some(over)
    kind = "a confidence sequence" if wanted.looks is Looks.EVERY else "Student's t"
    return f" Of {which} both are over sessions instead: the mean of one mean a session, with {kind}."


def _extended(plan: ActivityPlan) -> Iterator[str]:
    """Say when blocks were added, and what was found before."""
    for one in plan.extended:
        day = datetime.fromtimestamp(one.at_ns / 1e9, UTC).date().isoformat()
        said = "; ".join(
            f"{row.workload} {row.metric}{'' if row.treatment is None else f' ({row.treatment})'} "
            f"{size_text(row)} {verdict_name(Verdict(row.verdict))}"
            for row in one.said
        )
        yield (
            f"Extended on {day} from {one.after} blocks by {one.blocks}, when it said: {said}. From then on the interval "
            "is one that holds however often one looks; what differs from session to session is in it from three sessions "
            "on, and where the site's A/A floor is known."
        )


def _typical_from(plan: ActivityPlan, records: Sequence[Trial]) -> int:
    """Return from how many blocks on the headline is the typical loss."""
    rows = judged_rows(plan, records)
    if wanted_of(plan).looks is Looks.EVERY:
        return max(TYPICAL_FROM, decides_from(plan.confidence, rows))
    return ranks_from(plan.confidence, rows)


def _looks(plan: ActivityPlan, records: Sequence[Trial]) -> str:
    """Say from which interval verdicts are drawn, and when."""
    level, rows = f"{plan.confidence:.0%}", judged_rows(plan, records)
    among = f", for {rows} metrics" if rows > 1 else ""
    if wanted_of(plan).looks is Looks.EVERY:
        return (
            f"Its {level} interval, from which the verdict is drawn, is a confidence sequence of t and signed ranks "
            f"(finite from {decides_from(plan.confidence, rows)} blocks on{among}): it holds whenever one looks. {TOGETHER}"
        )
    return (
        f"Its interval, from which the verdict is drawn, once, at the end, is the exact one of {level} from "
        f"{ranks_from(plan.confidence, rows)} blocks on{among}, Student's t with fewer; an earlier look takes a confidence "
        f"sequence. {TOGETHER}"
    )


def _blocks(plan: ActivityPlan, records: Sequence[Trial]) -> str:
    """Say how many blocks there were, and over how many sessions."""
    sessions = sessions_of(records, gap_s=plan.goal.session_gap_s)
    count = len(set(sessions.values()))
    ran = len(sessions) if plan.goal.adaptive else plan.blocks
    most = f" of at most {plan.blocks}" if plan.goal.adaptive else ""
    return f"{ran}{most} block{'' if ran == 1 else 's'}{f' in {count} sessions' if count > 1 else ''}"


def _visits(plan: ActivityPlan) -> str:
    base, other = plan.baseline.label, plan.treatment.label
    if plan.more:
        names = "; ".join(side.label for side in plan.treatments)
        return f"each visits {base} twice and each of {len(plan.treatments)} treatments once ({names})"
    if plan.goal.shape is Shape.DOUBLE:
        return f"each visits {base} twice and {other} once"
    chained = (
        ", every second one turned so that neighbours share a visit"
        if plan.goal.shape is Shape.CHAINED
        else ""
    )
    return f"each visits {base} and {other} once{chained}"


def _goal(goal: Goal) -> str:
    """Say what ends an adaptive activity."""
    wish = "a verdict" if goal.precision is None else f"an interval of at most ±{100 * goal.precision:.3g} %"
    budget = "" if goal.time_budget_s is None else f", or after {format_seconds(goal.time_budget_s)}"
    sessions = f" in {goal.sessions} sessions" if goal.sessions > 1 else ""
    return f"when every metric has {wish}, from {goal.minimum_blocks} blocks{sessions} on{budget}"
