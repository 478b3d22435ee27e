"""What scales of ready scenes need of their host: had where it is there, refused with the reason where it is
not.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.activities.visits.settings import check_guest
from assay.model.errors import MissingError
from assay.scenes import find_scene
from tests.factors.parts import FakeHost

POOL = "/sys/kernel/mm/hugepages/hugepages-2048kB"
THP = {"/sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never"}
LARGE = FakeHost(accelerator="kvm", cpus=tuple(range(17)), memory_bytes=40 << 30)


def check(name: str, scale: str, on: FakeHost) -> None:
    """Check every guest of a ready scene at a scale, the baseline's too."""
    scene = find_scene(name, scale=scale)
    assert scene.baseline_guest is not None
    for guest in (scene.baseline_guest, *scene.guests):
        check_guest(guest, vcpus=guest.vcpus or 1, on=on)


def pool(free: int) -> dict[str, str]:
    pages = {"free": free, "nr": free, "resv": 0}
    return THP | {f"{POOL}/{name}_hugepages": str(count) for name, count in pages.items()}


def test_cells_on_the_host_s_own_nodes_need_two_of_them() -> None:
    check("numa", "publication", replace(LARGE, nodes=(0, 1)))
    with pytest.raises(MissingError, match="this machine has one memory node"):
        check("numa", "publication", LARGE)


def test_a_pool_of_huge_pages_is_made_by_the_user_who_is_told_how() -> None:
    check("huge-pages", "pool", FakeHost(pool(512)))
    with pytest.raises(MissingError, match=f"echo [0-9]+ > {POOL}/nr_hugepages"):
        check("huge-pages", "pool", FakeHost(pool(0)))


def test_features_of_the_host_s_processor_need_kvm() -> None:
    check("cpu-features", "publication", FakeHost(accelerator="kvm"))
    with pytest.raises(MissingError, match=r"cpu\.mode=host-passthrough: is for KVM"):
        check("cpu-features", "publication", FakeHost())


@pytest.mark.parametrize("scale", ["cvmfs-cold", "cvmfs-warm"])
def test_a_repository_needs_a_client(scale: str) -> None:
    scene = find_scene("data-access", scale=scale)
    (guest,) = scene.guests
    check_guest(guest, vcpus=1, on=FakeHost(programs=("cvmfs_config",)))
    with pytest.raises(MissingError, match="needs a CVMFS client"):
        check_guest(guest, vcpus=1, on=FakeHost())
