"""What disturbed the host while trials ran: how often, how much in the median and at worst."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from assay.design.rerun import find_disturbances, share_of
from assay.model.doubt import Raised, raised
from assay.model.trial import Trial
from assay.model.work.disturbance import Cause, HostOver

CODE = "disturbed"
SHARES = frozenset({Cause.FOREIGN_CPU, Cause.HOST_STEAL})
"""Causes that are measured as a share of the processors."""
SWAMPED = 0.5
"""From this share of the trials on a whole result is disturbed, and more blocks of the same would be, too."""


def is_swamped(records: Sequence[Trial]) -> bool:
    """Tell whether most of the trials whose host was read were disturbed."""
    read = [record for record in records if record.host is not None]
    return bool(read) and sum(map(_is_disturbed, read)) >= SWAMPED * len(read)


def disturbance(records: Sequence[Trial], doubtful: Sequence[Trial]) -> Raised | None:
    """Return the doubt of the trials that were disturbed, the median and the worst of them.

    Args:
        records: All trials.
        doubtful: Those that were disturbed.

    Returns:
        ``None`` where their records do not tell what the host did.
    """
    by_cause: dict[Cause, list[Trial]] = {}
    for record in doubtful:
        for one in find_disturbances(record.host) if record.host else ():
            by_cause.setdefault(one.cause, []).append(record)
    if not by_cause:
        return None
    return raised(
        "disturbed",
        case="result",
        disturbed=len(doubtful),
        trials=len(records),
        causes=tuple(by_cause),
        found=tuple(_of_cause(cause, trials) for cause, trials in by_cause.items()),
    )


def _of_cause(cause: Cause, trials: Sequence[Trial]) -> Raised:
    if cause not in SHARES:
        return _amounts(cause, trials)
    shares = tuple(share_of(cause, trial.host) for trial in trials if trial.host)
    return raised("disturbed", case="share", cause=cause, shares=shares, worst=_worst(cause, trials))


def _amounts(cause: Cause, trials: Sequence[Trial]) -> Raised:
    """Return what happened in the worst trial, and how much in the median."""
    known = [(_amount(cause, trial.host), trial) for trial in trials if trial.host]
    worst, trial = max(known, key=lambda one: one[0])
    usual = median(amount for amount, _ in known)
    amount = next(one.amount for one in find_disturbances(trial.host) if one.cause is cause)  # type: ignore[arg-type]
    return raised(
        "disturbed",
        case="amount",
        cause=cause,
        trials=len(trials),
        amount=amount,
        worst=_place(trial),
        usual=usual if usual != worst else None,
    )


def _amount(cause: Cause, host: HostOver | None) -> float:
    """Return what a cause that has no share of the processors is counted by."""
    if host is None:
        return 0.0
    counts = {
        Cause.THROTTLED: host.throttle_count,
        Cause.SWAP: host.swap_pages,
        Cause.CLOCK_STEP: abs(host.clock_step_s or 0.0),
    }
    return float(counts.get(cause) or 0.0)


def _worst(cause: Cause, trials: Sequence[Trial]) -> str:
    return _place(max(trials, key=lambda trial: share_of(cause, trial.host) if trial.host else 0.0))


def _place(trial: Trial) -> str:
    return f"{trial.planned.block}, {trial.planned.arm}, {trial.planned.workload}"


def _is_disturbed(record: Trial) -> bool:
    return record.host is not None and bool(find_disturbances(record.host))
