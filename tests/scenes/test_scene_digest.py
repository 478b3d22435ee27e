"""The digest of a scene says whether two ask for the same, also where a later version knows more words."""

from __future__ import annotations

import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass

from assay.scenes import read_scene
from assay.scenes.values import digest
from assay.scenes.values.digest import FORMAT_1, UNCOUNTED, what_is_asked
from assay.scenes.values.scene import Scene

RICH = r"""
scene: rich
title: A word of each kind
baseline: {machine: local}
treatments:
  - {platform: guest, factors: {disk.cache: writeback}}
  - {platform: podman}
  - {machine: local, factors: {cpu.quota: 50 %}}
workloads:
  - {use: fio, cache: cold, placement: {copies: 2, stagger: 1 s}}
  - {use: hep-workload, parameters: {image: 'docker.io/x/y:v1', score: wl}}
  - name: own
    command: sh -c 'echo done 7; echo 5 > rate.txt'
    phases: {marks: {start: '^done'}}
    metrics: {rate: {file: rate.txt, pattern: '(\d+)', unit: B/s, direction: higher}}
    success: {exit: [0, 3], pattern: done}
processors: all
counters: [cycles]
profile: 49
interval: 1 s
scripts: {host: {check: /bin/true}}
design: {blocks: 3}
"""


def test_what_an_earlier_version_called_a_scene_of_many_words_it_is_called_now() -> None:
    """Else its kept results could not be repeated, and a new one would not be comparable with them."""
    scene = read_scene(RICH.encode(), file="rich.yaml")
    assert scene.digest == "92d6f5fc6c96818b066be6615a8157880b16b5f7d2d30dd9dbd67bf5dfb99650"


def test_the_fields_of_the_first_format_are_those_of_classes_that_scenes_are_made_of() -> None:
    known = {one.__name__: {item.name for item in fields(one)} for one in set(classes(Scene))}
    assert FORMAT_1.keys() <= known.keys()
    for kind, names in (*FORMAT_1.items(), *UNCOUNTED.items()):
        assert set(names) <= known[kind], kind


def classes(kind: object) -> Iterator[type]:
    """Yield the dataclasses that a type is made of."""
    if isinstance(kind, type) and is_dataclass(kind):
        yield kind
        for hint in typing.get_type_hints(kind).values():
            yield from classes(hint)
    for one in typing.get_args(kind):
        yield from classes(one)


def test_a_new_class_and_a_new_field_change_nothing_where_nothing_is_said() -> None:
    @dataclass(frozen=True)
    class New:
        known: int
        later: int = 5
        much_later: Mapping[str, int] = field(default_factory=dict)

    assert what_is_asked(New(1)) == {"known": 1}
    assert what_is_asked((New(1, 6), New(2, much_later={"a": 1}))) == [
        {"known": 1, "later": 6},
        {"known": 2, "much_later": {"a": 1}},
    ]


def test_the_fields_of_the_first_format_are_there_at_their_defaults_too() -> None:
    assert what_is_asked(read_scene(RICH.encode(), file="rich.yaml").design)["seed"] is None
    assert digest.digest_of({"b": 1, "a": 2}) == digest.digest_of({"a": 2, "b": 1})
