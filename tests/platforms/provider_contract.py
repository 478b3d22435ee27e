"""What every provider of guests must do (``platforms.guests.provider``): one class of tests, run on each of
them.

A module of a provider gives the fixtures ``provider``, ``wanted``, ``made`` (of the module, removed by its
last test's end) and ``home``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.machines import open_door
from assay.model.errors import AssayError
from assay.platforms.guests.provider import Made, Provider


class ProviderContract:
    """Tests that a provider inherits."""

    def test_a_guest_is_reached_by_the_machine_that_it_tells(self, made: Made, home: Path) -> None:
        door = open_door(made.machine, home=home, connect_timeout_s=60)
        try:
            assert door.run(["cat", "/proc/sys/kernel/ostype"], timeout_s=60) == b"Linux\n"
        finally:
            door.close()

    def test_what_it_is_is_read_back(self, made: Made) -> None:
        platform = made.platform()
        assert platform.vcpus >= 1
        assert platform.memory_bytes > 0
        assert platform.accelerator in {"kvm", "tcg"}
        assert platform.hypervisor

    def test_what_it_costs_is_told_or_none_and_never_falls(self, made: Made) -> None:
        before, after = made.hypervisor_cpu(), made.hypervisor_cpu()
        if before is not None and after is not None:
            assert 0 < before.vcpu_s <= after.vcpu_s
            assert (before.vcpu_migrations or ()) <= (after.vcpu_migrations or ())
        weight = made.weight()
        assert weight is None or weight.beside_bytes > 0

    def test_it_is_ours_and_found_again_by_its_name(self, provider: Provider[Any], made: Made) -> None:
        assert made.name in provider.ours()
        found = provider.find(made.name)
        assert found is not None
        assert found.machine == made.machine

    def test_a_name_that_nobody_gave_is_not_found(self, provider: Provider[Any]) -> None:
        assert provider.find("assay-nobody") is None

    def test_one_that_holds_a_record_is_not_made_anew(
        self, provider: Provider[Any], wanted: Any, made: Made
    ) -> None:
        made.mark_pending(pending=True)
        try:
            with pytest.raises(AssayError):
                provider.make(wanted)
            assert made.platform().vcpus >= 1
        finally:
            made.mark_pending(pending=False)

    def test_removing_it_twice_leaves_nothing_and_is_no_error(
        self, provider: Provider[Any], made: Made
    ) -> None:
        name = made.name
        for _ in range(2):
            made.destroy()
        assert provider.find(name) is None
        assert name not in provider.ours()
