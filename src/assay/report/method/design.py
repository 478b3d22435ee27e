"""How the trials of a result were laid out and judged, in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from assay.model.extension import Extension
from assay.model.figures.estimate import Looks, Verdict
from assay.model.goal import Goal, Shape
from assay.model.units import format_seconds
from assay.pages.method.design import Blocks, Design, Typical
from assay.pages.names import some
from assay.pages.numbers import size_text
from assay.report.tables.words import verdict_name

TOGETHER = (
    "All metrics of a treatment are judged together (Holm): the more there are, the wider is each interval."
)


def design_sentences(design: Design) -> Iterator[str]:
    """Yield what was visited how often, what a loss is, when verdicts are drawn, and what ended
    the activity.
    """
    goal, base = design.goal, design.baseline
    yield f"{_blocks(design.blocks)}; {_visits(design)}, in an order drawn from seed {design.seed}."
    yield f"{_headline(design)} A loss within ±{100 * design.margin:.3g} % does not matter (the margin)."
    yield from map(_extended, design.extended)
    if goal.shape is Shape.DOUBLE and goal.runs == 1:
        yield f"{base} against {base} in the same blocks is this run's noise floor."
    if goal.adaptive:
        yield f"It ends {_goal(goal)}."


def _blocks(blocks: Blocks) -> str:
    """Say how many blocks there were, and over how many sessions."""
    most = "" if blocks.most is None else f" of at most {blocks.most}"
    sessions = f" in {blocks.sessions} sessions" if blocks.sessions > 1 else ""
    return f"{blocks.ran}{most} block{'' if blocks.ran == 1 else 's'}{sessions}"


def _visits(design: Design) -> str:
    base, shape = design.baseline, design.goal.shape
    if design.own_hosts:
        hosts = dict.fromkeys(host for _, host in design.own_hosts)
        once = [label for label in design.treatments if label not in hosts]
        over = "; ".join(f"{label} is measured over {host}" for label, host in design.own_hosts)
        return f"each visits {', '.join((base, *hosts))} twice and {', '.join(once)} once ({over})"
    if len(design.treatments) > 1:
        names = "; ".join(design.treatments)
        return f"each visits {base} twice and each of {len(design.treatments)} treatments once ({names})"
    if shape is Shape.DOUBLE:
        return f"each visits {base} twice and {design.treatments[0]} once"
    chained = ", every second one turned so that neighbours share a visit" if shape is Shape.CHAINED else ""
    return f"each visits {base} and {design.treatments[0]} once{chained}"


def _headline(design: Design) -> str:
    """Say what the loss is one of, and from which interval verdicts are drawn."""
    typical = design.typical
    if typical is None:
        return (
            "Loss is 1 - 1/slowdown of the total: the ratio of the sums of the times of all "
            "blocks (of a rate, of its inverse), slow outliers included, with Fieller's interval of "
            f"{design.confidence:.0%}, from which the verdict is drawn, once, at the end. {TOGETHER}"
        )
    return (
        "Loss is 1 - 1/slowdown of the typical run, paired by block on log(slowdown): "
        "Hodges-Lehmann's centre from "
        f"{typical.centre_from} blocks on, the mean with fewer. {_looks(typical, f'{design.confidence:.0%}')}"
        f"{_over_sessions(typical)}"
    )


def _looks(typical: Typical, level: str) -> str:
    """Say from which interval verdicts are drawn, and when."""
    among = f", for {typical.rows} metrics" if typical.rows > 1 else ""
    if typical.looks is Looks.EVERY:
        return (
            f"Its {level} interval, from which the verdict is drawn, is a confidence sequence of "
            "t and signed ranks "
            f"(finite from {typical.interval_from} blocks on{among}): it holds whenever one looks. {TOGETHER}"
        )
    return (
        f"Its interval, from which the verdict is drawn, once, at the end, is the exact one of {level} from "
        f"{typical.interval_from} blocks on{among}, Student's t with fewer; an earlier look "
        f"takes a confidence sequence. {TOGETHER}"
    )


def _over_sessions(typical: Typical) -> str:
    """Say of which metrics the interval is over sessions, and how it is then taken."""
    if not typical.over_sessions:
        return ""
    which = "all metrics" if typical.all_over_sessions else some(typical.over_sessions)
    kind = "a confidence sequence" if typical.looks is Looks.EVERY else "Student's t"
    return f" Of {which} both are over sessions instead: the mean of one mean a session, with {kind}."


def _extended(one: Extension) -> str:
    """Say when blocks were added, and what was found before."""
    day = datetime.fromtimestamp(one.at_ns / 1e9, UTC).date().isoformat()
    verdicts = "; ".join(
        f"{row.workload} {row.metric}{'' if row.treatment is None else f' ({row.treatment})'} "
        f"{size_text(row)} {verdict_name(Verdict(row.verdict))}"
        for row in one.said
    )
    return (
        f"Extended on {day} from {one.after} blocks by {one.blocks}, when it said: {verdicts}. "
        "From then on the interval "
        "is one that holds however often one looks; what differs from session to session is in "
        "it from three sessions on, and where the site's A/A floor is known."
    )


def _goal(goal: Goal) -> str:
    """Say what ends an adaptive activity."""
    wanted = (
        "a verdict" if goal.precision is None else f"an interval of at most ±{100 * goal.precision:.3g} %"
    )
    budget = "" if goal.time_budget_s is None else f", or after {format_seconds(goal.time_budget_s)}"
    sessions = f" in {goal.sessions} sessions" if goal.sessions > 1 else ""
    return f"when every metric has {wanted}, from {goal.minimum_blocks} blocks{sessions} on{budget}"
