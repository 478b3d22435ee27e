"""A scene may ask for the total as its headline: from its file to the row."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from assay.design import plan_trials
from assay.design.blocks import Block, times_of
from assay.model.errors import AssayError
from assay.model.goal import Goal, Headline, Shape
from assay.model.metric import Direction
from assay.model.trial import Arm
from assay.report.tables.words import reading
from assay.results.outcome import build_page
from assay.scenes import SceneError, Wanted, alter_scene, read_scene
from assay.scenes.changes.write import write_scene
from tests.builders import plan_of, record_of
from tests.results.said_of import method_sentences

SCENE = """\
scene: total
title: A total
baseline: {machine: local}
treatment: {platform: guest, factors: {cpu.vcpus: auto, memory.size: 2 GiB, disk.cache: none}}
workloads: [{name: job, command: job}]
design: {DESIGN}
"""
RATES = (100.0, 90.0, 100.0, 91.0, 100.0, 30.0)


def scene(design: str) -> bytes:
    return SCENE.replace("DESIGN", design).encode()


def test_a_scene_asks_for_it_is_written_with_it_and_has_another_digest() -> None:
    typical = read_scene(scene("blocks: 6"), file="a.yaml")
    total = read_scene(scene("blocks: 6, headline: total"), file="a.yaml")
    assert (typical.design.goal.headline, total.design.goal.headline) == (Headline.TYPICAL, Headline.TOTAL)
    assert (
        typical.digest
        == read_scene(scene("blocks: 6, headline: typical"), file="a.yaml").digest
        != total.digest
    )
    assert read_scene(write_scene(total).encode(), file="a.yaml").design == total.design
    assert alter_scene(total, Wanted(blocks=7)).design.goal.headline is Headline.TOTAL


def test_it_is_refused_where_an_activity_may_end_at_every_look() -> None:
    with pytest.raises(
        SceneError, match=re.escape("a.yaml:6:40: expected 'blocks', a fixed number, or 'precision'")
    ):
        read_scene(scene("maximum-blocks: 20, headline: total"), file="a.yaml")
    read_scene(scene("precision: 1 %, headline: total"), file="a.yaml")
    total = read_scene(scene("blocks: 6, headline: total"), file="a.yaml")
    with pytest.raises(AssayError, match="cannot change the scene total: its headline is the total"):
        alter_scene(total, Wanted(maximum_blocks=20))


def test_times_are_those_of_the_same_work() -> None:
    blocks = [Block(0, (4.0, 2.0), 5.0), Block(1, (4.0,), None), Block(2, (0.0,), 5.0)]
    assert times_of(blocks, Direction.LOWER) == [(3.0, 5.0)]
    assert times_of(blocks, Direction.HIGHER) == [(pytest.approx((1 / 4 + 1 / 2) / 2), 1 / 5)]


def test_the_row_the_method_and_the_reading_are_of_the_total() -> None:
    trials = plan_trials(("spin",), blocks=6, seed=1, shape=Shape.PAIRS)
    records = [record_of(p, 100.0 if p.arm is Arm.BASELINE else RATES[p.block], usage=None) for p in trials]
    typical = plan_of(trials, goal=Goal(shape=Shape.PAIRS))
    total = replace(typical, goal=replace(typical.goal, headline=Headline.TOTAL))
    pages = [build_page(plan, records) for plan in (typical, total)]
    losses = [page.estimates[0].loss for page in pages]
    assert losses[1] == pytest.approx(1 - 0.06 / sum(1 / rate for rate in RATES))
    assert losses[0] < losses[1]  # type: ignore[operator]
    assert "ratio of totals with Fieller's interval" in pages[1].estimates[0].method
    assert any(line.startswith("loss is that of the total of all blocks") for line in reading(pages[1]))
    assert not any("total" in line for line in reading(pages[0]))
    said = " ".join(method_sentences(total, records))
    assert "Loss is 1 - 1/slowdown of the total: the ratio of the sums of the times" in said
    assert "typical run" not in said


def test_times_of_both_arms_are_means_over_their_trials() -> None:
    block = Block(0, (1.0, 5.0), 5.0**0.5, treated=(1.0, 5.0))
    assert times_of([block], Direction.LOWER) == [(3.0, 3.0)]
    assert times_of([block], Direction.HIGHER) == [(0.6, 0.6)]
