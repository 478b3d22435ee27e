"""What guests whose data are at risk lose of acknowledged writes when QEMU is killed, after the confirmation.

Each kill is kept as soon as it is counted, and made once: a search that was cut off goes on with the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from assay.activities.events import Watcher
from assay.activities.plan.prepare import BOOT_S
from assay.activities.tuning.factors import hazards_of
from assay.activities.tuning.guests import CACHE, levels_of
from assay.activities.tuning.kills import Wanted, kill_guests
from assay.activities.tuning.scenes import tuned_guest
from assay.activities.tuning.searched import SAFE
from assay.activities.visits.remote import is_remote
from assay.factors.base.factor import Hazard
from assay.factors.catalogue import FACTORS
from assay.model.activity import ActivityPlan
from assay.model.errors import AssayError
from assay.model.files.activities import activity_folder
from assay.model.units import format_bytes, format_seconds
from assay.pages.tuning import ChangeSet, Kill, Killed, Tuning
from assay.scenes import Scene
from assay.store.record import read_activity

CURRENT = "current"
KILLS = 3
"""Of each guest."""
SOONEST_S, LATEST_S = 0.5, 3.0
"""From the first acknowledged record to the kill: tens of records under emulation, thousands with KVM."""
FAR = "its guests are on another machine, and QEMU is killed on this one only"


def count_lost(
    tuning: Tuning, scene: Scene, *, home: Path, watcher: Watcher, keep: Callable[[Tuning], Tuning]
) -> Tuning:
    """Kill QEMU under the guests of a search whose data are at risk, as far as that is left to do.

    Args:
        tuning: The search, with what was found and confirmed.
        scene: Its scene.
        home: Folder of all state.
        watcher: Is told of each act.
        keep: Keeps the search after each kill.

    Returns:
        The search with what was counted; as it was where no data are at risk.

    Raises:
        KeyboardInterrupt: Stopped; the rest can be made later.
        AssayError: Guests cannot be made here; the rest can be made later.
    """
    names = at_risk(tuning, levels_of(tuned_guest(scene)))
    if not names:
        return tuning
    plan = _plan(tuning, home)
    if not isinstance(plan, ActivityPlan):
        known = {one.name: one for one in tuning.killed}
        killed = (replace(known.get(name, Killed(name, ())), reason=plan) for name in names)
        return replace(tuning, killed=tuple(killed))
    count = _Count(tuning, names, keep, watcher)
    if left := count.left():
        seconds = format_seconds(left * (2 * BOOT_S + LATEST_S))
        watcher.step(f"lost writes of {len(names)} guests: {left} kills of QEMU left; about {seconds}")
    kill_guests(plan, count.following, count.done, home=home, watcher=watcher)
    return count.tuning


def at_risk(tuning: Tuning, current: Mapping[str, str]) -> tuple[str, ...]:
    """Return whose acknowledged writes are counted: the guest as it is, and change-sets with the cache mode
    changed or with a level that may put data at risk; none where there is no such guest.

    Args:
        tuning: The search, with what was found.
        current: Levels of the guest as it is.
    """
    sets = [
        one.name
        for one in tuning.found
        if one.changes and (CACHE in one.changes or _risks_data({**current, **one.changes}))
    ]
    return (CURRENT, *sets) if sets or _risks_data(current) else ()


def _risks_data(levels: Mapping[str, str]) -> bool:
    return any(
        Hazard.DATA in hazards_of(FACTORS[name], level) and not FACTORS[name].of_data
        for name, level in levels.items()
    )


def _plan(tuning: Tuning, home: Path) -> ActivityPlan | str:
    """Return the plan of the last step, whose arms are the guests; where it cannot be used, the reason."""
    try:
        plan = read_activity(activity_folder(home, tuning.runs[-1].activity))
    except AssayError as error:
        return error.message
    return FAR if any(map(is_remote, plan.arms)) else plan


def with_losses(tuning: Tuning) -> tuple[ChangeSet, ...]:
    """Return what was found, the safe change-set not recommended where it lost acknowledged bytes."""
    losers = {one.name: reason for one in tuning.killed if (reason := _refusal(one))}
    return tuple(
        replace(one, recommended=False, undecided=False, reason=losers[SAFE])
        if one.name == SAFE and one.confirmed and SAFE in losers
        else one
        for one in tuning.found
    )


def _refusal(killed: Killed) -> str:
    """Return why a guest keeps no data safe; empty where nothing speaks against it."""
    if killed.lost_bytes:
        return f"it lost {format_bytes(killed.lost_bytes)} of acknowledged writes when QEMU was killed"
    unread = [one for one in killed.kills if one.acknowledged_bytes is not None and not one.counted]
    return (
        f"acknowledged writes could not be read back after QEMU was killed: {unread[0].reason}"
        if unread
        else ""
    )


class _Count:
    """A search while its guests are killed."""

    def __init__(
        self, tuning: Tuning, names: tuple[str, ...], keep: Callable[[Tuning], Tuning], watcher: Watcher
    ) -> None:
        self.tuning = tuning
        self._names, self._keep, self._watcher = names, keep, watcher

    def left(self) -> int:
        """Return how many kills are left, if all come to one."""
        return sum(KILLS - len(kills) for kills in self._kills().values() if not _is_over(kills))

    def following(self) -> Wanted | None:
        """Return the kill that is next."""
        return next(self._wanted(), None)

    def _wanted(self) -> Iterator[Wanted]:
        levels = {name: level for level, name in enumerate(self.tuning.runs[-1].names)}
        for at, (name, kills) in enumerate(self._kills().items()):
            if not _is_over(kills):
                after_s = moment(self.tuning.seed, at, len(kills))
                yield Wanted(name, levels.get(name), len(kills), after_s)

    def done(self, wanted: Wanted, kill: Kill) -> None:
        """Keep what came of a kill."""
        kills = self._kills()
        kills[wanted.name] = (*kills[wanted.name], kill)
        killed = tuple(Killed(name, made) for name, made in kills.items() if made)
        self.tuning = self._keep(replace(self.tuning, killed=killed))
        if kill.reason:
            self._watcher.warn(f"what {wanted.name} loses is not counted: {kill.reason}")

    def _kills(self) -> dict[str, tuple[Kill, ...]]:
        made = {one.name: one.kills for one in self.tuning.killed}
        return {name: made.get(name, ()) for name in self._names}


def _is_over(kills: tuple[Kill, ...]) -> bool:
    """Tell whether a guest is done with: what does not come to a kill is not tried again."""
    return len(kills) >= KILLS or (kills != () and kills[-1].acknowledged_bytes is None)


def moment(seed: int, guest: int, number: int) -> float:
    """Return how long a guest writes before a kill, in seconds: the same for the same seed."""
    import numpy as np

    drawn = np.random.default_rng((seed, guest, number)).uniform(SOONEST_S, LATEST_S)
    return round(float(drawn), 3)
