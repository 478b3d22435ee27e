"""libvirt as a provider, by one guest that has many settings at once: seen from outside and from inside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay.activities.visits.visit import Visit, guest_visit
from assay.model.machines.fingerprint import flatten
from assay.platforms.daemon.daemon import libvirt_connection
from assay.platforms.guests.guest import Guest, GuestSpec
from assay.platforms.libvirt.provider import LibvirtProvider
from tests.platforms.guest_parts import PROBE, fresh_home, real_image, spec_of
from tests.platforms.provider_contract import ProviderContract

pytestmark = pytest.mark.live

MIB = 2**20
SETTINGS = (
    ("cpu.topology", "sockets=1,cores=1,threads=2"),
    ("cpu.model", "Nehalem"),
    ("cpu.feature", "popcnt=disable"),
    ("memory.memballoon", "virtio"),
    ("memory.currentMemory", "1536 MiB"),
    ("guest.mitigations", "off"),
    ("guest.clocksource", "acpi_pm"),
    ("guest.transparent_hugepage", "never"),
    ("guest.idle", "halt"),
)


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with fresh_home() as folder:
        yield folder


@pytest.fixture(scope="module")
def provider(home: Path) -> Iterator[LibvirtProvider]:
    with libvirt_connection(home, subreaper=PROBE) as connection:
        yield LibvirtProvider(connection, home)


@pytest.fixture(scope="module")
def wanted(home: Path) -> GuestSpec:
    return replace(spec_of(home, real_image()), vcpus=2, settings=SETTINGS)


@pytest.fixture(scope="module")
def made(provider: LibvirtProvider, wanted: GuestSpec) -> Iterator[Guest]:
    guest = provider.make(wanted)
    yield guest
    guest.destroy()


@pytest.fixture(scope="module")
def stage(made: Guest, home: Path) -> Iterator[Visit]:
    with guest_visit(made, "guest", "test", home=home) as opened:
        yield opened


@pytest.mark.long
def test_many_settings_at_once_are_in_force_by_what_is_seen_from_outside_and_inside(stage: Visit) -> None:
    assert stage.platform is not None
    assert {one.name: one.level for one in stage.platform.factors} == dict(SETTINGS)


@pytest.mark.long
def test_the_balloon_has_really_taken_the_guest_s_memory(stage: Visit) -> None:
    assert 1200 * MIB < stage.facts.memory_bytes < 1536 * MIB


def test_the_guest_sees_the_processor_that_it_was_given(stage: Visit) -> None:
    flags = str(flatten(stage.fingerprint)["hardware", "processor.flags"])
    assert "Nehalem" in (stage.facts.cpu_model or "")
    assert "sse4_2" in flags
    assert "popcnt" not in flags
    assert stage.facts.siblings == ((0, 1),)


def test_the_guest_s_kernel_runs_as_it_was_told(stage: Visit) -> None:
    assert (stage.facts.clock_source, stage.facts.thp) == ("acpi_pm", "never")
    assert stage.below == "qemu-tcg"


class TestLibvirt(ProviderContract):
    """libvirt keeps the treaty; its last test removes the guest."""

    @pytest.fixture(autouse=True)
    def opened(self, stage: Visit) -> None:
        """Let the guest's balloon have moved before it is read back."""
