"""Guests of two sizes in one activity: the same work, one host, and what each of them weighs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.activities import evaluate, pages
from assay.cli.progress import watcher
from assay.model.goal import Goal
from assay.model.trial import Arm, Trial
from assay.pages.context import Page
from assay.scenes import Design, read_scene
from assay.store.record import read_trials
from assay.store.store import Store

pytestmark = [pytest.mark.live, pytest.mark.long]

MIB = 1 << 20
SCENE = b"""\
scene: sizes
title: Guests of two sizes
baseline: {machine: local}
treatment: {platform: guest, factors: {memory.size: [512 MiB, 1 GiB]}}
workloads:
  - {name: count, command: sysbench cpu --events=50 --time=0 run}
  - {name: write, command: dd if=/dev/zero of=data bs=1M count=8 conv=fsync}
"""


def once(home: Path) -> tuple[Page, tuple[Trial, ...]]:
    """Evaluate the scene with a single block: what is looked at needs no interval."""
    scene = replace(
        read_scene(SCENE, file="sizes.yaml"), design=Design(blocks=1, seed=1, goal=Goal(wait_quiet_s=0.0))
    )
    store = Store(home)
    plan = evaluate.prepare(scene, home=home, store=store, command=None)
    with watcher() as shown:
        evaluate.ensure_image(plan, home=home, watcher=shown)
        folder = evaluate.create(plan, home=home, store=store)
        evaluate.follow(plan, folder, home=home, store=store, watcher=shown)
    return pages.page_of(folder), tuple(read_trials(folder))


def test_guests_of_two_sizes_are_weighed_over_one_host_of_the_smaller_size(home: Path) -> None:
    page, records = once(home)
    assert page.result.state == "complete"
    hosts = {record.limits.memory_bytes for record in records if record.planned.arm is Arm.BASELINE}
    assert hosts == {512 * MIB}
    assert "larger-than-its-work" in {doubt.code for doubt in page.doubts}
    small, large = page.weights
    assert [(w.label, w.memory_bytes) for w in page.weights] == [
        ("memory.size 512 MiB", 512 * MIB),
        ("memory.size 1 GiB", 1024 * MIB),
    ]
    for weights in (small, large):
        first, last = weights.points
        assert (first.last, last.last) == (False, True)
        assert 0 < first.age_s < last.age_s
        assert first.touched_bytes <= weights.memory_bytes
        assert weights.beside_bytes is not None
        assert (weights.beside_bytes.value, weights.beside_bytes.low) == (last.beside_bytes, None)
        assert weights.beside_bytes.value > 10 * MIB  # QEMU's own code alone is more
        assert weights.other_cpu_share is not None
        assert 0 <= weights.other_cpu_share.value < 2
        assert weights.disk_bytes is not None
        assert weights.disk_bytes.value >= MIB
