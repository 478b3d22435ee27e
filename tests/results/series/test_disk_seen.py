"""The disk below a trial's folder, from the facts that are kept of its machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.explain.sanity import Disk
from assay.model.machines.machine import Fingerprint
from assay.results.series.disk_seen import disk_from, disk_of
from assay.results.series.sampled import read_sampled
from assay.store.fingerprints import write_fingerprint
from tests.builders import FACTS, plan_of, record_of
from tests.explain.sanity.both import HERE

DISKS: dict[str, Any] = {
    "sda": {"model": "ST4000NM0033", "rotational": True},
    "sdaa": {"model": None, "rotational": False},
    "nvme0n1": {"model": "A model", "rotational": False},
    "nvme0n12": {"model": "Another", "rotational": False},
}


@pytest.mark.parametrize(
    ("source", "disk"),
    [
        ("/dev/sda1", Disk("sda", "ST4000NM0033", rotational=True)),
        ("/dev/sda", Disk("sda", "ST4000NM0033", rotational=True)),
        ("/dev/sdaa2", Disk("sdaa", None, rotational=False)),
        ("/dev/nvme0n1p2", Disk("nvme0n1", "A model", rotational=False)),
        ("/dev/nvme0n12p1", Disk("nvme0n12", "Another", rotational=False)),
        ("/dev/mapper/vg-root", None),  # a volume may lie on several
        ("/dev/root", None),
        ("/dev/sdb1", None),
        ("tmpfs", None),
        ("overlay", None),
        (None, None),
    ],
)
def test_a_partition_is_told_by_its_disk(source: str | None, disk: Disk | None) -> None:
    assert disk_from({"disks": DISKS, "file_system": {"source": source}}) == disk


@pytest.mark.parametrize(
    "storage",
    [
        {},
        {"disks": None, "file_system": {"source": "/dev/sda1"}},
        {"disks": DISKS, "file_system": None},
        {"disks": {"sda": None}, "file_system": {"source": "/dev/sda1"}},
    ],
)
def test_what_a_machine_does_not_tell_is_no_disk(storage: dict[str, object]) -> None:
    assert disk_from(storage) is None


def test_a_trial_has_the_disk_of_its_boot(tmp_path: Path) -> None:
    facts = tmp_path / "facts"
    facts.mkdir()
    storage = {"disks": DISKS, "file_system": {"source": "/dev/sda1"}}
    write_fingerprint(facts / "local.json", Fingerprint(FACTS, {"storage": storage}, 1))
    place = tmp_path / "trials" / HERE.name
    place.mkdir(parents=True)
    (place / "samples.csv").write_text("mono_ns,real_ns\n1,1\n")
    assert plan_of((HERE,)).trials == (HERE,)
    sampled = read_sampled([record_of(HERE, 1.0)], tmp_path)
    assert sampled[HERE.name].disk == Disk("sda", "ST4000NM0033", rotational=True)
    assert read_sampled([record_of(HERE, 1.0, boot="other")], tmp_path)[HERE.name].disk is None


def test_facts_that_are_damaged_or_named_like_a_path_tell_no_disk(tmp_path: Path) -> None:
    (tmp_path / "facts").mkdir()
    (tmp_path / "facts" / "local.json").write_text("{")
    assert disk_of(tmp_path, "local") is None
    assert disk_of(tmp_path, "../local") is None
