"""The workloads of the plan that one workload of a scene makes, and the sizes that an ablation keeps."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.model.work.placement import PlacementSpec
from assay.scenes.changes.ablate import with_more_memory
from assay.scenes.values.chosen import Own, Ready, members
from assay.scenes.values.scene import Guest, Scene
from assay.workloads import Parameters, Sizes
from assay.workloads.sizes import bonnie_file_bytes, fio_file_bytes
from tests.scenes.parts import scene

KIB, GIB = 1024, 1024**3
OWN = Own("job", ("./job", "{events}"), prepare=(("./make", "{events}"),))


def made(chosen: Ready | Own) -> list[tuple[str, int | None, str | None]]:
    return [(one.name, one.events, one.family) for one in members(chosen)]


@pytest.mark.parametrize(
    ("events", "names"),
    [
        ((), [("job", None, None)]),
        ((7,), [("job", 7, None)]),
        ((7, 9), [("job-n7", 7, "job"), ("job-n9", 9, "job")]),
    ],
)
def test_several_event_numbers_make_a_family_and_one_does_not(
    events: tuple[int, ...], names: list[tuple[str, int | None, str | None]]
) -> None:
    assert made(replace(OWN, events=events)) == names


@pytest.mark.parametrize(("events", "word"), [((), "{events}"), ((7,), "7")])
def test_the_event_number_stands_in_the_command_and_in_what_prepares_it(
    events: tuple[int, ...], word: str
) -> None:
    (one,) = members(replace(OWN, events=events))
    assert isinstance(one.chosen, Own)
    assert (one.chosen.command, one.chosen.prepare) == (("./job", word), (("./make", word),))


def test_numbers_of_copies_make_a_family() -> None:
    chosen = replace(OWN, copies=(1, 4), events=(7,))
    assert made(chosen) == [("job-c1", 7, "job"), ("job-c4", 7, "job")]
    assert [one.chosen.placement.copies for one in members(chosen)] == [1, 4]
    assert made(replace(OWN, copies=(2, 3)))[0] == ("job-c2", None, "job")


def test_every_size_is_tried_with_every_record_and_is_spelled_in_its_largest_whole_unit() -> None:
    chosen = Ready("iozone", sizes=(GIB, 3 * GIB // 2), records=(4 * KIB, 1024 * KIB))
    names = ["iozone-s1g-r4k", "iozone-s1g-r1m", "iozone-s1536m-r4k", "iozone-s1536m-r1m"]
    assert [one.name for one in members(chosen)] == names
    assert made(Ready("fio", sizes=(4 * 1024 * GIB, 1000)))[1] == ("fio-s1000b", None, "fio")
    assert made(Ready("fio", sizes=(4 * 1024 * GIB, 1000)))[0][0] == "fio-s4t"


def guest_scene(workload: Ready) -> Scene:
    made_here = scene("{platform: guest, factors: {memory.size: 4 GiB}}")
    return replace(made_here, workloads=(workload,))


@pytest.mark.parametrize("copies", [1, 2, 3])
@pytest.mark.parametrize("name", ["fio", "iozone", "iozone-by-fio", "sysbench-fileio", "bonnie++"])
def test_files_stay_as_large_as_each_copys_part_of_the_memory_made_them(name: str, copies: int) -> None:
    ablated = with_more_memory(guest_scene(Ready(name, placement=PlacementSpec(copies=copies))))
    part = Sizes(None, 4 * GIB // copies, 1)
    count = bonnie_file_bytes(part, None).count if name == "bonnie++" else fio_file_bytes(part).count
    (kept,) = ablated.workloads
    assert isinstance(kept, Ready)
    assert isinstance(ablated.treatment, Guest)
    assert (kept.parameters.size_bytes, ablated.treatment.memory_bytes) == (count, 8 * GIB)


@pytest.mark.parametrize(
    "workload",
    [Ready("flops"), Ready("fio", Parameters(size_bytes=GIB)), Ready("fio", sizes=(GIB, 2 * GIB))],
)
def test_what_has_no_size_of_the_memorys_making_is_left_as_it_is(workload: Ready) -> None:
    assert with_more_memory(guest_scene(workload)).workloads == (workload,)
