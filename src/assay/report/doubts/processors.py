"""Doubts about the processors' time: jobs too short, waits, the kernel's share, steal, heat, a quota."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.explain.sanity.runs import Spread
from assay.explain.sanity.waits import Wait
from assay.model.doubt import Raised
from assay.report.doubts.spelled import extreme, percent, seconds, usual
from assay.report.doubts.wording import Wording, Wordings, wording_of

WAITED = tuple[str, Sequence[tuple[Wait, float]]]
"""An arm, and the seconds that its job waited, by what it waited for."""
WAITS: Mapping[Wait, str] = {
    Wait.QUOTA: "its CPU quota",
    Wait.PROCESSOR: "a processor",
    Wait.OWN_COPIES: "a processor among its own copies",
    Wait.BLOCK_IO: "block I/O",
}
STEPS: Mapping[Wait, str] = {
    Wait.QUOTA: "Raise the CPU quota, or take it as what is measured.",
    Wait.PROCESSOR: "End what else runs on these processors (see the doubt 'disturbed'), and measure again.",
    Wait.OWN_COPIES: "Run no more copies than processors, or take it as what is measured.",
    Wait.BLOCK_IO: "Add 'watch: [disks]' and compare throughput and latency of both arms.",
}
UNKNOWN = (
    "See what it waited for: add 'watch: [delay, pressure, disks]' and compare run-queue wait, "
    "I/O wait and throttled time of both arms."
)
PROFILE = (
    "Take a profile of the whole machine ('profile: {scope: machine}', as root) and look at the kernel's "
    "functions: locks of a file system show there; then move the scratch folder to another file system."
)


def _short_wall(
    workload: str, arm: str, wall_s: Spread, reasons: Sequence[Raised], enough_s: float
) -> Wording:
    reported = "; ".join(wording_of(CLAUSES, reason).sentence for reason in reasons)
    step = (
        f"Give {workload} more work, so that it takes at least "
        f"{enough_s:.3g} s (more events, a larger input), or set a shorter 'interval'."
    )
    return Wording(f"{workload} took {usual(wall_s, seconds)} on {arm}: {reported}.", step)


def _tick(tick_s: float, share: float) -> Wording:
    return Wording(f"a tick of {tick_s * 1000:.0f} ms is {share:.0%} of that")


def _samples(interval_s: float) -> Wording:
    return Wording(f"samples are {interval_s:.3g} s apart")


def _clock(known: Spread) -> Wording:
    reported = usual(known, lambda share: f"{share:.2%}")
    return Wording(f"over such a time its clock's rate is only known to {reported}")


def _copies_differ(workload: str, arm: str, fastest_s: float, slowest_s: float, apart: Spread) -> Wording:
    sentence = (
        f"The copies of {workload} on {arm} took {fastest_s:.4g} to {slowest_s:.4g} s, "
        f"{usual(apart, percent)} of their median apart: some of them had less of the "
        "machine."
    )
    step = (
        "Set 'placement: {pinning: each}' and compare the copies' processors and memory nodes in trial.json."
    )
    return Wording(sentence, step)


def _job_efficiency(
    workload: str, efficiencies: Sequence[tuple[str, Spread]], waits: Sequence[WAITED]
) -> Wording:
    shown = " and ".join(f"{usual(spread, percent)} on {arm}" for arm, spread in efficiencies)
    reported = "; ".join(f"{arm}: {', '.join(_waited(*one) for one in of)}" for arm, of in waits)
    waited = f" ({reported})" if reported else ""
    sentence = (
        f"{workload} had a job efficiency (CPU time over wall time × parallelism) of {shown}: it waited for "
        f"the rest{waited}."
    )
    return Wording(sentence, _longest(waits))


def _waited(what: Wait, length_s: float) -> str:
    return f"{seconds(length_s)} for {WAITS[what]}"


def _longest(waits: Sequence[WAITED]) -> str:
    """Return what to do about the longest wait."""
    candidates = [(length_s, WAITS[what], what) for _, of in waits for what, length_s in of]
    return STEPS[max(candidates)[2]] if candidates else UNKNOWN


def _system_share(workload: str, arm: str, share: Spread, arms: Sequence[tuple[str, float]]) -> Wording:
    head = f"{usual(share, percent)} of the CPU time of {workload} on {arm} was spent in the kernel"
    both = ", ".join(f"{percent(of_arm)} on {label}" for label, of_arm in arms)
    return Wording(f"{head} ({both})." if both else f"{head}.", PROFILE)


def _steal_disagrees(  # noqa: PLR0913, PLR0917 - both counts, where, and how far apart in all trials
    workload: str,
    arm: str,
    steal_s: float,
    waited_s: tuple[float, float],
    trial: str,
    apart_s: float,
    median_s: float,
    trials: int,
) -> Wording:
    low, high = waited_s
    several = f"; {apart_s:.3g} s apart there, {median_s:.3g} s in the median of {trials} trials"
    return Wording(
        f"{workload} on {arm}: its own kernel counted {steal_s:.3g} s of steal, while on the "
        "host its vCPUs waited "
        f"{low:.3g} to {high:.3g} s for a processor ({trial}{several if trials > 1 else ''})."
    )


def _heat(workload: str, arm: str, times: Spread, held_s: Spread | None) -> Wording:
    often = extreme(times, lambda number: f"{number:.0f} times")
    length = f", {extreme(held_s, seconds)} in all" if held_s else ""
    sentence = (
        f"Heat held a processor back {often}{length} in one trial of {workload} on "
        f"{arm}: the clock was not the nominal one."
    )
    step = (
        "Look at fans and inlet temperature, fix the frequency below the turbo range on both arms, and watch "
        "'frequency' and 'temperature'."
    )
    return Wording(sentence, step)


def _quota(workload: str, arm: str, stood_s: Spread, wall_s: float, quotas: Sequence[float]) -> Wording:
    known = f" of {', '.join(map(percent, quotas))}" if quotas else ""
    sentence = (
        f"{workload} on {arm} stood still for {usual(stood_s, seconds)} of {wall_s:.3g} s, summed over "
        f"processors, because its CPU quota{known} was used up."
    )
    step = (
        "If the quota is not what is to be measured, raise it (limits of the scene, cpu.max of the group, "
        "<cputune> of the domain) and compare again."
    )
    return Wording(sentence, step)


CLAUSES: Wordings = {
    "short-wall/clock": _clock,
    "short-wall/samples": _samples,
    "short-wall/tick": _tick,
}
"""What makes a job too short."""
WORDINGS: Wordings = {
    "copies-differ": _copies_differ,
    "job-efficiency": _job_efficiency,
    "short-wall": _short_wall,
    "steal-disagrees": _steal_disagrees,
    "system-share": _system_share,
    "throttled/heat": _heat,
    "throttled/quota": _quota,
}
