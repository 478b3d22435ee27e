"""Levels that go together or are left out, and treatments of different kinds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.model.platforms.container import PlannedContainer, Runtime
from assay.scenes import Scene, read_scene
from assay.scenes.changes.write import write_scene
from assay.scenes.values.scene import Guest, OtherMachine
from tests.scenes.wrong import GOOD, refuse

GIB = 1024**3
GUEST = "treatment: {platform: guest}\n"
SIZES = "cpu.vcpus: [1, 2, 4], memory.size: [2 GiB, 4 GiB, 8 GiB]"


def scene(treatment: str) -> Scene:
    """Return a scene, which says the same when it is written."""
    read = read_scene(GOOD.replace(GUEST, treatment).encode(), file="trial.yaml")
    written = write_scene(read)
    assert read_scene(written.encode(), file="trial.yaml") == replace(read, source=written)
    return read


def guests(words: str) -> list[tuple[object, ...]]:
    read = scene(f"treatment: {{platform: guest, {words}}}\n")
    return [(one.vcpus, one.memory_bytes // GIB, one.disk_cache) for one in read.guests]


def said(words: str, *, treatment: str | None = None) -> str:
    treatment = treatment or f"treatment: {{platform: guest, {words}}}\n"
    return refuse(GOOD.replace(GUEST, treatment)).message


def test_lists_that_are_zipped_go_level_by_level() -> None:
    zipped = f"factors: {{{SIZES}}}, zip: [cpu.vcpus, memory.size]"
    assert guests(zipped) == [(1, 2, "none"), (2, 4, "none"), (4, 8, "none")]


def test_what_is_not_zipped_is_crossed_with_what_is() -> None:
    words = f"factors: {{{SIZES}, disk.cache: [none, unsafe]}}, zip: [[cpu.vcpus, memory.size]]"
    assert guests(words) == [
        (1, 2, "none"), (1, 2, "unsafe"), (2, 4, "none"), (2, 4, "unsafe"), (4, 8, "none"), (4, 8, "unsafe"),
    ]  # fmt: skip


def test_combinations_are_left_out_by_a_level_or_by_several() -> None:
    words = (
        f"factors: {{{SIZES}}}, "
        "exclude: [{cpu.vcpus: 1, memory.size: [4 GiB, 8 GiB]}, {cpu.vcpus: 4, memory.size: 2 GiB}]"
    )
    sizes = [(vcpus, memory) for vcpus, memory, _ in guests(words)]
    assert sizes == [(1, 2), (2, 2), (2, 4), (2, 8), (4, 4), (4, 8)]


def test_more_than_can_be_swept_may_be_crossed_if_they_are_left_out() -> None:
    listed = ", ".join(str(number) for number in range(1, 21))
    left = ", ".join(str(number) for number in range(5, 21))
    assert len(guests(f"factors: {{cpu.vcpus: [{listed}]}}, exclude: [{{cpu.vcpus: [{left}]}}]")) == 4


def test_machines_and_containers_have_them_too() -> None:
    limits = scene(
        "treatment: {machine: local, factors: {cpu.quota: [50 %, 25 %], pause: [5 %, 10 %]}, "
        "zip: [cpu.quota, pause]}\n"
    )
    assert [(one.cpu_quota, one.pause) for one in limits.machines] == [(0.5, 0.05), (0.25, 0.1)]
    gvisor = scene(
        "treatment: {platform: runsc, factors: {runsc.platform: [ptrace, systrap], cpu.quota: [50 %, 25 %]}, "
        "exclude: [{runsc.platform: ptrace, cpu.quota: 25 %}]}\n"
    )
    assert [(one.platform, one.cpu_quota) for one in gvisor.containers] == [
        ("ptrace", 0.5), ("systrap", 0.5), ("systrap", 0.25),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("zip: [cpu.vcpus, memory.size]", "expected factors that have lists of levels, got 'cpu.vcpus'"),
        (f"factors: {{{SIZES}}}, zip: [cpu.vcpus, memory.siz]", "got 'memory.siz'; nearest: 'memory.size'"),
        (f"factors: {{{SIZES}}}, zip: [cpu.vcpus]", "a list of two factors or more"),
        (f"factors: {{{SIZES}}}, zip: cpu.vcpus", "a list of two factors or more"),
        (f"factors: {{{SIZES}}}, zip: [cpu.vcpus, cpu.vcpus]", "a list of two factors or more"),
        (
            f"factors: {{{SIZES}, disk.cache: [none, unsafe]}}, zip: [cpu.vcpus, disk.cache]",
            "expected lists of one length, got cpu.vcpus 3, disk.cache 2",
        ),
        (
            f"factors: {{{SIZES}}}, zip: [[cpu.vcpus, memory.size], [memory.size, cpu.vcpus]]",
            "expected each factor in one group, got 'cpu.vcpus' twice",
        ),
        (
            f"factors: {{{SIZES}}}, exclude: [{{cpu.vcpus: 3}}]",
            "expected levels of cpu.vcpus that the treatment",
        ),
        (f"factors: {{{SIZES}}}, exclude: [{{cpu.vcpu: 3}}]", "nearest: 'cpu.vcpus'"),
        (f"factors: {{{SIZES}}}, exclude: [{{}}]", "expected levels of some factors"),
        ("factors: {cpu.vcpus: [1, 2]}, exclude: [{cpu.vcpus: [1, 2]}]", "that is not left out, got none"),
    ],
)
def test_what_is_wrong_with_a_sweep_is_said_at_its_place(words: str, problem: str) -> None:
    message = said(words)
    assert problem in message
    assert message.startswith("trial.yaml:4:")


def test_too_many_combinations_are_not_even_made() -> None:
    listed = ", ".join(str(number) for number in range(1, 101))
    sizes = ", ".join(f"{number} GiB" for number in range(1, 101))
    words = f"factors: {{cpu.vcpus: [{listed}], memory.size: [{sizes}]}}, exclude: [{{cpu.vcpus: 1}}]"
    assert "at most 4096 combinations of levels before some are left out" in said(words)


SEVERAL = """\
treatments:
  - {platform: guest, factors: {memory.size: 2 GiB, disk.cache: [none, unsafe]}}
  - {platform: runc}
  - {platform: guest, image: trixie}
  - {machine: local, factors: {cpu.quota: 50 %}}
"""


def test_treatments_of_several_kinds_have_one_baseline() -> None:
    read = scene(SEVERAL)
    assert read.treatments == (
        Guest(disk_cache="none"),
        Guest(disk_cache="unsafe"),
        PlannedContainer(Runtime.RUNC),
        Guest(image="trixie"),
        OtherMachine("local", cpu_quota=0.5),
    )
    assert read.digest != scene(GUEST).digest


OWN_HOSTS = """\
treatments:
  - {platform: guest, machine: local}
  - {platform: guest, machine: node01, factors: {disk.cache: [none, unsafe]}}
  - {machine: node01}
"""


def test_a_guest_may_be_on_a_machine_that_is_a_treatment_itself() -> None:
    read = scene(OWN_HOSTS)
    assert read.treatments == (
        Guest(),
        Guest(machine="node01"),
        Guest(disk_cache="unsafe", machine="node01"),
        OtherMachine("node01"),
    )


def test_one_of_several_is_that_one() -> None:
    assert scene("treatments:\n  - {platform: guest}\n").digest == scene(GUEST).digest


@pytest.mark.parametrize(
    ("treatments", "problem"),
    [
        ("treatments: []\n", "trial.yaml:4:1: expected a list, got an empty list"),
        ("treatments: guest\n", "trial.yaml:4:1: expected a list, got 'guest'"),
        (
            f"{GUEST}treatments: [{{platform: runc}}]\n",
            "expected either 'treatment' or 'treatments', got both",
        ),
        ("treatments:\n  - {platform: runc}\n  - {platform: gest}\n", "trial.yaml:6:16: "),
        (
            "treatments:\n  - {platform: runc}\n  - {platform: guest, factors: {cpu.vcpus: [0, 1]}}\n",
            "trial.yaml:6:44: ",
        ),
        ("treatments:\n  - {platform: runc}\n  - {platform: runc}\n", "expected treatments that differ"),
        (
            "treatments:\n  - {platform: runc, processors: 2}\n  - {platform: guest}\n",
            "expected the same 'processors' and 'threads' of every treatment",
        ),
        (
            "treatments: [{platform: runc}, {platform: guest}]\ndesign: {shape: pairs}\n",
            "expected the shape double or auto with several treatments, got 'pairs'",
        ),
        (
            (
                "treatments:\n"
                "  - {platform: guest, factors: {cpu.vcpus: [1, 2, 3, 4, 5, 6, 7, 8]}}\n"
                "  - {machine: local, factors: {pause: [1 %, 2 %, 3 %, 4 %, 5 %, 6 %, 7 %, 8 %, 9 %]}}\n"
            ),
            "expected at most 16 treatments",
        ),
        (
            "treatments:\n  - {platform: guest}\n  - {platform: guest, machine: node01}\n",
            "trial.yaml:6:32: expected {machine: node01} among 'treatments', too",
        ),
        (
            "treatment: {platform: guest, machine: node01}\n",
            "trial.yaml:4:39: expected {machine: node01} among 'treatments', too",
        ),
        (
            (
                f"{OWN_HOSTS}  - {{platform: guest, machine: node02}}\n"
                "  - {machine: node02, factors: {cpu.quota: 50 %}}\n"
            ),
            "trial.yaml:8:32: expected {machine: node02} among 'treatments', too",
        ),
        ("treatment: {platform: runc, machine: node01}\n", "expected either {platform: guest"),
    ],
)
def test_what_is_wrong_with_treatments_is_said_at_its_place(treatments: str, problem: str) -> None:
    assert problem in said("", treatment=treatments)


def test_a_scale_may_have_several_where_the_scene_has_one_and_the_other_way_round() -> None:
    text = GOOD + "scales:\n  more: {about: more, treatments: [{platform: runc}, {platform: guest}]}\n"
    assert len(read_scene(text.encode(), file="trial.yaml").treatments) == 1
    assert len(read_scene(text.encode(), file="trial.yaml", scale="more").treatments) == 2
    text = GOOD.replace(GUEST, SEVERAL) + "scales:\n  one: {about: one, treatment: {platform: runc}}\n"
    assert len(read_scene(text.encode(), file="trial.yaml").treatments) == 5
    assert read_scene(text.encode(), file="trial.yaml", scale="one").treatments == (
        PlannedContainer(Runtime.RUNC),
    )


def test_a_mistake_in_a_scales_treatments_is_said_at_its_place() -> None:
    text = (
        GOOD
        + "scales:\n  more:\n    about: more\n"
        + "    treatments: [{platform: runc}, {platform: guest, imag: x}]\n"
    )
    message = refuse(text).message
    assert message.startswith("trial.yaml:9:")
    assert "nearest: 'image'" in message
