"""What disturbed the host while trials ran: how often, how much in the median and at worst."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from assay.design.rerun import find_disturbances, share_of
from assay.model.doubt import Doubt
from assay.model.trial import Trial
from assay.model.work.disturbance import Cause, HostOver

CODE = "disturbed"
SHARES = {
    Cause.FOREIGN_CPU: "others had {} of the measured processors' time",
    Cause.HOST_STEAL: "the host's own hypervisor took {} of the measured processors' time",
}
"""Causes that are measured as a share of the processors, each in words."""
SWAMPED = 0.5
"""From this share of the trials on a whole result is disturbed, and more blocks of the same would be, too."""


def is_swamped(records: Sequence[Trial]) -> bool:
    """Tell whether most of the trials whose host was read were disturbed."""
    read = [record for record in records if record.host is not None]
    return bool(read) and sum(map(_is_disturbed, read)) >= SWAMPED * len(read)


def disturbance(records: Sequence[Trial], doubtful: Sequence[Trial]) -> Doubt | None:
    """Return the doubt of the trials that were disturbed, the median and the worst of them.

    Args:
        records: All trials.
        doubtful: Those that were disturbed.

    Returns:
        ``None`` where their records do not tell what the host did.
    """
    found: dict[Cause, list[Trial]] = {}
    for record in doubtful:
        for one in find_disturbances(record.host) if record.host else ():
            found.setdefault(one.cause, []).append(record)
    if not found:
        return None
    causes = ", ".join(found)
    sentence = (
        f"The host was disturbed in {len(doubtful)} of {len(records)} trials: {'; '.join(_said(found))}."
    )
    step = f"Free the host of other work and measure again, or let such trials run again: design: {{rerun: [{causes}]}}."
    return Doubt(CODE, sentence, step)


def _said(found: Mapping[Cause, Sequence[Trial]]) -> Iterator[str]:
    for cause, trials in found.items():
        shares = [share_of(cause, trial.host) for trial in trials if trial.host]
        times = f"{cause}, {len(trials)} trial{'' if len(trials) == 1 else 's'}"
        if cause in SHARES and len(shares) > 1:
            reported = f"{median(shares):.0%} in the median and {max(shares):.0%} at most"
            yield f"{SHARES[cause].format(reported)} ({times}, worst in block {_worst(cause, trials)})"
        elif cause in SHARES:
            yield f"{SHARES[cause].format(f'{shares[0]:.0%}')} ({times}, block {_worst(cause, trials)})"
        else:
            yield _amounts(cause, trials, times)


def _amounts(cause: Cause, trials: Sequence[Trial], times: str) -> str:
    """Say what happened in the worst trial, and how much in the median."""
    known = [(_amount(cause, trial.host), trial) for trial in trials if trial.host]
    worst, trial = max(known, key=lambda one: one[0])
    usual = median(amount for amount, _ in known)
    sentence = next(one.sentence for one in find_disturbances(trial.host) if one.cause is cause)  # type: ignore[arg-type]
    reported = f", {usual:.3g} in the median" if usual != worst else ""
    return f"{sentence} ({times}, {'worst ' if len(trials) > 1 else ''}in block {_place(trial)}{reported})"


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
