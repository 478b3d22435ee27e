"""Scales of a scene: their words stand in the place of its own, each is checked, and each is a scene of its
own.
"""

from __future__ import annotations

import pytest

from assay.model.errors import Exit, UnknownNameError
from assay.model.platforms.layout import label_of
from assay.scenes import (
    Ready,
    Scene,
    SceneError,
    Wanted,
    alter_scene,
    find_scene,
    list_scenes,
    read_scene,
)
from assay.workloads import Sizes

BASE = """\
scene: a
title: A
baseline: {machine: local}
treatment: {platform: guest, factors: {memory.size: 1 GiB}}
workloads: [flops, stream]
design: {blocks: 6, margin: 5 %}
"""
SCALES = """\
scales:
  minutes:
    about: three blocks of one workload
    workloads: [{use: flops, parameters: {runtime: 1 s}}]
    design: {blocks: 3}
  publication:
    about: a large guest
    treatment: {platform: guest, factors: {memory.size: 32 GiB}}
"""


def read(source: str = BASE + SCALES, *, scale: str | None = None) -> Scene:
    return read_scene(source.encode(), file="a.yaml", scale=scale)


def refuse(source: str, *, scale: str | None = None) -> str:
    with pytest.raises(SceneError) as refused:
        read(source, scale=scale)
    return refused.value.message


def test_a_scene_with_scales_is_the_same_scene_as_without() -> None:
    assert read().digest == read(BASE).digest
    assert read().scales == (("minutes", "three blocks of one workload"), ("publication", "a large guest"))


def test_words_of_a_scale_stand_in_the_place_of_the_scene_s() -> None:
    small, large = read(scale="minutes"), read(scale="publication")
    assert [workload.name for workload in small.workloads] == ["flops"]
    assert (small.design.blocks, small.design.margin) == (3, 0.02)
    assert small.guests == read().guests
    assert [guest.memory_bytes >> 30 for guest in large.guests] == [32]
    assert large.workloads == read().workloads


def test_each_scale_is_a_scene_of_its_own_that_its_text_repeats() -> None:
    scenes = [read(), read(scale="minutes"), read(scale="publication")]
    assert len({scene.digest for scene in scenes}) == 3
    for scene in scenes[1:]:
        again = read(scene.source)
        assert (again.digest, again.scale, again.scales) == (scene.digest, scene.scale, ())
        altered = alter_scene(scene, Wanted(blocks=9))
        assert (altered.scale, read(altered.source).design.blocks) == (scene.scale, 9)


def test_a_scale_that_says_what_the_scene_says_is_another_scene_by_its_name() -> None:
    same = BASE + "scales: {same: {about: nothing else, workloads: [flops, stream]}}\n"
    assert read(same, scale="same").digest != read(same).digest


def test_how_long_a_scene_takes_says_nothing_of_its_scales() -> None:
    timed = f"takes: 10 min\n{BASE}{SCALES}".replace("about: a large", "takes: 2 h\n    about: a large")
    assert [read(timed, scale=scale).takes_s for scale in (None, "minutes", "publication")] == [
        600,
        None,
        7200,
    ]


def test_an_unknown_scale_names_the_nearest_and_the_known() -> None:
    with pytest.raises(UnknownNameError) as refused:
        read(scale="minuts")
    assert (
        refused.value.message
        == "unknown scale of a 'minuts'; nearest: 'minutes' (known: minutes, publication)"
    )
    assert refused.value.exit_code is Exit.INPUT
    with pytest.raises(UnknownNameError, match=r"unknown scale of quick 'minutes' \(known: none\)"):
        find_scene("quick", scale="minutes")


@pytest.mark.parametrize(
    ("scales", "message"),
    [
        ("{small: {design: {blocks: 3}}}", "a.yaml:7:17: expected the key 'about', got none"),
        ("{small: {about: x}}", "expected words of a scene beside 'about' in the scale 'small', got none"),
        ("{Small: {about: x, watch: []}}",
        "expected a name of lower-case letters, digits and hyphens, a letter first, got 'Small'"),
        ("{small: {about: x, title: y}}",
         (
"expected one of about, baseline, treatment, treatments, workloads, design, placement, watch, "
"counters, usage, profile, interval, cache, data, takes, published, scripts, processors, threads, "
"controller, host-memory, needs, got the unknown key 'title'"
)),
        ("{small: {about: x, desing: {blocks: 3}}}", "got the unknown key 'desing'; nearest: 'design'"),
        ("{small: {about: x, design: {blocs: 3}}}", "got the unknown key 'blocs'; nearest: 'blocks'"),
        ("{small: {about: x, design: {blocks: 2}}}",
        "a.yaml:7:45: expected a whole number from 3 to 1000, got 2"),
        ("{small: {about: x, workloads: [flop]}}", "got 'flop'; nearest: 'flops'"),
        ("{small: {about: x, workloads: [flops, flops]}}",
        "a.yaml:7:47: expected each workload once, got 'flops' again"),
        ("{small: {about: x, workloads: [{name: a, command: a, metrics: {b: {pointr: /c}}}]}}",
        "nearest: 'pointer'"),
        ((
"{small: {about: x, treatment: {platform: guest, layout: {guests: 3}}, placement: {copies: 4}}}"
), "3"),
        ("[small]", "expected a mapping of words to values, got a list"),
    ],
)  # fmt: skip
def test_every_scale_is_checked_at_its_own_place(scales: str, message: str) -> None:
    assert message in refuse(f"{BASE}scales: {scales}\n")


def test_a_text_written_at_a_scale_has_no_scales_to_choose_from() -> None:
    said = refuse(f"scale: minutes\n{BASE}{SCALES}")
    assert said.startswith("a.yaml:1:1: expected 'scales' to choose from or the one 'scale'")


def test_ready_scenes_have_a_scale_of_minutes_and_one_of_the_publication() -> None:
    for name, _ in list_scenes():
        scales = [scale for scale, _ in find_scene(name).scales]
        assert not scales or {"minutes", "publication"} <= set(scales), name
    assert find_scene("event-scan").scales
    assert find_scene("consolidation").scales


def test_the_scales_of_the_event_scan_are_the_publication_s_range_and_less_than_the_scene() -> None:
    events, run = {}, {}
    for scale in (None, "minutes", "chain", "publication"):
        (chosen,) = find_scene("event-scan", scale=scale).workloads
        assert isinstance(chosen, Ready)
        events[scale], run[scale] = chosen.events, chosen.name
    assert (min(events["publication"]), max(events["publication"])) == (10, 4000)
    assert max(events["minutes"]) < max(events[None])
    assert run == dict.fromkeys((None, "minutes"), "two-phase") | dict.fromkeys(
        ("chain", "publication"), "chain-evtrec"
    )


def test_the_scales_of_consolidation_reach_the_publication_s_twelve_guests() -> None:
    large, evtrec, analysis = (
        find_scene("consolidation", scale=scale) for scale in ("publication", "evtrec", "analysis")
    )
    assert {guest.layout.guests for guest in large.guests} == {1, 2, 3, 4, 6, 12}
    assert {guest.layout.stagger_s for guest in large.guests} == {0.0, 300.0}
    assert [guest.layout for guest in analysis.guests] == [guest.layout for guest in evtrec.guests]
    every = (*large.workloads, *evtrec.workloads, *analysis.workloads)
    assert [one.name for one in every] == ["chain-detsim", "chain-evtrec", "chain-analysis"]
    assert {one.placement.copies for one in every} == {12}
    labels = {label_of(guest.layout, 12) for guest in large.guests}
    assert {label for one in large.published for label in one.treatments} <= labels


@pytest.mark.parametrize("scale", [None, "publication"])
def test_ways_to_start_are_measured_at_fewer_guests_than_the_most_too(scale: str | None) -> None:
    layouts = [guest.layout for guest in find_scene("consolidation", scale=scale).guests]
    for started in (
        {one.guests for one in layouts if one.stagger_s},
        {one.guests for one in layouts if one.preload},
    ):
        assert len(started) > 1
        assert started < {one.guests for one in layouts if not one.stagger_s and not one.preload}


@pytest.mark.parametrize(
    ("name", "scale"),
    [
        ("juno-software", "publication"),
        ("boss-tuning", "publication"),
        ("other-processor", "publication"),
        ("consolidation", "publication"),
        ("consolidation", "evtrec"),
        ("consolidation", "analysis"),
        ("atlas-worker-node", "gen-to-reco"),
    ],
)
def test_jobs_of_publications_take_ten_seconds_on_the_host(name: str, scale: str) -> None:
    made = find_scene(name, scale=scale).prepare(Sizes(cpus=12, memory_bytes=2**34, cache_bytes=2**20))
    assert all(one.seconds >= 10 for one in made), {one.name: one.seconds for one in made}
