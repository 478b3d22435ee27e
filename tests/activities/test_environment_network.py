"""The bench network is made for all guests of a plan."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.activities import environment
from assay.model.activity import PlannedGuest
from tests.builders import plan_of


def guest(**settings: str) -> PlannedGuest:
    levels = tuple((name.replace("_", ".", 1), level) for name, level in settings.items())
    return PlannedGuest(1, 1 << 30, "none", "0123", levels)


def made_for(monkeypatch: pytest.MonkeyPatch, home: Path, *guests: PlannedGuest | None) -> tuple[Any, Any]:
    """Return whether a network has a server on loopback, and its MTU; the first guest is the baseline."""
    plan = plan_of(())
    baseline, first, *more = (replace(plan.treatment, guest=one) for one in guests)
    plan = replace(plan, baseline=baseline, treatment=first, more=tuple(more))
    asked: dict[str, Any] = {}
    monkeypatch.setattr(environment, "bench_network", lambda **options: asked.update(options))
    environment.Environment(plan, home, None, None)._bench_network((0,))
    return asked["loopback"], asked["mtu"]


def test_a_plan_without_network_levels_has_a_plain_network(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert made_for(monkeypatch, tmp_path, None, guest()) == (False, 1500)


def test_any_level_of_a_sweep_may_ask_for_a_server_on_loopback_and_larger_packets(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    user, large = guest(net_backend="user"), guest(net_mtu="9000")
    assert made_for(monkeypatch, tmp_path, None, guest(), user, large) == (True, 9000)
    assert made_for(monkeypatch, tmp_path, large, guest()) == (False, 9000)
