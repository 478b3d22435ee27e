"""KVM's own counters of a guest."""

from __future__ import annotations

from pathlib import Path

from assay.platforms.readback.exits import kvm_count


def _guest(kvm: Path, name: str, **counts: str) -> None:
    folder = kvm / name
    folder.mkdir()
    for counter, text in counts.items():
        (folder / counter).write_text(text)


def test_the_counters_of_a_process_are_read_by_name(tmp_path: Path) -> None:
    _guest(tmp_path, "77-12", exits="12345\n", pf_fixed="678\n")
    _guest(tmp_path, "7-12", exits="1\n")
    assert (kvm_count(77, "exits", kvm=tmp_path), kvm_count(77, "pf_fixed", kvm=tmp_path)) == (12345, 678)


def test_what_kvm_does_not_tell_is_not_zero(tmp_path: Path) -> None:
    _guest(tmp_path, "77-12", exits="no number")
    assert kvm_count(77, "tlb_flush", kvm=tmp_path) is None
    assert kvm_count(77, "exits", kvm=tmp_path) is None
    assert kvm_count(77, "exits", kvm=tmp_path / "absent") is None
