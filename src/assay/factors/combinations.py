"""Which combinations of levels rules refuse: found by asking them, so that no list can differ
from the code.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, product

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Factor, Rule

_MOST = 3
"""Levels of so many factors are put together; no rule needs more to find a fault."""


@dataclass(frozen=True)
class Refused:
    """An example of a combination that is refused.

    Attributes:
        names: Factors without which the rule finds no fault, in its order.
        reason: What it says of the first levels that it refuses.
    """

    names: tuple[str, ...]
    reason: str


class _Watched(dict[str, str]):
    """Levels that remember which factors they were asked for."""

    def __init__(self, levels: Mapping[str, str], asked: dict[str, None]) -> None:
        super().__init__(levels)
        self._asked = asked

    def __getitem__(self, name: str) -> str:
        self._asked[name] = None
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self._asked[str(name)] = None
        return super().__contains__(name)

    def get(self, name: str, default: object = None) -> object:  # type: ignore[override]
        self._asked[name] = None
        return super().get(name, default)


def refused_together(factors: Mapping[str, Factor], rules: Iterable[Rule], host: Host) -> tuple[Refused, ...]:
    """Return what rules refuse on a host: one example for each set of factors, in the order of the rules.

    Args:
        factors: All factors by name; of each the levels worth trying are tried.
        rules: Called with levels of at most three factors, those that they ask for.
        host: Where they would be set.
    """
    return tuple(one for rule in rules for one in _of_rule(rule, factors, host))


def _of_rule(rule: Rule, factors: Mapping[str, Factor], host: Host) -> Iterator[Refused]:
    asked = _asked_by(rule, factors, host)
    refused: list[frozenset[str]] = []
    for size in range(1, _MOST + 1):
        for names in combinations(asked, size):
            if any(smaller <= set(names) for smaller in refused) or not set(names) & set(rule.factors):
                continue
            reason = next(_faults(rule, names, factors, host), None)
            if reason is not None:
                refused.append(frozenset(names))
                yield Refused(names, reason)


def _faults(rule: Rule, names: tuple[str, ...], factors: Mapping[str, Factor], host: Host) -> Iterator[str]:
    for levels in product(*(factors[name].levels.choices for name in names)):
        reason = rule.fault(dict(zip(names, levels, strict=True)), host)
        if reason:
            yield reason


def _asked_by(rule: Rule, factors: Mapping[str, Factor], host: Host) -> tuple[str, ...]:
    """Return the factors that a rule asks for, its own first; a rule is asked only with one of its own."""
    own = [name for name in rule.factors if name in factors]
    asked, done = dict.fromkeys(own), set[str]()
    while left := [name for name in asked if name in factors and name not in done]:
        done.update(left)
        for names in (dict.fromkeys(pair) for pair in product(own, left)):
            for levels in product(*(factors[name].levels.choices for name in names)):
                rule.fault(_Watched(dict(zip(names, levels, strict=True)), asked), host)
    return tuple(name for name in asked if name in factors)
