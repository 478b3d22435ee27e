"""How long a search takes: by what its visits took so far."""

from __future__ import annotations

from dataclasses import replace

from assay.activities.tuning.searched import confirmed_arms, fewest_of, kept_share, search_of
from assay.pages.tuning import Tuning, TuningRun
from assay.tune.search import Search

MOST = 10_000
"""Evaluations of a search and its confirmation."""


def within(budget_s: float, visit_s: float, least: int) -> int:
    """Return how many visits a time allows; never fewer than a search takes."""
    return min(MOST, max(least, int(budget_s / visit_s)))


def has_time(tuning: Tuning, together: int, *, mix: int) -> bool:
    """Tell whether the time allows another step, the confirmation after it, and what is kept to extend it.

    Args:
        tuning: The search.
        together: Configurations of the step beside the guest as it is.
        mix: Workloads of the confirmation.
    """
    if tuning.budget_s is None or not tuning.runs:
        return True
    one, search = _whole_visit_s(tuning), search_of(tuning)
    after = one * confirmed_arms(tuning) * blocks_of(tuning) * mix / len(tuning.workloads)
    step = (1 + together) * one * (tuning.short_cost if search.fidelity else 1.0)
    kept = kept_share(tuning) * tuning.budget_s
    return _spent_s(tuning) + step + after + kept <= tuning.budget_s


def room_blocks(tuning: Tuning) -> int:
    """Return how many further blocks of the confirmation the budget allows, with the check on a second
    machine still to come.

    Args:
        tuning: The search; its last activity is the confirmation, which has ended.
    """
    run = tuning.runs[-1]
    arms = 1 + len(run.configs)
    confirmed = sum(one.confirmed for one in tuning.found)
    check = 0 if tuning.also is None else (1 + confirmed) * blocks_of(tuning)
    if tuning.budget_s is None:
        done = sum((1 + len(one.configs)) * one.blocks for one in tuning.runs)
        left = tuning.evaluations - done - check
    else:
        visit_s = run.seconds / (run.blocks * arms)
        left = int((tuning.budget_s - _spent_s(tuning)) / visit_s) - check if visit_s else 0
    return max(0, left // arms)


def left_s(tuning: Tuning) -> float:
    """Return about how long the rest takes, in seconds: no longer than the budget."""
    search = search_of(tuning)
    done = sum((1 + len(run.configs)) * run.blocks for run in tuning.runs)
    left = tuning.evaluations - done
    short = min(left, max(0, search.shorts - len(search.told)))
    wanted = _whole_visit_s(tuning) * (left - short + short * tuning.short_cost)
    if tuning.budget_s is None:
        return wanted
    return min(wanted, max(0.0, tuning.budget_s - _spent_s(tuning)))


def by_what_visits_took(tuning: Tuning) -> Tuning:
    """Return a search of a given time with as many evaluations as its visits so far allow."""
    if tuning.budget_s is None or not _spent_s(tuning):
        return tuning
    mean_s = _whole_visit_s(tuning) * mean_cost(tuning)
    return replace(tuning, evaluations=within(tuning.budget_s, mean_s, fewest_of(tuning)))


def mean_cost(tuning: Tuning) -> float:
    """Return what a visit costs beside a whole one, on the average over all that a search may take."""
    search: Search = search_of(replace(tuning, runs=()))
    return 1 - (1 - tuning.short_cost) * search.shorts / tuning.evaluations


def blocks_of(tuning: Tuning) -> int:
    """Return the blocks of a confirmation."""
    return search_of(replace(tuning, runs=())).pairs


def _spent_s(tuning: Tuning) -> float:
    return sum(run.seconds for run in tuning.runs)


def _whole_visit_s(tuning: Tuning) -> float:
    """Return what a visit took in which workloads did all of their work; 0 before any."""
    visits = sum((1 + len(run.configs)) * run.blocks * _cost(tuning, run) for run in tuning.runs)
    return _spent_s(tuning) / visits if visits else 0.0


def _cost(tuning: Tuning, run: TuningRun) -> float:
    return 1.0 if run.share == 1 else tuning.short_cost
