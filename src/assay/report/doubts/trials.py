"""Doubts about trials: their clock, what was stolen from them, what disturbed their host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from assay.model.doubt import Raised
from assay.model.work.disturbance import Cause
from assay.report.doubts.said import Said, Wordings, said
from assay.report.doubts.spelled import percent

SHARES: Mapping[Cause, str] = {
    Cause.FOREIGN_CPU: "others had {} of the measured processors' time",
    Cause.HOST_STEAL: "the host's own hypervisor took {} of the measured processors' time",
}
"""Causes that are measured as a share of the processors, each in words."""


def _clock_corrected(error: float, known: float) -> Said:
    return Said(
        f"The clock ran {error:+.3%} (known to {known:.3%}) off the host's: "
        "figures timed by it are corrected by that."
    )


def _clock_rate(error: float, known: float) -> Said:
    return Said(f"The clock ran {_off(error, known)}: figures timed by it are not used.")


def _clock_rate_unknown(error: float, known: float) -> Said:
    told = _off(error, known)
    return Said(f"The clock may run off by more than 1 % ({told}): figures timed by it are not used.")


def _off(error: float, known: float) -> str:
    return f"{error:+.2%} off the host's, known to {known:.2%}"


def _steal(share: float) -> Said:
    return Said(f"{share:.1%} of the processors' time was stolen from this machine by its own hypervisor.")


def _disturbed(disturbed: int, trials: int, causes: Sequence[Cause], found: Sequence[Raised]) -> Said:
    told = "; ".join(said(CLAUSES, one).sentence for one in found)
    return Said(
        f"The host was disturbed in {disturbed} of {trials} trials: {told}.",
        "Free the host of other work and measure again, or let such trials run again: "
        f"design: {{rerun: [{', '.join(causes)}]}}.",
    )


def _share(cause: Cause, shares: Sequence[float], worst: str) -> Said:
    several = len(shares) > 1
    told = (
        f"{median(shares):.0%} in the median and {max(shares):.0%} at most" if several else percent(shares[0])
    )
    where = f"{_times(cause, len(shares))}, {'worst in ' if several else ''}block {worst}"
    return Said(f"{SHARES[cause].format(told)} ({where})")


def _amount(cause: Cause, trials: int, said_of_worst: str, worst: str, usual: float | None) -> Said:
    told = f", {usual:.3g} in the median" if usual is not None else ""
    where = f"{'worst ' if trials > 1 else ''}in block {worst}{told}"
    return Said(f"{said_of_worst} ({_times(cause, trials)}, {where})")


def _times(cause: Cause, trials: int) -> str:
    return f"{cause}, {trials} trial{'' if trials == 1 else 's'}"


CLAUSES: Wordings = {"disturbed/amount": _amount, "disturbed/share": _share}
"""What disturbed the host, and how much."""
WORDINGS: Wordings = {
    "clock-corrected": _clock_corrected,
    "clock-rate": _clock_rate,
    "clock-rate-unknown": _clock_rate_unknown,
    "disturbed/result": _disturbed,
    "steal": _steal,
}
