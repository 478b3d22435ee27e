"""File sizes and record sizes of file workloads: one of each, or lists that make a landscape."""

from __future__ import annotations

import pytest

from assay.model.units import BYTES
from assay.model.work.workload import Workload
from assay.scenes import SceneError, Wanted, alter_scene, read_scene
from assay.workloads import Sizes

HEAD = "scene: a\ntitle: A\nbaseline: {machine: local}\ntreatment: {machine: local}\n"
ARM = Sizes(cache_bytes=None, memory_bytes=8 * BYTES["GiB"], cpus=4)
LANDSCAPE = "workloads: [{use: iozone, parameters: {size: [64 MiB, 1 GiB], record: [4 KiB, 64 KiB, 1 MiB]}}]"


def prepare(workloads: str) -> tuple[Workload, ...]:
    return read_scene(f"{HEAD}{workloads}\n".encode(), file="a.yaml").prepare(ARM)


def refuse(workloads: str) -> str:
    with pytest.raises(SceneError) as refused:
        prepare(workloads)
    return refused.value.message


def test_every_size_with_every_record_becomes_a_workload_of_one_family() -> None:
    made = prepare(LANDSCAPE)
    assert [w.name for w in made] == [
        f"iozone-s{size}-r{record}" for size in ("64m", "1g") for record in ("4k", "64k", "1m")
    ]
    assert {w.family for w in made} == {"iozone"}
    assert (made[1].file_bytes, made[1].record_bytes) == (64 * BYTES["MiB"], 64 * BYTES["KiB"])
    assert made[1].command[2:6] == ("-s", "65536k", "-r", "64k")


def test_one_list_names_what_it_varies_and_one_value_makes_no_family() -> None:
    names = [w.name for w in prepare("workloads: [{use: bonnie++, parameters: {size: [1 GiB, 16 GiB]}}]")]
    assert names == ["bonnie++-s1g", "bonnie++-s16g"]
    one = "workloads: [{use: iozone-by-fio, parameters: {size: [64 MiB], record: 1 MiB}}]"
    (only,) = prepare(one)
    assert (only.name, only.family, only.record_bytes) == ("iozone-by-fio", None, BYTES["MiB"])


def test_bonnie_moves_each_record_and_leaves_single_bytes_out() -> None:
    made = prepare("workloads: [{use: bonnie++, parameters: {size: 16 GiB, record: [4 KiB, 1 MiB]}}]")
    assert [w.name for w in made] == ["bonnie++-r4k", "bonnie++-r1m"]
    assert made[0].command[-2:] == ("16384:4096", "-f")
    tests = ["put_block", "rewrite", "get_block", "seeks"]
    assert [m.name for m in made[0].metrics] == [*tests, *(f"{name}_latency" for name in tests)]
    (whole,) = prepare("workloads: [bonnie++]")
    assert (whole.command[-2:], whole.record_bytes) == (("3072", ""), 8 * BYTES["KiB"])


def test_bonnies_rule_is_twice_the_memory_and_its_breach_is_said() -> None:
    small, large = prepare("workloads: [{use: bonnie++, parameters: {size: [1 GiB, 16 GiB]}}]")
    assert (small.rule_met, large.rule_met) == (False, True)
    assert "bonnie++'s rule was not met, it asks for twice the memory (8 GiB)" in small.note
    (bounded,) = prepare("workloads: [bonnie++]")
    assert (bounded.file_bytes, bounded.rule_met) == (3 * BYTES["GiB"], False)


def test_a_landscape_that_is_altered_is_written_whole() -> None:
    altered = alter_scene(read_scene(f"{HEAD}{LANDSCAPE}\n".encode(), file="a.yaml"), Wanted(seed=7))
    again = read_scene(altered.source.encode(), file="again.yaml")
    assert (len(again.members), again.digest) == (6, altered.digest)


def test_sizes_count_for_the_digest_and_their_absence_does_not() -> None:
    digests = {
        read_scene(
            f"{HEAD}workloads: [{{use: fio, parameters: {{size: {size}}}}}]\n".encode(), file="a.yaml"
        ).digest
        for size in ("64 MiB", "[64 MiB]", "[64 MiB, 1 GiB]")
    }
    assert len(digests) == 2
    plain = read_scene(f"{HEAD}workloads: [fio]\n".encode(), file="a.yaml")
    assert plain.digest == "bee8158dec5da55bcd7f6d3cb7efba77fb6d1ed9341c83362b234e505302c17b"


def test_each_size_works_off_the_events_that_are_asked_for() -> None:
    prepared = prepare("workloads: [{use: chain-elecsim, parameters: {events: 20, size: [16 MiB, 32 MiB]}}]")
    assert [workload.events for workload in prepared] == [20, 20]
    assert all("20" in command for workload in prepared for command in workload.prepare[1:2])


@pytest.mark.parametrize(
    ("workloads", "message"),
    [
        ("[{use: iozone, parameters: {record: 5000 B}}]",
        "expected a size of whole 4 KiB from 4 KiB to 16 MiB, like '64 KiB'"),
        ("[{use: iozone, parameters: {record: [4 KiB, 4 KiB]}}]", "or a list of different ones"),
        ("[{use: bonnie++, parameters: {record: [4 KiB, 12 KiB]}}]",
         "expected a power of two from 4 KiB to 1 MiB, which bonnie++ asks for, got 12 KiB"),
        ("[{use: bonnie++, parameters: {record: 2 MiB}}]", "expected a power of two from 4 KiB to 1 MiB"),
        ("[{use: fio, parameters: {record: 4 KiB}}]",
        "expected a parameter of fio (runtime, size), got 'record'"),
        ("[{use: bonnie++, parameters: {size: 1 KiB}}]", "expected a size with its unit from 16 MiB"),
        ("[{use: iozone, parameters: {size: [64 MiB, 1 GiB]}, placement: {copies: [1, 2]}}]",
         "expected several sizes of iozone or several numbers of copies, got both"),
        ("[{use: chain-elecsim, parameters: {size: [16 MiB, 32 MiB], events: [10, 20]}}]",
         "expected several event numbers of chain-elecsim or several sizes, got both"),
    ],
)  # fmt: skip
def test_wrong_sizes_are_refused(workloads: str, message: str) -> None:
    assert message in refuse(f"workloads: {workloads}")
