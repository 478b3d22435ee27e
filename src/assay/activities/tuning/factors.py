"""What may be changed of a guest: factors of the catalogue, the levels that can be had here, and combinations
that cannot.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

from assay.activities.tuning.guests import guest_with, levels_of
from assay.activities.visits.settings import check_drivers
from assay.factors.base.evidence import Host
from assay.factors.base.factor import Cost, Factor, Hazard
from assay.factors.catalogue import FACTORS, in_force, refused
from assay.factors.cpu.pin_sets import WORDS
from assay.factors.export.tuned import boot_word
from assay.factors.start.starts import AT_ONCE, STAGGER, TAKES_SEVERAL
from assay.model.errors import AssayError, UnknownNameError
from assay.pages.tuning import LeftOut, TriedFactor
from assay.scenes.checks.layout import PIN
from assay.scenes.values.scene import Guest

SIZES = ("cpu.vcpus", "memory.size", "memory.currentMemory", "disk.size", "disk.place")
"""What changes the size of a guest, or where it lies, and with it the work."""
OF_LEVEL: Mapping[str, Mapping[str, tuple[Hazard, ...]]] = {
    "disk.cache": {
        "none": (),
        "directsync": (),
        "writethrough": (Hazard.MIGRATION,),
        "writeback": (Hazard.MIGRATION,),
        "unsafe": (Hazard.DATA, Hazard.MIGRATION),
    }
}
"""What single levels may put at risk, where that is not all that their factor may."""
COST: Mapping[Cost, float] = {Cost.LIVE: 1.0, Cost.RESTART: 1.0, Cost.IMAGE: 2.0}
"""What a change costs beside others: of two settings as good the one that asks for less is taken."""
UNSET = ""
"""The level of a factor that is not set: its default holds."""


@dataclass(frozen=True)
class Allowed:
    """What may be had.

    Attributes:
        host: The machine that carries the guest.
        hazards: Hazards that may be taken.
        also: Other machines that must have it too, by name.
    """

    host: Host
    hazards: Collection[str] = ()
    also: Mapping[str, Host] = field(default_factory=dict)

    def whole(self, factor: Factor) -> str | None:
        """Return why a factor cannot be had at all; ``None`` where it can."""
        return factor.needs(self.host, None) or self._elsewhere(factor, None)

    def cannot(self, factor: Factor, level: str) -> str | None:
        """Return why a level cannot be had; ``None`` where it can."""
        if level == UNSET:
            return None
        if reason := factor.needs(self.host, level) or self._elsewhere(factor, level):
            return reason
        risks = [str(one) for one in hazards_of(factor, level) if one not in self.hazards]
        return f"it may put at risk: {', '.join(risks)} (--allow {','.join(risks)})" if risks else None

    def _elsewhere(self, factor: Factor, level: str | None) -> str | None:
        for name, host in self.also.items():
            if reason := factor.needs(host, level):
                return f"on {name}: {reason}"
        return None


@dataclass(frozen=True)
class Choice:
    """What may be changed of a guest.

    Attributes:
        factors: Those with two levels or more, in the order of the catalogue.
        exclude: Combinations that cannot be had: levels by factor.
        left_out: What is not tried, and why.
    """

    factors: tuple[TriedFactor, ...]
    exclude: tuple[Mapping[str, str], ...]
    left_out: tuple[LeftOut, ...]


def choice_of(
    guest: Guest,
    names: Sequence[str],
    given: Mapping[str, Sequence[str]],
    allowed: Allowed,
) -> Choice:
    """Return what may be changed of a guest on a host.

    Args:
        guest: The guest as it is.
        names: Names of factors, or groups of them.
        given: Levels of factors that are said by name.
        allowed: What may be had.

    Raises:
        UnknownNameError: A name is none.
        AssayError: Nothing can be changed.
    """
    chosen, host = _chosen(names, given), allowed.host
    current = levels_of(guest)
    left: list[LeftOut] = []
    factors = []
    fixed = {name: level for name, level in current.items() if name not in {one.name for one in chosen}}
    for factor in chosen:
        reason = _whole(factor, allowed) or _of_one(factor, guest)
        levels = () if reason else tuple(_levels(factor, current, given, allowed, left))
        levels = levels[:1] + tuple(_shareable(factor, levels[1:], guest, left))
        levels = levels[:1] + tuple(_driven(factor, levels[1:], guest, left))
        levels = levels[:1] + tuple(_fitting(factor, levels[1:], fixed, host, left))
        if len(levels) > 1:
            factors.append(_tried(factor, levels, host))
        else:
            boots = tuple(_boots(factor, given, allowed)) if factor.cost is Cost.REBOOT else ()
            left.append(LeftOut(factor.name, reason or "no other level of it can be had", boots))
    if not factors:
        reasons = "; ".join(f"{one.name}: {one.reason}" for one in left)
        msg = f"nothing to change: {reasons}"
        raise AssayError(msg, hint="assay factors list --here")
    return Choice(tuple(factors), tuple(_excluded(factors, current, host)), tuple(left))


def _chosen(names: Sequence[str], given: Mapping[str, Sequence[str]]) -> list[Factor]:
    groups = {factor.group for factor in FACTORS.values()}
    for name in (*names, *given):
        if name not in FACTORS and name not in groups:
            kind = "factor"
            raise UnknownNameError(kind, name, {*FACTORS, *groups}, hint="assay factors list")
    return [one for one in FACTORS.values() if one.name in {*names, *given} or one.group in names]


def _whole(factor: Factor, allowed: Allowed) -> str | None:
    """Return why a factor is not tried at all; ``None`` where it is."""
    if factor.name in SIZES:
        return "it changes the size of the guest or its place, and with it the work"
    if factor.of_data or factor.group in {"data", "scratch"}:
        return "it is how the data come: compare it by a scene"
    if factor.cost is Cost.REBOOT:
        return "it takes a reboot of the host, or a module loaded anew: change it yourself, and tune again"
    if factor.edit is None and factor.acts is None and not factor.of_start:
        return "it is not set by assay"
    return allowed.whole(factor)


def _boots(factor: Factor, given: Mapping[str, Sequence[str]], allowed: Allowed) -> Iterator[str]:
    """Yield what a host is to be booted with for each level that it has not; nothing where it has none."""
    if factor.needs(allowed.host, None) is not None:
        return
    for level in given.get(factor.name, factor.levels.choices):
        word = boot_word(factor.name, level)
        if word is not None and factor.needs(allowed.host, level) is not None:
            yield word


def _of_one(factor: Factor, guest: Guest) -> str | None:
    """Return why a factor of starts is not one of this guest's; ``None`` where it is."""
    apart = factor.of_start and factor.name not in levels_of(guest)
    return TAKES_SEVERAL if apart else None


def _shareable(factor: Factor, levels: Sequence[str], guest: Guest, left: list[LeftOut]) -> Iterator[str]:
    """Yield the levels that as many guests as there are can have."""
    count = guest.layout.guests
    for level in levels:
        if factor.name == AT_ONCE and int(level) >= count:
            reason = f"there are {count} guests: as many at once are {STAGGER}=0 s"
            left.append(LeftOut(f"{factor.name}={level}", reason))
        elif factor.name == PIN and count > 1 and level not in (*WORDS, UNSET):
            reason = "it would pin all guests to the same processors"
            left.append(LeftOut(f"{factor.name}={level}", reason))
        else:
            yield level


def _driven(factor: Factor, levels: Sequence[str], guest: Guest, left: list[LeftOut]) -> Iterator[str]:
    """Yield the levels for which the guest's kernel has a driver."""
    for level in levels:
        try:
            check_drivers(guest_with(guest, {factor.name: level}))
        except AssayError as error:
            left.append(LeftOut(f"{factor.name}={level}", error.message))
        else:
            yield level


def _levels(
    factor: Factor,
    current: Mapping[str, str],
    given: Mapping[str, Sequence[str]],
    allowed: Allowed,
    left: list[LeftOut],
) -> Iterator[str]:
    """Yield the levels of a factor that are tried, the one that holds first."""
    now = current.get(factor.name, UNSET)
    yield now
    wanted = list(given.get(factor.name, factor.levels.choices))
    if now != UNSET and factor.name not in given and _default(factor) not in wanted:
        wanted.append(UNSET)
    for level in wanted:
        if level == now or (now == UNSET and _holds(factor, level, allowed.host)):
            continue
        if reason := allowed.cannot(factor, level):
            left.append(LeftOut(f"{factor.name}={level}", reason))
        else:
            yield level


def _fitting(
    factor: Factor, levels: Sequence[str], fixed: Mapping[str, str], host: Host, left: list[LeftOut]
) -> Iterator[str]:
    """Yield the levels that go with what the guest has beside the factors that may be changed."""
    for level in levels:
        wrong = [one for one in refused(_set(fixed, {factor.name: level}), host) if level != UNSET]
        if wrong:
            left.append(LeftOut(f"{factor.name}={level}", wrong[0].reason))
        else:
            yield level


def _default(factor: Factor) -> str:
    """Return the default's level, where its clause begins with one."""
    return factor.default.partition(",")[0].partition(";")[0]


def _holds(factor: Factor, level: str, host: Host) -> bool:
    """Tell whether a level holds where nothing is said."""
    if factor.acts is not None and factor.edit is None:
        acts = factor.acts(host, level)
        return bool(acts) and all(in_force(act, host) for act in acts)
    return level == _default(factor)


def hazards_of(factor: Factor, level: str) -> tuple[Hazard, ...]:
    """Return what a level may put at risk."""
    if level == UNSET:
        return ()
    return OF_LEVEL.get(factor.name, {}).get(level, factor.hazards)


def _tried(factor: Factor, levels: tuple[str, ...], host: Host) -> TriedFactor:
    hazards = {level: tuple(map(str, hazards_of(factor, level))) for level in levels}
    known = factor.levels.choices if factor.of_host else ()
    held = next((level for level in known if _holds(factor, level, host)), UNSET)
    return TriedFactor(factor.name, levels, str(factor.cost), {k: v for k, v in hazards.items() if v}, held)


def _excluded(
    factors: Sequence[TriedFactor], current: Mapping[str, str], host: Host
) -> Iterator[Mapping[str, str]]:
    """Yield pairs of levels that rules refuse together, whatever level another factor has.

    What takes other levels of two factors or more is found where it is chosen (``may_be``).
    """
    for one, other in combinations(factors, 2):
        third = [{f.name: level} for f in factors if f not in (one, other) for level in f.levels[1:]]
        for pair in product(one.levels, other.levels):
            levels = {one.name: pair[0], other.name: pair[1]}
            if levels.items() <= _as_is(factors).items():
                continue
            if all(refused(_set(current, {**levels, **more}), host) for more in ({}, *third)):
                yield levels


def _as_is(factors: Sequence[TriedFactor]) -> dict[str, str]:
    return {factor.name: factor.levels[0] for factor in factors}


def _set(current: Mapping[str, str], levels: Mapping[str, str]) -> dict[str, str]:
    return {name: level for name, level in {**current, **levels}.items() if level != UNSET}


def may_be(current: Mapping[str, str], levels: Mapping[str, str], host: Host) -> bool:
    """Tell whether all levels of a configuration can be had together."""
    return not refused(_set(current, levels), host)
