"""Whether others leave the measured processors alone before a session begins, and before each visit."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from assay.activities.events import Watcher
from assay.activities.quiet_look import Look, Run, Spot
from assay.design.rerun import share_of
from assay.factors.base.number_lists import spell_numbers
from assay.model.activity import ActivityPlan
from assay.model.doubt import Raised, raised
from assay.model.errors import AssayError, Exit, MissingError
from assay.model.machines.machine import Machine, Reach
from assay.model.units import format_seconds
from assay.model.work.disturbance import Cause

_GOVERNOR = "host.governor"


VISITS_S = 30.0
"""Before a visit a machine on which something runs is looked at so seldom at most: a look takes a second."""


class NotQuietError(AssayError):
    """Others use a machine, and the scene wants it for itself."""

    exit_code = Exit.MISSING


def is_asked(plan: ActivityPlan) -> bool:
    """Tell whether machines are looked at for a plan."""
    return bool(plan.goal.wait_quiet_s or plan.goal.require_quiet)


def spots_of(plan: ActivityPlan, runs: Mapping[Machine, Run]) -> tuple[Spot, ...]:
    """Return the measured processors of each machine of a plan, to be looked at.

    Args:
        plan: The activity's plan.
        runs: What runs a command on each of its other machines that can be asked.

    Raises:
        MissingError: One cannot be looked at, and the plan wants all of them quiet.
    """
    if not is_asked(plan):
        return ()
    own = any(name == _GOVERNOR for arm in plan.arms for name, _ in arm.host_settings)
    cpus: dict[Machine, set[int]] = {}
    for arm in plan.arms:
        for one in arm.each_machine:
            cpus.setdefault(one.machine, set()).update(one.limits.cpus)
    spots = []
    for machine, measured in cpus.items():
        here = machine.reach is Reach.LOCAL
        if measured and (here or machine in runs):
            run = None if here else runs[machine]
            spots.append(Spot(machine.name, tuple(sorted(measured)), run, governed=not (here and own)))
        elif plan.goal.require_quiet:
            msg = f"cannot require a quiet machine: the measured processors of {machine.name} are not known"
            raise MissingError(msg, hint="leave 'require-quiet' out of the design")
    return tuple(spots)


def wait_quiet(
    plan: ActivityPlan,
    spots: Sequence[Spot],
    watcher: Watcher,
    *,
    patience_s: float | None = None,
    block: int | None = None,
) -> tuple[Raised, ...]:
    """Wait until others leave the measured processors alone, as long as the plan wants to wait.

    Args:
        plan: The activity's plan.
        spots: The processors, as of ``spots_of``.
        watcher: Is told that it waits.
        patience_s: What is left of the time that the plan gives; all of it where ``None``.
        block: The block whose visit is about to begin; ``None`` is the beginning of a session.

    Returns:
        What speaks against beginning now; none where the machines are quiet, or are not looked at.

    Raises:
        NotQuietError: One stays busy, and the plan wants them quiet.
        MissingError: A governor keeps one slow, and the plan wants them quiet.
        UnreachableError: One was lost.
    """
    goal = plan.goal
    patience_s = goal.wait_quiet_s if patience_s is None else patience_s
    if not spots:
        return ()
    seen = {spot.machine: [spot.look()] for spot in spots}
    deadline = time.monotonic() + patience_s
    if any(looks[-1].passing for looks in seen.values()) and patience_s:
        limit = format_seconds(patience_s)
        watcher.step(f"waiting for a quiet machine, {limit} at most: {_text(seen)}")
    while any(looks[-1].passing for looks in seen.values()) and time.monotonic() < deadline:
        for spot in spots:
            seen[spot.machine].append(spot.look())
    if all(looks[-1].quiet for looks in seen.values()):
        return ()
    if goal.require_quiet:
        act = "start" if block is None else f"go on with block {block}"
        msg = f"cannot {act}: the machine is not quiet, and the scene requires it ({_text(seen)})"
        if not any(looks[-1].passing for looks in seen.values()):
            raise MissingError(
                msg, hint="cpupower frequency-set -g performance, or host.governor in the scene"
            )
        raise NotQuietError(msg, hint=f"free it of other work, then: assay activity resume {plan.id}")
    return (raised("not-quiet", seen=_text(seen), block=block),)


def _text(seen: Mapping[str, Sequence[Look]]) -> str:
    """Say what was seen of the machines that are not quiet, by name where there are several."""
    busy = {name: others_text(looks) for name, looks in seen.items() if not looks[-1].quiet}
    return "; ".join(busy.values() if len(seen) == 1 else (f"{name}: {text}" for name, text in busy.items()))


def others_text(seen: Sequence[Look]) -> str:
    """Say what others did over all looks, the median and the most, and what else ran at the last."""
    return "; ".join(_others_clauses(seen))


def _others_clauses(seen: Sequence[Look]) -> Iterator[str]:
    for cause, who in (
        (Cause.FOREIGN_CPU, "others had"),
        (Cause.HOST_STEAL, "the host's own hypervisor took"),
    ):
        shares = [share_of(cause, one.over) for one in seen]
        if any(shares):
            most = f" (at most {max(shares):.0%})" if len(shares) > 1 else ""
            yield f"{who} {median(shares):.0%}{most} of the measured processors' time"
    last = seen[-1]
    if last.over.throttle_count:
        yield f"its processors slowed themselves down {last.over.throttle_count} times"
    if last.heat is not None and last.heat.is_near:
        yield f"a sensor is at {last.heat.temperature_c:.0f} °C, of {last.heat.limit_c:.0f} °C at most"
    if last.slow:
        cpus = "processor" if len(last.slow) == 1 else "processors"
        yield f"the governor powersave keeps {cpus} {spell_numbers(last.slow)} at the lowest frequency"
    yield f"load average {last.load:.1f}"
    if last.guests:
        yield f"{len(last.guests)} other guest{'' if len(last.guests) == 1 else 's'} running"
