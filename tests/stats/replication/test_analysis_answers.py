"""Pairing, headlines and levels of runs from elsewhere, by hand and at their limits."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from statistics import fmean

import pytest
from scipy import stats

from assay.model.doubt import Doubt, Raised
from assay.model.figures.coded import natural_order
from assay.model.figures.estimate import Looks, Verdict
from assay.model.figures.measured import ValueKind
from assay.report.doubts import worded
from assay.stats import loss_of, paired_loss
from assay.stats.analysis import measured
from assay.stats.analysis.headline import ENOUGH, REPEATED, SHARE
from assay.stats.analysis.measured import MeasuredLoss, Question
from assay.stats.centre import ROUNDING
from assay.stats.fieller import ratio_of_totals
from assay.stats.replication import blocks
from assay.stats.replication.blocks import geometric_mean
from assay.stats.replication.components import Components, Floor
from assay.stats.replication.levels import Level
from assay.stats.replication.paired import ONCE, OPEN
from assay.stats.replication.resolution import resolution_of
from assay.stats.replication.sessions import BEYOND_FLOOR, SESSIONS_DIFFER, Asked, effective, session_loss
from assay.stats.replication.sessions import ENOUGH as SESSIONS_ENOUGH
from assay.stats.replication.sessions import differ as sessions_differ
from tests.measured_runs import BlockLoss, MeasuredRun, choose, columns, level_loss, measured_loss, pair_runs


def run(block: int | str, arm: str, value: float, **more: object) -> MeasuredRun:
    return MeasuredRun(str(block), arm, value, **more)  # type: ignore[arg-type]


def both(block: int, events: int | None = None, **more: object) -> list[MeasuredRun]:
    return [
        run(block, "host", 10.0 + block, events=events, **more),
        run(block, "guest", 12.0, events=events, **more),
    ]


def ask(runs: list[MeasuredRun], kind: ValueKind = ValueKind.TIME) -> MeasuredLoss:
    return measured_loss(runs, Question("host", "guest", kind, 0.95, 0.01))


@pytest.mark.parametrize(("kind", "sign"), [(ValueKind.TIME, 1), (ValueKind.RATE, -1)])
def test_runs_are_paired_by_mean_logarithms_in_the_order_of_names(kind: ValueKind, sign: int) -> None:
    runs = [
        run("10", "guest", 6.0), run("10", "host", 3.0),
        run("9", "host", 2.0), run("9", "host", 8.0), run("9", "guest", 16.0),
        run("11", "host", 5.0), run("12", "other", 5.0),
    ]  # fmt: skip
    found = pair_runs(runs, baseline="host", treatment="guest", kind=kind)
    assert [block.block for block in found.blocks] == ["9", "10"]
    assert [block.d for block in found.blocks] == pytest.approx([sign * math.log(4), sign * math.log(2)])
    assert found.baseline == pytest.approx((4.0, 3.0))
    assert (found.treatment, found.incomplete) == ((16.0, 6.0), 1)


def test_names_sort_numbers_by_size_and_before_words() -> None:
    names = ["b", "10", "9", "a", "09", "x10", "12", "x9"]
    assert [names[at] for at in natural_order(names).tolist()] == [
        "09", "9", "10", "12", "a", "b", "x10", "x9",
    ]  # fmt: skip
    assert natural_order([]).tolist() == []


def test_the_geometric_mean_of_one_value_is_itself() -> None:
    assert geometric_mean([0.1]) == 0.1
    assert geometric_mean([2.0, 8.0]) == pytest.approx(4.0)


def test_the_limits_of_headlines_are_the_documented_ones() -> None:
    assert (ENOUGH, REPEATED, SHARE) == (6, 3, 20)
    assert (SESSIONS_DIFFER, BEYOND_FLOOR, SESSIONS_ENOUGH, ROUNDING) == (0.05, 0.01, 3, 1e-12)


def chosen(counts: dict[int, int]) -> int | None:
    """Return the headline's event number where each number is held by so many blocks of its own."""
    numbers = [n for n, count in counts.items() for _ in range(count)]
    runs = [one for block, n in enumerate(numbers) for one in both(block, n)]
    found = choose(runs, baseline="host", treatment="guest")
    if found.events is None:
        assert [doubt.code for doubt in found.doubts] == ["events-vary"]
        assert len(found.runs) == len(runs)
    else:
        assert {one.events for one in found.runs} == {found.events}
        assert found.doubts == ()
    return found.events


def singles(count: int) -> dict[int, int]:
    return dict.fromkeys(range(10_000, 10_000 + count), 1)


@pytest.mark.parametrize(
    ("counts", "events"),
    [
        ({100: 6, 1000: 6}, 1000),
        ({100: 6, 1000: 5}, 100),
        ({100: 7, 1000: 6}, 1000),
        ({100: 5, 1000: 5}, 1000),
        ({100: 5, 1000: 4}, 100),
        ({100: 1, 1000: 1}, None),
        ({1000: 1}, 1000),
        ({100: 2, 1000: 2}, None),
        ({100: 2}, 100),
        ({100: 3, 1000: 3}, 1000),
        ({100: 3, **singles(57)}, 100),  # three of 60 blocks are one of 20
        ({100: 3, **singles(58)}, None),
        ({100: 2, **singles(3)}, None),
        ({100: 6, **singles(500)}, 100),
        ({100: 5, **singles(96)}, None),
        ({100: 5, **singles(95)}, 100),
    ],
)
def test_the_headline_s_event_number_at_its_limits(counts: dict[int, int], events: int | None) -> None:
    assert chosen(counts) == events


def test_events_that_vary_are_said_in_full() -> None:
    runs = [*both(0, 30), *both(1, 7), run(2, "host", 1.0, events=9)]
    found = choose(runs, baseline="host", treatment="guest")
    assert (found.events, found.unpaired, len(found.runs)) == (None, 1, 4)
    assert tuple(map(worded, found.doubts)) == (
        Doubt(
            "events-vary",
            "Event numbers vary from block to block (7 to 30): the loss is that of the total at "
            "those of each block, a mixture of fixed cost and cost per event.",
            "Measure the same event numbers in every block, or read the two costs.",
        ),
    )


def test_without_a_block_of_both_arms_the_largest_number_of_both_is_taken() -> None:
    runs = [run(0, "host", 1.0, events=n) for n in (5, 7, 9)] + [
        run(1, "guest", 1.0, events=n) for n in (5, 7, 8)
    ]
    found = choose(runs, baseline="host", treatment="guest")
    assert (found.events, [one.events for one in found.runs]) == (7, [7, 7])
    nothing = choose(
        [run(0, "host", 1.0, events=5), run(1, "guest", 1.0, events=6)], baseline="host", treatment="guest"
    )
    assert (nothing.events, nothing.runs) == (None, [])
    untold = choose([*both(0), run(1, "other", 1.0, events=4)], baseline="host", treatment="guest")
    assert (untold.events, len(untold.runs)) == (None, 2)


@pytest.mark.parametrize(
    ("chance", "differ"), [(0.0499, True), (0.05, False), (0.0501, False), (None, False)]
)
def test_sessions_differ_below_a_chance_of_5_percent(chance: float | None, *, differ: bool) -> None:
    assert sessions_differ(Components(2, 0.1, 0.1, chance), [0.1, 0.2]) is differ


@pytest.mark.parametrize(("spread", "differ"), [(0.9e-12, False), (1.5e-12, True)])
def test_what_rounding_leaves_is_no_difference_of_sessions(spread: float, *, differ: bool) -> None:
    values = [0.0, spread]
    assert sessions_differ(Components(2, 1e-12, 0.0, 0.0), values) is differ


@pytest.mark.parametrize(("spread", "over"), [(0.9e-12, False), (1.5e-12, True)])
def test_what_rounding_leaves_does_not_count_sessions(spread: float, *, over: bool) -> None:
    values = [0.0, 0.0, spread / 2, spread / 2, spread, spread]
    assert session_loss(values, [0, 0, 1, 1, 2, 2], Asked()).over_sessions is over


def losses(groups: dict[tuple[str, str], list[float]]) -> list[BlockLoss]:
    return [BlockLoss(*key, str(at), d) for key, values in groups.items() for at, d in enumerate(values)]


SESSIONS = [at // 3 for at in range(9)]
THREE = {("", "a"): [0.10, 0.11, 0.12], ("", "b"): [0.20, 0.21, 0.22], ("", "c"): [0.31, 0.32, 0.33]}


def test_an_interval_over_sessions_is_by_the_mean_square_between_them() -> None:
    found = level_loss(losses(THREE), confidence=0.9, margin=0.5)
    assert (found.level, found.scope, found.sessions, found.machines) == (Level.SESSION, "this-machine", 3, 1)
    estimate = found.estimate
    # means 0.11, 0.21, 0.32, of all 0.2133333; 3 * variance 0.0110333 = 0.0331; t(2) at 90 % is 2.919986
    half = 2.919986 * math.sqrt(0.0331 / 9)
    assert (estimate.loss, estimate.low, estimate.high) == pytest.approx(
        tuple(loss_of(0.64 / 3 + by) for by in (0.0, -half, half)), rel=1e-6
    )
    assert (estimate.blocks, estimate.blocks_more, estimate.confidence) == (9, None, 0.9)
    assert estimate.slowdown == pytest.approx(math.exp(0.64 / 3))
    assert estimate.verdict is Verdict.LOSS
    assert estimate.method == f"over 3 sessions: mean with Student's t interval; {ONCE}"
    (doubt,) = estimate.doubts
    # within 0.0001; session sqrt(0.033 / 3); F(2, 6) = 331 has the chance (1 + 331 / 3)^-3
    assert worded(doubt) == Doubt(
        "sessions-differ",
        "The 3 sessions differ more than their blocks explain (F test, chance 7e-07; standard "
        "deviations 10 % between sessions, 1 % between blocks of one): the interval is over sessions.",
        "Measure in further sessions: more blocks in the same ones add little.",
    )


def test_two_sessions_that_differ_have_the_interval_over_blocks_and_the_doubt() -> None:
    two = {key: THREE[key] for key in (("", "a"), ("", "b"))}
    found = level_loss(losses(two))
    values = [d for of in two.values() for d in of]
    assert (found.level, found.scope, found.sessions) == (Level.BLOCK, "this-machine", 2)
    assert replace(found.estimate, doubts=()) == replace(paired_loss(values), doubts=())
    assert [doubt.code for doubt in found.estimate.doubts] == ["sessions-differ"]
    assert worded(found.estimate.doubts[0]).sentence.endswith("two sessions cannot show by how much.")


@pytest.mark.parametrize(("third", "over"), [(0.15781, False), (0.15782, True)])
def test_the_larger_mean_square_counts(third: float, *, over: bool) -> None:
    # within: six times 0.03^2 over 3 is 0.0018; between: 2 (m - M)^2 over 2, of means 0.1, 0.115 and 0.1 + y,
    # is (0.015^2 + y^2 + (y - 0.015)^2) / 3; they are the same at y = (0.03 + sqrt(0.0405)) / 4 = 0.0578115
    values = [0.07, 0.13, 0.085, 0.145, third - 0.03, third + 0.03]
    found = session_loss(values, [0, 0, 1, 1, 2, 2], Asked())
    assert found.components.between == pytest.approx(0.0018, rel=1e-3)
    assert found.components.block == pytest.approx(math.sqrt(0.0018))
    assert found.over_sessions is over
    assert found.estimate.method.startswith("over 3 sessions") is over
    assert found.estimate.doubts == ()  # they do not differ more than by chance, and nobody says so
    if not over:
        assert found.estimate == paired_loss(values)


def test_mean_squares_that_are_the_same_leave_the_interval_over_blocks() -> None:
    # means 2, -1, -1, 0 of two blocks each: 2 * 6 over 3; within 4 * 2^2 over 4; both are 4, and exactly so
    values = [at / 64 for at in (0, 4, -3, 1, -1, -1, 0, 0)]
    found = session_loss(values, [0, 0, 1, 1, 2, 2, 3, 3], Asked())
    assert (found.components.between, found.components.block) == (4 / 64**2, 2 / 64)
    assert (found.over_sessions, found.estimate) == (False, paired_loss(values))


@pytest.mark.parametrize(
    ("margin", "verdict"), [(0.0125, Verdict.EQUIVALENT), (0.01249, Verdict.INCONCLUSIVE)]
)
def test_sessions_without_a_loss_are_equivalent_within_the_margin(margin: float, verdict: Verdict) -> None:
    # means -0.005, 0, 0.005 of two blocks each, 0.0002 apart: between 2 * 5e-5 over 2; t(2) is 4.302653, so
    # the ends are 4.302653 sqrt(5e-5 / 6) = 0.012421 off: -0.012498 and 0.012344 as losses
    values = [d + side * 0.0001 for d in (-0.005, 0.0, 0.005) for side in (-1, 1)]
    found = session_loss(values, [0, 0, 1, 1, 2, 2], Asked(margin=margin)).estimate
    assert found.low == pytest.approx(-0.012498, abs=1e-6)
    assert found.verdict is verdict
    over_blocks = paired_loss(values, margin=0.001)
    assert over_blocks.blocks_more is not None
    narrow = session_loss(values, [0, 0, 1, 1, 2, 2], Asked(margin=0.001)).estimate
    assert (narrow.verdict, narrow.blocks_more) == (Verdict.INCONCLUSIVE, None)


def test_all_that_is_asked_reaches_the_interval_over_blocks() -> None:
    values = [0.1, 0.13, 0.11, 0.12, 0.14, 0.105]
    half = 2.015048 * math.sqrt(2) * 0.02  # t(5) at 90 %, of one session
    for looks in Looks:
        found = session_loss(values, [0] * 6, Asked(0.9, 0.3, Floor(0.02, 5), looks, 0.99))
        wanted = paired_loss(values, confidence=0.9, margin=0.3, floor=half, looks=looks, strictest=0.99)
        assert not found.over_sessions
        assert (found.estimate.low, found.estimate.high) == pytest.approx((wanted.low, wanted.high), rel=1e-6)
        assert (found.estimate.method, found.estimate.verdict) == (wanted.method, wanted.verdict)
        assert found.estimate.confidence == 0.9


@pytest.mark.parametrize(("beyond", "over"), [(0.9999, True), (1.0001, False)])
def test_sessions_count_beyond_a_known_floor_alone(beyond: float, *, over: bool) -> None:
    # the mean square between sessions is 0.0331, of blocks 0.0001; 3 blocks a session share twice sigma^2
    sigma = beyond * math.sqrt((0.0331 / stats.f.isf(0.01, 2, 6) - 0.0001) / (3 * 2))
    values, floor = [d for of in THREE.values() for d in of], Floor(sigma, 5)
    found = session_loss(values, SESSIONS, Asked(floor=floor))
    assert found.over_sessions is over
    wanted = session_loss(values, SESSIONS, Asked()).estimate
    if not over:
        # t(5) sqrt(2 / 3) sigma
        wanted = paired_loss(values, floor=2.570582 * math.sqrt(2 / 3) * sigma)
    assert (found.estimate.low, found.estimate.high) == pytest.approx((wanted.low, wanted.high), rel=1e-6)
    assert found.estimate.method == wanted.method


def test_a_floor_that_is_known_does_not_count_twice_where_sessions_count() -> None:
    values = [d for of in THREE.values() for d in of]
    one, other = (session_loss(values, SESSIONS, Asked(floor=f)).estimate for f in (None, Floor(0.001, 5)))
    assert (one.low, one.loss, one.high, one.method) == (other.low, other.loss, other.high, other.method)


@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_looked_at_after_every_block_the_wider_of_both_is_shown(confidence: float) -> None:
    values = [d for of in THREE.values() for d in of]
    once, every = (session_loss(values, SESSIONS, Asked(confidence, looks=looks)).estimate for looks in Looks)
    sequence = paired_loss(values, confidence=confidence, looks=Looks.EVERY)
    assert None not in (once.low, once.high, sequence.low, sequence.high)
    if confidence == 0.95:  # of three means the sequence knows no end yet
        assert (every.low, every.high, every.verdict) == (once.low, once.high, Verdict.INCONCLUSIVE)
        assert every.method.endswith("no verdict yet from a look after every block")
        return
    means = paired_loss([fmean(of) for of in THREE.values()], confidence=confidence, looks=Looks.EVERY)
    assert every.low == pytest.approx(min(means.low, sequence.low))  # type: ignore[type-var]
    assert every.high == pytest.approx(max(means.high, sequence.high))  # type: ignore[type-var]
    assert every.method.startswith("over 3 sessions: confidence sequence")


def test_seven_sessions_bring_a_verdict_at_a_look_from_the_sequence_of_their_means() -> None:
    values = [d + shift for shift in (0.10, 0.11, 0.12, 0.10, 0.11, 0.12, 0.11) for d in (-0.001, 0.0, 0.001)]
    sessions = [at // 3 for at in range(21)]
    few = session_loss(values[:12], sessions[:12], Asked(looks=Looks.EVERY)).estimate
    assert (few.verdict, few.method.endswith("look after every block")) == (Verdict.INCONCLUSIVE, True)
    found = session_loss(values, sessions, Asked(looks=Looks.EVERY)).estimate
    assert found.verdict is Verdict.LOSS
    means = paired_loss([0.10, 0.11, 0.12, 0.10, 0.11, 0.12, 0.11], looks=Looks.EVERY)
    assert (found.low, found.high) == (pytest.approx(means.low), pytest.approx(means.high))


def test_of_several_rows_judged_together_sessions_always_count_once_each() -> None:
    # alike on average: the mean square between is smaller than that of blocks, which alone takes that over
    # blocks
    values = [0.10, 0.12, 0.11, 0.10, 0.12, 0.1101, 0.10, 0.12, 0.1099]
    alone, together = (session_loss(values, SESSIONS, Asked(0.99, together=one)) for one in (False, True))
    assert (alone.over_sessions, together.over_sessions) == (False, True)
    known = session_loss(values, SESSIONS, Asked(0.99, floor=Floor(0.001, 5), together=True))
    assert not known.over_sessions


def test_sessions_bring_no_verdict_before_the_sequence_has_one() -> None:
    values, sessions = [0.10, 0.102, 0.12, 0.11], [0, 0, 1, 2]
    once, every = (session_loss(values, sessions, Asked(looks=looks)).estimate for looks in Looks)
    assert paired_loss(values, looks=Looks.EVERY).method.endswith(OPEN)
    assert (once.verdict, every.verdict) == (Verdict.LOSS, Verdict.INCONCLUSIVE)
    assert every.low is not None
    assert every.low > 0


def test_machines_count_once_with_their_margin_and_confidence() -> None:
    groups = {("m", "a"): [0.1, 0.2], ("m", "b"): [0.3], ("n", "a"): [0.3, 0.5]}
    found = level_loss(losses(groups), confidence=0.9, margin=0.3)
    wanted = paired_loss([0.2, 0.4], confidence=0.9, margin=0.3)
    assert (found.scope, found.level, found.sessions, found.machines) == ("fleet(2)", Level.MACHINE, 3, 2)
    assert (found.estimate.low, found.estimate.high) == pytest.approx((wanted.low, wanted.high))
    assert found.components.sessions == 2


@pytest.mark.parametrize("kind", list(ValueKind))
def test_totals_are_of_times_and_of_inverted_rates(kind: ValueKind) -> None:
    times = {"host": [2.0, 2.02, 1.99], "guest": [3.0, 3.01, 3.02]}
    runs = [
        run(block, arm, value if kind is ValueKind.TIME else 1 / value)
        for arm, values in times.items()
        for block, value in enumerate(values)
    ]
    found, wanted = ask(runs, kind).totals, ratio_of_totals(times["guest"], times["host"])
    assert found is not None
    assert wanted.finite
    assert (found.value, found.low, found.high) == pytest.approx((wanted.value, wanted.low, wanted.high))


def test_no_block_has_no_components() -> None:
    assert level_loss([]).components == Components(0, None, None, None)


def doubts(found: MeasuredLoss) -> dict[str, Raised]:
    return {doubt.code: doubt for doubt in found.doubts}


def test_blocks_of_one_arm_and_a_single_block_are_doubted_in_full() -> None:
    found = doubts(ask([*both(0), run(1, "host", 1.0)]))
    assert worded(found["incomplete-blocks"]) == Doubt(
        "incomplete-blocks",
        "1 block holds only one of the two arms: left out.",
        "See whether runs of one arm fail more often.",
    )
    assert worded(found["one-block"]) == Doubt(
        "one-block",
        "One block has no interval: its noise is not known.",
        "Measure both arms in at least 6 blocks, in random order.",
    )
    two = doubts(ask([*both(0), *both(3), run(1, "host", 1.0), run(2, "guest", 1.0)]))
    assert worded(two["incomplete-blocks"]).sentence == "2 blocks hold only one of the two arms: left out."
    assert "one-block" not in two
    assert not doubts(ask([*both(0), *both(1)]))


def test_a_scan_over_machines_or_sessions_is_doubted_in_full() -> None:
    runs = [one for b in range(3) for n in (10, 20) for one in both(b, n)]
    machines = doubts(ask([replace(one, machine=name) for name in "ab" for one in runs]))
    assert worded(machines["scan-over-machines"]).sentence == (
        "Fixed cost and cost per event are those of these machines alone, not of the fleet."
    )
    assert "scan-over-machines" not in doubts(ask(runs))
    apart = [
        run(b, arm, (a + n + 0.001 * b) * (1 + 0.2 * s * (arm == "guest")), session=str(s), events=n)
        for s in range(3)
        for b in range(3)
        for n in (10, 20)
        for arm, a in (("host", 5.0), ("guest", 7.0))
    ]
    sessions = ask(apart)
    assert sessions.loss.level is Level.SESSION
    assert worded(doubts(sessions)["scan-over-sessions"]).sentence == (
        "Fixed cost and cost per event have intervals over blocks, though that of the loss is "
        "over sessions: they may be too narrow."
    )
    one_size = ask([one for one in apart if one.events == 10])
    assert one_size.loss.level is Level.SESSION
    assert "scan-over-sessions" not in doubts(one_size)


def test_a_rate_s_scan_is_of_events_over_the_rate() -> None:
    runs = [run(b, arm, n / (a + c * n), events=n) for b in range(3) for n in (10, 20) for arm, a, c in LINES]
    found = ask(runs, ValueKind.RATE).scan
    assert found is not None
    assert found.fixed_cost_s is not None
    assert found.per_event_s is not None
    assert (found.fixed_cost_s.baseline.value, found.per_event_s.treatment.value) == pytest.approx((5.0, 1.5))
    assert (found.confidence, found.margin, found.blocks) == (0.95, 0.01, 3)


LINES = (("host", 5.0, 1.0), ("guest", 7.0, 1.5))


@pytest.mark.parametrize("more", [0, 1, 2])
@pytest.mark.parametrize("count", [1, 2, 60])
def test_the_typical_value_and_the_resolution_are_those_of_the_values_alone(count: int, more: int) -> None:
    chance = random.Random(count)
    runs = [
        run(str(at), arm, round(chance.gauss(20, 0.1), 2))
        for at in range(count)
        for arm in ("host", *["guest"] * (1 + more * (at == 0)))
    ]
    held = columns([*runs, run("x", "host", 20.0)] if more == 2 else runs)
    pairing = blocks.pair_runs(held, baseline="host", treatment="guest", kind=ValueKind.TIME)
    arms = (pairing.baseline.tolist(), pairing.treatment.tolist())
    assert pairing.typical == tuple(map(geometric_mean, arms))
    values = [held.value[held.arm.equal(arm)] for arm in ("host", "guest")]
    middles = measured._middles(values, pairing)
    assert (middles is None) == (more > 0 or count == 1)
    assert resolution_of(values[0], values[1], middles) == resolution_of(values[0], values[1])


def test_where_no_block_holds_both_arms_nothing_is_typical() -> None:
    held = columns([run("1", "host", 1.0), run("2", "guest", 2.0)])
    found = blocks.pair_runs(held, baseline="host", treatment="guest", kind=ValueKind.TIME)
    assert found.typical == (None, None)


@pytest.mark.parametrize(
    ("sizes", "sessions"), [((7, 7, 7), 3.0), ((19, 1), 400 / 362), ((10, 1, 1), 144 / 102), ((), 1.0)]
)
def test_unequal_sessions_average_less_of_what_their_blocks_share(
    sizes: tuple[int, ...], sessions: float
) -> None:
    labels = [at for at, size in enumerate(sizes) for _ in range(size)]
    assert effective(labels) == pytest.approx(sessions)


def test_one_more_block_on_another_day_hardly_lessens_the_floor() -> None:
    values = [0.05 + 0.01 * math.sin(7 * at) for at in range(20)]
    asked = Asked(floor=Floor(0.01))
    halves = []
    for labels in ([0] * 20, [0] * 19 + [1], [0] * 10 + [1] * 10):
        found = session_loss(values, labels, asked).estimate
        assert found.low is not None
        assert found.high is not None
        halves.append(found.high - found.low)
    assert halves[1] == pytest.approx(halves[0], rel=0.06)
    assert halves[2] < 0.8 * halves[0]
