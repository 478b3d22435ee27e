"""Layouts in a scene: what they make, what is refused, and the way back into a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from assay.model.errors import AssayError
from assay.model.platforms.layout import Layout
from assay.scenes import Scene, scene_schema
from assay.scenes.changes.ablate import can_stagger
from assay.scenes.changes.alter import Wanted, alter_scene
from assay.scenes.changes.write import write_scene
from assay.scenes.load import read_scene
from assay.scenes.text.errors import SceneError
from assay.scenes.values.scene import Guest

SCENE = """\
scene: layouts
title: Several guests
baseline: {{machine: local}}
treatment:
  platform: guest
  factors: {{cpu.vcpus: {vcpus}, memory.size: {memory}}}
  layout: {layout}
workloads: [{workload}]
placement: {{copies: {copies}}}
"""
DIGESTS = (
    "ccc75218bfdac59a20644e864cd292bf67dd24176f74b783266e172d65b617b5",
    "db5a415c903abf9fc4827205273a308581e67ec9bd26b472e01cdc874c05d74b",
)
"""Of two guests, and of ``ALL``, as they were before ``at-once``."""
ALL = "{guests: [1, 2, 4], stagger: [0 s, 5 s], preload: [false, true]}"


def scene_of(layout: str = ALL, **words: object) -> Scene:
    said = {"vcpus": "auto", "memory": "2 GiB", "workload": "two-phase", "copies": 4} | words
    return read_scene(SCENE.format(layout=layout, **said).encode(), file="my.yaml")


def faults(layout: str = ALL, **words: object) -> str:
    with pytest.raises(SceneError) as caught:
        scene_of(layout, **words)
    return str(caught.value)


def test_every_combination_is_a_treatment_and_one_guest_has_no_stagger() -> None:
    layouts = [guest.layout for guest in scene_of().guests]
    assert layouts[:2] == [Layout(1), Layout(1, preload=True)]
    assert len(layouts) == 10
    assert {layout.stagger_s for layout in layouts if layout.guests > 1} == {0.0, 5.0}


def test_a_list_says_which_combinations_are_looked_at() -> None:
    scene = scene_of("[{guests: [1, 4]}, {guests: 4, stagger: 5 s}, {guests: 4, preload: true}, {guests: 1}]")
    assert [guest.layout for guest in scene.guests] == [
        Layout(1),
        Layout(4),
        Layout(4, 5.0),
        Layout(4, preload=True),
    ]


def test_starts_at_once_are_one_more_list_and_each_way_to_start_is_made_once() -> None:
    scene = scene_of("{guests: [1, 2, 4], stagger: [0 s, 5 s], at-once: [1, 2]}")
    assert [guest.layout for guest in scene.guests] == [
        Layout(1),
        Layout(2),
        Layout(2, 5.0),
        Layout(4),
        Layout(4, 5.0),
        Layout(4, 5.0, at_once=2),
    ]
    assert scene_of("{guests: 4, stagger: 5 s, at-once: 4}").guests[0].layout == Layout(4)
    assert scene_of("{guests: 4, at-once: 2}").digest == scene_of("{guests: 4}").digest


def test_a_single_layout_is_no_sweep() -> None:
    scene = scene_of("{guests: 2, stagger: 500 ms}")
    assert scene.more == ()
    assert scene.guests[0].layout == Layout(2, 0.5)


@pytest.mark.parametrize(
    "layout",
    [
        ALL,
        "{guests: 2}",
        "[{guests: [2, 4], stagger: 90 s}, {guests: 1, preload: true}]",
        "{guests: 4, stagger: 5 s, at-once: [1, 2, 3]}",
        "[{guests: 4, stagger: 5 s, at-once: 2}, {guests: 4, stagger: 1 ms}]",
    ],
)
def test_a_scene_is_written_back_with_its_layouts(layout: str) -> None:
    scene = scene_of(layout)
    again = read_scene(write_scene(scene).encode(), file="my.yaml")
    assert again.guests == scene.guests
    assert again.digest == scene.digest


def test_a_scene_without_layouts_has_the_digest_that_it_had() -> None:
    plain = SCENE.replace("  layout: {layout}\n", "").format(
        vcpus=1, memory="1 GiB", workload="flops", copies=1
    )
    silent = scene_of("{guests: 1}", vcpus=1, memory="1 GiB", workload="flops", copies=1)
    assert read_scene(plain.encode(), file="my.yaml").digest == silent.digest
    assert '"layout"' not in write_scene(silent)


def test_scenes_with_layouts_have_the_digests_that_they_had_before_starts_at_once() -> None:
    assert scene_of("{guests: 2}").digest == DIGESTS[0]
    assert scene_of(ALL).digest == DIGESTS[1]
    together = scene_of("{guests: 4, stagger: 5 s, at-once: 2}")
    assert together.digest not in {
        scene_of("{guests: 4, stagger: 5 s}").digest,
        scene_of("{guests: 4}").digest,
    }
    assert '"at-once"' not in write_scene(scene_of(ALL))


BASELINE = SCENE.replace("{{machine: local}}", "{{machine: local, platform: guest, {base}}}")


def over(base: str, layout: str = "{guests: 2}", **words: object) -> Scene:
    said = {"vcpus": "2", "memory": "2 GiB", "workload": "two-phase", "copies": 4} | words
    return read_scene(BASELINE.format(base=base, layout=layout, **said).encode(), file="my.yaml")


@pytest.mark.parametrize(
    ("base", "layout"),
    [
        ("layout: {guests: 2}", Layout(2)),
        ("layout: {guests: 4, stagger: 5 s, at-once: 2}", Layout(4, 5.0, at_once=2)),
        ("layout: {preload: true}", Layout(preload=True)),
        ("layout: {guests: [2]}", None),
        ("factors: {cpu.vcpus: 2, disk.cache: unsafe}, layout: {guests: 2}", Layout(2)),
        ("start: boot", Layout()),
    ],
)
def test_a_baseline_of_several_guests_comes_back_from_its_text(base: str, layout: Layout | None) -> None:
    if layout is None:
        with pytest.raises(
            SceneError, match="expected one value of guests, since the baseline is one layout"
        ):
            over(base)
        return
    scene = over(base)
    assert scene.baseline_guest is not None
    assert scene.baseline_guest.layout == layout
    again = read_scene(write_scene(scene).encode(), file="my.yaml")
    assert again.baseline_guest == scene.baseline_guest
    assert again.guests == scene.guests
    assert again.digest == scene.digest
    assert ('"factors": {"cpu.vcpus": 2' in write_scene(scene).splitlines()[2]) is ("factors" in base)


def test_a_baseline_of_the_same_guests_is_the_treatment_against_itself() -> None:
    same = over("layout: {guests: 2}")
    assert same.baseline_guest == same.treatment
    assert same.digest != over("start: boot").digest
    assert same.digest != over("layout: {guests: 2, stagger: 5 s}").digest


@pytest.mark.parametrize(
    ("base", "words", "said"),
    [
        ("layout: {guests: 2}", {"vcpus": 3}, "expected a number of guests that divides cpu.vcpus (3), or"),
        ("layout: {guests: 3}", {}, "expected copies of two-phase that 3 guests can share evenly, got 4"),
        ("layout: {guests: 4}", {"memory": "512 MiB"}, "got 128 MiB (memory.size 512 MiB for 4)"),
        ("layout: {guests: 2}", {"memory": "2 GiB, cpu.vcpupin: '0/1'"}, "of 'cpu.vcpupin' where each guest"),
        ("layout: [{guests: 2}]", {}, "expected a mapping of words to values"),
        ("layout: {gests: 2}", {}, "expected one of guests, stagger, at-once, preload"),
        ("layout: {guests: 2, stagger: [0 s, 5 s]}", {}, "expected one value of stagger"),
    ],
)
def test_a_baseline_that_cannot_be_several_guests_is_refused(
    base: str, words: dict[str, object], said: str
) -> None:
    with pytest.raises(SceneError) as caught:
        over(base, "{guests: 1}", **words)
    assert said in str(caught.value)


def test_a_machine_as_baseline_has_no_layout() -> None:
    text = SCENE.replace("{{machine: local}}", "{{machine: local, layout: {{guests: 2}}}}")
    said = {"vcpus": 2, "memory": "2 GiB", "workload": "two-phase", "copies": 4, "layout": "{guests: 2}"}
    with pytest.raises(SceneError) as caught:
        read_scene(text.format(**said).encode(), file="my.yaml")
    assert "my.yaml:3:28: expected 'platform: guest' beside the baseline's 'layout'" in str(caught.value)


def test_copies_of_the_command_line_must_be_shared_by_a_baseline_too() -> None:
    with pytest.raises(AssayError, match="that 2 guests can share evenly, got 3"):
        alter_scene(over("layout: {guests: 2}", "{guests: 1}"), Wanted(copies=3))


def test_a_guest_as_baseline_is_one_guest() -> None:
    text = SCENE.replace("{{machine: local}}", "{{machine: local, platform: guest}}")
    scene = read_scene(
        text.format(layout="{guests: 2}", vcpus=2, memory="1 GiB", workload="two-phase", copies=2).encode(),
        file="my.yaml",
    )
    assert scene.baseline_guest == Guest(2, 1024**3)
    assert read_scene(write_scene(scene).encode(), file="my.yaml").baseline_guest == scene.baseline_guest


def test_guests_of_too_little_memory_are_refused_with_both_figures() -> None:
    assert "my.yaml:7:20: expected at least 256 MiB of memory for each guest, got 128 MiB" in faults(
        memory="512 MiB"
    )


def test_cores_that_the_guests_cannot_share_evenly_are_refused() -> None:
    assert "expected a number of guests that divides cpu.vcpus (3), or a larger one, got 2" in faults(vcpus=3)


def test_copies_that_the_guests_cannot_share_evenly_are_refused() -> None:
    assert "my.yaml:9:21: expected copies of two-phase that 4 guests can share evenly, got 6" in faults(
        copies=6
    )


def test_copies_that_guests_share_may_be_staggered() -> None:
    for layout in ("{guests: 1}", "{guests: [1, 2], stagger: [0 s, 5 s]}"):
        assert scene_of(layout, copies="4, stagger: 1 s").workloads[0].placement.stagger_s == 1.0


def test_every_guest_of_a_sweep_is_looked_at_and_each_fault_is_said_once() -> None:
    text = faults("{guests: 2, preload: [false, true]}", memory="[256 MiB, 2 GiB]", vcpus="[3, 4]")
    assert text.count("expected at least 256 MiB of memory for each guest, got 128 MiB") == 1
    assert text.count("expected a number of guests that divides cpu.vcpus (3)") == 1


def test_a_server_of_one_client_is_refused_where_guests_share_the_work() -> None:
    said = "expected workloads whose server has several clients where several guests share the work"
    assert said in faults(workload="iperf3", copies=1)
    assert scene_of("{guests: 2}", workload="tcp-rr", copies=2)


def test_processors_of_one_guest_are_refused_for_several_and_words_are_not() -> None:
    text = faults("{guests: 2}", memory="2 GiB, cpu.vcpupin: '0/1'")
    assert "expected none, 1:1, node of 'cpu.vcpupin' where each guest has its own cores, got '0/1'" in text
    assert scene_of("{guests: 2}", memory="2 GiB, cpu.vcpupin: '1:1', cpu.emulatorpin: '0'")


def test_more_than_sixteen_layouts_are_refused() -> None:
    assert "at most 16 combinations" in faults(f"{{guests: {list(range(1, 30))}}}", copies=1)


@pytest.mark.parametrize(
    ("layout", "words"),
    [
        ("{guests: 0}", "expected a whole number from 1 to 256, got 0"),
        ("[]", "expected at least one item"),
        ("{guests: [2, 2]}", "expected a number of guests, or a list of different ones"),
        ("{stagger: 5}", "expected a time with its unit"),
        ("{at-once: 0}", "expected a whole number from 1 to 256, got 0"),
        ("{at-once: [2, 2]}", "expected a number of guests that start at once, or a list of different ones"),
        ("{at_once: 2}", "got the unknown key 'at_once'; nearest: 'at-once'"),
        ("{preload: maybe}", "expected true or false"),
        ("[{guests: 2}, {gests: 4}]", "my.yaml:7:26: expected one of guests, stagger, at-once, preload"),
        ("{guest: 2}", "got the unknown key 'guest'; nearest: 'guests'"),
    ],
)
def test_wrong_words_are_refused_at_their_place(layout: str, words: str) -> None:
    assert words in faults(layout)


def test_copies_of_the_command_line_must_be_shared_evenly_too() -> None:
    with pytest.raises(
        AssayError, match="expected copies of two-phase that 2 guests can share evenly, got 3"
    ):
        alter_scene(scene_of(), Wanted(copies=3))
    assert alter_scene(scene_of(), Wanted(stagger_s=1.0)).workloads[0].placement.stagger_s == 1.0


def test_a_stagger_is_an_ablation_also_where_several_guests_share_the_copies() -> None:
    assert can_stagger(scene_of("{guests: 1}")) is None
    assert can_stagger(scene_of()) is None


def test_an_empty_list_of_layouts_fits_no_schema() -> None:
    words = [said for said in _anywhere(scene_schema(), "items") if "LayoutForm" in str(said["items"])]
    assert [word["minItems"] for word in words] == [1] * 3, "of guests, OCI containers, gVisor"


def test_containers_share_their_processors_as_guests_do() -> None:
    text = SCENE.format(layout="{layout}", vcpus=2, memory="1 GiB", workload="two-phase", copies=2)
    head = text[: text.index("treatment:")]
    tail = text[text.index("workloads:") :]

    def boxes(runtime: str, layout: str) -> Scene:
        treatment = f"treatment: {{platform: {runtime}, layout: {layout}}}\n"
        return read_scene(f"{head}{treatment}{tail}".encode(), file="my.yaml")

    scene = boxes("runc", "{guests: [1, 2], stagger: 2 s}")
    assert [box.layout for box in scene.containers] == [Layout(1), Layout(2, 2.0)]
    assert read_scene(write_scene(scene).encode(), file="my.yaml").containers == scene.containers
    assert boxes("runc", "{guests: 1}").digest == boxes("runc", "{guests: 1, preload: false}").digest
    with pytest.raises(SceneError, match="copies of two-phase that 3 guests can share evenly"):
        boxes("runsc", "{guests: 3}")
    with pytest.raises(SceneError, match="unknown key 'layout'"):
        boxes("uml", "{guests: 2}")


def _anywhere(schema: Any, key: str) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict) and key in schema:
        yield schema
    inner = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    for value in inner:
        yield from _anywhere(value, key)
