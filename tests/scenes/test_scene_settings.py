"""Factors of the catalogue in a scene: of a guest, of the machine under it, of a guest as baseline."""

from __future__ import annotations

import pytest

from assay.model.work.page_cache import CacheState
from assay.scenes.changes.write import write_scene
from assay.scenes.load import read_scene
from assay.scenes.text.errors import SceneError
from assay.scenes.values.scene import Guest, OtherMachine
from tests.scenes.parts import scene


def test_a_level_of_the_catalogue_is_kept_in_its_one_spelling() -> None:
    read = scene("{platform: guest, factors: {disk.cache: writeback, host.thp: never}}")
    assert read.treatment == Guest(disk_cache="writeback", settings=(("host.thp", "never"),))


def test_a_machine_has_the_factors_of_a_host() -> None:
    read = scene("{machine: local, factors: {host.thp: always}}")
    assert read.treatment == OtherMachine("local", settings=(("host.thp", "always"),))


def test_a_quota_is_a_level_of_a_guest_and_a_number_of_a_machine() -> None:
    guest = scene("{platform: guest, factors: {cpu.quota: 50%}}").treatment
    machine = scene("{machine: local, factors: {cpu.quota: 50 %}}").treatment
    assert guest == Guest(settings=(("cpu.quota", "50 %"),))
    assert machine == OtherMachine("local", cpu_quota=0.5)


def test_libvirts_yes_and_no_are_levels_however_yaml_reads_them() -> None:
    read = scene("{platform: guest, factors: {clock.hpet: no, clock.kvmclock: 'yes', cpu.vcpupin: 1:1}}")
    levels = (("cpu.vcpupin", "1:1"), ("clock.hpet", "no"), ("clock.kvmclock", "yes"))
    assert read.treatment == Guest(settings=levels)


def test_a_scene_that_sets_nothing_more_keeps_its_digest() -> None:
    plain = scene("{platform: guest}")
    assert plain.digest != scene("{platform: guest, factors: {host.thp: never}}").digest
    assert plain.digest == scene("{platform: guest, factors: {disk.cache: none}}").digest


def test_a_guest_as_baseline_is_the_treatments_or_has_factors_of_its_own() -> None:
    guest = "{platform: guest, factors: {disk.cache: unsafe}}"
    same = scene(guest, "{machine: local, platform: guest}")
    assert same.baseline_guest == same.treatment
    other = scene(guest, "{machine: local, platform: guest, factors: {disk.cache: none}}")
    assert other.baseline_guest == Guest(disk_cache="none")


def test_lists_of_levels_are_every_combination_with_the_last_changing_fastest() -> None:
    read = scene("{platform: guest, factors: {disk.cache: [none, unsafe], host.thp: [always, never]}}")
    assert [(guest.disk_cache, dict(guest.settings)["host.thp"]) for guest in read.guests] == [
        ("none", "always"),
        ("none", "never"),
        ("unsafe", "always"),
        ("unsafe", "never"),
    ]
    assert (read.treatment, read.more) == (read.guests[0], read.guests[1:])


def test_sizes_are_swept_before_everything_else() -> None:
    read = scene(
        "{platform: guest, factors: {disk.cache: [none, unsafe], memory.size: [1 GiB, 2 GiB], cpu.vcpus: 2}}"
    )
    assert [(guest.vcpus, guest.memory_bytes >> 30, guest.disk_cache) for guest in read.guests] == [
        (2, 1, "none"),
        (2, 1, "unsafe"),
        (2, 2, "none"),
        (2, 2, "unsafe"),
    ]


def test_a_list_of_one_size_says_the_same_as_that_size() -> None:
    one = scene("{platform: guest, factors: {cpu.vcpus: [2], memory.size: [1 GiB]}}")
    assert one.digest == scene("{platform: guest, factors: {cpu.vcpus: 2, memory.size: 1 GiB}}").digest
    assert one.more == ()


def test_more_combinations_than_are_swept_are_refused_without_making_them() -> None:
    numbers = ", ".join(str(number) for number in range(1, 90))
    factors = ", ".join(
        f"host.{name}: [{numbers}]" for name in ("swappiness", "dirty_ratio", "dirty_background_ratio")
    )
    with pytest.raises(SceneError, match="expected at most 16 combinations of levels, got more"):
        scene(f"{{platform: guest, factors: {{{factors}}}}}")


def test_a_machine_s_own_factors_are_swept_in_every_combination_the_last_changing_fastest() -> None:
    text = (
        "{machine: local, factors: {page-cache: [cold, warm], host.thp: [always, never], "
        "disk.read-limit: 9 MB/s}}"
    )
    made = scene(text)
    assert made.treatments == tuple(
        OtherMachine("local", read_bytes_per_s=9_000_000, page_cache=state, settings=(("host.thp", level),))
        for state in (CacheState.COLD, CacheState.WARM)
        for level in ("always", "never")
    )
    assert read_scene(write_scene(made).encode(), file="x.yaml").digest == made.digest


def test_a_list_of_one_level_is_that_level() -> None:
    assert scene("{platform: guest, factors: {disk.cache: [unsafe]}}").treatment == Guest(disk_cache="unsafe")


@pytest.mark.parametrize(
    ("treatment", "baseline", "message"),
    [
        (
            "{machine: node01, factors: {cpu.quota: [10 %, 20 %]}}",
            "{machine: local}",
            "of machines the baseline's own is swept",
        ),
        (
            "{platform: guest}",
            "{machine: local, platform: guest, factors: {disk.cache: [none, unsafe]}}",
            "expected one level of a baseline",
        ),
    ],
)
def test_lists_where_one_level_is_needed_are_refused(treatment: str, baseline: str, message: str) -> None:
    with pytest.raises(SceneError, match=message):
        scene(treatment, baseline)


def test_a_list_of_a_machine_is_a_sweep_of_what_it_says_beside() -> None:
    said = scene("{machine: local, factors: {host.thp: [always, never], memory.limit: 64 MiB}}")
    assert [wanted.settings for wanted in said.machines] == [
        (("host.thp", "always"),),
        (("host.thp", "never"),),
    ]
    assert {wanted.memory_limit_bytes for wanted in said.machines} == {64 << 20}
    assert said.more == said.treatments[1:]


def test_a_machine_as_baseline_says_itself_where_its_jobs_write() -> None:
    said = scene(
        "{machine: local, factors: {scratch.filesystem: ext4}}",
        "{machine: local, factors: {scratch.filesystem: xfs-on-tmpfs}}",
    )
    assert said.baseline_data == (("scratch.filesystem", "xfs-on-tmpfs"),)


def test_factors_of_a_baseline_that_is_no_guest_are_refused() -> None:
    with pytest.raises(SceneError, match="expected 'platform: guest' beside the baseline's factors"):
        scene("{platform: guest}", "{machine: local, factors: {disk.cache: none}}")


@pytest.mark.parametrize(
    ("treatment", "baseline"),
    [
        ("{platform: guest, factors: {host.thp: never}}", "{machine: local}"),
        ("{machine: local, factors: {host.thp: never, pause: 5 %}}", "{machine: local}"),
        ("{platform: guest, factors: {disk.cache: [none, unsafe]}}", "{machine: local}"),
        (
            "{platform: guest, factors: {cpu.vcpus: [1, 4], memory.size: [1 GiB, 1.5 GiB]}}",
            "{machine: local}",
        ),
        ("{platform: guest, factors: {memory.size: [1 GiB, 2 GiB]}}", "{machine: local, platform: guest}"),
        ("{platform: guest}", "{machine: local, platform: guest}"),
        (
            "{machine: local, factors: {scratch.filesystem: [ext4, xfs], cpu.quota: 50 %}}",
            "{machine: local, factors: {scratch.filesystem: tmpfs}}",
        ),
        ("{platform: guest}", "{machine: local, platform: guest, factors: {host.thp: never}}"),
    ],
)
def test_a_scene_that_is_written_says_the_same(treatment: str, baseline: str) -> None:
    read = scene(treatment, baseline)
    again = read_scene(write_scene(read).encode(), file="trial.yaml")
    assert (again.treatment, again.more, again.baseline_guest, again.digest) == (
        read.treatment,
        read.more,
        read.baseline_guest,
        read.digest,
    )
