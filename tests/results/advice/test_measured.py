"""What a setting was measured to win back: by its ablation, or by a treatment that differs in it alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.design import plan_trials
from assay.explain.advice.rules import REMEDIES
from assay.model.activity import ActivityPlan, PlannedArm, visits_of
from assay.model.platforms.layout import Layout
from assay.model.trial import Trial
from assay.model.work.page_cache import CacheState
from assay.pages.proof import AblationShare, Proof, ProofRow
from assay.results.advice.measured import Won, won_back
from assay.results.advice.situation import situation_of
from tests.results.advice.guests import plan_with, records_of, usage_with
from tests.results.advice.test_advised import page_of

BARE = plan_with().treatment


def on_host(**levels: str) -> PlannedArm:
    named = tuple((f"host.{name}", level) for name, level in levels.items())
    return replace(BARE, host_settings=named)


def with_memory(gib: int) -> PlannedArm:
    """Return a guest as the planner makes it: the limits of its trials have its memory, too."""
    assert BARE.guest is not None
    limits = replace(BARE.limits, memory_bytes=gib << 30)
    return replace(BARE, limits=limits, guest=replace(BARE.guest, memory_bytes=gib << 30))


def started(layout: Layout) -> PlannedArm:
    assert BARE.guest is not None
    cache = CacheState.WARM if layout.preload else None
    return replace(BARE, guest=replace(BARE.guest, layout=layout), cache=cache)


def sweep(one: PlannedArm, other: PlannedArm) -> ActivityPlan:
    arms = (replace(one, label="one"), replace(other, label="other"))
    trials = plan_trials(("spin",), blocks=5, seed=1, visits=visits_of(arms))
    return replace(plan_with(blocks=5), treatment=arms[0], more=arms[1:], trials=trials)


def faster(record: Trial) -> Trial:
    used = record.usage
    assert used is not None
    measured = tuple(replace(m, value=(m.value or 0) * 0.9) for m in record.measurements)
    return replace(record, measurements=measured, usage=replace(used, wall_s=used.wall_s * 0.9))


def won_in(plan: ActivityPlan, setting: str, folder: Path) -> Won | None:
    found = [
        faster(one) if one.platform and one.planned.level == 1 else one
        for one in records_of(plan, *usage_with("slower-cpu"))
    ]
    page = page_of(plan, found, folder)
    budget = next(one for one in page.budgets if one.treatment == "one")
    return won_back(plan, page, budget, *setting.split("=", 1))


@pytest.mark.parametrize(
    ("one", "other", "setting"),
    [
        (on_host(thp="madvise"), on_host(thp="always"), "host.thp=always"),
        (BARE, on_host(halt_poll_ns="200000"), "host.halt_poll_ns=200000"),
        (with_memory(2), with_memory(4), "memory.size=4 GiB"),
        (with_memory(2), with_memory(4), "memory.size=4096 MiB"),
        (started(Layout(2)), started(Layout(2, 10.0)), "start.stagger=10 s"),
        (started(Layout(2)), started(Layout(2, preload=True)), "start.preload=on"),
        (BARE, started(Layout(preload=True)), "start.preload=on"),
    ],
    ids=lambda one: one if isinstance(one, str) else None,
)
def test_what_a_sweep_tried_is_found_wherever_a_plan_has_it(
    one: PlannedArm, other: PlannedArm, setting: str, tmp_path: Path
) -> None:
    won = won_in(sweep(one, other), setting, tmp_path)
    assert won is not None
    assert won.how == "sweep"
    assert won.value == pytest.approx(4 / 4.5 - 4 / 5, abs=0.002)
    assert won.low is not None


@pytest.mark.parametrize(
    ("one", "other", "setting"),
    [
        (BARE, on_host(thp="always", ksm="0"), "host.thp=always"),
        (on_host(thp="always"), on_host(thp="always"), "host.thp=always"),
        (
            with_memory(2),
            replace(with_memory(4), host_settings=(("host.thp", "always"),)),
            "memory.size=4 GiB",
        ),
        (with_memory(2), with_memory(3), "memory.size=4 GiB"),
        (started(Layout(2)), started(Layout(2, 10.0, preload=True)), "start.preload=on"),
        (started(Layout(2)), started(Layout(4, preload=True)), "start.preload=on"),
    ],
    ids=lambda one: one if isinstance(one, str) else None,
)
def test_a_treatment_that_differs_in_more_tells_nothing(
    one: PlannedArm, other: PlannedArm, setting: str, tmp_path: Path
) -> None:
    assert won_in(sweep(one, other), setting, tmp_path) is None


@pytest.mark.parametrize(
    ("ablation", "setting", "guest", "known"),
    [
        ("memory", "memory.size=4 GiB", {}, True),
        ("huge-pages", "memory.hugepages=2 MiB", {}, True),
        ("native-network", "net.model=virtio", {"net.model": "e1000"}, True),
        ("native-network", "net.model=virtio", {"net.model": "e1000", "net.backend": "user"}, False),
        ("preload", "start.preload=on", {}, False),
        ("stagger", "start.stagger=10 s", {}, False),
        ("disk-cache", "disk.cache=writeback", {}, False),
        ("cpu-quota", "cpu.quota=none", {"cpu.quota": "50 %"}, False),
    ],
)
def test_an_ablation_counts_for_the_setting_that_it_is(
    ablation: str, setting: str, guest: dict[str, str], known: bool, tmp_path: Path
) -> None:
    plan = plan_with(guest)
    page = page_of(plan, records_of(plan, *usage_with("slower-cpu")), tmp_path)
    share = AblationShare(ablation, 0.015, 0.01, 0.02, "caused")
    row = ProofRow("spin", "wall_time", None, (share,), None, (), None)
    proof = Proof("0123abcd", "complete", 3, 0.95, (), (), "design", (), (row,))
    won = won_back(plan, replace(page, proof=proof), page.budgets[0], *setting.split("=", 1))
    assert (won is not None) is known


def test_guests_that_share_memory_are_advised_twice_what_they_have_together(tmp_path: Path) -> None:
    plan = plan_with(guests=2)
    found = records_of(plan, *usage_with("memory-limit"))
    half = [
        replace(one, platform=one.platform and replace(one.platform, memory_bytes=1 << 30)) for one in found
    ]
    situation = situation_of(plan, half, page_of(plan, half, tmp_path).budgets[0], tmp_path)
    assert situation is not None
    size = next(remedy for remedy in REMEDIES if remedy.factor == "memory.size")
    assert (situation.memory_bytes, size.level_for(situation)) == (1 << 30, "4 GiB")
