"""Doubts about trials: their clock, what was stolen from them, what disturbed their host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from assay.model.doubt import Raised
from assay.model.units import format_bytes
from assay.model.work.disturbance import Cause
from assay.report.doubts.spelled import percent
from assay.report.doubts.wording import Wording, Wordings, wording_of

SHARES: Mapping[Cause, str] = {
    Cause.FOREIGN_CPU: "others had {} of the measured processors' time",
    Cause.HOST_STEAL: "the host's own hypervisor took {} of the measured processors' time",
}
"""Causes that are measured as a share of the processors, each in words."""


def _clock_corrected(error: float, known: float) -> Wording:
    return Wording(
        f"The clock ran {error:+.3%} (known to {known:.3%}) off the host's: "
        "figures timed by it are corrected by that."
    )


def _clock_rate(error: float, known: float) -> Wording:
    return Wording(f"The clock ran {_off(error, known)}: figures timed by it are not used.")


def _clock_rate_unknown(error: float, known: float) -> Wording:
    reported = _off(error, known)
    return Wording(f"The clock may run off by more than 1 % ({reported}): figures timed by it are not used.")


def _off(error: float, known: float) -> str:
    return f"{error:+.2%} off the host's, known to {known:.2%}"


def _steal(share: float) -> Wording:
    return Wording(f"{share:.1%} of the processors' time was stolen from this machine by its own hypervisor.")


def _disturbed(disturbed: int, trials: int, causes: Sequence[Cause], found: Sequence[Raised]) -> Wording:
    reported = "; ".join(wording_of(CLAUSES, one).sentence for one in found)
    return Wording(f"The host was disturbed in {disturbed} of {trials} trials: {reported}.", _again(causes))


def _share(cause: Cause, shares: Sequence[float], worst: str) -> Wording:
    several = len(shares) > 1
    reported = (
        f"{median(shares):.0%} in the median and {max(shares):.0%} at most" if several else percent(shares[0])
    )
    where = f"{_times(cause, len(shares))}, {'worst in ' if several else ''}block {worst}"
    return Wording(f"{SHARES[cause].format(reported)} ({where})")


def _amount(cause: Cause, trials: int, amount: float | None, worst: str, usual: float | None) -> Wording:
    reported = f", {usual:.3g} in the median" if usual is not None else ""
    where = f"{'worst ' if trials > 1 else ''}in block {worst}{reported}"
    return Wording(f"{disturbance_text(cause, amount)} ({_times(cause, trials)}, {where})")


def _times(cause: Cause, trials: int) -> str:
    return f"{cause}, {trials} trial{'' if trials == 1 else 's'}"


def _disturbed_trial(found: Sequence[tuple[Cause, float | None]]) -> Wording:
    reported = "; ".join(f"{disturbance_text(cause, amount)} ({cause})" for cause, amount in found)
    return Wording(f"The host was disturbed meanwhile: {reported}.", _again([cause for cause, _ in found]))


def disturbance_text(cause: Cause, amount: float | None) -> str:
    """Return what disturbed a host, and by how much, a clause: ``the host swapped 300 pages``."""
    if cause in SHARES:
        return SHARES[cause].format(f"{amount:.1%}")
    if cause is Cause.SWAP:
        return f"the host swapped {amount} pages"
    if cause is Cause.CLOCK_STEP:
        return f"the host's clock was set by {amount:+.3g} s"
    if amount is None:
        return "a measured processor was held below base frequency"
    return f"a measured processor was slowed down {f'{amount} times' if amount != 1 else 'once'}"


def _again(causes: Sequence[Cause]) -> str:
    return (
        "Free the host of other work and measure again, or let such trials run again: "
        f"design: {{rerun: [{', '.join(causes)}]}}."
    )


def _collected_late() -> Wording:
    return Wording(
        "Its controller was cut off while it ran: the clock was compared over a longer time than the trial's."
    )


def _guest_not_watched(reason: str) -> Wording:
    return Wording(f"The guest was not watched on its host: {reason}.")


def _host_not_watched(reason: str) -> Wording:
    return Wording(f"The guest's host was not watched: {reason}.")


def _container_cpu_count(runtime: str, told_s: float, given_s: float) -> Wording:
    return Wording(
        f"Inside {runtime} the job was told {told_s:.3g} s of CPU time, and the machine gave all of the "
        f"container {given_s:.3g} s: figures of CPU time are not to be trusted on this arm, "
        "and no budget is made of them."
    )


def _late_start(late: Sequence[tuple[str, float]]) -> Wording:
    reported = ", ".join(f"{guest} by {late_s:.2f} s" for guest, late_s in late)
    return Wording(f"Guests were released later than asked: {reported}.")


def _cache_no_files(state: str) -> Wording:
    return Wording(f"Its files were to be {state} at the start, and it has none that could be.")


def _image_cache_state(resident_bytes: int) -> Wording:
    return Wording(
        f"Its files were to be cold on the host too, and {format_bytes(resident_bytes)} "
        "of the files below them (of a guest's image, of a server's data) were in the host's memory."
    )


CLAUSES: Wordings = {"disturbed/amount": _amount, "disturbed/share": _share}
"""What disturbed the host, and how much."""
WORDINGS: Wordings = {
    "cache-no-files": _cache_no_files,
    "clock-corrected": _clock_corrected,
    "clock-rate": _clock_rate,
    "clock-rate-unknown": _clock_rate_unknown,
    "collected-late": _collected_late,
    "container-cpu-count": _container_cpu_count,
    "disturbed/result": _disturbed,
    "disturbed/trial": _disturbed_trial,
    "guest-not-watched": _guest_not_watched,
    "host-not-watched": _host_not_watched,
    "image-cache-state": _image_cache_state,
    "late-start": _late_start,
    "steal": _steal,
}
