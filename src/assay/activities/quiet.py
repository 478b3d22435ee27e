"""Whether others leave the measured processors alone before a session begins."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from assay.activities.events import Watcher
from assay.design.rerun import find_disturbances, is_read, share_of
from assay.machines.errors import CommandError
from assay.machines.host.counters import parse_cpu_ticks
from assay.machines.host.heat import SCRIPT, Heat, parse_heat, parse_throttles, read_heat
from assay.machines.host.reading import HostReading, host_over, read_host
from assay.model.activity import ActivityPlan
from assay.model.doubt import Raised, raised
from assay.model.errors import AssayError, Exit, MissingError
from assay.model.units import format_seconds
from assay.model.work.disturbance import Cause, HostOver

LOOK_S = 1.0
"""Time over which the processors are looked at; a hundred ticks of the kernel's accounting."""
LOOKED_AT = (Cause.FOREIGN_CPU, Cause.HOST_STEAL)
_FAR_S = 60.0
_FAR_SCRIPT = f"cat /proc/loadavg /proc/stat\n{SCRIPT}"
_TICK_S = 0.01
"""A tick of ``/proc/stat`` on x86-64 (``USER_HZ``), whatever the kernel's own clock."""
Run = Callable[..., bytes]
_EMULATORS = ("qemu-system", "qemu-kvm")
"""How the names of processes that run guests begin; the kernel cuts them after 15 bytes."""


class NotQuietError(AssayError):
    """Others use the machine, and the scene wants it for itself."""

    exit_code = Exit.MISSING


@dataclass(frozen=True)
class Look:
    """The machine for a moment, while nothing of the activity runs.

    Attributes:
        over: What its processors did.
        load: Load average of the last minute.
        guests: Names of processes that run guests.
        heat: The sensor that is nearest to its limit; ``None`` is "not told".
    """

    over: HostOver
    load: float
    guests: tuple[str, ...]
    heat: Heat | None = None

    @property
    def quiet(self) -> bool:
        """Others have no more than a trial may have beside it without being disturbed, and it is not hot."""
        return not (self.hot or any(one.cause in LOOKED_AT for one in find_disturbances(self.over)))

    @property
    def hot(self) -> bool:
        """A processor slowed itself down, or a sensor is near its limit."""
        return bool(self.over.throttle_count) or (self.heat is not None and self.heat.is_near)


def look(cpus: Sequence[int], *, root: Path = Path("/")) -> Look:
    """Look at some processors for a second.

    Args:
        cpus: Numbers of the processors.
        root: Where ``proc`` and ``sys`` are.
    """
    before = read_host(cpus, root=root)
    time.sleep(LOOK_S)
    over = host_over(before, read_host(cpus, root=root), cpus=tuple(cpus), used_s=0.0)
    return Look(over, os.getloadavg()[0], tuple(sorted(_guests(root / "proc"))), read_heat(root))


def far_look(cpus: Sequence[int], run: Run) -> Look:
    """Look at some processors of another machine for a second; what SSH takes of it meanwhile counts as
    others'.

    Args:
        cpus: Numbers of the processors.
        run: Runs a command there and returns what it printed (``probe.Door.run``).

    Raises:
        UnreachableError: It was lost.
    """
    before, _, _ = _far_reading(cpus, run)
    time.sleep(LOOK_S)
    after, load, heat = _far_reading(cpus, run)
    over = host_over(before, after, cpus=tuple(cpus), used_s=0.0)
    return Look(over, load, tuple(sorted(_far_guests(run))), heat)


def _far_reading(cpus: Sequence[int], run: Run) -> tuple[HostReading, float, Heat | None]:
    """Return what another machine's processors had so far, its load average of the last minute, its heat."""
    text = run(["sh", "-c", _FAR_SCRIPT], timeout_s=_FAR_S).decode(errors="replace")
    load, _, stat = text.partition("\n")
    lines = stat.splitlines()
    ticks = parse_cpu_ticks(stat, cpus)
    busy_s, steal_s = (None, None) if ticks is None else (ticks[0] * _TICK_S, ticks[1] * _TICK_S)
    first = load.split()[:1]
    loaded = float(first[0]) if first and first[0].replace(".", "", 1).isdecimal() else 0.0
    reading = HostReading(time.monotonic(), 0.0, busy_s, steal_s, parse_throttles(lines), None, None)
    return reading, loaded, parse_heat(lines)


def _far_guests(run: Run) -> Iterator[str]:
    try:
        names = run(["ps", "-e", "-o", "comm="], timeout_s=_FAR_S).decode(errors="replace")
    except (MissingError, CommandError):
        return
    yield from (name for name in names.split() if name.startswith(_EMULATORS))


def wait_quiet(
    plan: ActivityPlan, watcher: Watcher, *, patience_s: float | None = None, run: Run | None = None
) -> tuple[Raised, ...]:
    """Wait until others leave the measured processors alone, as long as the plan wants to wait.

    Args:
        plan: The activity's plan.
        watcher: Is told that it waits.
        patience_s: What is left of the time that the plan gives; all of it where ``None``.
        run: Runs a command on the other machine that all arms are on; ``None`` where they are on none.

    Returns:
        What speaks against beginning now; none where the machine is quiet, or is not looked at.

    Raises:
        NotQuietError: It stays busy, or cannot be looked at, and the plan wants it quiet.
    """
    goal = plan.goal
    patience_s = goal.wait_quiet_s if patience_s is None else patience_s
    if not (goal.wait_quiet_s or goal.require_quiet):
        return ()
    if not is_read(plan) and run is None:
        if goal.require_quiet:
            msg = (
                "cannot require a quiet machine: only one machine, on both sides, is looked at "
                "before a session"
            )
            raise NotQuietError(msg, hint="leave 'require-quiet' out of the design")
        return ()
    cpus = sorted({cpu for arm in plan.arms for cpu in arm.limits.cpus})
    looked = look if run is None else partial(far_look, run=run)
    seen = [looked(cpus)]
    deadline = time.monotonic() + patience_s
    if not seen[0].quiet and patience_s:
        watcher.step(
            f"waiting for a quiet machine, {format_seconds(patience_s)} at most: {others_text(seen)}"
        )
    while not seen[-1].quiet and time.monotonic() < deadline:
        seen.append(looked(cpus))
    if seen[-1].quiet:
        return ()
    if goal.require_quiet:
        msg = f"cannot start: the machine is not quiet, and the scene requires it ({others_text(seen)})"
        raise NotQuietError(msg, hint=f"free it of other work, then: assay activity resume {plan.id}")
    return (raised("not-quiet", seen=others_text(seen)),)


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
    yield f"load average {last.load:.1f}"
    if last.guests:
        yield f"{len(last.guests)} other guest{'' if len(last.guests) == 1 else 's'} running"


def _guests(proc: Path) -> Iterator[str]:
    for place in proc.glob("[0-9]*/comm"):
        try:
            name = place.read_text().strip()
        except OSError:  # it has ended
            continue
        if name.startswith(_EMULATORS):
            yield name
