"""Memory nodes: lists, levels, what is written of them and what is read."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from assay.factors.base.levels import LevelError
from assay.factors.base.number_lists import read_numbers, spell_numbers
from assay.factors.catalogue import FACTORS, apply_to, read_level, verify
from assay.factors.cpu.threads import node_processors
from assay.platforms.readback.smaps import parse_ram
from tests.factors.parts import FakeEvidence, FakeHost, draft

RECORDED = Path(__file__).parents[1] / "platforms" / "recorded"
TWO_NODES = (
    "2 nodes\nnode 0 cpus: 0 1\nnode 0 size: 512 MB\nnode 0 plugged: 0 MB\nnode 1 cpus: 2 3\nnode 1 "
    "size: 512 MB"
)


def found(name: str, wanted: str, seen: FakeEvidence) -> str:
    (one,) = verify({name: wanted}, seen)
    return one.actual


@pytest.mark.parametrize(("text", "numbers"), [("", ()), ("3", (3,)), ("0-2,5", (0, 1, 2, 5))])
def test_a_list_of_numbers_is_read_and_spelt(text: str, numbers: tuple[int, ...]) -> None:
    assert read_numbers(text) == numbers
    assert spell_numbers(numbers) == text


@pytest.mark.parametrize("text", ["a", "1-", "2-1", "1,,2", "-1"])
def test_what_is_no_list_of_numbers_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        read_numbers(text)


@pytest.mark.parametrize(
    ("name", "written", "kept"),
    [
        ("numa.memory", " strict:1,0 ", "strict:0-1"),
        ("numa.memory", "none", "none"),
        ("numa.memory", "strict:own", "strict:own"),
        ("numa.cell", 2, "2"),
        ("numa.cell", "0-1:512MiB / 2,3:1.5 GiB", "0-1:512 MiB/2-3:1536 MiB"),
        ("numa.cell", "0:1 GiB/:1 GiB", "0:1 GiB/:1 GiB"),
    ],
)
def test_a_level_of_nodes_has_one_spelling(name: str, written: object, kept: str) -> None:
    assert read_level(name, written) == kept
    assert read_level(name, kept) == kept
    for level in (written, kept):
        jsonschema.validate(level.strip() if isinstance(level, str) else level, FACTORS[name].levels.schema)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("numa.memory", "strict"),
        ("numa.memory", "strikt:0"),
        ("numa.memory", "none:0"),
        ("numa.memory", "none:own"),
        ("numa.memory", "strict:owner"),
        ("numa.memory", 0),
        ("numa.memory", "strict:1-0"),
        ("numa.cell", 0),
        ("numa.cell", True),
        ("numa.cell", 65),
        ("numa.cell", "0:1"),
        ("numa.cell", "0-1"),
        ("numa.cell", "0:0 B"),
        ("numa.cell", "0:1.5 MiB"),
        ("numa.cell", None),
    ],
)
def test_what_is_no_level_of_nodes_is_refused(name: str, written: object) -> None:
    with pytest.raises(LevelError, match=", like '"):
        read_level(name, written)


@pytest.mark.parametrize(
    ("level", "cells"),
    [
        ("2", (("0-1", "524288"), ("2-3", "524288"))),
        ("3", (("0", "349184"), ("1", "349184"), ("2-3", "350208"))),
        ("0:1 GiB/:512 MiB", (("0", "1048576"), (None, "524288"))),
    ],
)
def test_cells_are_written_with_their_processors(
    level: str, cells: tuple[tuple[str | None, str], ...]
) -> None:
    made = draft('<domain><memory unit="b">1073741824</memory><vcpu>4</vcpu></domain>')
    apply_to(made, {"numa.cell": level})
    written = made.at("cpu/numa").findall("cell")
    assert tuple((cell.get("cpus"), cell.get("memory")) for cell in written) == cells


def test_distances_are_written_for_each_pair_of_cells() -> None:
    made = draft('<domain><memory unit="b">1073741824</memory><vcpu>2</vcpu></domain>')
    apply_to(made, {"numa.distances": "21", "numa.cell": "2"})
    first = ElementTree.tostring(made.at("cpu/numa")[0], encoding="unicode")
    assert '<distances><sibling id="0" value="10" /><sibling id="1" value="21" /></distances>' in first
    words = (
        "-numa",
        "dist,src=0,dst=0,val=10",
        "-numa",
        "dist,src=0,dst=1,val=21",
        "dist,src=1,dst=0,val=21",
    )
    assert found("numa.distances", "21", FakeEvidence(command=words)) == "21"
    assert (
        found("numa.distances", "21", FakeEvidence(command=(*words, "dist,src=1,dst=2,val=32")))
        == "21 and 32"
    )
    assert found("numa.distances", "21", FakeEvidence()) == "none said"


@pytest.mark.parametrize(
    ("text", "wanted", "level"),
    [
        ("0 nodes\n", "none", "none"),
        (TWO_NODES, "2", "2"),
        (TWO_NODES, "0-1:512 MiB/2-3:512 MiB", "0-1:512 MiB/2-3:512 MiB"),
        (TWO_NODES.replace("cpus: 2 3", "cpus:"), "2", "0-1:512 MiB/:512 MiB"),
        (TWO_NODES.replace("node 1 size: 512", "node 1 size: 256"), "2", "0-1:512 MiB/2-3:256 MiB"),
    ],
)
def test_cells_are_what_qemu_tells_of_them(text: str, wanted: str, level: str) -> None:
    assert found("numa.cell", wanted, FakeEvidence({"info numa": text})) == level


@pytest.mark.parametrize(
    ("line", "allowed", "wanted", "level"),
    [
        ("7f00 bind:0 anon=3 dirty=3 N0=3 kernelpagesize_kB=4", "0-1", "strict:0", "strict:0"),
        ("7f00 bind:0-1,3", "0-3", "strict:0", "strict:0-1,3"),
        ("7f00 prefer:1", "0-1", "preferred:1", "preferred:1"),
        ("7f00 prefer (many):0 anon=1", "0-1", "preferred:0", "preferred:0"),
        ("7f00 interleave:0-1", "0-1", "interleave:0-1", "interleave:0-1"),
        ("7f00 interleave=static:0-1 anon=1", "0-1", "interleave:0-1", "interleave:0-1"),
        ("7f00 default file=/memfd:x anon=1", "0-1", "none", "none"),
        ("7f00 default", "0", "restrictive:0", "restrictive:0"),
        ("7f00 default", "0", "none", "restrictive:0"),
        ("7f00 weighted interleave:0-1 anon=1", "0-1", "none", "weighted interleave"),
        ("7f00 local", "0-1", "none", "local"),
        ("8f00 default", "0-1", "none", "unknown to numa_maps: ''"),
    ],
)
def test_the_policy_in_force_is_the_kernels_of_the_guests_memory(
    line: str, allowed: str, wanted: str, level: str
) -> None:
    seen = FakeEvidence(
        host=FakeHost(nodes=(0, 1)),
        ram={"address": "7f00"},
        status={"Mems_allowed_list": allowed},
        files={"numa_maps": f"5500 default heap anon=1\n{line}\n"},
    )
    assert found("numa.memory", wanted, seen) == level


def test_recorded_cells_bound_to_a_node_show_it_at_both_addresses() -> None:
    ram = parse_ram((RECORDED / "cells.smaps").read_text(), [128 << 20] * 2)
    maps = (RECORDED / "cells.numa_maps").read_text()
    assert found("numa.memory", "strict:0", FakeEvidence(ram=ram, files={"numa_maps": maps})) == "strict:0"
    half = maps.replace("7f5047e00000 bind:0", "7f5047e00000 interleave:0")
    seen = FakeEvidence(ram=ram, files={"numa_maps": half})
    assert found("numa.memory", "strict:0", seen) == "interleave:0 and strict:0"
    assert found("numa.memory", "none", FakeEvidence()).startswith("the guest's memory was not found")


@pytest.mark.parametrize(
    ("cpus", "nodes"),
    [((0, 1), "0"), ((3,), "1"), ((1, 2), "0-1"), ((9,), "0")],
)
def test_own_nodes_are_those_of_the_guests_processors(cpus: tuple[int, ...], nodes: str) -> None:
    made = draft(cpus=cpus, nodes={0: (0, 1), 1: (2, 3)})
    apply_to(made, {"numa.memory": "strict:own"})
    memory = made.domain.find("numatune/memory")
    assert memory is not None
    assert memory.attrib == {"mode": "strict", "nodeset": nodes}


@pytest.mark.parametrize(
    ("cpuset", "line", "level"),
    [
        ("2-3", "7f00 bind:1", "strict:own"),
        ("0-3", "7f00 bind:0-1", "strict:own"),
        ("2-3", "7f00 bind:0", "strict:0"),
        ("2-3", "7f00 default", "none"),
    ],
)
def test_own_nodes_are_in_force_where_the_kernel_has_those(cpuset: str, line: str, level: str) -> None:
    folder = "/sys/devices/system/node"
    files = {f"{folder}/node0/cpulist": "0-1", f"{folder}/node1/cpulist": "2-3"}
    seen = FakeEvidence(
        host=FakeHost(files, nodes=(0, 1), cpus=(0, 1, 2, 3)),
        live=ElementTree.fromstring(f'<domain><vcpu cpuset="{cpuset}">2</vcpu></domain>'),
        ram={"address": "7f00"},
        status={"Mems_allowed_list": "0-1"},
        files={"numa_maps": f"{line}\n"},
    )
    assert found("numa.memory", "strict:own", seen) == level


NODES = "/sys/devices/system/node"
EMPTY_SLOTS = {
    f"{NODES}/online": "0-3",
    **{f"{NODES}/node{node}/cpulist": f"{2 * node}-{2 * node + 1}" for node in range(4)},
}
"""Four nodes of two processors each."""
ON_TWO = FakeHost(EMPTY_SLOTS, nodes=(0, 2), cpus=tuple(range(8)))
"""Nodes 1 and 3 have no memory."""


@pytest.mark.parametrize(
    ("cpus", "nodes"),
    [("0-7", "0,2"), ("0-3", "0"), ("4-5", "2"), ("2-3", "0,2"), ("2-5", "2")],
)
def test_own_nodes_are_those_with_memory_when_written_and_when_read(cpus: str, nodes: str) -> None:
    made = draft(cpus=read_numbers(cpus), nodes=node_processors(ON_TWO), memory_nodes=ON_TWO.nodes)
    apply_to(made, {"numa.memory": "strict:own"})
    assert made.at("numatune/memory").get("nodeset") == nodes
    seen = FakeEvidence(
        host=ON_TWO,
        live=ElementTree.fromstring(f'<domain><vcpu cpuset="{cpus}">2</vcpu></domain>'),
        ram={"address": "7f00"},
        status={"Mems_allowed_list": "0,2"},
        files={"numa_maps": f"7f00 bind:{nodes}\n"},
    )
    assert found("numa.memory", "strict:own", seen) == "strict:own"


def test_a_guest_without_a_policy_may_use_all_nodes_that_have_memory() -> None:
    def found_with(allowed: str) -> str:
        status = {"Mems_allowed_list": allowed}
        files = {"numa_maps": "7f00 default\n"}
        seen = FakeEvidence(host=ON_TWO, ram={"address": "7f00"}, status=status, files=files)
        return found("numa.memory", "none", seen)

    assert (found_with("0,2"), found_with("0")) == ("none", "restrictive:0")
    assert FACTORS["numa.memory"].needs(ON_TWO, "strict:1") == "this host has no memory node 1, only 0,2"
