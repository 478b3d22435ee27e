"""How a result was measured, in sentences with the figures of its own records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from statistics import fmean

from assay.design.blocks import sessions_of
from assay.design.ending import comparisons_of, judged_rows, metered_of, wanted_of
from assay.design.stopping import decides_from, judged, ranks_from
from assay.model.activity import ActivityPlan
from assay.model.figures.estimate import Looks, Verdict
from assay.model.goal import Goal, Headline, Shape
from assay.model.machines.machine import Limits
from assay.model.trial import Arm, Trial
from assay.model.units import format_bytes, format_rate, format_seconds
from assay.model.work.page_cache import CacheCheck, CacheState, Residency
from assay.pages.numbers import size_text
from assay.report.doubts.spelled import some
from assay.report.tables.words import verdict_name
from assay.results.doubts.rejections import rejection_sentences
from assay.results.losses.same_result import result_sentences
from assay.results.methods.below import below_sentences
from assay.results.methods.container import container_sentences
from assay.results.methods.data import data_sentences
from assay.results.methods.domain import domain_sentences
from assay.results.methods.guest import guest_sentences
from assay.results.methods.host import host_sentences, host_watch_sentences
from assay.results.methods.layout import layout_sentences
from assay.results.methods.own import own_sentences
from assay.stats.replication.paired import TYPICAL_FROM

TOGETHER = (
    "All metrics of a treatment are judged together (Holm): the more there are, the wider is each interval."
)


def method_sentences(plan: ActivityPlan, records: Sequence[Trial]) -> tuple[str, ...]:
    """Return the sentences, in the order in which a reader asks."""
    return tuple(_sentences(plan, records))


def _sentences(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[str]:
    yield from _design(plan, records)
    yield from _baseline(plan, records)
    if plan.treatment.domain is not None:
        yield from domain_sentences(plan, records)
        yield from below_sentences(plan, records)
        yield from _emulator_cost(plan, records)
        yield from _clock(records)
    elif any(record.platform for record in records):
        yield from guest_sentences(plan, records)
        yield from layout_sentences(plan, records)
        yield from _emulator_cost(plan, records)
        yield from _clock(records)
    elif any(record.container for record in records):
        yield from container_sentences(plan, records)
        yield from _clock(records)
    elif plan.treatment.guest is None:
        yield from (f"{side.label}: {_limits(side.limits)}." for side in plan.treatments)
        yield from below_sentences(plan, records)
    yield from host_sentences(plan, records)
    yield from data_sentences(plan, records)
    yield from (f"{w.name}: {w.note}." for w in plan.workloads if w.note)
    yield from _copies(plan)
    yield from _phases(plan)
    yield from own_sentences(plan)
    yield from result_sentences(records)
    yield from _page_cache(plan, records)
    yield from _exits(plan, records)
    yield from rejection_sentences(plan)
    yield from _probe(records)


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


def _baseline(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[str]:
    record = next((record for record in records if record.planned.arm is Arm.BASELINE), None)
    if record is None:
        return
    facts = record.facts
    yield (
        f"{plan.baseline.label}: {facts.hostname}, {facts.cpu_model or 'unknown processor'}, "
        f"kernel {facts.kernel}; {_limits(record.limits)}."
    )


def _limits(limits: Limits) -> str:
    cpus = ", ".join(map(str, limits.cpus))
    parts = [f"confined to core{'s' if len(limits.cpus) > 1 else ''} {cpus}" if cpus else "on all cores"]
    if limits.memory_bytes is not None:
        parts.append(f"{format_bytes(limits.memory_bytes)} of memory")
    if limits.cpu_quota is not None:
        parts.append(f"a CPU quota of {100 * limits.cpu_quota:.4g}%")
    if limits.read_bytes_per_s is not None:
        parts.append(f"at most {format_rate(limits.read_bytes_per_s)} read from each of its disks")
    if limits.write_bytes_per_s is not None:
        parts.append(
            f"at most {format_rate(limits.write_bytes_per_s)} written to the disk of its scratch folder"
        )
    if limits.pause is not None:
        parts.append(f"made to stand still {100 * limits.pause:.3g} % of the time")
    return ", ".join(parts)


def _emulator_cost(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[str]:
    sides = [side for side in (plan.baseline, *plan.treatments) if side.guest or side.domain]
    for side in sides:
        ours = [r for r in records if plan.side_of(r.planned) is side and r.hypervisor_cpu and r.usage]
        shares = [
            f"{workload.name} {fmean(spent):.2f} s"
            for workload in plan.workloads
            if (
                spent := [
                    r.hypervisor_cpu.other_s
                    for r in ours
                    if r.planned.workload == workload.name and r.hypervisor_cpu
                ]
            )
        ]
        if shares:
            whose = f" of {side.label}" if len(sides) > 1 else ""
            yield f"CPU of the QEMU process{whose} outside its vCPUs, a trial: {', '.join(shares)}."


def _clock(records: Sequence[Trial]) -> Iterator[str]:
    checks = [record.clock for record in records if record.clock]
    if checks:
        rate = max(checks, key=lambda check: abs(check.rate - 1))
        offset = max((check.after for check in checks), key=lambda reading: abs(reading.offset_s))
        known = max(check.after.uncertainty_s for check in checks)
        yield (
            f"{_whose_clock(records)} clock against the host's, before and after each trial: rate off by at most "
            f"{rate.rate - 1:+.3%}, offset at most {offset.offset_s * 1e3:+.1f} ms, known to {known * 1e3:.1f} ms."
        )


def _whose_clock(records: Sequence[Trial]) -> str:
    guests = any(record.platform for record in records)
    return "The guest's" if guests else "The container's"


def _copies(plan: ActivityPlan) -> Iterator[str]:
    """Say how copies ran, and how their figures became the job's."""
    placed = [(w.name, w.placement) for w in plan.workloads if w.placement.copies > 1]
    if placed:
        each = ", ".join(f"{name} {wish.copies}{_apart(wish.stagger_s)}" for name, wish in placed)
        yield (
            f"Copies at once: {each}; a job's wall time is from its first release to its last end, "
            "rates of copies are summed, their times averaged."
        )


def _apart(stagger_s: float) -> str:
    return f" ({stagger_s:g} s apart)" if stagger_s else ""


def _phases(plan: ActivityPlan) -> Iterator[str]:
    names = [w.name for w in plan.workloads if w.phases is not None]
    counted = any(w.phases is not None and (w.phases.events or w.phases.announce) for w in plan.workloads)
    if names:
        yield (
            f"Phases of {', '.join(names)} as the program told them, known to about 2 ms; init is from its release "
            f"to the first phase told{', events_per_s is of the phase with most events' if counted else ''}."
        )


def _page_cache(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[str]:
    for workload in plan.workloads:
        ours = [record for record in records if record.planned.workload == workload.name]
        checks, served = [r.cache for r in ours if r.cache], any(record.from_server for record in ours)
        for state in dict.fromkeys(check.state for check in checks):
            of_state = [check for check in checks if check.state is state]
            yield from _cache_state(workload.name, of_state, served=served)


def _cache_state(workload: str, ours: Sequence[CacheCheck], *, served: bool) -> Iterator[str]:
    found = [check.machine for check in ours if check.machine]
    what = "the files below them" if served else "the guest's image files"
    if found:
        cold = ours[0].state is CacheState.COLD
        share = f"at {'most' if cold else 'least'} {_extreme(found, cold)}"
        hosts = [check.host for check in ours if check.host] if cold else []
        below = f", and at most {_extreme(hosts, cold)} of {what} on its host" if hosts else ""
        size = format_bytes(found[0].bytes)
        yield f"{workload}: started {ours[0].state}, with {share} of the {size} of its files in memory{below}."


def _extreme(found: Sequence[Residency], largest: bool) -> str:
    return format_bytes((max if largest else min)(files.resident_bytes for files in found))


def _exits(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[str]:
    if plan.command is None:
        return
    for arm, side in ((Arm.BASELINE, plan.baseline), (Arm.TREATMENT, plan.treatment)):
        codes = [r.exit_code for r in records if r.planned.arm is arm]
        if codes:
            yield f"Exit status on {side.label}: {', '.join('-' if c is None else str(c) for c in codes)}."


def _probe(records: Sequence[Trial]) -> Iterator[str]:
    # to load a job's files before it starts is not to watch it, and its cost is not told apart
    watched = [record for record in records if record.cache is None]
    costs = [(r.probe.cpu_s, r.usage.wall_s) for r in watched if r.probe and r.usage and r.usage.wall_s]
    if costs:
        share = max(cpu / wall for cpu, wall in costs)
        rss_bytes = max(r.probe.rss_bytes for r in records if r.probe)
        gaps = [r.probe.largest_gap_s for r in records if r.probe and r.probe.largest_gap_s is not None]
        gap = f"; no two samples were further apart than {max(gaps):.3g} s" if gaps else ""
        yield (
            f"The probe itself took at most {share:.2%} of one core, on a core of its own where there is one, "
            f"and {format_bytes(rss_bytes)} of memory{gap}."
        )
    yield from host_watch_sentences(records)
