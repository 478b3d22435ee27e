"""Names for what a loss is made of, each with its figures and what to try next.

The rules and their figures: ``docs/explain.md``. A part of the budget is claimed by one cause at most: the
first rule that applies takes it, the special before the general.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from assay.explain import rules, rules_cpu
from assay.explain.budget import Budget, TimeShare
from assay.explain.evidence import Case, Claim, Seen
from assay.explain.split import REST, WHOLE, Category, Key

LEAST_SHARE = 0.1
"""A cause holds at least this share of the loss."""
CLEAR_SHARE = 0.5
"""A cause that holds as much is named even if its own interval still holds zero."""
FIRST = "init"
"""The phase that a cold start prolongs."""


@dataclass(frozen=True)
class Cause:
    """What a part of the loss is attributed to.

    Attributes:
        code: Stable word for programs.
        sentence: One sentence for people, with the figures that triggered it.
        next: What to try.
        contribution: Its part of the loss, in shares of the treatment's time.
        share: Its part of the loss, 1 = all of it.
        overlaps: It cuts the same loss another way: not to be added to the others.
    """

    code: str
    sentence: str
    next: str
    contribution: TimeShare
    share: float
    overlaps: bool = False


def causes(made: Budget, baseline: Seen, treatment: Seen) -> tuple[Cause, ...]:
    """Return the causes of a loss, the largest first; none where the loss's interval contains zero.

    They are attributed: counters show where time went, only an ablation shows what causes it.

    Args:
        made: The budget of the loss.
        baseline: Figures of the baseline.
        treatment: Figures of the treatment, for the same work.

    Source:
        The method of B. Gregg, "Thinking methodically about performance", ACM Queue 10 (2012): each
        resource by its utilization, saturation and errors.

    Limits:
        Rules of thumb on means over trials. Two causes in one category are told as the more special one.
    """
    if made.loss.low is None or made.loss.low <= 0:
        return ()
    attributed = [*_claimed(Case(made, baseline, treatment)), *_cold_start(made)]
    return tuple(sorted(attributed, key=lambda cause: -cause.contribution.value))


def _claimed(case: Case) -> Iterator[Cause]:
    free = set(Category)
    for rule in RULES:
        claim = rule(case)
        ours = free & set(claim.categories) if claim else set()
        if claim is None or not ours:
            continue
        cause = _cause(case.budget, claim, ours)
        if cause is not None:
            free -= ours
            yield cause


def _cause(made: Budget, claim: Claim, ours: set[Category]) -> Cause | None:
    """Return the cause of a claim; of several categories those count that grew."""
    grew = {category for category in ours if _of(made, {category}).value > 0}
    part = _of(made, grew)
    share = part.value / made.loss.value
    clear = part.low is not None and part.low > 0
    if share < LEAST_SHARE or not (clear or share >= CLEAR_SHARE):
        return None
    return Cause(claim.code, claim.sentence, claim.next, part, share)


def _of(made: Budget, categories: set[Category]) -> TimeShare:
    return made.sum_of(lambda key: key[1] in categories)


def _cold_start(made: Budget) -> Iterator[Cause]:
    """Yield a cause where the first phase, and not the work itself, is what takes longer."""
    phases = {part.phase for part in made.parts} - {WHOLE, REST}
    base = sum(p.baseline_s for p in made.parts if p.phase == FIRST)
    treated = sum(p.treatment_s for p in made.parts if p.phase == FIRST)
    if FIRST in phases and len(phases) > 1:
        cause = cold_start(made.sum_of(_first), made.loss, seconds=(base, treated))
        yield from () if cause is None else (cause,)


def cold_start(
    part: TimeShare, loss: TimeShare, *, seconds: tuple[float, float], whose: str = "the loss"
) -> Cause | None:
    """Return a cause where a job's first phase clearly holds most of a loss.

    Args:
        part: What it contributes.
        loss: The whole, above zero.
        seconds: Its length on the baseline and on the treatment.
        whose: What the whole is called.
    """
    share, (base, treated) = part.value / loss.value, seconds
    if share < CLEAR_SHARE or (part.low or 0) <= 0:
        return None
    sentence = (
        f"Initialization takes {treated:.3g} s instead of {base:.3g} s and holds {share:.0%} "
        f"of {whose}: with more events a job loses less."
    )
    step = "run more events in a job, or warm what it reads at its start: cache, images, preload"
    return Cause("cold-start", sentence, step, part, share, overlaps=True)


def _first(key: Key) -> bool:
    return key[0] == FIRST


RULES: Sequence[Callable[[Case], Claim | None]] = (
    rules.cpu_quota,
    rules.memory_limit,
    rules.cold_cache,
    rules.disk_throughput,
    rules.io_wait,
    rules.run_queue,
    rules_cpu.emulation,
    rules_cpu.slower_cpu,
    rules_cpu.kernel_time,
    rules.waiting,
)
"""In the order in which they claim parts."""
