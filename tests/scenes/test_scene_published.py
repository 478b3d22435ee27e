"""Published figures in scenes: what is read, what is refused, and that they are no part of what is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay.model.figures.published import PublishedSpec
from assay.scenes import (
    SceneError,
    Wanted,
    alter_scene,
    find_scene,
    publications,
    published_figures,
    read_scene,
    ready_names,
)
from assay.scenes.changes.write import write_scene
from assay.workloads import Sizes
from assay.workloads.command import with_job_time

HEAD = """scene: s
title: t
baseline: {machine: local}
treatment: {platform: guest}
workloads: [stream, {use: two-phase, parameters: {events: [1, 300]}}]
"""


def said(words: str) -> tuple[PublishedSpec, ...]:
    return read_scene(f"{HEAD}published: [{words}]".encode(), file="s.yaml").published


def test_a_scene_names_figures_and_what_they_stand_beside() -> None:
    (one,) = said(
        "{figures: juno-2017/memory-loss, beside: stream triad, differs: Another program., treatments: guest}"
    )
    assert one == PublishedSpec("juno-2017/memory-loss", ("stream triad",), ("guest",), "Another program.")


def test_figures_may_stand_beside_several_or_nothing() -> None:
    several, none = said(
        "{figures: cern-2015/host-model-gain, beside: [stream, two-phase-n300 cpu_time], turned: true}, "
        "{figures: ijclab-2022/score}"
    )
    assert (several.beside, several.turned) == (("stream", "two-phase-n300 cpu_time"), True)
    assert none == PublishedSpec("ijclab-2022/score")


def test_what_others_published_is_no_part_of_what_a_scene_asks() -> None:
    quick = find_scene("quick")
    assert quick.published
    assert replace(quick, published=(), takes_s=None).digest == quick.digest


def test_a_written_scene_says_the_same() -> None:
    scene = find_scene("cpu-model")
    again = read_scene(write_scene(scene).encode(), file="s.yaml")
    assert (again.published, again.takes_s) == (scene.published, scene.takes_s)
    assert scene.published
    assert scene.takes_s
    assert again.digest == scene.digest


def test_a_scene_that_was_altered_no_longer_says_how_long_it_takes() -> None:
    altered = alter_scene(find_scene("quick"), Wanted(blocks=9))
    assert altered.takes_s is None
    assert altered.published == find_scene("quick").published


def test_another_machine_in_the_place_of_the_guest_has_no_published_figures() -> None:
    assert alter_scene(find_scene("quick"), Wanted(against="node7")).published == ()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("{figures: juno-2017/cpuloss}",
        "expected the name of published figures, like 'juno-2017/cpu-loss', got"),
        ("{figures: juno-2017/cpuloss}", "nearest: 'juno-2017/cpu-loss'"),
        ("{figures: juno-2017/cpu-loss, beside: streem}",
        "expected a workload of this scene, got 'streem'; nearest: 'stream'"),
        ("{figures: juno-2017/cpu-loss, beside: [stream, stream]}", "or a list of different ones"),
        ("{figures: ijclab-2022/score, beside: stream}", "expected no 'beside' for figures of score"),
        ("{figures: juno-2017/kvm-memory-1-core, beside: stream}",
        "expected 'weight' of guests beside figures of memory"),
        ("{figures: juno-2017/evtrec-stable-from, beside: stream}",
        "expected a workload at several event numbers"),
        ("{figures: juno-2017/kvm-memory-1-core, beside: weight, turned: true}",
        "expected 'turned' for a loss or a gain"),
        ("{figures: juno-2017/cpu-loss, besides: stream}", "nearest: 'beside'"),
        ("{beside: stream}", "expected the key 'figures', got none"),
    ],
)  # fmt: skip
def test_what_cannot_stand_beside_each_other_is_refused_with_its_place(words: str, sentence: str) -> None:
    with pytest.raises(SceneError) as refused:
        said(words)
    assert sentence in str(refused.value)
    assert "s.yaml:6:" in str(refused.value)


def own_lists() -> Iterator[tuple[str, str | None]]:
    """Yield each ready scene, and each of its scales that has published figures of its own."""
    for name in ready_names():
        scene = find_scene(name)
        yield name, None
        for scale, _ in scene.scales:
            if find_scene(name, scale=scale).published != scene.published:
                yield name, scale


@pytest.mark.parametrize(("name", "scale"), list(own_lists()))
def test_the_figures_of_a_ready_scene_are_known_and_stand_beside_what_it_has(
    name: str, scale: str | None
) -> None:
    scene = find_scene(name, scale=scale)
    made = scene.prepare(Sizes(cpus=2, memory_bytes=2**31, cache_bytes=2**20))
    if any(guest.layout.stagger_s for guest in scene.guests):
        made = tuple(map(with_job_time, made))
    metrics = {
        f"{name} {metric.name}"
        for one in made
        for name in (one.name, re.sub(r"-[nc]\d+$", "", one.name))  # or its family's
        for metric in one.metrics
    }
    known = (
        metrics | {workload.name for workload in made} | {one.name for one in scene.workloads} | {"weight"}
    )
    for wanted in scene.published:
        assert set(wanted.beside) <= known
        assert wanted.differs, f"{wanted.figures} says nothing of what is not alike"
        figures = published_figures()[wanted.figures]
        assert figures[0].publication in publications()


def test_the_documented_scene_is_one() -> None:
    text = (Path(__file__).parents[2] / "docs" / "published.md").read_text()
    (source,) = re.findall(r"^```yaml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    (wanted,) = read_scene(source.encode(), file="my.yaml").published
    assert wanted.beside == ("detsim wall_time",)


def test_bonnie_s_figures_stand_beside_the_scales_alone_that_run_it() -> None:
    scene = find_scene("atlas-worker-node")
    for scale in (None, *(name for name, _ in scene.scales)):
        at = find_scene("atlas-worker-node", scale=scale)
        runs = any(chosen.name == "bonnie++" for chosen in at.workloads)
        assert any("bonnie" in one.figures for one in at.published) == runs, scale


def test_what_differs_in_proof_is_said_without_the_limit_of_one_scale() -> None:
    scene = find_scene("proof")
    assert not [one.differs for one in scene.published if "25 MB/s" in str(one.differs)]
    assert {find_scene("proof", scale=name).published for name, _ in scene.scales} == {scene.published}


def test_ijclab_s_score_stands_at_the_scales_of_hepscore_that_are_metal_against_two_guests() -> None:
    scales = [name for name, _ in find_scene("hepscore").scales]
    named = {
        name: {one.figures for one in find_scene("hepscore", scale=name).published}
        for name in (None, *scales)
    }
    ijclab = {"ijclab-2022/score", "ijclab-2022/wall-time"}
    assert named == {
        None: {"boss-2017/hepspec06-loss"},
        "minutes": {"boss-2017/hepspec06-loss"},
        "publication": set(),
        "guests": ijclab,
        "memory-nodes": ijclab,
        "thread-scan": set(),
    }


def test_metal_against_guests_is_said_to_differ_where_the_scale_has_no_guests_alone() -> None:
    for scale in (None, "minutes", "publication", "guests"):
        scene = find_scene("powheg-filesystem", scale=scale)
        (said,) = (one.differs for one in scene.published if one.figures == "ijclab-2022/wall-time")
        assert said is not None
        assert ("one file system against another" in said) == (not scene.guests), scale
