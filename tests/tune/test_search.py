"""The search by ask and tell: its budget, what it recommends, and what it never does."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.tune.coding import coding_of
from assay.tune.model import Evaluations, fit
from assay.tune.outcome import both
from assay.tune.search import GIVE_UP, Direction, Search, Wanted, least_budget
from assay.tune.space import Space, TunedFactor
from tests.tune.landscapes import TEN, added, asked, run, searched, space_of

PAYS = added({(1, 1): -0.2, (6, 2): -0.1, (3, 1): 0.15})
INERT = added({})


@pytest.mark.parametrize("direction", Direction)
def test_what_pays_is_found_confirmed_and_told_by_its_size(direction: Direction) -> None:
    search = Search(space_of(TEN), Wanted(60, direction), seed=4)
    outcome = run(search, PAYS, noise=0.02, seed=4, rate=direction is Direction.HIGHER)
    assert (outcome.config[1], outcome.config[6], outcome.config[3]) == (1, 2, 0)
    assert outcome.low < 1 - math.exp(-0.3) < outcome.high
    assert outcome.pairs is not None
    assert outcome.pairs >= 4
    effects = {effect.factors: effect for effect in outcome.effects}
    assert effects[(1,)].low < 1 - math.exp(-0.2) < effects[(1,)].high
    assert effects[(6,)].low < 1 - math.exp(-0.1) < effects[(6,)].high
    assert len(search.told) <= 60


def test_where_nothing_pays_the_default_is_recommended_with_a_gain_of_0() -> None:
    for seed in range(3):
        outcome = run(Search(space_of(TEN), Wanted(48), seed=seed), INERT, noise=0.02, seed=seed)
        assert outcome.config == (0,) * 10
        assert (outcome.gain, outcome.low, outcome.high) == (0, 0, 0)


def test_two_changes_that_pay_only_together_are_named() -> None:
    def truth(config: tuple[int, ...]) -> float:
        return -0.2 if config[0] and config[1] else 0.05 * (config[0] + config[1])

    outcome = run(Search(space_of((2, 2, 3, 2)), Wanted(60), seed=2), truth, noise=0.01, seed=2)
    assert outcome.config[:2] == (1, 1)
    together = next(effect for effect in outcome.effects if effect.factors == (0, 1))
    assert together.low > 0


@settings(max_examples=15, deadline=None)
@given(
    counts=st.lists(st.integers(2, 3), min_size=1, max_size=4),
    budget=st.integers(2, 40),
    confirm=st.booleans(),
    failing=st.floats(0, 0.5),
    seed=st.integers(0, 1000),
)
def test_the_budget_is_never_exceeded_and_the_answer_is_a_configuration(
    counts: list[int], budget: int, confirm: bool, failing: float, seed: int
) -> None:
    search, rng = (
        Search(space_of(tuple(counts)), Wanted(budget, confirm=confirm), seed=seed),
        np.random.default_rng(seed),
    )
    while (ask := search.ask()) is not None:
        assert ask == search.ask()
        assert ask.number == len(search.told) + 1 <= budget
        assert len(ask.config) == len(counts)
        search.tell(None if rng.random() < failing else float(rng.lognormal()))
    outcome = search.outcome()
    assert all(0 <= level < count for level, count in zip(outcome.config, counts, strict=True))
    assert outcome.low <= outcome.gain <= outcome.high


def test_the_same_seed_and_answers_give_the_same_questions() -> None:
    first, again, other = (searched(TEN, PAYS, Wanted(40), seed=seed) for seed in (1, 1, 2))
    assert asked(first) == asked(again)
    assert asked(first) != asked(other)


def test_what_is_left_out_is_never_asked_for_nor_recommended() -> None:
    space = space_of((2, 3, 2), exclude=({0: 1, 1: 2},))
    search = Search(space, Wanted(30), seed=1)
    outcome = run(search, added({(0, 1): -0.1, (1, 2): -0.1}), noise=0.01)
    assert all((ask.config[0], ask.config[1]) != (1, 2) for ask in asked(search))
    assert (outcome.config[0], outcome.config[1]) != (1, 2)


def test_a_level_that_never_works_is_given_up() -> None:
    search = Search(space_of((2, 3, 3)), Wanted(40), seed=3)
    tried = 0
    while (ask := search.ask()) is not None:
        fails = ask.config[1] == 2
        tried += fails
        noise = 1 + 1e-4 * (ask.number % 3)
        search.tell(None if fails else 100 * noise * math.exp(-0.1 * ask.config[0]))
    assert tried == GIVE_UP
    assert search.outcome().config[:2] == (1, 0)


def test_a_change_that_brings_little_stays_where_the_rest_alone_has_failed() -> None:
    search, rng = Search(space_of((2, 2)), Wanted(40), seed=1), np.random.default_rng(1)
    while (ask := search.ask()) is not None:
        value = 100 * math.exp(-0.2 * ask.config[1] + rng.normal(0, 0.003))
        search.tell(None if ask.config == (0, 1) else value)
    outcome = search.outcome()
    assert outcome.config == (1, 1)
    assert outcome.low < 1 - math.exp(-0.2) < outcome.high
    assert [ask.config for ask in asked(search)].count((0, 1)) == 1


def test_where_nothing_pays_failures_do_not_keep_a_change() -> None:
    search, rng = Search(space_of((2, 2)), Wanted(40, confirm=False), seed=1), np.random.default_rng(1)
    while (ask := search.ask()) is not None:
        search.tell(None if sum(ask.config) == 1 else 100 * float(rng.lognormal(0, 0.003)))
    assert search.outcome().tried == (0, 0)


@settings(max_examples=20, deadline=None)
@given(
    counts=st.lists(st.integers(2, 3), min_size=1, max_size=4),
    budget=st.integers(9, 40),
    confirm=st.booleans(),
    failing=st.floats(0, 0.4),
    seed=st.integers(0, 1000),
)
def test_what_failed_is_neither_asked_for_again_nor_recommended(
    counts: list[int], budget: int, confirm: bool, failing: float, seed: int
) -> None:
    search = Search(space_of(tuple(counts)), Wanted(budget, confirm=confirm), seed=seed)
    rng, failed = np.random.default_rng(seed), set()
    while (ask := search.ask()) is not None:
        assert ask.config == search.space.default or ask.config not in failed
        fails = rng.random() < failing
        failed |= {ask.config} if fails else set()
        search.tell(None if fails else 100 * math.exp(-0.2 * ask.config[0] + rng.normal(0, 0.01)))
    config = search.outcome().config
    assert config == search.space.default or config not in failed


def _failing_once(config: tuple[int, ...], budget: int = 40) -> Search:
    """Return a search, at its end, in which a configuration fails when it is first confirmed."""
    search, rng = Search(space_of((3,)), Wanted(budget), seed=1), np.random.default_rng(1)
    fails = True
    while (ask := search.ask()) is not None:
        now = fails and ask.pair is not None and ask.config == config
        fails &= not now
        value = 100 * math.exp(-0.1 * ask.config[0] + rng.normal(0, 0.003))
        search.tell(None if now else value)
    assert not fails
    assert len(search.told) <= budget
    return search


def test_where_what_is_confirmed_fails_the_next_best_takes_its_place() -> None:
    outcome = _failing_once((2,)).outcome()
    assert outcome.config == (1,)
    assert outcome.pairs == 4


def test_a_pair_whose_default_failed_is_made_anew() -> None:
    outcome = _failing_once((0,)).outcome()
    assert outcome.config == (2,)
    assert outcome.pairs == 4


def test_where_too_little_is_left_to_confirm_another_it_is_not_begun() -> None:
    search = _failing_once((2,), budget=10)
    assert search.outcome().config == (0,)
    assert sum(ask.pair is not None for ask in asked(search)) <= 2


def test_a_default_that_never_works_ends_it() -> None:
    search = Search(space_of((2, 2)), Wanted(40))
    while (ask := search.ask()) is not None:
        search.tell(None if ask.config == (0, 0) else 1.0)
    assert len(search.told) == GIVE_UP
    assert not search.has_default


def test_an_outlier_is_no_gain() -> None:
    rng = np.random.default_rng(1)
    search = Search(space_of((2,) * 6), Wanted(60), seed=1)
    while (ask := search.ask()) is not None:
        lucky = ask.number in (7, 15)
        search.tell(100 * float(rng.lognormal(0, 0.02)) * (0.5 if lucky else 1.0))
    assert search.outcome().gain == 0


def test_a_drift_is_no_effect() -> None:
    search = Search(space_of((2,) * 6), Wanted(60), seed=5)
    while (ask := search.ask()) is not None:
        search.tell(100 * math.exp(-0.1 * (ask.config[0] == 1) + 0.004 * ask.number))
    outcome = search.outcome()
    assert outcome.config[0] == 1
    assert outcome.gain == pytest.approx(1 - math.exp(-0.1), abs=0.01)
    first, *others = outcome.effects
    assert first.low > 0.08
    assert all(abs(effect.effect) < 0.02 for effect in others)


def test_short_trials_come_first_and_what_they_add_is_no_effect() -> None:
    wanted = Wanted(48, fidelities=(1.0, 0.1))
    search, rng = Search(space_of(TEN), wanted, seed=2), np.random.default_rng(2)
    while (ask := search.ask()) is not None:
        short = ask.fidelity == 1
        log = PAYS(ask.config) * (0.7 if short else 1.0) + (0.5 if short else 0.0)
        search.tell(100 * math.exp(log + rng.normal(0, 0.02)))
    fidelities = [ask.fidelity for ask in asked(search)]
    assert fidelities[:10] == [1] * 10
    assert fidelities[-10:] == [0] * 10
    found = search.outcome().config
    assert (found[1], found[6], found[3]) == (1, 2, 0)


@pytest.mark.parametrize("budget", [20, 25, 30])
@pytest.mark.parametrize("counts", [(2,), (2, 3)])
@pytest.mark.parametrize(("full", "short"), [(0.02, -0.1), (-0.1, -0.1), (-0.1, 0.0)])
def test_what_short_trials_say_alone_is_no_gain(
    full: float, short: float, counts: tuple[int, ...], budget: int
) -> None:
    wanted = Wanted(budget, confirm=False, fidelities=(1.0, 0.1))
    search = Search(space_of(counts), wanted, seed=1)
    while (ask := search.ask()) is not None:
        search.tell(100 * math.exp((short if ask.fidelity else full) * (ask.config[0] == 1)))
    of_full = [ask.config for ask in asked(search) if ask.fidelity == 0]
    assert len(of_full) >= 2
    assert of_full[0] == search.space.default
    outcome = search.outcome()
    assert outcome.low <= max(0.0, -math.expm1(full)) + 1e-9
    if full > 0:
        assert outcome.config == search.space.default


def test_of_two_ways_that_are_as_good_the_cheaper_stays() -> None:
    factors = (TunedFactor("dear", (0, 1), cost=10.0), TunedFactor("cheap", (0, 1), cost=1.0))
    search = Search(Space(factors), Wanted(40), seed=1)
    outcome = run(search, lambda config: -0.2 if any(config) else 0.0, noise=0.003)
    assert outcome.config == (0, 1)


@pytest.mark.long
def test_a_large_space_is_searched_too() -> None:
    counts = (3,) * 14
    truth = added({(at, 1): -0.1 for at in range(0, 14, 2)})
    search = Search(space_of(counts), Wanted(90), seed=1)
    outcome = run(search, truth, noise=0.01)
    assert sum(outcome.config[at] == 1 for at in range(0, 14, 2)) >= 5
    assert outcome.gain > 0.35


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_a_value_that_is_none_is_refused(value: float) -> None:
    search = Search(space_of((2, 2)), Wanted(10))
    with pytest.raises(ValueError, match="nothing was asked"):
        search.tell(1.0)
    search.ask()
    with pytest.raises(ValueError, match="above 0"):
        search.tell(value)


def test_without_confirmation_the_search_itself_tells_the_gain() -> None:
    search = Search(space_of((2, 3, 2)), Wanted(30, confirm=False), seed=1)
    outcome = run(search, added({(1, 2): -0.2}), noise=0.01)
    assert outcome.config == (0, 2, 0)
    assert outcome.low < 1 - math.exp(-0.2) < outcome.high
    assert outcome.pairs is None
    assert all(one.ask.pair is None for one in search.told)


@pytest.mark.long
def test_what_pays_is_found_among_very_many_factors() -> None:
    space = space_of((4,) * 40)
    assert not coding_of(space).has_all_pairs
    search = Search(space, Wanted(150, confirm=False), seed=1)
    outcome = run(search, added({(0, 1): -0.3, (39, 3): -0.3}), noise=0.01)
    assert (outcome.config[0], outcome.config[39]) == (1, 3)


def test_very_many_evaluations_have_a_drift_in_spans() -> None:
    coding = coding_of(space_of((2, 2)))
    rng = np.random.default_rng(1)
    configs = rng.integers(0, 2, size=(1500, 2), dtype=np.int16)
    values = -0.1 * configs[:, 0] + 0.2 * np.sin(np.arange(1500) / 300) + rng.normal(0, 0.02, 1500)
    known = fit(coding, Evaluations(configs, values, np.zeros(1500, dtype=int)))
    gain, error = known.contrast(*both((0, 0), (1, 0)))
    assert gain == pytest.approx(0.1, abs=4 * error)
    assert error < 0.01


@pytest.mark.parametrize("direction", Direction)
def test_without_any_noise_the_gain_is_known_exactly(direction: Direction) -> None:
    search = Search(space_of((2, 2)), Wanted(40, direction), seed=1)
    outcome = run(search, added({(0, 1): -0.1}), noise=0, rate=direction is Direction.HIGHER)
    assert outcome.config == (1, 0)
    assert outcome.gain == pytest.approx(1 - math.exp(-0.1))
    assert outcome.low == outcome.high == outcome.gain
    assert outcome.reason == ""


@pytest.mark.parametrize("direction", Direction)
def test_without_any_noise_the_search_alone_knows_the_gain(direction: Direction) -> None:
    search = Search(space_of((2, 2)), Wanted(20, direction, confirm=False), seed=1)
    outcome = run(search, added({(0, 1): -0.1}), noise=0, rate=direction is Direction.HIGHER)
    assert outcome.config == (1, 0)
    assert outcome.low == outcome.high == outcome.gain == pytest.approx(1 - math.exp(-0.1))


def test_what_nothing_confirms_is_won_where_it_is_far_beyond_luck() -> None:
    wanted = Wanted(60, confirm=False)
    found = [
        run(Search(space_of((2,) * 4), wanted, seed=seed), INERT, noise=0.02, seed=seed) for seed in range(8)
    ]
    assert sum(one.low > 0 for one in found) <= 1
    outcome = run(Search(space_of((2,) * 4), wanted, seed=1), added({(1, 1): -0.2}), noise=0.02)
    assert outcome.config[1] == 1
    assert outcome.pairs is None
    assert outcome.low < 1 - math.exp(-0.2) < outcome.high


def test_without_any_noise_what_loses_is_not_recommended() -> None:
    search = Search(space_of((2, 2)), Wanted(40), seed=1)
    while (ask := search.ask()) is not None:  # a gain of the search alone
        search.tell(90.0 if ask.config[0] and ask.pair is None else 110.0 if ask.config[0] else 100.0)
    assert search.outcome().gain == 0


def test_pairs_that_agree_where_other_values_of_the_same_do_not_confirm_nothing() -> None:
    search = Search(space_of((2, 2)), Wanted(40), seed=1)
    while (ask := search.ask()) is not None:
        search.tell(99.0 if ask.config[0] else 100.0 + (ask.pair is None and ask.number % 2))
    outcome = search.outcome()
    assert (outcome.gain, outcome.tried[0]) == (0, 1)
    assert "agree to the last digit" in outcome.reason


@pytest.mark.parametrize("confirm", [True, False])
@pytest.mark.parametrize("budget", range(2, 31))
def test_a_large_effect_is_recommended_from_the_least_budget_on(budget: int, confirm: bool) -> None:
    search = Search(space_of((2,)), Wanted(budget, confirm=confirm), seed=budget)
    outcome = run(search, added({(0, 1): -0.3}), noise=0)
    assert len(search.told) <= budget
    enough = budget >= least_budget(confirm=confirm)
    assert outcome.config == (int(enough),)
    assert bool(outcome.reason) is not enough


def test_why_nothing_is_recommended_is_said() -> None:
    inert = Search(space_of((2, 2)), Wanted(40), seed=1)
    assert run(inert, INERT, noise=0).reason == "no change is thought to pay"
    few = Search(space_of((2,)), Wanted(8), seed=1)
    assert (
        run(few, added({(0, 1): -0.3}), noise=0).reason
        == "its gain is not confirmed: 0 whole pairs, 3 are needed"
    )
    unsure, rng = Search(space_of((2,)), Wanted(40), seed=1), np.random.default_rng(1)
    while (ask := unsure.ask()) is not None:
        won = 0.3 if ask.pair is None and ask.config[0] else 0.0
        unsure.tell(100 * math.exp(rng.normal(0, 0.02) - won))
    assert unsure.outcome().reason == "its gain is not confirmed: the interval holds 0"
