"""The guest's memory found in ``smaps`` of real QEMU processes, whatever lies behind it."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.platforms.readback.smaps import parse_ram

RECORDED = Path(__file__).parents[1] / "recorded"
MIB = 1 << 20


@pytest.mark.parametrize(
    ("name", "size", "seen"),
    [
        ("anonymous", 256, ("", "rw-p", "4 kB", "262144 kB")),
        ("memfd", 256, ("/memfd:memory-backend-memfd (deleted)", "rw-s", "4 kB", "0 kB")),
        ("hugepages-memfd", 256, ("/memfd:memory-backend-memfd (deleted)", "rw-s", "2048 kB", "0 kB")),
    ],
)
def test_guest_memory_is_found_by_its_size(name: str, size: int, seen: tuple[str, ...]) -> None:
    ram = parse_ram((RECORDED / f"{name}.smaps").read_text(), [size * MIB])
    assert (ram["name"], ram["permissions"], ram["KernelPageSize"], ram["AnonHugePages"]) == seen


@pytest.mark.parametrize(
    ("name", "size", "folder"),
    [
        ("file", 256, "/var/lib/libvirt/qemu/ram/"),
        ("hugepages", 256, "/run/hugepages-2M/libvirt/qemu/"),
        ("hugepages-1g", 1024, "/run/hugepages-1G/libvirt/qemu/"),
    ],
)
def test_guest_memory_in_a_file_is_found(name: str, size: int, folder: str) -> None:
    ram = parse_ram((RECORDED / f"{name}.smaps").read_text(), [size * MIB])
    assert ram["name"].startswith(folder)


def test_the_memory_of_two_cells_is_one_with_both_addresses() -> None:
    ram = parse_ram((RECORDED / "cells.smaps").read_text(), [128 * MIB, 128 * MIB])
    assert ram["address"] == "7f503fc00000 7f5047e00000"
    assert (ram["Size"], ram["KernelPageSize"], ram["name"]) == ("262144 kB", "4 kB", "")
    assert "mg" in ram["VmFlags"].split()


@pytest.mark.parametrize("sizes", [[], [512 * MIB], [128 * MIB] * 3, [256 * MIB] * 2])
def test_memory_that_is_not_all_there_is_not_found(sizes: list[int]) -> None:
    texts = [(RECORDED / f"{name}.smaps").read_text() for name in ("anonymous", "cells")]
    assert all(parse_ram(text, sizes) == {} for text in texts)


def test_code_of_the_emulator_is_never_the_guests_memory() -> None:
    text = (RECORDED / "anonymous.smaps").read_text()
    assert "1048572 kB" in text
    assert parse_ram(text, [1048572 * 1024]) == {}


def test_a_mapping_of_another_page_size_stands_beside_the_first() -> None:
    text = (RECORDED / "anonymous.smaps").read_text() + (RECORDED / "hugepages.smaps").read_text()
    ram = parse_ram(text, [256 * MIB] * 2)
    assert ram["KernelPageSize"] == "4 kB 2048 kB"
    assert parse_ram("", [256 * MIB]) == {}
