"""The two sides of a scene: which machines, processors, memory and levels they get, and what they
are called.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from assay.activities.plan.arms import Arms
from assay.activities.plan.kinds import existing_guests, guests, machines
from assay.activities.plan.kinds.labels import against
from assay.activities.plan.kinds.table import find_arms
from assay.activities.plan.programs import comes_along, needed_programs
from assay.model.activity import PlannedArm, PlannedGuest
from assay.model.errors import AssayError, MissingError
from assay.model.machines.machine import Facts, Limits, Machine, Reach
from assay.model.machines.processors import Controller, ProcessorsSpec
from assay.model.platforms.container import PlannedContainer, Runtime
from assay.model.platforms.existing import DomainSpec
from assay.model.platforms.layout import Layout
from assay.model.platforms.plugin_place import PluginPlace
from assay.model.work.page_cache import CacheState
from assay.report.doubts import worded
from assay.scenes import Guest, OtherMachine, Scene, SceneError, read_scene
from assay.store.store import Store
from assay.workloads import Sizes
from tests.builders import FACTS
from tests.factors.parts import FakeHost
from tests.places.rooms import Rooms, add_rooms
from tests.scenes.parts import scene

GIB = 1 << 30
LOCAL, FAR = Machine("local"), Machine("far", Reach.SSH, "far.site", "root")
HERE = replace(FACTS, cpus=tuple(range(5)), cache_bytes=8 << 20)
THP = {"/sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never"}
HOST = FakeHost(THP, accelerator="kvm", cpus=HERE.cpus, programs=("mkfs.ext4",))


class Inventory:
    """Knows this machine and another."""

    def machine(self, name: str) -> Machine:
        return {machine.name: machine for machine in (LOCAL, FAR)}[name]


@pytest.fixture(autouse=True)
def host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(1, 0, 1 << 40))


def image(wanted: Guest) -> str:
    return f"image with {' '.join(wanted.packages) or 'nothing'}"


def found(asked: Scene, here: Facts = HERE, home: Path = Path("/nowhere"), *, host: FakeHost = HOST) -> Arms:
    return find_arms(asked, here, home=home, store=cast("Store", Inventory()), image=image, host=host)


def guest(label: str, cpus: tuple[int, ...], wanted: PlannedGuest, **changes: Any) -> PlannedArm:
    return replace(PlannedArm(label, LOCAL, Limits(cpus, wanted.memory_bytes), wanted), **changes)


def test_a_guest_and_its_host_have_the_same_processors_and_memory() -> None:
    arms = found(scene("{platform: guest}"))
    wanted = PlannedGuest(4, 2 * GIB, "none", "image with nothing")
    assert arms == Arms(
        PlannedArm("host", LOCAL, Limits((1, 2, 3, 4), 2 * GIB)),
        guest("guest", (1, 2, 3, 4), wanted),
        Sizes(8 << 20, 2 * GIB, 4),
    )


def test_a_guest_is_made_of_all_that_its_scene_says() -> None:
    text = (
        "{platform: guest, packages: [bc], factors: {cpu.vcpus: 2, memory.size: 1 GiB, disk.cache: unsafe, "
        "disk.bus: scsi, host.thp: never}}"
    )
    asked = scene(text)
    wanted = cast("Guest", asked.treatment)
    levels = (*wanted.settings, ("data.access", "local"))
    arms = found(replace(asked, treatment=replace(wanted, settings=levels)))
    wanted = PlannedGuest(2, GIB, "unsafe", "image with bc", (("disk.bus", "scsi"),), packages=("bc",))
    own = {"host_settings": (("host.thp", "never"),), "data": (("data.access", "local"),)}
    assert arms.treatment == guest("guest", (1, 2), wanted, **own)
    assert arms.baseline == PlannedArm("host", LOCAL, Limits((1, 2), GIB))
    assert arms.sizes == Sizes(8 << 20, GIB, 2)


def test_a_guest_from_a_saved_state_says_so() -> None:
    asked = scene("{platform: guest}")
    arms = found(replace(asked, treatment=replace(asked.treatment, restored=True)))  # type: ignore[arg-type]
    assert arms.treatment.guest is not None
    assert arms.treatment.guest.restored
    tied = Guest(restored=True, settings=(("disk.format", "raw"),))
    with pytest.raises(AssayError, match="cannot restore the guest of this scene from a saved state"):
        found(replace(asked, treatment=tied))


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        (Guest(5), "cannot give a guest 5 vCPUs: node has 5 cores"),
        (Guest(memory_bytes=9 * GIB), "cannot give a guest 9 GiB of memory: node has 8 GiB"),
        (Guest(settings=(("host.ksm", "1"),)), "cannot use host.ksm=1: "),
        (Guest(1, settings=(("cpu.vcpupin", "2"),)), "cannot use cpu.vcpupin=2: processor 2 is none of the"),
    ],
)
def test_a_guest_that_the_machine_cannot_have_is_refused_as_treatment_and_as_baseline(
    wanted: Guest, why: str
) -> None:
    asked = scene("{platform: guest}")
    for changed in (
        replace(asked, treatment=wanted),
        replace(asked, baseline_guest=wanted),
        replace(asked, more=(wanted,)),
    ):
        with pytest.raises(MissingError) as refused:
            found(changed)
        assert refused.value.message.startswith(why)


def test_a_disk_without_room_is_refused_as_treatment_and_as_baseline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(1, 0, GIB))
    asked, large = scene("{platform: guest}"), Guest(settings=(("disk.preallocation", "full"),))
    assert found(asked).treatment.guest
    for changed in (replace(asked, treatment=large), replace(asked, baseline_guest=large)):
        with pytest.raises(MissingError, match="4294967296 bytes needed"):
            found(changed, home=Path("/"))


def test_on_one_core_the_controller_shares_it() -> None:
    alone = replace(FACTS, cpus=(0,))
    for text in ("{platform: guest}", "{machine: local}", "{platform: runc}"):
        arms = found(scene(text), alone)
        assert {arm.limits.cpus for arm in arms.every} == {(0,)}
        assert arms.doubts == ()


def test_an_arm_has_the_processors_that_are_asked_for_it() -> None:
    for text in ("{platform: guest}", "{machine: local}", "{platform: runc}"):
        asked = replace(scene(text), processors=ProcessorsSpec("all"))
        assert {arm.limits.cpus for arm in found(asked).every} == {HERE.cpus}
        named = replace(scene(text), processors=ProcessorsSpec((3, 1)))
        assert {arm.limits.cpus for arm in found(named).every} == {(3, 1)}


def test_a_baseline_of_its_own_number_of_processors_is_a_doubt_and_the_work_fits_the_fewest() -> None:
    for text in ("{platform: guest}", "{machine: local}", "{platform: runc}"):
        asked = replace(scene(text), processors=ProcessorsSpec(4), baseline_processors=ProcessorsSpec(2))
        arms = found(asked)
        assert (arms.baseline.limits.cpus, arms.treatment.limits.cpus) == ((1, 2), (1, 2, 3, 4))
        assert arms.sizes.cpus == 2
        (doubt,) = (one for one in arms.doubts if one.code == "processor-counts-differ")
        assert worded(doubt).sentence.startswith("The arms have different numbers of processors (host 2, ")
    elsewhere = replace(asked, baseline_processors=ProcessorsSpec((1, 2, 3, 4)))
    assert found(elsewhere).doubts == ()


def test_a_controller_elsewhere_needs_a_machine_elsewhere() -> None:
    with pytest.raises(AssayError, match="local is the machine that it runs on") as refused:
        found(replace(scene("{machine: local}"), controller=Controller.ELSEWHERE))
    assert refused.value.hint == "controller: shared, or a baseline that is reached by SSH"


def test_two_guests_that_are_alike_are_told_apart_and_the_work_fits_the_smaller() -> None:
    asked = scene("{platform: guest}")
    same = found(replace(asked, baseline_guest=Guest()))
    assert (same.baseline.label, same.treatment.label) == ("guest", "guest again")
    assert same.treatment == replace(same.baseline, label="guest again")
    small = found(replace(asked, baseline_guest=Guest(memory_bytes=GIB)))
    assert (small.baseline.label, small.treatment.label) == ("guest", "guest, memory.size 2 GiB")
    assert small.baseline.limits == Limits((1, 2, 3, 4), GIB)
    large = found(replace(asked, baseline_guest=Guest(memory_bytes=3 * GIB)))
    assert [arms.sizes for arms in (small, large)] == [Sizes(8 << 20, GIB, 4), Sizes(8 << 20, 2 * GIB, 4)]


def test_guests_that_differ_in_their_host_or_their_data_are_called_by_that() -> None:
    asked = scene("{platform: guest}")
    held = Guest(settings=(("host.thp", "never"), ("data.access", "9p")))
    arms = found(replace(asked, treatment=held, baseline_guest=Guest()))
    assert arms.treatment.label == "guest, host.thp never, data.access 9p"
    other = replace(held, disk_cache="unsafe", vcpus=2)
    arms = found(replace(asked, treatment=other, baseline_guest=held))
    assert arms.treatment.label == "guest, cpu.vcpus 2, disk.cache unsafe"


def test_guests_that_differ_in_what_no_level_says_are_other_guests() -> None:
    one = guest("guest", (1,), PlannedGuest(1, GIB, "none", "a"))
    assert against(one, replace(one, cache=CacheState.WARM)).label == "other guest"


def test_levels_of_a_sweep_are_treatments_over_one_host() -> None:
    arms = found(scene("{platform: guest, factors: {cpu.vcpus: 2, disk.cache: [none, unsafe, directsync]}}"))
    every = (arms.treatment, *arms.more)
    assert [arm.label for arm in every] == [
        f"disk.cache {level}" for level in ("none", "unsafe", "directsync")
    ]
    assert [arm.guest and arm.guest.disk_cache for arm in every] == ["none", "unsafe", "directsync"]
    assert arms.baseline == PlannedArm("host", LOCAL, Limits((1, 2), 2 * GIB))
    assert arms.doubts == ()


def test_a_sweep_of_sizes_gives_the_host_and_the_work_those_of_the_smallest() -> None:
    arms = found(scene("{platform: guest, factors: {cpu.vcpus: [1, 3], memory.size: 1 GiB}}"))
    assert [arm.label for arm in (arms.treatment, *arms.more)] == ["cpu.vcpus 1", "cpu.vcpus 3"]
    assert arms.baseline.limits == Limits((1,), GIB)
    assert arms.sizes == Sizes(8 << 20, GIB, 1)
    assert [doubt.code for doubt in arms.doubts] == ["larger-than-its-work"]


def test_guests_that_share_cores_are_called_by_their_number_and_doubted() -> None:
    asked = scene("{platform: guest, factors: {cpu.vcpus: 1}}")
    crowd = replace(cast("Guest", asked.treatment), layout=Layout(2))
    (arms, swept) = (
        found(replace(asked, treatment=crowd)),
        found(replace(asked, more=(crowd, replace(crowd, disk_cache="unsafe")))),
    )
    assert arms.treatment.label == "2 guests on 1 core"
    assert arms.treatment.guest == PlannedGuest(1, 2 * GIB, "none", "image with nothing", (), Layout(2))
    assert [doubt.code for doubt in arms.doubts] == ["overcommitted"]
    assert [arm.label for arm in (swept.treatment, *swept.more)] == [
        "1 guest, disk.cache none",
        "2 guests on 1 core, disk.cache none",
        "2 guests on 1 core, disk.cache unsafe",
    ]
    assert [doubt.code for doubt in swept.doubts] == ["overcommitted"]


def several(layout: Layout, **words: Any) -> Guest:
    return Guest(2, layout=layout, **words)


def over(baseline: Guest, *treatments: Guest) -> Arms:
    first, *more = treatments
    return found(
        replace(scene("{platform: guest}"), baseline_guest=baseline, treatment=first, more=tuple(more))
    )


def test_several_guests_as_baseline_are_called_by_their_layout_and_treatments_by_what_differs() -> None:
    pair = several(Layout(2, 5.0))
    arms = over(
        several(Layout(2), settings=(("disk.bus", "scsi"),)),
        pair,
        several(Layout(2, preload=True), settings=(("disk.bus", "scsi"),)),
        several(Layout(2), disk_cache="unsafe", settings=(("disk.bus", "scsi"),)),
        several(Layout(), settings=(("disk.bus", "scsi"),)),
    )
    assert [arm.label for arm in arms.every] == [
        "2 guests",
        "2 guests, stagger 5 s, without disk.bus scsi",
        "2 guests, preload",
        "2 guests, disk.cache unsafe",
        "1 guest",
    ]
    assert arms.baseline.layout == Layout(2)
    assert arms.baseline.guest == PlannedGuest(
        2, 2 * GIB, "none", "image with nothing", (("disk.bus", "scsi"),), Layout(2)
    )
    assert [arm.cache for arm in arms.every] == [None, None, CacheState.WARM, None, None]


def test_a_guest_that_has_only_what_all_have_is_called_so() -> None:
    """All factors at their default, beside a guest that sets some, and over one that sets others."""
    own, plain = Guest(2, settings=(("disk.bus", "scsi"),)), Guest(2)
    over_guest = over(Guest(2, settings=(("disk.bus", "ide"),)), own, plain)
    assert [arm.label for arm in over_guest.every] == ["guest", "disk.bus scsi", "without disk.bus ide"]
    on_host = found(replace(scene("{machine: local}"), treatment=own, more=(plain,)))
    assert [arm.label for arm in on_host.every][1:] == ["disk.bus scsi", "guest"]


def test_treatments_that_share_what_the_baseline_lacks_still_have_other_names_than_it() -> None:
    """Levels that all treatments share stay in their names, which would else be the baseline's."""
    arms = over(
        several(Layout(2)),
        several(Layout(2), disk_cache="unsafe"),
        several(Layout(2, 5.0), disk_cache="unsafe"),
    )
    assert [arm.label for arm in arms.every] == [
        "2 guests",
        "2 guests, disk.cache unsafe",
        "2 guests, stagger 5 s, disk.cache unsafe",
    ]


def test_several_guests_against_themselves_are_called_so_again() -> None:
    arms = over(several(Layout(2, 5.0)), several(Layout(2, 5.0)))
    assert [arm.label for arm in arms.every] == ["2 guests, stagger 5 s", "2 guests, stagger 5 s again"]
    three = over(several(Layout(2)), several(Layout(2)), several(Layout(2, 5.0)))
    assert [arm.label for arm in three.every] == ["2 guests", "2 guests again", "2 guests, stagger 5 s"]


def test_a_baseline_of_guests_that_share_a_core_is_doubted() -> None:
    arms = over(Guest(1, layout=Layout(2)), Guest(1))
    assert [arm.label for arm in arms.every] == ["2 guests on 1 core", "1 guest"]
    assert [doubt.code for doubt in arms.doubts] == ["overcommitted"]


def test_auto_cores_are_as_many_as_the_guests_of_the_baseline_can_share_too() -> None:
    arms = over(Guest(layout=Layout(3)), Guest(layout=Layout(1)))
    assert [len(arm.limits.cpus) for arm in arms.every] == [3, 3]
    plain = over(Guest(layout=Layout()), Guest(layout=Layout()))
    assert [arm.label for arm in plain.every] == ["guest", "guest again"]
    assert [len(arm.limits.cpus) for arm in plain.every] == [4, 4]


def test_files_that_are_loaded_before_the_start_are_warm() -> None:
    asked = scene("{platform: guest}")
    arms = found(replace(asked, treatment=Guest(layout=Layout(preload=True))))
    assert arms.treatment.cache is CacheState.WARM


def test_a_container_may_be_the_baseline_of_a_guest() -> None:
    wanted = PlannedContainer(Runtime.RUNC)
    arms = found(replace(scene("{platform: guest}"), baseline_container=wanted))
    assert arms.baseline == PlannedArm(
        "runc", LOCAL, Limits((1, 2, 3, 4), 2 * GIB), container=replace(wanted, memory_bytes=2 * GIB)
    )
    assert arms.treatment.label == "guest"


def test_containers_run_on_the_processors_of_their_machine() -> None:
    arms = found(scene("{platform: runc, factors: {memory.limit: 512 MiB}}"))
    assert arms.baseline == PlannedArm("host", LOCAL, Limits((1, 2, 3, 4)))
    wanted = PlannedContainer(Runtime.RUNC, 512 << 20)
    label = "runc, 512 MiB memory"
    assert arms.treatment == PlannedArm(label, LOCAL, Limits((1, 2, 3, 4), 512 << 20), container=wanted)
    assert arms.sizes == Sizes(8 << 20, 512 << 20, 4)
    assert found(scene("{platform: runc}")).sizes == Sizes(8 << 20, 8 * GIB, 4)


def test_containers_against_each_other_are_told_apart_where_they_are_alike() -> None:
    asked = scene("{platform: runc}")
    same = found(replace(asked, baseline_container=PlannedContainer(Runtime.RUNC)))
    assert (same.baseline.label, same.treatment.label) == ("runc", "runc again")
    other = found(replace(asked, baseline_container=PlannedContainer(Runtime.PODMAN)))
    assert (other.baseline.label, other.treatment.label) == ("podman", "runc")


def test_this_machine_against_itself_is_called_again() -> None:
    arms = found(scene("{machine: local}"))
    arm = PlannedArm("host", LOCAL, Limits((1, 2, 3, 4)))
    assert arms == Arms(arm, replace(arm, label="host again"), Sizes(8 << 20, 8 * GIB, 4))


def test_this_machine_under_limits_has_work_that_fits_them() -> None:
    text = "{machine: local, factors: {memory.limit: [2 GiB, 1 GiB], host.thp: never}}"
    arms = found(scene(text))
    assert [arm.label for arm in (arms.treatment, *arms.more)] == ["2 GiB memory", "1 GiB memory"]
    assert [arm.limits.memory_bytes for arm in (arms.treatment, *arms.more)] == [2 * GIB, GIB]
    assert arms.treatment.host_settings == (("host.thp", "never"),)
    assert arms.sizes == Sizes(8 << 20, GIB, 4)
    assert arms.baseline == PlannedArm("host", LOCAL, Limits((1, 2, 3, 4)))


def test_work_is_never_sized_beyond_the_machine_s_memory() -> None:
    arms = found(scene("{machine: local, factors: {memory.limit: 16 GiB}}"))
    assert arms.sizes.memory_bytes == 8 * GIB


def test_a_level_that_this_machine_cannot_have_is_refused() -> None:
    with pytest.raises(MissingError, match=r"cannot use host\.ksm=1"):
        found(scene("{machine: local, factors: {host.ksm: 1}}"))


def looked(monkeypatch: pytest.MonkeyPatch, there: Facts) -> list[Any]:
    """Let another machine be of these facts; what was asked of it is noted."""
    asked: list[Any] = []

    def look(machine: Machine, programs: Mapping[str, str | None], *, home: Path) -> Facts:
        asked.append((machine, dict(programs), home))
        return there

    monkeypatch.setattr(machines, "look_at", look)
    return asked


def test_two_machines_are_made_equal_and_the_other_is_asked_for_the_programs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    there = replace(FACTS, cpus=(0, 1, 2), memory_bytes=4 * GIB, cache_bytes=16 << 20)
    asked = looked(monkeypatch, there)
    two = replace(scene("{machine: far}"), workloads=find("fio", "sysbench-cpu"))
    arms = found(two)
    assert asked == [(FAR, {"fio": "fio", "sysbench": "sysbench"}, Path("/nowhere"))]
    assert arms == Arms(
        PlannedArm("host", LOCAL, Limits((1, 2), 4 * GIB)),
        PlannedArm("far", FAR, Limits((1, 2))),
        Sizes(16 << 20, 4 * GIB, 2),
    )


def test_of_two_machines_the_smaller_cores_and_known_caches_count(monkeypatch: pytest.MonkeyPatch) -> None:
    small, two = replace(HERE, cpus=(0, 1, 2)), scene("{machine: far}")
    looked(monkeypatch, replace(HERE, cache_bytes=None, memory_bytes=16 * GIB))
    arms = found(two, small)
    assert (arms.baseline.limits, arms.treatment.limits) == (Limits((1, 2)), Limits((1, 2), 8 * GIB))
    assert arms.sizes == Sizes(8 << 20, 8 * GIB, 2)
    assert found(two, replace(small, cache_bytes=None)).sizes.cache_bytes is None
    looked(monkeypatch, replace(HERE, cpus=(0,)))
    assert found(two, replace(HERE, cpus=(0,))).baseline.limits == Limits((0,))


def test_another_machine_s_settings_are_not_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    looked(monkeypatch, HERE)
    with pytest.raises(AssayError) as refused:
        found(
            replace(scene("{machine: far}"), treatment=OtherMachine("far", settings=(("host.thp", "never"),)))
        )
    assert refused.value.message == ("cannot set host.thp on far: only this machine's settings are changed")
    assert refused.value.hint == "set it there by hand, or evaluate on that machine"
    limited = found(replace(scene("{machine: far}"), treatment=OtherMachine("far", cpu_quota=0.5)))
    assert (limited.treatment.label, limited.treatment.limits.cpu_quota) == ("far at 50% CPU", 0.5)


def test_a_domain_that_is_there_is_compared_as_it_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted, asked = DomainSpec("web"), list[Any]()
    every = (
        PlannedArm("host", LOCAL, Limits((1,))),
        PlannedArm("far, domain web", FAR, Limits(), domain=wanted),
    )

    def domain(*words: Any, **options: Any) -> Any:
        asked.append((words, options))
        return (*every, Sizes(None, 4 * GIB, 1), ())

    monkeypatch.setattr(existing_guests, "domain_arms", domain)
    two = replace(
        scene("{machine: far}"), workloads=find("fio"), treatment=OtherMachine("far", domain=wanted)
    )
    assert found(two) == Arms(*every, Sizes(None, 4 * GIB, 1))
    (((domain_wanted, machine, beside), options),) = asked
    assert (domain_wanted, machine) == (wanted, FAR)
    assert (beside.machine, beside.facts, beside.share(2).measured) == (LOCAL, HERE, (1, 2))
    assert options == {"home": Path("/nowhere"), "programs": {"fio": "fio"}}


@contextmanager
def far_host(machine: Machine, home: Path) -> Iterator[FakeHost]:
    assert (machine, home) == (FAR, Path("/nowhere"))
    yield FakeHost(cpus=HERE.cpus)


def test_guests_on_another_machine_are_planned_with_what_that_machine_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(guests, "remote_host", far_host)
    text = "{platform: guest, factors: {cpu.vcpus: 2, disk.cache: [none, unsafe]}}"
    arms = found(scene(text, "{machine: far}"))
    assert arms.baseline == PlannedArm("host", FAR, Limits((1, 2), 2 * GIB))
    assert [arm.label for arm in (arms.treatment, *arms.more)] == ["disk.cache none", "disk.cache unsafe"]
    assert {arm.machine for arm in (arms.treatment, *arms.more)} == {FAR}
    (one,) = (found(scene("{platform: guest, factors: {cpu.vcpus: 2}}", "{machine: far}")),)
    assert one.treatment == replace(
        guest("guest", (1, 2), PlannedGuest(2, 2 * GIB, "none", "image with nothing")), machine=FAR
    )


def find(*names: str) -> Any:
    """Return workloads of these names as a scene has them."""
    text = (
        "scene: s\ntitle: S\nbaseline: {machine: local}\ntreatment: {machine: local}\n"
        f"workloads: [{', '.join(names)}]\n"
    )
    return read_scene(text.encode(), file="s.yaml").workloads


def test_programs_of_a_scene_are_those_that_do_not_come_along() -> None:
    asked = replace(scene("{machine: local}"), workloads=find("fio", "flops"))
    assert needed_programs(asked) == {"fio": "fio"}
    assert [comes_along(name) for name in ("./job", "bin/job", "job", "/usr/bin/job")] == [
        True, True, False, False,
    ]  # fmt: skip


def test_a_guest_as_baseline_of_a_sweep_keeps_its_size() -> None:
    asked = scene("{platform: guest, factors: {cpu.vcpus: [1, 2]}}")
    arms = found(replace(asked, baseline_guest=Guest(3, 3 * GIB)))
    assert (arms.baseline.label, arms.baseline.limits) == ("guest", Limits((1, 2, 3), 3 * GIB))
    assert arms.sizes == Sizes(8 << 20, 2 * GIB, 1)


def test_the_work_knows_whether_guests_will_be_emulated() -> None:
    assert not found(scene("{platform: guest}")).sizes.emulated
    emulated = replace(HOST, accelerator="tcg")
    assert found(scene("{platform: guest}"), host=emulated).sizes.emulated


def test_places_of_a_plug_in_have_the_processors_and_the_memory_of_their_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rooms = add_rooms(monkeypatch, Rooms())
    arms = found(scene("{platform: room, factors: {room.walls: [thin, thick]}}"))
    limits = Limits((1, 2, 3, 4))
    thin, thick = (PluginPlace("room", (("room.walls", level),)) for level in ("thin", "thick"))
    assert arms == Arms(
        PlannedArm("host", LOCAL, limits),
        PlannedArm("room, room.walls thin", LOCAL, limits, plugin=thin),
        Sizes(8 << 20, 8 * GIB, 4),
        (),
        (PlannedArm("room, room.walls thick", LOCAL, limits, plugin=thick),),
    )
    assert arms.treatment.place == thin
    rooms.memory_bytes = GIB
    arms = found(scene("{platform: room}"))
    assert arms.baseline.limits == arms.treatment.limits == Limits((1, 2, 3, 4), GIB)
    assert arms.sizes == Sizes(8 << 20, GIB, 4)


def test_a_place_of_a_plug_in_that_cannot_be_had_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    rooms = add_rooms(monkeypatch, Rooms(why="no house here"))
    with pytest.raises(MissingError, match="cannot use platform 'room' on local: no house here"):
        found(scene("{platform: room}"))
    rooms.why, rooms.memory_bytes = None, 9 * GIB
    with pytest.raises(MissingError, match="cannot give a place of 'room' 9 GiB of memory: node has 8 GiB"):
        found(scene("{platform: room}"))
    with pytest.raises(SceneError, match="expected 'local' where the treatment is no guest, got 'far'"):
        scene("{platform: room}", "{machine: far}")


def test_a_place_with_processors_of_its_own_has_the_machine_keep_to_as_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counts = {"thin": 2, "thick": 3}
    add_rooms(monkeypatch, Rooms(), cpus=lambda levels: counts[levels["room.walls"]])
    arms = found(scene("{platform: room, factors: {room.walls: [thick, thin]}}"))
    assert [arm.limits for arm in arms.every] == [Limits((1, 2)), Limits((1, 2, 3)), Limits((1, 2))]
    assert arms.sizes.cpus == 2
    assert [doubt.code for doubt in arms.doubts] == ["larger-than-its-work"]
    counts["thin"] = 5
    with pytest.raises(
        MissingError, match="with a place of 'room' that has 5 processors: it leaves 4 to"
    ) as no:
        found(scene("{platform: room, factors: {room.walls: thin}}"))
    assert no.value.hint is not None


def test_a_place_that_a_service_makes_is_compared_with_a_machine_that_is_reached_by_ssh(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    add_rooms(monkeypatch, Rooms(), elsewhere=True)
    arms = found(scene("{platform: room}", "{machine: far}"))
    assert [(arm.machine, arm.plugin) for arm in arms.every] == [(FAR, None), (FAR, PluginPlace("room"))]
    with pytest.raises(SceneError, match="expected 'local' where the treatment is no guest, got 'far'"):
        scene("{platform: runc}", "{machine: far}")
